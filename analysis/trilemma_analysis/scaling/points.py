"""Speed-up, efficiency and comparisons of the points of a scaling study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from ..io.errors import RunFileError
from ..stats.intervals import Interval, interval
from .folder import Line, Point, StudyFolder


@dataclass(frozen=True)
class Ratio:
    """A figure relative to the base, and its interval."""

    value: float
    low: float
    high: float


def speed_up(line: Line, point: Point) -> Ratio:
    """How many times as fast as the base a round is, the median over pairs of one repetition; of weak series, which
    have more to do, times the work."""
    if point is line.base:
        return Ratio(1.0, 1.0, 1.0)
    factor = point.ranks / line.base.ranks if line.kind == "weak" else 1.0
    found = paired(line.base, point)
    return Ratio(factor * found.median, factor * found.low, factor * found.high)


def paired(over: Point, under: Point) -> Interval:
    """Ratios of the times of two points, pair by pair of repetitions; without a common one that of the medians."""
    common = sorted(over.timings.keys() & under.timings.keys())
    if not common:
        return interval([over.seconds.median / under.seconds.median])
    return interval([over.timings[i].seconds / under.timings[i].seconds for i in common])


def efficiency(line: Line, point: Point) -> Ratio:
    """Speed-up over the ranks, relative to the base: 1 is perfect."""
    found, share = speed_up(line, point), line.base.ranks / point.ranks
    return Ratio(found.value * share, found.low * share, found.high * share)


def name_of(line: Line, lines: Sequence[Line]) -> str:
    """What tells a line from the others: values of the axes, series and study where these differ."""
    keys = [key for key in line.values if len({str(other.values.get(key)) for other in lines}) > 1]
    parts = [str(line.values[key]) if key in ("method", "exchange.up") else f"{key} = {line.values[key]}"
             for key in keys]
    parts = ([line.study] if len({other.study for other in lines}) > 1 else []) + parts
    if len({other.series for other in lines if other.kind == line.kind}) > 1 or not parts:
        parts.append(line.series)
    elif len({other.kind for other in lines}) > 1:
        parts.append(line.kind)
    return ", ".join(parts)


@dataclass(frozen=True)
class PointRatio:
    """The times of a point divided by those of another one: above 1 where the other is faster."""

    point: Point
    other: Point
    ratio: Interval

    @property
    def doubt(self) -> str:
        """Why the ratio is no evidence; empty if it is."""
        return self.point.doubt or self.other.doubt


@dataclass(frozen=True)
class Compared:
    """Times of one line divided by those of another, by pairs of repetitions with equal ranks and placement."""

    line: Line
    other: Line
    who: str  # what is compared: a study, or a value of the axis
    whom: str
    ratios: tuple[PointRatio, ...]
    values: str = ""  # of the axes that both have

    @property
    def words(self) -> str:
        """What is divided by what."""
        return f"{self.who} over {self.whom}"


def of_studies(first: StudyFolder, second: StudyFolder) -> list[Compared]:
    """The lines that two folders share, the second over the first."""
    found = [_compared(line, other, line.study, other.study, _of_values(line))
             for line in second.lines for other in first.lines
             if (other.series, other.kind, other.values) == (line.series, line.kind, line.values)]
    if not any(each.ratios for each in found):
        raise RunFileError(f"{second.path}: shares no point (series, ranks, placement, values of the axes) with "
                           f"{first.path}; compare folders of one study.")
    return found


def of_axis(study: StudyFolder, key: str) -> list[Compared]:
    """The lines of one study that differ in an axis alone, each over that with the axis's first value."""
    if key not in study.axes:
        near = get_close_matches(key, study.axes, n=1, cutoff=0.4)
        raise RunFileError(f"--compare {key}: no axis of the study; " + (f'did you mean "{near[0]}"?' if near else
                           f"it has {', '.join(study.axes) or 'none'}."))
    found = []
    first: dict[str, Line] = {}
    for line in sorted(study.lines, key=lambda line: study.axes[key].index(line.values[key])):
        rest = str((line.series, {name: value for name, value in line.values.items() if name != key}))
        other = first.setdefault(rest, line)
        if other is not line:
            found.append(_compared(line, other, str(line.values[key]), str(other.values[key])))
    if not found:
        raise RunFileError(f"--compare {key}: all runs of the study have the same value of it; leave it out.")
    return found


def _of_values(line: Line) -> str:
    return ", ".join(f"{key} = {value}" for key, value in line.values.items())


def _compared(line: Line, other: Line, who: str, whom: str, values: str = "") -> Compared:
    ratios = [PointRatio(point, partner, paired(point, partner)) for point in line.points for partner in other.points
              if partner.ranks == point.ranks and partner.placement.fits(point.placement)
              and point.timings.keys() & partner.timings.keys()]
    return Compared(line, other, who, whom, tuple(ratios), values)


def renamed(studies: Sequence[StudyFolder]) -> list[StudyFolder]:
    """Two folders of one study are distinguished by their paths."""
    if len({study.name for study in studies}) == len(studies):
        return list(studies)
    return [replace(study, name=(name := str(study.path)),
                    lines=tuple(replace(line, study=name) for line in study.lines)) for study in studies]
