"""What lies in the folder of a scaling study: study.json, run files, what else went on, and measured networks."""

from __future__ import annotations

import json
import math
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from ..io import checked
from ..io.errors import RunFileError
from ..io.guard import Crash, apart
from ..io.manifest import is_integer, is_value, is_word
from ..io.run_file import IncompleteRunWarning, read_run
from ..io.words import NO_EVIDENCE, Warn
from ..model.evidence import TOLERANCE
from .points import Line, Point, Study
from .timing import Timing, mixed, timing_of

MANIFEST = "study.json"
SCHEMA, SCHEMA_VERSION = "trilemma-study", 1
NETWORK_SCHEMA = "trilemma-network"
OPERATIONS = ("broadcast", "gather", "reduce")
LOAD = ("load_before", "load_after", "others")  # numbers of a record


def read_study(folder: str | Path) -> Study:
    """Reads the folder of a study. Raises RunFileError where it is none or holds no complete run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise RunFileError(f"{folder}: there is no such folder; name the one that jobs/submit study wrote.")
    manifest = read_manifest(folder)
    timings: dict[str, Timing] = {}
    notes: list[str] = []
    for run in manifest["runs"]:
        if (path := folder / run["file"]).is_file():
            try:
                timings[run["file"]] = _timing(path, run, manifest["warm_up"])
            except RunFileError as error:
                notes.append(f"skipped: {error}")
    planned = len(manifest["runs"])
    missing = planned - len(timings) - len(notes)
    if not timings:
        raise RunFileError(f"{folder}: none of the {planned} runs of the study can be used"
                           + (f"; the last one: {notes[-1]}" if notes else "; run it with jobs/submit study."))
    simulated = [timing.simulation for timing in timings.values() if timing.simulation]
    if simulated and len(simulated) < len(timings):
        raise RunFileError(f"{folder}: {len(simulated)} of {len(timings)} runs are simulated and the others measured; "
                           "keep them in folders of their own.")
    simulation = f"{simulated[0].platform}, {simulated[0].computing}" if simulated else ""
    if simulation:
        notes.append(f"SIMULATED: no time of {folder} was measured ({simulation})")
    if missing:
        notes.append(Warn(f"incomplete: {missing} of {planned} runs are missing; the same jobs/submit study goes on "
                          "with them"))
    notes += mixed(timings)
    lines = tuple(line for series in manifest["series"] for line in _lines(folder, manifest, series, timings))
    notes += _of_placements(lines, timings)
    if any(point.crowded is None for line in lines for point in line.points):
        notes.append("not known for all runs: whether each rank had a core (no .json next to the run file)")
    return Study(folder, manifest["name"], manifest["warm_up"], manifest["axes"], lines,
                 _networks(folder, manifest, notes), tuple(notes), simulation)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Returns the content of study.json, in the layout of docs/reference/studies.md."""
    path = folder / MANIFEST
    if not path.is_file():
        raise RunFileError(f"{folder}: no {MANIFEST} in this folder; name the one that jobs/submit study wrote.")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise RunFileError(f"{path}: not JSON, truncated perhaps; jobs/submit study writes it again.") from None
    found = manifest.get("schema") if isinstance(manifest, dict) else None
    if found != SCHEMA or manifest.get("schema_version") != SCHEMA_VERSION:
        raise RunFileError(f"{path}: not a '{SCHEMA}' of version {SCHEMA_VERSION}; name the folder of a study, or use "
                           "the analysis package of the Trilemma version that wrote the file.")
    if wrong := _wrong(manifest):
        raise RunFileError(f"{path}: not the layout of docs/reference/studies.md ({wrong}); jobs/submit study writes "
                           "it again.")
    return manifest


def _wrong(manifest: dict[str, Any]) -> str:
    """Returns the first deviation from the layout, empty if there is none."""
    axes, series, runs = (manifest.get(key) for key in ("axes", "series", "runs"))
    if not is_word(manifest.get("name")) or not is_integer(manifest.get("warm_up")) or manifest["warm_up"] < 0:
        return "'name' is no text, or 'warm_up' no number"
    if not isinstance(axes, dict) or not all(is_word(key) and isinstance(values, list) for key, values in axes.items()):
        return "'axes' is not an object of lists"
    if not isinstance(series, list) or not series or not all(
            isinstance(each, dict) and is_word(each.get("name")) and each.get("kind") in ("strong", "weak")
            and (each["kind"] == "strong" or is_integer(each.get("clients_per_rank"))) for each in series):
        return "'series' is not a list of strong and weak series"
    if not isinstance(runs, list) or not runs:
        return "'runs' is not a list of runs"
    names = [each["name"] for each in series]
    return next((f"run {i}" for i, run in enumerate(runs) if not _is_run(run, names, axes)), "")


def _is_run(run: Any, series: list[str], axes: dict[str, list[Any]]) -> bool:
    """Returns whether `run` is a run of a manifest."""
    return (isinstance(run, dict) and run.get("series") in series and is_integer(run.get("ranks")) and run["ranks"] > 0
            and is_integer(run.get("repetition")) and is_word(run.get("file")) and run["file"].endswith(".h5")
            and Path(run["file"]).name == run["file"] and isinstance(run.get("values"), dict)
            and list(run["values"]) == list(axes) and all(map(is_value, run["values"].values()))
            and all(value in axes[key] for key, value in run["values"].items()))


def _timing(path: Path, planned: dict[str, Any], warm_up: int) -> Timing:
    """Returns the times of a run file. Refuses runs that are no evidence of time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteRunWarning)
        run = read_run(path)
    if run.changed or not run.complete:
        raise RunFileError(f"{path}: incomplete, or changed after it was written; repeat the run.")
    if run.starts > 1:
        raise RunFileError(f"{path}: resumed from a checkpoint, which is no evidence of time; repeat the run.")
    if int(run.attributes["ranks"]) != planned["ranks"]:
        raise RunFileError(f"{path}: made on {run.attributes['ranks']} ranks, and the study has it on "
                           f"{planned['ranks']}; repeat the run.")
    return timing_of(run, warm_up)


def _record_of(path: Path) -> dict[str, Any]:
    """Returns the record that the job wrote next to a file; empty if it is missing or not such a record."""
    try:
        record = json.loads(path.with_suffix(".json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    known = isinstance(record, dict) and is_integer(record.get("cores")) and is_integer(record.get("ranks_here"))
    return record if known else {}


def _number_of(value: Any) -> float:
    """Returns a number of a record, NaN without one."""
    return float(value) if isinstance(value, (int, float)) else math.nan


def _lines(folder: Path, manifest: dict[str, Any], series: dict[str, Any], timings: dict[str, Timing]) -> list[Line]:
    """Returns the lines of a series with their points, one per number of ranks and placement. Points without a run and
    lines without points are skipped."""
    planned = pd.DataFrame(run | {"values": json.dumps(run["values"])} for run in manifest["runs"]
                           if run["series"] == series["name"])
    if planned.empty:
        return []
    runs = planned[planned.file.isin(timings.keys())].copy()
    runs["placement"] = [timings[file].placement.key for file in runs.file]
    found = []
    for values, of_line in runs.groupby("values"):
        points = []
        for ranks, alike in of_line.groupby("ranks"):
            count = int(((planned["values"] == values) & (planned.ranks == ranks)).sum())
            points += [_point(folder, int(ranks), count, each, timings)
                       for _, each in alike.groupby("placement", sort=False)]
        found.append(Line(manifest["name"], series["name"], series["kind"], series.get("clients_per_rank"),
                          json.loads(values), tuple(points)))
    return sorted(found, key=lambda line: [manifest["axes"][key].index(value) for key, value in line.values.items()])


def _point(folder: Path, ranks: int, planned: int, runs: pd.DataFrame, timings: dict[str, Timing]) -> Point:
    """Returns the point of some runs."""
    done, records = [timings[file] for file in runs.file], [_record_of(folder / file) for file in runs.file]
    table = pd.DataFrame([timing.seconds | timing.measures | {key: _number_of(record.get(key)) for key in LOAD}
                          | {"start_up": _number_of(record.get("seconds")) - timing.wall}
                          for timing, record in zip(done, records)], index=runs.repetition)
    known = [record for record in records if record]
    return Point(ranks, planned, tuple(done), table,
                 done[0].placement.most or max((record["ranks_here"] for record in known), default=0),
                 min((record["cores"] for record in known), default=0))


def _of_placements(lines: tuple[Line, ...], timings: dict[str, Timing]) -> list[str]:
    """Returns remarks on runs that were placed in several ways, or whose placement is not known."""
    found = []
    for ranks in sorted({ranks for line in lines for ranks in line.placed_in_several_ways}):
        ways = dict.fromkeys(point.placement.words or "not recorded" for line in lines for point in line.points
                             if point.ranks == ranks)
        found.append(f"{ranks} ranks were placed in several ways, which are points of their own: {'; '.join(ways)}")
    known = {timing.placement.known for timing in timings.values() if not timing.simulation}
    return found + ["not known for all runs: on which nodes their ranks were"] * (len(known) > 1)


def _networks(folder: Path, manifest: dict[str, Any], notes: list[str]) -> dict[int, dict[str, tuple]]:
    """Returns calibrated sizes and median times by (ranks, operation). Appends a note to `notes` for each unusable
    file."""
    found = {}
    for ranks in sorted({run["ranks"] for run in manifest["runs"]}):
        path = folder / f"network-{ranks}.h5"
        if not path.is_file():
            continue
        record = _record_of(path)
        if record and _number_of(record.get("others")) + record["ranks_here"] > record["cores"] + TOLERANCE:
            notes.append(Warn(f"{NO_EVIDENCE}: others used {record['others']:.1f} of {record['cores']} cores while "
                              f"{path.name} was calibrated"))
        try:
            found[ranks] = apart(partial(_network, path.absolute(), ranks))
        except (checked.Damage, Crash, OSError, ValueError) as error:
            notes.append(f"skipped: {path}: no measured network of {ranks} ranks ({error})")
    return found


def _network(path: Path, ranks: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns bytes and medians of a calibrated network by operation."""
    with h5py.File(path, "r") as file:
        if checked.attribute(file, "schema", "text") != NETWORK_SCHEMA:
            raise checked.Damage("is none")
        if checked.array(file, "/facts/ranks", "an integer", 1).tolist() != [ranks]:
            raise checked.Damage("was measured on others")
        if checked.has(file, "/facts/warning"):
            raise checked.Damage("was measured on ranks that shared cores")
        return {name: (checked.array(file, f"/{name}/bytes", "a number", 1).astype(float),
                       checked.array(file, f"/{name}/median", "a number", 1)) for name in OPERATIONS}
