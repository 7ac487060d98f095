"""The points and lines of a scaling study, their speed-up and efficiency, and comparisons of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.placement import Placement
from ..model.evidence import Evidence, TOLERANCE
from ..stats.intervals import Interval, interval
from .timing import Timing

MODEL_RANKS = 3  # numbers of ranks that are evidence, for a picture or a model


class Doubt(Enum):
    """Why the times of a point are no evidence, in the words of a table."""

    SHARED = "shared cores"
    MISPLACED = "not placed as asked"
    LOAD = "load from others"
    STEAL = "hypervisor"
    ROUNDS = "few rounds"


# Judgements that the program records, which count if half of the repetitions have one.
OF_PROGRAM = {Evidence.CORES_SHARED: Doubt.SHARED, Evidence.LOAD_FROM_OTHERS: Doubt.LOAD,
              Evidence.STEAL: Doubt.STEAL, Evidence.FEW_ROUNDS: Doubt.ROUNDS}


@dataclass(frozen=True)
class Point:
    """The runs of one line on `ranks` ranks with one placement. `runs` has a row per repetition (the index): seconds
    and measures of Timing, the load that its record tells (load_before, load_after, others, in cores) and start_up, the
    seconds of the process outside its rounds. `here` is the
    number of ranks on the fullest node, `cores` its number of cores (0 if the records are missing)."""

    ranks: int
    planned: int
    timings: tuple[Timing, ...]
    runs: pd.DataFrame
    here: int
    cores: int

    @property
    def placement(self) -> Placement:
        """Returns the nodes of the ranks."""
        return self.timings[0].placement

    @property
    def clients(self) -> int:
        """Returns the number of clients of the run."""
        return self.timings[0].clients

    @property
    def crowded(self) -> bool | None:
        """Returns whether more ranks than cores shared a node; None if unknown."""
        return self.here > self.cores if self.cores else None

    @property
    def exact(self) -> bool:
        """Returns whether the times do not depend on the machine, and are the same in every repetition."""
        return all(timing.is_exact for timing in self.timings)

    @property
    def doubt(self) -> Doubt | None:
        """Returns why the times are no evidence; None if they are."""
        if self.crowded:
            return Doubt.SHARED
        if any(timing.placement.as_asked is False for timing in self.timings):
            return Doubt.MISPLACED
        if self.exact:
            return None
        if self.median("others") + self.here > self.cores + TOLERANCE:
            return Doubt.LOAD
        found = [OF_PROGRAM[timing.evidence] for timing in self.timings if timing.evidence in OF_PROGRAM]
        return found[0] if 2 * len(found) >= len(self.timings) else None

    @property
    def seconds(self) -> Interval:
        """Returns the median over the repetitions of the time of a round, with its interval."""
        return interval(self.runs["round"].tolist())

    def median(self, name: str) -> float:
        """Returns the median over the repetitions of a column of `runs`, NaN if it is not known."""
        known = self.runs[name].dropna()
        return float(known.median()) if len(known) else float("nan")

    @property
    def slowest(self) -> tuple[int, float]:
        """Returns the rank that computes longest in most rounds of all repetitions, and the share of these rounds."""
        counts = np.sum([timing.slowest for timing in self.timings], axis=0)
        return int(counts.argmax()), float(counts.max() / counts.sum())


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
        """Returns the point to which speed-up and efficiency refer: that with the fewest ranks."""
        return self.points[0]

    @property
    def placed_in_several_ways(self) -> list[int]:
        """Returns numbers of ranks with more than one placement."""
        counts = pd.Series([point.ranks for point in self.points]).value_counts()
        return sorted(counts.index[counts > 1].tolist())

    @property
    def usable(self) -> list[Point]:
        """Returns points whose times are evidence."""
        return [point for point in self.points if not point.doubt]

    @property
    def sound(self) -> list[Point]:
        """Returns usable points for numbers of ranks with one placement."""
        return [point for point in self.usable if point.ranks not in self.placed_in_several_ways]


@dataclass(frozen=True)
class Study:
    """A study as far as it is done. `networks`: seconds by operation, of files network-RANKS.h5; `simulation`: platform
    and computing of simulated ranks, empty where times were measured."""

    path: Path
    name: str
    warm_up: int
    axes: dict[str, list[Any]]  # with their values, in the order of the file
    lines: tuple[Line, ...]
    networks: Mapping[int, Mapping[str, tuple[np.ndarray, np.ndarray]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    simulation: str = ""


def usable_ranks(lines: Sequence[Line]) -> int:
    """Returns the most numbers of ranks for which any line has evidence. A picture needs MODEL_RANKS."""
    return max((len({point.ranks for point in line.usable}) for line in lines), default=0)


def paired(over: Point, under: Point) -> Interval:
    """Returns ratios of the times of two points over common repetitions; without a common one, the ratio of the
    medians."""
    ratios = (over.runs["round"] / under.runs["round"]).dropna().tolist()
    return interval(ratios or [over.seconds.median / under.seconds.median])


def scaled(found: Interval, factor: float) -> Interval:
    """Returns the interval multiplied by `factor`."""
    return replace(found, median=factor * found.median, low=factor * found.low, high=factor * found.high)


def speed_up(line: Line, point: Point) -> Interval:
    """Returns how many times as fast as the base a round is, the median over pairs of one repetition. Weak series,
    which have more work, are multiplied by the work."""
    if point is line.base:
        return Interval(1, 1.0, 1.0, 1.0, "none")
    return scaled(paired(line.base, point), point.ranks / line.base.ranks if line.kind == "weak" else 1.0)


def efficiency(line: Line, point: Point) -> Interval:
    """Returns the parallel efficiency relative to the base; 1 is ideal."""
    return scaled(speed_up(line, point), line.base.ranks / point.ranks)


def name_of(line: Line, lines: Sequence[Line]) -> str:
    """Returns what distinguishes a line from the others: values of the axes, and series and study if these differ."""
    keys = [key for key in line.values if len({str(other.values.get(key)) for other in lines}) > 1]
    parts = [value if isinstance(value := line.values[key], str) else f"{key} = {value}" for key in keys]
    parts = ([line.study] if len({other.study for other in lines}) > 1 else []) + parts
    if len({other.series for other in lines if other.kind == line.kind}) > 1 or not parts:
        parts.append(line.series)
    elif len({other.kind for other in lines}) > 1:
        parts.append(line.kind)
    return ", ".join(parts)


class Judgement(StrEnum):
    """What a ratio of times says."""

    ONE_PAIR = "one pair says nothing"
    TOO_FEW = "too few pairs to tell"
    TIED = "tied"
    FASTER = "faster"
    SLOWER = "slower"


def judged(ratio: Interval) -> Judgement:
    """Returns the judgement of a ratio of times."""
    if ratio.kind == "none":
        return Judgement.ONE_PAIR
    if ratio.kind == "range" and ratio.low < ratio.high:
        return Judgement.TOO_FEW
    return Judgement.TIED if ratio.low <= 1 <= ratio.high else Judgement.FASTER if ratio.high < 1 else Judgement.SLOWER


def ties(line: Line, point: Point, lines: Sequence[Line]) -> list[Line]:
    """Returns lines of the same series that are not distinguished from this one on the same number of ranks, pair by
    pair."""
    found = []
    for other in (other for other in lines if other is not line and other.series == line.series):
        for each in other.points:
            if each.ranks == point.ranks and each.placement.fits(point.placement):
                ratio = paired(each, point)
                slower = ratio.median > 1 if each.exact and point.exact else judged(ratio) is Judgement.SLOWER
                found += [] if slower else [other]
    return found


@dataclass(frozen=True)
class Ratio:
    """The times of a point divided by those of another line's point with equal ranks and placement, pair by pair of
    repetitions: above 1 where the other is faster. `who` and `against` are what is compared: studies, or values of an
    axis."""

    line: Line
    point: Point
    other: Point
    who: str
    against: str
    ratio: Interval

    @property
    def words(self) -> str:
        """Returns the names of numerator and denominator."""
        return f"{self.who} over {self.against}"

    @property
    def doubt(self) -> Doubt | None:
        """Returns why the ratio is no evidence; None if it is."""
        return self.point.doubt or self.other.doubt


def _ratios(line: Line, other: Line, who: str, against: str) -> list[Ratio]:
    """Returns the ratios of two lines at the points that both have."""
    return [Ratio(line, point, partner, who, against, paired(point, partner))
            for point in line.points for partner in other.points
            if partner.ranks == point.ranks and partner.placement.fits(point.placement)
            and len(point.runs.index.intersection(partner.runs.index))]


def of_studies(first: Study, second: Study) -> list[Ratio]:
    """Returns the ratios of the lines that two folders share, the second over the first."""
    found = [ratio for line in second.lines for other in first.lines
             if (other.series, other.kind, other.values) == (line.series, line.kind, line.values)
             for ratio in _ratios(line, other, line.study, other.study)]
    if not found:
        raise RunFileError(f"{second.path}: shares no point (series, ranks, placement, values of the axes) with "
                           f"{first.path}; compare folders of one study.")
    return found


def of_axis(study: Study, key: str) -> list[Ratio]:
    """Returns the ratios of the lines of one study that differ only in an axis, each over the line with the axis's
    first value."""
    if key not in study.axes:
        near = get_close_matches(key, study.axes, n=1, cutoff=0.4)
        raise RunFileError(f"--compare {key}: no axis of the study; " + (f'did you mean "{near[0]}"?' if near else
                           f"it has {', '.join(study.axes) or 'none'}."))
    found, first = [], {}
    for line in sorted(study.lines, key=lambda line: study.axes[key].index(line.values[key])):
        rest = str((line.series, {name: value for name, value in line.values.items() if name != key}))
        other = first.setdefault(rest, line)
        found += _ratios(line, other, str(line.values[key]), str(other.values[key])) if other is not line else []
    if not found:
        raise RunFileError(f"--compare {key}: no two runs of the study differ in it alone; leave it out.")
    return found


def renamed(studies: Sequence[Study]) -> list[Study]:
    """Returns the studies; two folders of one study are distinguished by their paths."""
    if len({study.name for study in studies}) == len(studies):
        return list(studies)
    return [replace(study, name=(name := str(study.path)),
                    lines=tuple(replace(line, study=name) for line in study.lines)) for study in studies]
