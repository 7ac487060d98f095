"""What lies in the folder of a scaling study: study.json, run files, what else went on, and measured networks."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..io.errors import RunFileError
from ..io.manifest import is_integer, is_value, is_word
from ..io.placement import Placement
from ..io.run_file import IncompleteRunWarning, read_run
from ..io.words import NO_EVIDENCE, Warn
from ..stats.intervals import Interval, interval
from .records import Load, TOLERANCE, load_of, measured_networks, record_of
from .timing import PARTS, Timing, mixed, timing_of

MANIFEST = "study.json"
MISPLACED = "NOT PLACED AS ASKED"  # a doubt about a point
SCHEMA, SCHEMA_VERSION = "trilemma-study", 1


@dataclass(frozen=True)
class Point:
    """The runs of one line on `ranks` ranks with one placement, by repetition; `here` is the number of ranks on the
    fullest node, `cores` its number of cores (0 if the records next to the run files are missing)."""

    ranks: int
    planned: int
    timings: dict[int, Timing]
    here: int
    cores: int
    loads: tuple[Load, ...]
    placement: Placement = Placement()

    @property
    def misplaced(self) -> bool:
        """Whether ranks were placed differently from the request of the job."""
        return any(timing.placement.as_asked is False for timing in self.timings.values())

    @property
    def crowded(self) -> bool | None:
        """Whether more ranks than cores shared a node; None if unknown."""
        return self.here > self.cores if self.cores else None

    @property
    def disturbed(self) -> bool:
        """Whether others used so much of the node that its ranks had no core each, in the median, and that matters."""
        return (not self.crowded and self.others + self.here > self.cores + TOLERANCE
                and not self.exact)

    @property
    def exact(self) -> bool:
        """Whether its times do not depend on the machine, and are the same in every repetition."""
        return all(timing.exact for timing in self.timings.values())

    @property
    def doubt(self) -> str:
        """Why its times are no evidence; empty where they are."""
        return ("SHARED CORES" if self.crowded else MISPLACED if self.misplaced
                else "DISTURBED" if self.disturbed else "")

    @property
    def seconds(self) -> Interval:
        """Median over the repetitions of the time of a round, with its interval."""
        return interval([timing.seconds for timing in self.timings.values()])

    @property
    def clients(self) -> int:
        """Clients of the run."""
        return next(iter(self.timings.values())).clients

    def median(self, name: str) -> float:
        """Median over the repetitions of a part of a round, or of another figure of the timings."""
        return float(np.median([timing.parts[name] if name in PARTS else getattr(timing, name)
                                for timing in self.timings.values()]))

    @property
    def slowest(self) -> tuple[int, float]:
        """The rank that computes longest in most rounds of all repetitions, and the share of these rounds."""
        counts = np.sum([timing.slowest for timing in self.timings.values()], axis=0)
        return int(counts.argmax()), float(counts.max() / counts.sum())

    @property
    def load(self) -> float:
        """Median of the load averages before the runs."""
        known = [load.before for load in self.loads if not math.isnan(load.before)]
        return float(np.median(known)) if known else math.nan

    @property
    def others(self) -> float:
        """Median of the cores that others used; NaN if unknown."""
        known = [load.others for load in self.loads if not math.isnan(load.others)]
        return float(np.median(known)) if known else math.nan


@dataclass(frozen=True)
class Line:
    """The points of one series with one value of every axis, by ascending ranks."""

    study: str
    series: str
    kind: str  # strong or weak
    clients_per_rank: int | None
    values: dict[str, Any]
    points: tuple[Point, ...]

    @property
    def base(self) -> Point:
        """What speed-up and efficiency refer to: the fewest ranks."""
        return self.points[0]

    @property
    def placed_in_several_ways(self) -> list[int]:
        """Numbers of ranks with more than one placement."""
        ranks = [point.ranks for point in self.points]
        return sorted({each for each in ranks if ranks.count(each) > 1})

    @property
    def sound(self) -> list[Point]:
        """Points whose times are evidence, for numbers of ranks with one placement."""
        return [point for point in self.points if not point.doubt and point.ranks not in self.placed_in_several_ways]


@dataclass(frozen=True)
class StudyFolder:
    """A study as far as it is done. `networks`: seconds by operation, of files network-RANKS.h5; `simulation`: platform
    and computing of simulated ranks, empty where times were measured."""

    path: Path
    name: str
    warm_up: int
    axes: dict[str, list[Any]]  # with their values, in the order of the file
    lines: tuple[Line, ...]
    networks: dict[int, dict[str, tuple[np.ndarray, np.ndarray]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    simulation: str = ""


def read_study(folder: str | Path) -> StudyFolder:
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
    missing = len(manifest["runs"]) - len(timings) - len(notes)
    if not timings:
        why = f"; the last one: {notes[-1]}" if notes else ""
        raise RunFileError(f"{folder}: none of the {len(manifest['runs'])} runs of the study can be used{why}"
                           + ("" if notes else "; run it with jobs/submit study."))
    simulated = [timing.simulation for timing in timings.values() if timing.simulation]
    if simulated and len(simulated) < len(timings):
        raise RunFileError(f"{folder}: {len(simulated)} of {len(timings)} runs are simulated and the others measured; "
                           "keep them in folders of their own.")
    simulation = f"{simulated[0].platform}, {simulated[0].computing}" if simulated else ""
    if simulation:
        notes.append(f"SIMULATED: no time of {folder} was measured ({simulation})")
    if missing:
        notes.append(Warn(f"incomplete: {missing} of {len(manifest['runs'])} runs are missing; the same jobs/submit study "
                          "goes on with them"))
    notes += mixed(timings)
    models: dict[str, tuple[str, str]] = {}
    for file, timing in timings.items():
        first, model = models.setdefault(timing.result[0], (file, timing.result[1]))
        if model != timing.result[1]:  # both empty where models differ by design
            notes.append(Warn(f"{NO_EVIDENCE}: {first} and {file} have the same settings and not the same model; run "
                              "both on one kind of processor, or report a fault"))
            break
    lines = tuple(line for series in manifest["series"] for line in _lines(folder, manifest, series, timings))
    notes += _of_placements(lines, timings)
    if any(point.crowded is None for line in lines for point in line.points):
        notes.append("not known for all runs: whether each rank had a core (no .json next to the run file)")
    return StudyFolder(folder, manifest["name"], manifest["warm_up"], manifest["axes"], lines,
                       measured_networks(folder, manifest, notes), tuple(notes), simulation)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The content of study.json, in the layout of docs/reference/studies.md."""
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
        raise RunFileError(f"{path}: not the layout of docs/reference/studies.md ({wrong}); jobs/submit study writes it again.")
    return manifest


def _wrong(manifest: dict[str, Any]) -> str:
    """The first thing that is not as it should be; empty where all is well."""
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
    return (isinstance(run, dict) and run.get("series") in series and is_integer(run.get("ranks")) and run["ranks"] > 0
            and is_integer(run.get("repetition")) and is_word(run.get("file")) and run["file"].endswith(".h5")
            and Path(run["file"]).name == run["file"] and isinstance(run.get("values"), dict)
            and list(run["values"]) == list(axes) and all(map(is_value, run["values"].values()))
            and all(value in axes[key] for key, value in run["values"].items()))


def _timing(path: Path, planned: dict[str, Any], warm_up: int) -> Timing:
    """The times of a run file; refuses runs that are no evidence of time."""
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


def _lines(folder: Path, manifest: dict[str, Any], series: dict[str, Any], timings: dict[str, Timing]) -> list[Line]:
    """The lines of a series; points without a run are skipped, and lines without points."""
    by_line: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for run in sorted(manifest["runs"], key=lambda run: run["ranks"]):
        if run["series"] == series["name"]:
            by_line.setdefault(json.dumps(run["values"]), {}).setdefault(run["ranks"], []).append(run)
    found = []
    places = {values: [manifest["axes"][key].index(value) for key, value in json.loads(values).items()]
              for values in by_line}
    for values, by_ranks in sorted(by_line.items(), key=lambda entry: places[entry[0]]):
        points = [point for ranks, runs in by_ranks.items() for point in _points(folder, ranks, runs, timings)]
        if points:
            found.append(Line(manifest["name"], series["name"], series["kind"], series.get("clients_per_rank"),
                              json.loads(values), tuple(points)))
    return found


def _points(folder: Path, ranks: int, runs: list[dict[str, Any]], timings: dict[str, Timing]) -> list[Point]:
    """A point for each placement of `ranks` ranks."""
    placed: dict[Any, list[dict[str, Any]]] = {}
    for run in runs:
        if run["file"] in timings:
            placed.setdefault(timings[run["file"]].placement.key, []).append(run)
    return [_point(folder, ranks, len(runs), alike, timings) for alike in placed.values()]


def _point(folder: Path, ranks: int, planned: int, runs: list[dict[str, Any]], timings: dict[str, Timing]) -> Point:
    done = {run["repetition"]: timings[run["file"]] for run in runs}
    placement = timings[runs[0]["file"]].placement
    records = [record for run in runs if (record := record_of(folder / run["file"]))]
    loads = tuple(map(load_of, records))
    here = placement.most or max((record["ranks_here"] for record in records), default=0)
    cores = min((record["cores"] for record in records), default=0)
    return Point(ranks, planned, done, here, cores, loads, placement)


def _of_placements(lines: tuple[Line, ...], timings: dict[str, Timing]) -> list[str]:
    """Remarks on runs that were placed in several ways, or whose placement is not known."""
    found = []
    for ranks in sorted({ranks for line in lines for ranks in line.placed_in_several_ways}):
        ways = dict.fromkeys(point.placement.words or "not recorded" for line in lines for point in line.points
                             if point.ranks == ranks)
        found.append(f"{ranks} ranks were placed in several ways, which are points of their own: {'; '.join(ways)}")
    known = {timing.placement.known for timing in timings.values() if not timing.simulation}
    return found + ["not known for all runs: on which nodes their ranks were"] * (len(known) > 1)
