"""The command `export`: runs in the file formats of other tools. No service is contacted."""

from __future__ import annotations

import argparse
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from ..io.errors import RunFileError
from ..io.event_file import event_file
from ..io.mlflow_store import StoredRun, store_files
from ..io.run_file import Run
from ..io.words import as_count
from ..io.writing import csv_of, records, safe_name, write_new, write_new_files
from ..model.exported import facts, identity, joined_rounds, once_each, run_rounds, run_row, settings_of, units
from ..model.phases import ALL_SECONDS, with_seconds
from .files import print_note, read_runs

Files = dict[str, bytes | str]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Writes runs in the file formats of other tools: all settings, final figures, rounds, and "
                          "what the privacy claim says. Nothing is sent anywhere.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    parser.add_argument("--to", required=True, choices=(*FORMATS, *WITHOUT), metavar="{" + ",".join(FORMATS) + "}",
                        help="csv, parquet: a folder with a table of the runs and one of their rounds; json: one file "
                             "with both and the units; mlflow: a folder for `mlflow ui --backend-store-uri`; "
                             "tensorboard: a folder for `tensorboard --logdir`")
    parser.add_argument("-o", "--output", required=True, metavar="OUTPUT", help="folder to write into, for json a file")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist (default: refuse)")


def run(chosen: argparse.Namespace) -> None:
    """Exports the runs, and prints how many files were written where. Raises RunFileError at the end where a run could
    not be exported; the files of the others are written all the same."""
    if chosen.to in WITHOUT:
        raise RunFileError(WITHOUT[chosen.to])
    found = read_runs(chosen.files)
    runs = once_each(found)
    if copies := len(found) - len(runs):
        print_note(f"note: {as_count(copies, 'file')} with the content of another one, exported once.")
    output, form = Path(chosen.output), FORMATS[chosen.to]
    form.check()
    parts, failed = _parts(runs, form.part)
    if parts:
        content = form.whole(parts)
        if isinstance(content, str):
            write_new(output, content, chosen.overwrite)
            print(output)
        else:
            write_new_files(output, content, chosen.overwrite)
            print(f"{output}: wrote {as_count(len(content), 'file')} from {as_count(len(parts), 'run')}")
    if failed:
        raise RunFileError(f"{len(failed)} of {as_count(len(runs), 'run')} could not be exported: {'; '.join(failed)}.")


def _parts(runs: Sequence[Run], part: Callable[[Run], Any]) -> tuple[list[Any], list[str]]:
    """Returns the results of `part` for the runs, and a phrase with file and reason for each run that it refuses."""
    parts, failed = [], []
    for each in runs:
        try:
            parts.append(part(each))
        except Exception as error:  # noqa: BLE001 - whatever is odd about one run must not keep the others out
            failed.append(f"{each.path} ({type(error).__name__}: {error})")
    return parts, failed


@dataclass(frozen=True)
class Tables:
    """The rows of one run in both tables."""

    run: Run
    row: dict[str, Any]
    rounds: pd.DataFrame


def _tables(run: Run) -> Tables:
    """Returns the rows of a run."""
    return Tables(run, run_row(run), run_rounds(run))


def _both(parts: Sequence[Tables]) -> dict[str, pd.DataFrame]:
    """Returns both tables of all runs by their names."""
    return {"runs": pd.DataFrame([each.row for each in parts]),
            "rounds": joined_rounds([each.rounds for each in parts])}


def as_csv(parts: Sequence[Tables]) -> Files:
    """Returns runs.csv and rounds.csv in full precision."""
    return {f"{name}.csv": csv_of(table) for name, table in _both(parts).items()}


def as_parquet(parts: Sequence[Tables]) -> Files:
    """Returns runs.parquet and rounds.parquet."""
    return {f"{name}.parquet": _parquet(table) for name, table in _both(parts).items()}


def _check_parquet() -> None:
    """Raises RunFileError where the package that writes Parquet is missing."""
    if find_spec("pyarrow") is None:
        raise RunFileError("the Python package pyarrow, which writes Parquet, is missing; install it, or use --to csv.")


def _parquet(table: pd.DataFrame) -> bytes:
    """Returns a table as Parquet. Columns with values of several types become texts."""
    mixed = [name for name in table if table[name].dtype == object]
    content = io.BytesIO()
    table.assign(**{name: table[name].map(lambda value: None if pd.isna(value) else str(value)) for name in mixed}
                 ).to_parquet(path=content, engine="pyarrow", index=False)
    return content.getvalue()


def as_json(parts: Sequence[Tables]) -> str:
    """Returns both tables as lists of objects, with the units of their columns. Unknown and infinite values are
    null."""
    tables = _both(parts)
    names = {"units": units([each.run for each in parts], *(list(table) for table in tables.values()))}
    return json.dumps({"schema": "trilemma-runs", "schema_version": 1} | names
                      | {name: records(table) for name, table in tables.items()}, indent=1, allow_nan=False) + "\n"


def as_mlflow(parts: Sequence[StoredRun]) -> Files:
    """Returns the files of an MLflow store: an experiment for each folder, a run for each run file."""
    return dict(store_files(parts))


def _stored(run: Run) -> StoredRun:
    """Returns a run with its settings as parameters, its facts as tags, and its evaluated states as metrics."""
    start = _started(run)
    times = _times(run)
    metrics = {name: [(round(1e3 * time), float(value), int(step)) for time, value, step
                      in zip(times, run.rounds[name], run.rounds["round"]) if not math.isnan(value)]
               for name in run.rounds if name != "round"}
    tags = {f"trilemma.{name}": str(value) for name, value in facts(run).items()}
    lasted = run.attributes["wall_seconds"]  # NaN where privacy.strict withholds times
    return StoredRun(identity(run), _name(run), _experiment(run), round(1e3 * start),
                     round(1e3 * (start + (0.0 if math.isnan(lasted) else lasted))), run.complete,
                     run.environment.get("git_revision", "").strip(),
                     {key: str(value) for key, value in settings_of(run).items()},
                     tags | {"mlflow.note.content": run.attributes["claim"]}, metrics)


def as_tensorboard(parts: Sequence[tuple[str, bytes]]) -> Files:
    """Returns a folder with one event file for each run."""
    return dict(parts)


def _events(run: Run) -> tuple[str, bytes]:
    """Returns the path and the content of a run's event file."""
    start = _started(run)
    columns = [name for name in run.rounds if name != "round"]
    rows = [(int(step), time, {name: value for name, value in zip(columns, values) if not math.isnan(value)})
            for step, time, *values in zip(run.rounds["round"], _times(run), *(run.rounds[name] for name in columns))]
    texts = {"claim": run.attributes["claim"], "config": "".join(f"    {line}\n" for line in run.config.splitlines())}
    place = f"{safe_name(_experiment(run))}/{safe_name(_name(run))}-{identity(run)[:8]}"
    return f"{place}/events.out.tfevents.{round(start)}.trilemma", event_file(start, texts, rows)


def _experiment(run: Run) -> str:
    """Returns the name of a run's folder, which is the name of its sweep."""
    return run.path.absolute().parent.name or "runs"


def _name(run: Run) -> str:
    """Returns the name of a run for people: method, requested epsilon, and seed."""
    epsilon = run.attributes["epsilon_nominal"]
    asked = "" if math.isnan(epsilon) else f" eps {epsilon:g}"
    return f"{run.attributes['method']}{asked} seed {run.attributes['seed']}"


def _started(run: Run) -> float:
    """Returns the Unix time of the start, 0 where it is not recorded."""
    try:
        return datetime.fromisoformat(run.environment.get("started", "").strip()).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _times(run: Run) -> list[float]:
    """Returns the Unix time of each state: the start plus the time of the phases until then."""
    return [_started(run) + spent for spent in with_seconds(run).rounds[ALL_SECONDS]]


@dataclass(frozen=True)
class Format:
    """A format: what it takes of one run, what it makes of all of them (one file, or several by their paths), and a
    check that raises RunFileError where it cannot be written here."""

    part: Callable[[Run], Any]
    whole: Callable[[Sequence[Any]], Files | str]
    check: Callable[[], None] = lambda: None


FORMATS = {
    "csv": Format(_tables, as_csv), "parquet": Format(_tables, as_parquet, _check_parquet),
    "json": Format(_tables, as_json), "mlflow": Format(_stored, as_mlflow),
    "tensorboard": Format(_events, as_tensorboard),
}
# Formats that are asked for and do not exist, with what to use instead.
WITHOUT = {
    "wandb": "there is no export for Weights & Biases, whose own client alone writes its files; use --to tensorboard "
             "and upload that folder with `wandb sync FOLDER`, or log the rows of --to csv in a script of your own.",
}
