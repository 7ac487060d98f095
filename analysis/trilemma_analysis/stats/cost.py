"""What privacy costs: runs by method, claim, terms, epsilon and number of rounds, each at its best settings, and what
they lose against the same method without noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..io import forms
from ..io.errors import RunFileError
from ..io.run_file import NOT_PRIVATE, Run
from ..io.words import joined
from ..model import guarantees, metrics
from ..model.compressors import KIND
from ..model.finals import last_known
from ..model.groups import settings, typed_settings, what_differs
from ..model.labels import rank
from ..model.tuning import to_choose_by
from .paired import Mean, mean

NO_PRIVACY = "no privacy"
# What follows from epsilon and the number of rounds, and is no choice of its own.
DEPENDENT = ("rounds", "privacy.sigma")


@dataclass(frozen=True)
class Point:
    """Runs of one epsilon and number of rounds at the best of several settings.

    `nominal` is the epsilon that was asked for, NaN without privacy. `values` has the final value of every seed in
    `runs`. `tried` are the runs at all settings, with those of the seeds for tuning, which choose and are not in
    `runs`; `on_tuning` is their mean at the best setting, NaN without such seeds.
    """

    nominal: float
    rounds: int
    runs: tuple[Run, ...]
    tried: tuple[Run, ...]
    values: dict[int, float]
    on_tuning: float = math.nan

    @cached_property
    def over(self) -> Mean:
        """Returns the mean over the seeds, with its 95 % interval."""
        return mean(list(self.values.values()))

    @property
    def spent(self) -> float:
        """Returns the largest accounted epsilon. No point may promise more than its weakest run."""
        return max((float(run.attributes["epsilon_accounted"]) for run in self.runs), default=math.nan)

    def worse_than(self, other: Point, metric: str) -> Mean:
        """Returns by how much this point is worse than another one: the mean difference over their common seeds."""
        sign = 1 if metrics.METRICS[metric].higher_is_better else -1
        return mean([sign * (other.values[seed] - value)
                     for seed, value in self.values.items() if seed in other.values])


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
        """Returns the claim in a word."""
        return NO_PRIVACY if self.public else "holds" if self.holds else guarantees.claim_cell(self.runs)

    @property
    def runs(self) -> list[Run]:
        """Returns the runs of all points."""
        return [run for point in self.points for run in point.runs]

    @property
    def tried(self) -> list[Run]:
        """Returns the runs among which those of the points are the best."""
        return [run for point in self.points for run in point.tried]

    @property
    def tuned(self) -> bool:
        """Returns whether any epsilon was tried at several numbers of rounds."""
        return len({repr(point.nominal) for point in self.points}) < len(self.points)

    def at(self, rounds: int) -> list[Point]:
        """Returns the points of a number of rounds, by epsilon."""
        return [point for point in self.points if point.rounds == rounds]

    def best(self) -> list[Point]:
        """Returns for every epsilon the best number of rounds, on the seeds for tuning if there are any."""
        rivals: dict[str, list[Point]] = {}
        for point in self.points:
            rivals.setdefault(repr(point.nominal), []).append(point)
        return [each[metrics.best(to_choose_by([point.on_tuning for point in each],
                                               [point.over.centre for point in each]), self.metric)]
                for each in rivals.values()]


@dataclass(frozen=True)
class Loss:
    """What the runs of a point lose against those of the same method without noise, `free`: the mean difference over
    the seeds that both have, positive where privacy costs something."""

    point: Point
    free: Point
    over: Mean


def losses(points: Sequence[Point], free: Sequence[Point], metric: str, at_best: bool = False) -> list[Loss]:
    """Returns the losses of private points against points without noise: those of the same number of rounds, or with
    `at_best` the only one. A point without a counterpart, or without a common seed, has none."""
    found = []
    for point in points:
        own = next((other for other in free if at_best or other.rounds == point.rounds), None)
        over = point.worse_than(own, metric) if own else mean([])
        found += [Loss(point, own, over)] if own and over.n else []
    return found


def finding(found: Sequence[tuple[str, Sequence[Loss]]], metric: str) -> str:
    """Returns the cost of privacy of each method at the smallest epsilon, and from which epsilon on the seeds detect no
    cost. `found` has the losses of every method by ascending epsilon. A cost is stated only if its interval is above 0.

    >>> finding([("ldp-sgd", losses)], "accuracy")
    'At ε = 0.1 privacy costs ldp-sgd 1.3 points; 3 seeds detect no cost from ε = 0.3 on'
    """
    counts = sorted({loss.over.n for _, each in found for loss in each})
    if counts == [1]:
        return "One seed does not tell what privacy costs; the points are differences of single runs"
    seeds = f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} seeds"
    levels = sorted({loss.point.nominal for _, each in found for loss in each})
    first = _costs(found, levels[0], metric)
    said = f"At ε = {levels[0]:g} privacy costs {first}" if first else f"{seeds} detect no cost at ε = {levels[0]:g}"
    last = _costs(found, levels[-1], metric) if len(levels) > 1 else ""
    if last:
        said += f", at ε = {levels[-1]:g} still {last}" if first else f"; at ε = {levels[-1]:g} it costs {last}"
    free: dict[float, list[str]] = {}
    for name, each in found:
        if (start := _free_from(each)) is not None and (first or start > levels[0]):
            free.setdefault(start, []).append(name)
    who = [f"{f'at ε = {start:g}' if start == levels[-1] else f'from ε = {start:g} on'}"
           f"{f' for {joined(names)}' if len(found) > 1 else ''}" for start, names in sorted(free.items())]
    return f"{said}; {seeds} detect no cost {joined(who)}" if who else said


def _costs(found: Sequence[tuple[str, Sequence[Loss]]], epsilon: float, metric: str) -> str:
    """Returns the costs at one epsilon that the seeds detect, the least first."""
    unit, show = (" points", forms.points) if metrics.METRICS[metric].is_share else \
        (f" of {metrics.METRICS[metric].name}", forms.figure)
    costs = sorted((loss.over.centre, name) for name, each in found for loss in each
                   if loss.point.nominal == epsilon and loss.over.low > 0)
    return joined([f"{name} {show(cost).lstrip('+')}{unit if place == 0 else ''}"
                   for place, (cost, name) in enumerate(costs)])


def _free_from(each: Sequence[Loss]) -> float | None:
    """Returns the epsilon from which on no interval is above 0; None if that of the largest epsilon is, or is
    unknown."""
    start = None
    for loss in reversed(each):
        if not loss.over.low <= 0:
            break
        start = loss.point.nominal
    return start


def worse_choices(curves: Sequence[Curve], rounds: int) -> list[tuple[Curve, Point, float]]:
    """Returns where the number of rounds chosen on the seeds for tuning is worse than `rounds` on the seeds for
    results: curve, chosen point, and by how much, the worst first."""
    found = []
    for curve in curves:
        equal = {point.nominal: point for point in curve.at(rounds)}
        for point in curve.best():
            worse = point.worse_than(equal[point.nominal], curve.metric).centre if point.nominal in equal else 0.0
            found += [(curve, point, worse)] if worse > 0 else []
    return sorted(found, key=lambda each: -each[2])


def metric_of(runs: Iterable[Run], asked: str) -> str:
    """Returns the metric `asked`, or for "auto" the score on test records if runs have one."""
    finals = {name: [_final(run, name) for run in runs] for name in metrics.METRICS} if asked == "auto" else {}
    return metrics.choose(finals) if finals else asked


def curves_of(runs: Sequence[Run], metric: str, largest: float = math.inf) -> list[Curve]:
    """Returns the curves of runs that end with a value of the metric, and with an epsilon of at most `largest` or
    without privacy. Raises RunFileError if runs learn different tasks, whose losses cannot be compared."""
    if differing := what_differs(runs):
        raise RunFileError(f"the runs differ in {joined(differing)}: what privacy costs is a question on one task; "
                           "name runs of one only.")
    kinds: dict[str, set] = {}
    for run in runs:
        kinds.setdefault(run.attributes["method"], set()).add(_compressor(run))
    found: dict[tuple, dict[tuple, dict[tuple, list[Run]]]] = {}
    for run in runs:
        nominal, public, method = float(run.attributes["epsilon_nominal"]), is_public(run), run.attributes["method"]
        values = [run.evaluated(metric), *([] if public else [run.evaluated("epsilon")])]
        if not (public or 0 < nominal <= largest):
            continue
        if not all(len(column) and abs(column.iloc[-1]) <= largest for column in values):
            continue
        name = f"{method}, {_compressor(run)}" if len(kinds[method]) > 1 else method
        key = (name, run.private, public, None if public else guarantees.guarantee_of(run))
        chosen = tuple(sorted(item for item in settings(run.config).items() if item[0] not in DEPENDENT))
        found.setdefault(key, {}).setdefault((repr(nominal), run.rounds_done), {}).setdefault(chosen, []).append(run)
    curves = [Curve(*key, metric, _points(places, metric)) for key, places in found.items()]
    return sorted((curve for curve in curves if curve.points),
                  key=lambda curve: (rank(curve.method), not curve.holds, str(curve.guarantee)))


def public_of(curve: Curve, curves: Iterable[Curve]) -> Curve | None:
    """Returns the curve of the same method without noise, None without such runs."""
    return next((other for other in curves if other.public and other.method == curve.method), None)


def without_nominal(runs: Sequence[Run]) -> list[str]:
    """Returns a note on private runs that requested no epsilon, which have no place on an axis of epsilons."""
    methods = dict.fromkeys(str(run.attributes["method"]) for run in runs if run.released
                            and float(run.attributes["noise_sigma"]) > 0
                            and math.isnan(float(run.attributes["epsilon_nominal"])))
    return ["without a nominal ε (privacy.sigma was given), so left out: runs of "
            f"{', '.join(methods)}"] if methods else []


def _compressor(run: Run) -> str:
    """Returns the kind of compressor, or the method's own if no key sets it."""
    return str(typed_settings(run).get(KIND, "own compressor"))


def is_public(run: Run) -> bool:
    """Returns whether privacy was not requested, and no noise was added."""
    return math.isnan(float(run.attributes["epsilon_nominal"])) and run.status == NOT_PRIVATE \
        and float(run.attributes["noise_sigma"]) == 0.0


def equal_rounds(curves: Sequence[Curve]) -> int | None:
    """Returns the number of rounds at which most points of different epsilons can be compared, the middle one of
    several; None if every epsilon has its own rounds."""
    private = [point for curve in curves if not curve.public for point in curve.points]
    epsilons = {point.nominal for point in private}
    counts: dict[int, list[float]] = {}
    for point in private:
        counts.setdefault(point.rounds, []).append(point.nominal)
    fit = {rounds: len(found) for rounds, found in counts.items() if len(set(found)) > 1 or len(epsilons) == 1}
    most = sorted(rounds for rounds, points in fit.items() if points == max(fit.values()))
    return most[len(most) // 2] if most else None


def least_and_most(curves: Sequence[Curve]) -> str:
    """Returns the least and the most rounds of the curves."""
    rounds = sorted({point.rounds for curve in curves for point in curve.points})
    return f"{rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else str(rounds[0])


def _points(places: dict[tuple, dict[tuple, list[Run]]], metric: str) -> tuple[Point, ...]:
    """Returns the points of a line, in the order of epsilon and rounds."""
    found = [_point(place, rivals, metric) for place, rivals in places.items()]
    return tuple(sorted((point for point in found if point),
                        key=lambda point: (np.nan_to_num(point.nominal), point.rounds)))


def _point(place: tuple, rivals: dict[tuple, list[Run]], metric: str) -> Point | None:
    """Returns the best of the settings that have a run for results; None if none has."""
    groups = [group for group in rivals.values() if not all(run.tuning for run in group)]
    if not groups:
        return None
    results, tuning = ([[run for run in group if run.tuning == chooses] for group in groups]
                       for chooses in (False, True))
    on_tuning = [_mean(runs, metric) for runs in tuning]
    best = metrics.best(to_choose_by(on_tuning, [_mean(runs, metric) for runs in results]), metric)
    return Point(float(place[0]), place[1], tuple(results[best]),
                 tuple(run for group in rivals.values() for run in group),
                 {run.attributes["seed"]: _final(run, metric) for run in results[best]}, on_tuning[best])


def _final(run: Run, metric: str) -> float:
    """Returns the last value of a metric."""
    return last_known(run.evaluated(metric))


def _mean(runs: Sequence[Run], metric: str) -> float:
    """Returns the mean of a metric's last values."""
    return mean([_final(run, metric) for run in runs]).centre
