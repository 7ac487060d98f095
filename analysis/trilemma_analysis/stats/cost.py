"""Runs put together for the cost of privacy: by method, claim, terms, epsilon and number of rounds, at their best
settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ..io.run_file import NOT_PRIVATE, Run
from ..model import guarantees, metrics
from ..model.compressors import KIND
from ..model.groups import settings, typed_settings
from ..model.labels import rank
from ..model.tuning import to_choose_by
from .intervals import Interval, interval

NO_PRIVACY = "no privacy"
# What follows from epsilon and the number of rounds, and is no choice of its own.
DEPENDENT = ("rounds", "privacy.sigma")


@dataclass(frozen=True)
class Point:
    """Runs of one epsilon and number of rounds at the best of several settings; epsilon is NaN without privacy, and
    `tried` are the runs at all of these settings, those for tuning among them, which choose and are not in `runs`."""

    nominal: float
    rounds: int
    runs: tuple[Run, ...]
    tried: tuple[Run, ...]
    over: Interval
    on_tuning: float = math.nan
    """The median over the seeds for tuning at the same settings; NaN without such seeds."""

    @property
    def spent(self) -> float:
        """The largest accounted epsilon: no point must promise more than its weakest run."""
        return max((float(run.attributes["epsilon_accounted"]) for run in self.runs), default=math.nan)


@dataclass(frozen=True)
class Curve:
    """Runs of one method (with its compressor where it was run with several), claim and terms; `public` if no user
    requested privacy."""

    method: str
    holds: bool
    public: bool
    guarantee: guarantees.Guarantee | None
    metric: str
    points: tuple[Point, ...]

    @property
    def word(self) -> str:
        """The claim in a word."""
        return NO_PRIVACY if self.public else "holds" if self.holds else guarantees.claim_cell(self.runs)

    @property
    def runs(self) -> list[Run]:
        """The runs of all points."""
        return [run for point in self.points for run in point.runs]

    @property
    def tried(self) -> list[Run]:
        """The runs among which those of the points are the best."""
        return [run for point in self.points for run in point.tried]

    @property
    def tuned(self) -> bool:
        """Whether any epsilon was tried at several numbers of rounds."""
        return len({repr(point.nominal) for point in self.points}) < len(self.points)

    def at(self, rounds: int) -> list[Point]:
        """The points of a number of rounds, by epsilon."""
        return [point for point in self.points if point.rounds == rounds]

    def best(self) -> list[Point]:
        """Of every epsilon the best number of rounds, on the seeds for tuning where there are any."""
        rivals: dict[str, list[Point]] = {}
        for point in self.points:
            rivals.setdefault(repr(point.nominal), []).append(point)
        return [each[metrics.best(to_choose_by([point.on_tuning for point in each],
                                               [point.over.median for point in each]), self.metric)]
                for each in rivals.values()]


def curves_of(runs: Sequence[Run], metric: str, largest: float = math.inf) -> list[Curve]:
    """The curves of runs that end with a value of the metric, and with an epsilon of at most `largest` or without
    privacy."""
    kinds: dict[str, set] = {}
    for run in runs:
        kinds.setdefault(run.attributes["method"], set()).add(_compressor(run))
    names = {method: (lambda run: f"{run.attributes['method']}, {_compressor(run)}") if len(some) > 1 else
             (lambda run: run.attributes["method"]) for method, some in kinds.items()}
    found: dict[tuple, dict[tuple, dict[tuple, list[Run]]]] = {}
    for run in runs:
        nominal, public = float(run.attributes["epsilon_nominal"]), is_public(run)
        values = [run.evaluated(metric), *([] if public else [run.evaluated("epsilon")])]
        if not (public or 0 < nominal <= largest):
            continue
        if not all(len(column) and abs(column.iloc[-1]) <= largest for column in values):
            continue
        key = (names[run.attributes["method"]](run), run.private, public, None if public else guarantees.guarantee_of(run))
        place = (repr(nominal), run.rounds_done)
        chosen = tuple(sorted(item for item in settings(run.config).items() if item[0] not in DEPENDENT))
        found.setdefault(key, {}).setdefault(place, {}).setdefault(chosen, []).append(run)
    curves = [Curve(*key, metric, _points(places, metric)) for key, places in found.items()]
    return sorted((curve for curve in curves if curve.points),
                  key=lambda curve: (rank(curve.method), not curve.holds, str(curve.guarantee)))


def without_nominal(runs: Sequence[Run]) -> list[str]:
    """A note on private runs that were not asked for an epsilon, which have no place on an axis of them."""
    methods = dict.fromkeys(str(run.attributes["method"]) for run in runs if run.released
                            and float(run.attributes["noise_sigma"]) > 0
                            and math.isnan(float(run.attributes["epsilon_nominal"])))
    return [f"without a nominal ε (privacy.sigma was given), so left out: runs of {', '.join(methods)}"] if methods else []


def _compressor(run: Run) -> str:
    """The compressor's kind; runs without such a setting have that of their method."""
    return str(typed_settings(run).get(KIND, "own compressor"))


def is_public(run: Run) -> bool:
    """Whether privacy was not requested, and no noise was added."""
    return math.isnan(float(run.attributes["epsilon_nominal"])) and run.status == NOT_PRIVATE \
        and float(run.attributes["noise_sigma"]) == 0.0


def equal_rounds(curves: Sequence[Curve]) -> int | None:
    """The number of rounds at which most points of different epsilons can be compared, the middle one of several; None
    where every epsilon has rounds of its own."""
    private = [point for curve in curves if not curve.public for point in curve.points]
    epsilons = {point.nominal for point in private}
    counts: dict[int, list[float]] = {}
    for point in private:
        counts.setdefault(point.rounds, []).append(point.nominal)
    fit = {rounds: len(found) for rounds, found in counts.items() if len(set(found)) > 1 or len(epsilons) == 1}
    most = sorted(rounds for rounds, points in fit.items() if points == max(fit.values()))
    return most[len(most) // 2] if most else None


def least_and_most(curves: Sequence[Curve]) -> str:
    """The numbers of rounds of the curves."""
    rounds = sorted({point.rounds for curve in curves for point in curve.points})
    return f"{rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else str(rounds[0])


def _points(places: dict[tuple, dict[tuple, list[Run]]], metric: str) -> tuple[Point, ...]:
    found = [_point(place, rivals, metric) for place, rivals in places.items() if _with_results(rivals)]
    return tuple(sorted(found, key=lambda point: (point.nominal, point.rounds)))


def _point(place: tuple, rivals: dict[tuple, list[Run]], metric: str) -> Point:
    groups = [[run for run in group if not run.tuning] for group in _with_results(rivals)]
    tuning = [[run for run in group if run.tuning] for group in _with_results(rivals)]
    on_tuning = [_median(runs, metric) for runs in tuning]
    best = metrics.best(to_choose_by(on_tuning, [_median(runs, metric) for runs in groups]), metric)
    tried = tuple(run for group in rivals.values() for run in group)
    return Point(float(place[0]), place[1], tuple(groups[best]), tried, interval(_finals(groups[best], metric)),
                 on_tuning[best])


def _with_results(rivals: dict[tuple, list[Run]]) -> list[list[Run]]:
    """Of runs by their settings those with any that is not for tuning."""
    return [group for group in rivals.values() if not all(run.tuning for run in group)]


def _finals(runs: Sequence[Run], metric: str) -> list[float]:
    return [float(run.evaluated(metric).iloc[-1]) for run in runs]


def _median(runs: Sequence[Run], metric: str) -> float:
    return median(_finals(runs, metric)) if runs else math.nan
