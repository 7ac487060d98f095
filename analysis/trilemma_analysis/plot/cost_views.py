"""What the figure of the cost of privacy draws: lines, and the panels in which they have a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut
from ..model import guarantees
from ..model.drawable import LARGEST
from ..model.tuning import seeds_of
from ..stats.cost import Curve, Loss, Point, curves_of, equal_rounds, losses, metric_of, public_of, worse_choices
from ..stats.paired import Mean
from . import captions, style

AS_PROMISED = 1.05  # ratio of accounted and nominal epsilon up to which they are the same


@dataclass(frozen=True, eq=False)
class Line:
    """A curve with its look; `label` has what its epsilon protects where that differs between curves."""

    curve: Curve
    label: str
    colour: str

    @property
    def look(self) -> dict:
        """Returns keyword arguments of plot()."""
        return {"color": self.colour, "linewidth": 1.5, "linestyle": "-" if self.curve.holds else (0, (5, 2)),
                "marker": "o" if self.curve.holds else "X", "markersize": 4.5, "markeredgewidth": 0.5,
                "markeredgecolor": "white" if self.curve.holds else self.colour}


@dataclass(frozen=True)
class View:
    """A panel of the metric: the points of every line that has any, and what they lose where that is drawn."""

    title: str
    points: dict[Line, list[Point]]
    lost: dict[Line, list[Loss]]

    def marks(self, line: Line) -> list[tuple[Point, Mean]]:
        """Returns the points of a line that are drawn, and the mean of each."""
        if self.lost:
            return [(loss.point, loss.over) for loss in self.lost.get(line, ())]
        return [(point, point.over) for point in self.points.get(line, ())]

    @property
    def private(self) -> list[Line]:
        """Returns the lines with an epsilon that are drawn."""
        return [line for line in self.points if not line.curve.public and self.marks(line)]

    @property
    def public(self) -> list[Line]:
        """Returns the lines without privacy that private ones are compared with, or that are drawn across."""
        compared = {line.curve.method for line in self.lost}
        return [line for line in self.points if line.curve.public and (not self.lost or line.curve.method in compared)]


@dataclass(frozen=True)
class Plan:
    """All that is drawn: `views` of the metric, and `spent`, the lines of the panel of accounted epsilons. `rounds` are
    those at which most points can be compared."""

    metric: str
    rounds: int | None
    lines: list[Line]
    views: list[View]
    spent: list[Line]

    @property
    def private(self) -> list[Curve]:
        """Returns the curves with an epsilon."""
        return [line.curve for line in self.lines if not line.curve.public]

    @property
    def lost(self) -> bool:
        """Returns whether losses are drawn, and not the metric itself."""
        return any(view.lost for view in self.views)

    @property
    def drawn(self) -> list[Line]:
        """Returns the lines that any panel shows."""
        return [line for line in self.lines
                if line in self.spent or any(line in (*view.private, *view.public) for view in self.views)]


def plan_of(runs: Sequence[Run], metric: str, absolute: bool) -> Plan:
    """Returns the plan of the figure. The metric itself is drawn with `absolute`, and if no method has runs without
    noise to compare with. Raises RunFileError if no run has a nominal epsilon."""
    metric = metric_of(runs, metric)
    lines = _lines(curves_of(runs, metric, LARGEST))
    private = [line for line in lines if not line.curve.public]
    if not private:
        raise RunFileError(f"none of the files has both a nominal epsilon and a value of '{metric}'.")
    rounds = equal_rounds([line.curve for line in lines])
    views = _views(lines, rounds, metric)
    lost = [view for view in views if view.lost]
    as_promised = all(point.nominal / AS_PROMISED <= point.spent <= AS_PROMISED * point.nominal
                      for line in private for point in line.curve.points)
    return Plan(metric, rounds, lines,
                lost[:1] if lost and not absolute else [View(view.title, view.points, {}) for view in views],
                [] if as_promised else private)


def rounds_differ(curves: Sequence[Curve]) -> bool:
    """Returns whether any curve has points of several numbers of rounds."""
    return any(len({point.rounds for point in curve.points}) > 1 for curve in curves)


def _lines(curves: Sequence[Curve]) -> list[Line]:
    """Returns curves in the order of their methods. A method has its own colour. A second curve of a method with the
    same dashes, which differs in what is protected, gets a spare colour."""
    methods = list(dict.fromkeys(curve.method for curve in curves))
    own = dict(zip(methods, style.colours(methods, False)))
    spare = iter(style.colours([*methods, *range(len(curves))], False)[len(methods):])
    parts = guarantees.differing([curve.runs for curve in curves])
    seen: set[tuple] = set()
    lines = []
    for curve in curves:
        key = (curve.method, curve.holds, curve.public)
        lines.append(Line(curve, captions.with_terms(cut(curve.method), curve.runs, parts),
                          next(spare) if key in seen else own[curve.method]))
        seen.add(key)
    return lines


def _views(lines: Sequence[Line], rounds: int | None, metric: str) -> list[View]:
    """Returns a panel at equal rounds, and one at the rounds that are best for every epsilon (or given), unless these
    are worse than equal ones on the seeds for results."""
    private = [line.curve for line in lines if not line.curve.public]
    found = [_view(f"After {rounds} rounds", lines, lambda curve: curve.at(rounds),
                   metric)] if rounds is not None else []
    if not rounds_differ(private) or rounds is not None and worse_choices(private, rounds):
        return found
    if not any(curve.tuned for curve in private):
        return [*found, _view("Rounds differ with ε", lines, lambda curve: list(curve.points), metric)]
    seeds = seeds_of(run for curve in private for run in curve.tried)
    title = f"At the rounds best on seed {', '.join(map(str, seeds))},\nshown on the others" if seeds else \
        "At the best number of rounds"
    return [*found, _view(title, lines, Curve.best, metric, at_best=True)]


def _view(title: str, lines: Sequence[Line], pick: Callable[[Curve], list[Point]], metric: str,
          at_best: bool = False) -> View:
    """Returns the points that `pick` chooses of each curve, and their losses."""
    points = {line: found for line in lines if (found := pick(line.curve))}
    free = {line: public_of(line.curve, [other.curve for other in lines]) for line in points if not line.curve.public}
    lost = {line: losses(points[line], pick(own), metric, at_best) for line, own in free.items() if own}
    return View(title, points, {line: found for line, found in lost.items() if found})
