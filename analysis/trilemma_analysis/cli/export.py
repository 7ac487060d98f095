"""The command `export`: runs in the file formats of other tools. No service is contacted."""

from __future__ import annotations

import argparse
import io
import json
import math
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from ..io.errors import RunFileError
from ..io.event_file import event_file
from ..io.mlflow_store import StoredRun, store_files
from ..io.run_file import Run
from ..io.words import as_count
from ..io.writing import csv_of, records, safe_name, write_new, write_new_files
from ..model.exported import facts, identity, once_each, rounds_table, runs_table, settings_of, units
from ..model.phases import ALL_SECONDS, with_seconds
from .files import print_note, read_runs

JSON = "json"  # the format that is one file
Files = dict[str, bytes | str]


def add(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.description = ("Writes runs in the file formats of other tools: all settings, final figures, rounds, and what the "
                          "privacy claim says. Nothing is sent anywhere.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="run files, or folders of them")
    parser.add_argument("--to", required=True, choices=(*FORMATS, JSON),
                        help="csv, parquet: a folder with a table of the runs and one of their rounds; json: one file with "
                        "both and the units; mlflow: a folder for `mlflow ui --backend-store-uri`; tensorboard: a folder "
                        "for `tensorboard --logdir`")
    parser.add_argument("-o", "--output", required=True, metavar="OUTPUT", help="folder to write into, for json a file")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist (default: refuse)")


def run(chosen: argparse.Namespace) -> None:
    """Exports the runs, and prints how many files were written where."""
    found = read_runs(chosen.files)
    runs = once_each(found)
    if copies := len(found) - len(runs):
        print_note(f"note: {as_count(copies, 'file')} with the content of another one, exported once.")
    output = Path(chosen.output)
    if chosen.to == JSON:
        write_new(output, as_json(runs), chosen.overwrite)
        print(output)
        return
    files = FORMATS[chosen.to](runs)
    write_new_files(output, files, chosen.overwrite)
    print(f"{output}: {as_count(len(files), 'file')} of {as_count(len(runs), 'run')}")


def as_csv(runs: Sequence[Run]) -> Files:
    """runs.csv and rounds.csv in full precision."""
    return {"runs.csv": csv_of(runs_table(runs)), "rounds.csv": csv_of(rounds_table(runs))}


def as_parquet(runs: Sequence[Run]) -> Files:
    """runs.parquet and rounds.parquet."""
    if find_spec("pyarrow") is None:
        raise RunFileError("the Python package pyarrow, which writes Parquet, is missing; install it, or use --to csv.")
    return {f"{name}.parquet": _parquet(table) for name, table in (("runs", runs_table(runs)),
                                                                   ("rounds", rounds_table(runs)))}


def _parquet(table: pd.DataFrame) -> bytes:
    """A table as Parquet; columns whose values are of several types are texts."""
    mixed = [name for name in table if table[name].dtype == object]
    content = io.BytesIO()
    table.assign(**{name: table[name].map(lambda value: None if pd.isna(value) else str(value)) for name in mixed}
                 ).to_parquet(path=content, engine="pyarrow", index=False)
    return content.getvalue()


def as_json(runs: Sequence[Run]) -> str:
    """Both tables as lists of objects, and the units of their columns; unknown and infinite values are null."""
    tables = {"runs": runs_table(runs), "rounds": rounds_table(runs)}
    return json.dumps({"units": units(runs, *(list(table) for table in tables.values()))}
                      | {name: records(table) for name, table in tables.items()}, indent=1, allow_nan=False) + "\n"


def as_mlflow(runs: Sequence[Run]) -> Files:
    """An experiment of MLflow for each folder, a run for each run file."""
    return dict(store_files(map(_stored, runs)))


def _stored(run: Run) -> StoredRun:
    """A run with its settings as parameters, its facts as tags, and its evaluated states as metrics."""
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


def as_tensorboard(runs: Sequence[Run]) -> Files:
    """A folder for each run, with one event file."""
    files: Files = {}
    for run in runs:
        place = f"{safe_name(_experiment(run))}/{safe_name(_name(run))}-{identity(run)[:8]}"
        start = _started(run)
        columns = [name for name in run.rounds if name != "round"]
        rows = [(int(step), time, {name: value for name, value in zip(columns, values) if not math.isnan(value)})
                for step, time, *values in zip(run.rounds["round"], _times(run), *(run.rounds[name] for name in columns))]
        texts = {"claim": run.attributes["claim"], "config": "".join(f"    {line}\n" for line in run.config.splitlines())}
        files[f"{place}/events.out.tfevents.{round(start)}.trilemma"] = event_file(start, texts, rows)
    return files


def _experiment(run: Run) -> str:
    """The name of a run's folder, which is the name of its sweep."""
    return run.path.absolute().parent.name or "runs"


def _name(run: Run) -> str:
    """A name of a run for people: method, epsilon that was asked for, and seed."""
    epsilon = run.attributes["epsilon_nominal"]
    asked = "" if math.isnan(epsilon) else f" eps {epsilon:g}"
    return f"{run.attributes['method']}{asked} seed {run.attributes['seed']}"


def _started(run: Run) -> float:
    """Unix time of the start; 0 where it is not recorded."""
    try:
        return datetime.fromisoformat(run.environment.get("started", "").strip()).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _times(run: Run) -> list[float]:
    """Unix time of each state: the start and what the phases have taken by then."""
    return [_started(run) + spent for spent in with_seconds(run).rounds[ALL_SECONDS]]


FORMATS: dict[str, Callable[[Sequence[Run]], Files]] = {
    "csv": as_csv, "parquet": as_parquet, "mlflow": as_mlflow, "tensorboard": as_tensorboard,
}
