"""The figure of a sweep, or of runs: panels of a metric against what it costs in privacy, bits and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.errors import RunFileError
from ..io.words import Warn
from ..model import guarantees
from ..model.combinations import COLUMNS, choose_metric, combinations
from ..model.compressors import with_parameters
from ..model.drawable import drawable, within
from ..model.metrics import METRICS, SCORES
from ..model.replicates import what_seeds_change
from ..model.sweep import Sweep
from ..model.tuning import skipped
from ..model.uploads import Upload
from . import captions, curves as way_panels, ends as end_panels, style
from .front import FRONT_ID, LOOK
from .page import Draw, Sheet, Words, compose
from .scales import BASELINE, BASELINE_ID, has_baseline, no_better, not_learnt
from .series import Series, best_of, chosen_words, make_series, same_as, tuned_values
from .sweep_times import draw_times

WAY = ("rounds", "bits", "seconds", *way_panels.CLOCK)
PANELS = {
    "rounds": "metric against rounds", "bits": "metric against uploaded bits", "seconds": "metric against time",
    "clock": "metric against simulated time", "steps": "metric against local steps",
    "epsilon": "final metric against epsilon", "end-bits": "final metric against uploaded bits",
    "axis": "final metric against the numeric axis with most values", "times": "time per round by phase",
}
MOST_TOLD = 3  # different best values in one entry of the legend


@dataclass(frozen=True)
class Choice:
    """What a figure shows: panels (of PANELS; none = those that fit the data), metrics (none = chosen by the data), the
    axis of the colours, which bits are counted, whether the axis of bits ends with the smallest budget, whether times
    include evaluation and recording, and whether the front of what is best for its bits is drawn."""

    panels: Sequence[str] = ()
    metrics: Sequence[str] = ()
    by: str | None = None
    bits: Upload = Upload()
    equal_bits: bool = True
    evaluation: bool = False
    front: bool = False
    sheet: Sheet = field(default_factory=Sheet)


def draw_sweep(sweep: Sweep, choice: Choice = Choice()) -> Figure:
    """Draws the figure. Raises RunFileError where no cell is done, or no done cell has the metric."""
    sweep, too_large = _drawable(sweep)
    found = with_parameters(combinations(sweep))
    if not sweep.runs:
        raise RunFileError(f"{sweep.folder}: no cell is done, so there is nothing to draw ({sweep.progress()}).")
    if not any(each.runs for each in found):
        raise RunFileError(f"{sweep.folder}: only cells with seeds for tuning are done, so there are no results to "
                           f"draw ({sweep.progress()}).")
    metrics = [choose_metric(found) if metric in ("", "auto") else metric for metric in choice.metrics or ("auto",)]
    for metric in metrics:
        if metric not in METRICS:
            raise RunFileError(f"'{metric}' is not a metric; use one of auto, {', '.join(METRICS)}.")
    notes = list(too_large)
    shown: dict[str, list[Series]] = {}
    for metric in dict.fromkeys(metrics):
        shown[metric], more = make_series(sweep, found, metric, choice.by)
        if not shown[metric]:
            raise RunFileError(f"{sweep.folder}: no finished cell has a value of '{metric}'; choose another metric.")
        notes += more
    # The first metric chooses the combinations, so that all panels show the same runs.
    first = next(iter(shown))
    best = best_of(shown[first], first)
    chosen = {metric: same_as(best, series) for metric, series in shown.items()}
    panels = [draw for metric, series in shown.items() if chosen[metric]
              for draw in _panels(series, chosen[metric], metric, choice, first=metric == first)]
    return compose(choice.sheet, panels, partial(_legends, chosen), partial(_words, sweep, chosen, notes))


def _drawable(sweep: Sweep) -> tuple[Sweep, list[str]]:
    runs, notes = drawable(list(sweep.runs.values()))
    table = within(sweep.table, COLUMNS.values())
    return replace(sweep, runs=dict(zip(sweep.runs, runs)), table=table), notes


def default_panels(series: Sequence[Series], metric: str) -> list[str]:
    """Equal epsilon, equal bits, equal time, and where the time goes, as far as there is something to compare."""
    timed = way_panels.has_seconds(series)
    if len(end_panels.epsilons(series)) + any(each.no_privacy for each in series) > 1:
        first = "epsilon"
    else:
        first = "axis" if end_panels.numeric_axis(series) else "rounds"
    if way_panels.only_ends(series, metric):
        return [*([first] if first != "rounds" else []), "end-bits", *(["times"] if timed else [])]
    if way_panels.has_clock(series):
        return ["clock", "bits"]
    sent = way_panels.has_bits(run for each in series for run in each.combination.runs)
    return [first, *(["bits"] if sent else []), *(("seconds", "times") if timed else ("rounds",) * (first != "rounds"))]


def _panels(series: Sequence[Series], chosen: Sequence[Series], metric: str, choice: Choice,
            first: bool) -> list[Draw]:
    """The panels of one metric; that of the times is drawn once."""
    names = list(dict.fromkeys(choice.panels)) or default_panels(series, metric)
    for name in names:
        if name not in PANELS:
            raise RunFileError(f"'{name}' is not a panel; use some of {', '.join(PANELS)}.")
    return [_panel(name, series, chosen, metric, choice) for name in names if first or name != "times"]


def _panel(name: str, series: Sequence[Series], chosen: Sequence[Series], metric: str, choice: Choice) -> Draw:
    if name in WAY:
        return partial(way_panels.draw_way, series=chosen, metric=metric, against=name, bits=choice.bits,
                       equal_bits=choice.equal_bits, evaluation=choice.evaluation, with_front=choice.front)
    if name == "times":
        return partial(draw_times, series=chosen, evaluation=choice.evaluation)
    if name == "epsilon":
        return partial(end_panels.draw_epsilon, series=chosen, metric=metric)
    if name == "end-bits":
        return partial(end_panels.draw_bits, series=chosen, metric=metric, bits=choice.bits)
    axis = end_panels.numeric_axis(series)
    if axis is None:
        raise RunFileError("no numeric axis differs but epsilon and that of the colours, so there is no panel 'axis'; "
                           "draw another one.")
    return partial(end_panels.draw_axis, series=series, metric=metric, axis=axis)


def _legends(chosen: dict[str, list[Series]], panels: Sequence[Axes]) -> list[list[Line2D]]:
    """The legend of the colours and that of line styles and lines across."""
    series = [each for several in chosen.values() for each in several]
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    parts = guarantees.differing([each.combination.runs for each in series])
    variants = {each.variant: each.look for each in sorted(series, key=lambda one: one.order) if each.variant}
    each_differs = len(tuned_values(series)) > 1
    # Panels of what has come out at the end have the markers of the variants, and lines of their own.
    ways = any(line.get_gid() == way_panels.ON_THE_WAY for axes in panels for line in axes.get_lines())
    colours = [Line2D([], [], color=members[0].colour, linewidth=1.8, markersize=4,
                      linestyle="-" if variants or not ways else members[0].look.dashes,
                      marker="" if variants else members[0].look.marker,
                      label=captions.with_terms(group + (_tuned(members) if each_differs else ""),
                                                [run for each in members for run in each.combination.runs], parts))
               for group, members in groups.items()]
    styles = [Line2D([], [], color=style.INK, linestyle=look.dashes if ways else "none", marker=look.marker,
                     linewidth=1.2, markersize=4, label=variant) for variant, look in variants.items()]
    if has_baseline(panels):
        styles.append(Line2D([], [], label=BASELINE_ID, **BASELINE))
    if any(line.get_gid() == FRONT_ID for axes in panels for line in axes.get_lines()):
        styles.append(Line2D([], [], label=FRONT_ID, **LOOK))
    return [colours, styles]


def _tuned(members: Sequence[Series]) -> str:
    """The best values of one colour, in the order of its line styles."""
    values = tuned_values(members)
    return f" ({' | '.join(values)})" if values and len(values) < MOST_TOLD else ""


def _words(sweep: Sweep, chosen: dict[str, list[Series]], more: Sequence[str], drawn: Sequence[str]) -> Words:
    """Title, subtitle and caption: what is missing, what is claimed, what bars and bands mean."""
    metric, series = next(iter(chosen.items()))
    runs = [run for each in series for run in each.combination.runs]
    lines = [] if sweep.complete else [Warn(f"incomplete sweep: {sweep.progress()}")]
    lines += sweep.refusals()
    lines += captions.incomplete(runs)
    lines += [note for name, several in chosen.items() for note in no_better(several, name)]
    lines += [] if any(name in SCORES for name in chosen) else not_learnt(series)
    lines += captions.footnote_of_claims(captions.groups_of(series), list(sweep.runs.values()), sweep.axes)
    lines += captions.accounted(runs)
    best = chosen_words(series)
    on = ", chosen on the seeds for tuning" if any(len(each.combination.tuning) for each in series) else ""
    lines += [f"best {METRICS[metric].name} at the end{on}: {best}"] if best else []
    lines += skipped(sweep.tuned_on)
    lines.append(captions.of_intervals([each.over for several in chosen.values() for each in several]))
    lines += what_seeds_change([each.combination.runs for each in series])
    lines += ["; ".join([*more, *drawn])] if more or drawn else []
    return Words(captions.title(series), captions.subtitle(sweep, runs), lines)
