"""Title and caption of the figure of the cost of privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..io import forms
from ..io.run_file import Run
from ..io.words import Brief, cut, in_rounds, joined
from ..model import metrics
from ..model.drawable import LARGEST, NOTE
from ..model.finals import last_known
from ..model.groups import Group
from ..model.replicates import what_seeds_change
from ..model.states import diverged
from ..model.tuning import seeds_of, skipped
from ..stats.baselines import baseline_notes, score
from ..stats.cost import NO_PRIVACY, Point, curves_of, finding, least_and_most, without_nominal, worse_choices
from . import captions
from .cost_views import Line, Plan, rounds_differ
from .page import Words

LDP = ("ldp-sgd", "ldp-svrg")
HOLLOW = "open: no better than the best constant model"


def words_of(runs: Sequence[Run], plan: Plan, gaps: Sequence[str], drawn: Sequence[str]) -> Words:
    """Returns the answer as title, and the caption. `gaps` are those of the folders, `drawn` the notes of the
    panels."""
    first = next((view for view in plan.views if view.lost), None)
    title = finding([(line.label, found) for line, found in first.lost.items()], plan.metric) if first else \
        f"What privacy costs in {metrics.METRICS[plan.metric].name} " \
        f"{captions.learnt([run for line in plan.drawn for run in line.curve.runs])}"
    points = [point for view in plan.views for line in view.private for point, _ in view.marks(line)]
    return Words(title, captions.parts_of([run for point in points for run in point.runs]),
                 [*gaps, *_brief(runs, plan), *drawn, *_details(runs, plan, points)])


def no_better(points: Sequence[tuple[str, Point]], metric: str) -> list[str]:
    """Returns remarks on points of methods whose score is no better than that of the best constant model."""
    if metric not in metrics.SCORES:
        return []
    return baseline_notes([(f"{method} (ε = {point.nominal:g}, {in_rounds(point.rounds)})",
                            [score(run, metric, last_known(run.evaluated(metric))) for run in point.runs])
                           for method, point in points if not math.isnan(point.nominal)])


def _brief(runs: Sequence[Run], plan: Plan) -> list[str]:
    """Returns the brief notes for the picture: names, what is not drawn, tuned rounds."""
    methods = {run.attributes["method"] for line in plan.drawn for run in line.curve.runs}
    found = [_of_names(plan)] if "cdp-sgd" in methods and methods & set(LDP) else []
    lost = diverged(run for line in plan.drawn for run in line.curve.runs)
    found += [f"diverged: {lost} of {sum(len(line.curve.runs) for line in plan.drawn)} runs"] if lost else []
    found += ["compared with the same methods without noise, which are not private"] if plan.lost else []
    found += [*_not_drawn(plan), *without_nominal(runs), *_chosen(plan)]
    tried = [sum(len(curve.tried) for curve in curves_of(runs, plan.metric, largest))
             for largest in (LARGEST, math.inf)]
    found += [NOTE] if tried[0] < tried[1] else []
    found += _of_rounds(plan)
    return list(map(Brief, found))


def _chosen(plan: Plan) -> list[str]:
    """Returns on which seeds the other settings of points were chosen, if there was a choice."""
    points = [point for view in plan.views for line in view.private for point, _ in view.marks(line)]
    seeds = seeds_of(run for point in points for run in point.tried)
    if not any(len([run for run in point.tried if not run.tuning]) > len(point.runs) for point in points):
        return []
    return ["other settings chosen on " + (
        f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}, not drawn" if seeds else
        "the seeds that are drawn, which flatters")]


def _of_names(plan: Plan) -> str:
    """Returns the note that LDP and CDP in names do not say who is trusted."""
    promised = {curve.guarantee.words(but=("unit", "relation", "delta")) for curve in plan.private if curve.guarantee}
    return "ldp and cdp are names of methods: " + (f"all promise ε {promised.pop()}" if len(promised) == 1 else
                                                   "who is trusted is in the claims")


def _details(runs: Sequence[Run], plan: Plan, points: Sequence[Point]) -> list[str]:
    """Returns claims, and what intervals and choices omit."""
    groups = [Group(cut(line.curve.method), tuple(line.curve.runs)) for line in plan.drawn if not line.curve.public]
    public = [line.curve for line in plan.drawn if line.curve.public]
    groups += [Group(f"{NO_PRIVACY}: {joined([cut(curve.method) for curve in public])}",
                     tuple(run for curve in public for run in curve.runs))] if public and not plan.lost else []
    found = captions.footnote_of_claims(groups, runs)
    worse = worse_choices(plan.private, plan.rounds) if plan.rounds is not None else []
    show = forms.points if metrics.METRICS[plan.metric].is_share else forms.figure
    found += ["the seeds for tuning chose worse rounds, on the other seeds, for " + "; ".join(
        f"{cut(curve.method)} at ε = {point.nominal:g} ({in_rounds(point.rounds)}, by {show(by).lstrip('+')})"
        for curve, point, by in worse)] if worse else []
    if not plan.spent:
        found.append("the accounted ε is the nominal one, or up to 5 % less")
    found += what_seeds_change([point.runs for point in points])
    found += no_better(list({(line.label, repr(point.nominal), point.rounds): (line.label, point) for view in plan.views
                             for line in view.private for point, _ in view.marks(line)}.values()), plan.metric)
    return found + skipped(seeds_of(run for line in plan.drawn for run in line.curve.tried))


def _name(line: Line) -> str:
    """Returns the name of a series as used in sentences."""
    return f"{f'{NO_PRIVACY}: ' if line.curve.public else ''}{cut(line.curve.method)}"


def _of_rounds(plan: Plan) -> list[str]:
    """Returns how numbers of rounds were chosen, or why the chosen ones are not drawn."""
    private = plan.private
    if not rounds_differ(private):
        return []
    if not any(curve.tuned for curve in private):
        return [f"rounds differ with ε ({least_and_most(private)}), so the slope is not that of privacy alone"]
    worse = worse_choices(private, plan.rounds) if plan.rounds is not None else []
    seeds = ", ".join(map(str, seeds_of(run for curve in private for run in curve.tried)))
    if worse:
        return [] if plan.lost else [f"rounds tuned on seed {seeds} not drawn: worse than {plan.rounds} at "
                                     f"{len(worse)} of {sum(len(each.best()) for each in private)} points"]
    if plan.lost:
        return []
    chosen = f"chosen on seed {seeds}" if seeds else "chosen on the seeds that are shown, which flatters them"
    return [f"best rounds, by ε, {chosen}: " + "; ".join(
        f"{cut(curve.method)} {' | '.join(str(point.rounds) for point in curve.best())}" for curve in private)]


def _not_drawn(plan: Plan) -> list[str]:
    """Returns a sentence on every line that cannot be drawn."""
    found = []
    for line in plan.lines:
        if line in plan.drawn:
            continue
        if not any(line in view.points for view in plan.views):
            found.append(f"{_name(line)} ran for {least_and_most([line.curve])} rounds, not {plan.rounds}, so there is "
                         "no line for it")
        elif line.curve.public:
            found.append(f"{_name(line)} is not drawn: it has no private runs here")
        else:
            found.append(f"{_name(line)} is not drawn: it has no runs without noise of the same rounds and seeds "
                         "(--absolute draws the metric itself)")
    if not plan.lost and not any(line.curve.public for line in plan.lines):
        found.append("no run without privacy is among the files, so the metric itself is drawn")
    return found
