"""Where the efficiency of a line goes as ranks are added: by phase, by the serial fraction, by messages and by
cause."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..stats.intervals import interval
from .measures import COMPUTING, MOST
from .model import calibrated_messages
from .points import Line, Point, speed_up

Network = Mapping[str, tuple[np.ndarray, np.ndarray]]


def _of_pairs(line: Line, point: Point, column: str) -> float:
    """Returns the median over the repetitions of a column at the base divided by the column at `point`; NaN without
    common repetitions."""
    if column not in point.runs or column not in line.base.runs:
        return math.nan
    ratios = (line.base.runs[column] / point.runs[column].where(point.runs[column] > 0)).dropna()
    ratios = ratios[ratios > 0].tolist()
    return interval(ratios).median if ratios else math.nan


def phase_efficiencies(line: Line, point: Point) -> dict[str, float]:
    """Returns the efficiency of each computing phase, from T, its seconds on the slowest rank: T(p0) p0 / (T(p) p) in a
    strong series, T(p0) / T(p) in a weak one. A phase that only the server has is p0 / p if its work does not
    change."""
    factor = line.base.ranks / point.ranks if line.kind == "strong" else 1.0
    return {f"efficiency_{name}": factor * _of_pairs(line, point, MOST.format(name)) for name in COMPUTING}


def serial_fraction(line: Line, point: Point) -> float:
    """Returns the share of the work that does not get faster, from the speed-up s over n = p / p0 times as many ranks:
    by Karp and Flatt (1/s - 1/n) / (1 - 1/n) in a strong series, by Gustafson (n - s) / (n - 1) in a weak one, whose s
    counts the work. NaN at the base."""
    times = point.ranks / line.base.ranks
    if times <= 1:
        return math.nan
    speed = speed_up(line, point).median
    return (1 / speed - 1 / times) / (1 - 1 / times) if line.kind == "strong" else (times - speed) / (times - 1)


def computation_scaling(line: Line, point: Point) -> float:
    """Returns POP's computation scalability: seconds of computing of all ranks together at the base, divided by those
    at `point`; in a weak series per unit of work."""
    work = point.ranks / line.base.ranks if line.kind == "weak" else 1.0
    return work * _of_pairs(line, point, "useful_seconds")


def messages(line: Line, point: Point, network: Network | None) -> dict[str, float]:
    """Returns the time of messages on a calibrated network divided by the measured time: the share of its speed that
    they reach. Messages up are given alone only if ranks meet at a barrier before, so that the exchange contains no
    waiting."""
    up_seconds = point.median(MOST.format("exchange")) if MOST.format("exchange") in point.runs else math.nan
    barrier = all(timing.barrier for timing in point.timings)
    found = {"exchange_bandwidth": _over(point.median("mpi_bytes_up"), up_seconds) if barrier else math.nan,
             "calibrated_messages": math.nan, "achieved_messages": math.nan, "achieved_exchange": math.nan}
    if network and point.ranks > 1:
        down, up, _ = calibrated_messages(line, point, network)
        found |= {"calibrated_messages": down + up, "achieved_messages": _over(down + up, point.median("messages")),
                  "achieved_exchange": _over(up, up_seconds) if barrier else math.nan}
    return found


def _over(what: float, seconds: float) -> float:
    """Returns a quotient, NaN if no time was measured."""
    return what / seconds if seconds > 0 else math.nan
