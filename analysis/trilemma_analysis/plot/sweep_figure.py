"""The figure of a sweep, or of runs: panels of a metric against what it costs in privacy, bits and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.errors import RunFileError
from ..io.words import Brief, Warn
from ..model import guarantees
from ..model.combinations import COLUMNS, Combination, choose_metric, combinations
from ..model.compressors import with_parameters
from ..model.drawable import drawable, within
from ..model.metrics import METRICS, SCORES
from ..model.replicates import what_seeds_change
from ..model.states import is_lost
from ..model.step_sizes import unequal
from ..model.sweep import Sweep
from ..model.tasks import never_chosen, whole
from ..model.tuning import skipped
from . import captions, curves, ends, style, ways as on_way
from .page import DEFAULT_WIDTH, Words, compose
from .scales import BASELINE, BASELINE_ID, has_baseline, no_better, not_learnt, runs_of
from .series import Series, across_of, best_of, chosen_words, coloured, make_series, otherwise_chosen, same_as
from .sweep_plan import Choice, MOST_CONTEXTS, MOST_LINES, Plan, SHORT, add_metric, panels_of


def draw_sweep(sweep: Sweep, choice: Choice = Choice()) -> Figure:
    """Draws the figure. Raises RunFileError where no cell is done, or no done cell has the metric."""
    if not sweep.runs:
        raise RunFileError(f"{sweep.folder}: no cell is done, so there is nothing to draw ({sweep.progress()}).")
    lost = {run.path for run in sweep.runs.values() if is_lost(run)}
    sweep, notes = _drawable(sweep)
    found = with_parameters(combinations(sweep))
    if not any(each.runs for each in found):
        raise RunFileError(f"{sweep.folder}: only cells with seeds for tuning are done, so there are no results to "
                           f"draw ({sweep.progress()}).")
    every: dict[str, list[Series]] = {}
    across = across_of(sweep, found) if list(choice.panels) == ["axis"] else None
    asked = [choose_metric(found) if name in ("", "auto") else name for name in choice.metrics or ("auto",)]
    for metric in dict.fromkeys(asked):
        if metric not in METRICS:
            raise RunFileError(f"'{metric}' is not a metric; use one of auto, {', '.join(METRICS)}.")
        every[metric], more = make_series(sweep, found, metric, choice.by, lost, across)
        if not every[metric]:
            raise RunFileError(f"{sweep.folder}: no finished cell has a value of '{metric}'; choose another metric.")
        notes += more
    # The first metric chooses the combinations, so that all panels show the same runs.
    by = next(iter(every))
    best = best_of(every[by], by, keep=across)
    contexts = whole([each.context for each in best])
    if len(contexts) > MOST_CONTEXTS:
        notes.append(Warn(f"drawn are {MOST_CONTEXTS} of {len(contexts)} tasks and guarantees; the table has all"))
    plan = Plan({metric: shown for metric, series in every.items() if (shown := same_as(best, series))},
                contexts[:MOST_CONTEXTS], of_tasks=across is not None or _colours_are_tasks(sweep, found, choice.by))
    panels = {metric: panels_of(choice, shown, metric) for metric, shown in plan.series.items()}
    plan.choose_rows(panels, choice.sheet.width or DEFAULT_WIDTH)
    for metric, shown in plan.series.items():
        add_metric(plan, every[metric], metric, panels[metric], choice, by)
        notes += otherwise_chosen(every[metric], shown, metric) if metric != by else []
    plan.headed()
    labels = (METRICS[by].axis.replace("\n", " "), " | ".join(plan.labels)) if plan.labels else ("", "")
    return compose(choice.sheet, plan.draws, partial(_legends, plan), partial(_words, sweep, plan, notes), plan.columns,
                   heights=plan.heights, labels=labels)


def _colours_are_tasks(sweep: Sweep, found: Sequence[Combination], by: str | None) -> bool:
    """Returns whether the axis of the colours belongs to the task or the guarantee."""
    return bool(never_chosen([axis for axis in (coloured(sweep, found, by),) if axis], list(sweep.runs.values())))


def _drawable(sweep: Sweep) -> tuple[Sweep, list[str]]:
    """Returns the sweep without values that are too large to draw, and a note if there were any."""
    runs, notes = drawable(list(sweep.runs.values()))
    table = within(sweep.table, COLUMNS.values())
    return replace(sweep, runs=dict(zip(sweep.runs, runs)), table=table), notes


def _legends(plan: Plan, panels: Sequence[Axes]) -> list[list[Line2D]]:
    """Returns entries for what has no name at its line: colours and variants with long names, markers of methods behind
    other colours, and terms of epsilons."""
    ends_alone = on_way.references(plan.ways[-1]) if plan.ways else []
    series = [each for several in plan.series.values() for each in several if each not in ends_alone]
    ways = any(line.get_gid() == curves.ON_THE_WAY for axes in panels for line in axes.get_lines())
    parts = guarantees.differing([each.combination.runs for each in series])
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    variants = {each.variant: each.look for each in sorted(series, key=lambda one: one.order) if each.variant}
    colours = [Line2D([], [], color=members[0].colour, linewidth=1.8, markersize=4,
                      linestyle="-" if variants or not ways else members[0].look.dashes,
                      marker="" if variants else members[0].look.marker,
                      label=captions.with_terms(group, runs_of(members), parts))
               for group, members in groups.items()] if plan.legend or parts else []
    styles = [Line2D([], [], color=style.INK, linestyle=look.dashes if ways else "none", marker=look.marker,
                     linewidth=1.2, markersize=4, label=variant) for variant, look in variants.items()] \
        if plan.legend else []
    if plan.columns or plan.legend:
        styles += [Line2D([], [], label=f"{each.name}, at its end", color=each.colour, linestyle=(0, (1, 2)),
                          linewidth=1.0) for each in ends_alone]
        styles += [Line2D([], [], label=BASELINE_ID, **BASELINE)] if has_baseline(panels) else []
    hues = {each.hue: each.colour for each in series if each.hue != each.group}
    return [[Line2D([], [], color=colour, linewidth=1.8, label=hue) for hue, colour in hues.items()] or colours, styles]


def _words(sweep: Sweep, plan: Plan, more: Sequence[str], drawn: Sequence[str]) -> Words:
    """Returns title, subtitle and caption: what is missing, what is claimed, what bars and bands mean."""
    metric, series = next(iter(plan.series.items()))
    runs = runs_of(series)
    lines = sweep.gaps()
    lines += captions.incomplete(runs)
    lines += ends.of_diverged(series, metric)
    lines += [note for name, several in plan.series.items() for note in no_better(several, name)]
    lines += [] if any(name in SCORES for name in plan.series) else not_learnt(series)
    intervals = [each.over for several in plan.series.values() for each in several if not each.gone]
    lines += captions.brief_intervals(intervals, plan.told)
    lines += map(Brief, unequal(list(sweep.runs.values()), sweep.axes))
    lines.append(captions.of_intervals(intervals))
    best = chosen_words(series)
    on = ", chosen on the seeds for tuning" if any(len(each.combination.tuning) for each in series) else ""
    chosen = f"best {METRICS[metric].name} at the end{on}"
    lines += [Brief(f"{chosen}: {best}") if len(best) < SHORT else Brief(f"{chosen}; the text has the values"), best] \
        if best else []
    lines += captions.footnote_of_claims(captions.groups_of(series), list(sweep.runs.values()), sweep.axes)
    lines += map(Brief, skipped(sweep.tuned_on))
    lines += captions.accounted(runs)
    lines += what_seeds_change([each.combination.runs for each in series])
    lines += [*more, *drawn]
    lines.append(captions.parts_of(runs, captions.seeds_each(series)))
    if plan.columns and len(plan.ways) > len(plan.labels):
        lines.append(f"more than {MOST_LINES} lines: a panel a group, "
                     f"{curves.TITLES[plan.ways[-1].against].lower()} alone; --panel names another one")
    what = f"{captions.compared(series)}; " if plan.told else ""
    return Words(plan.finding, what + captions.subtitle(series), list(dict.fromkeys(lines)))
