"""The figure of a sweep, or of runs: panels of a metric against what it costs in privacy, bits and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..io.errors import RunFileError
from ..io.words import Brief, Warn, in_rounds
from ..model import guarantees
from ..model.combinations import COLUMNS, Combination, choose_metric, combinations
from ..model.compressors import with_parameters
from ..model.drawable import drawable, within
from ..model.evidence import with_evidence
from ..model.finals import last_known
from ..model.metrics import METRICS, SCORES, heading
from ..model.replicates import what_seeds_change
from ..model.states import is_lost
from ..model.step_sizes import unequal
from ..model.sweep import Sweep
from ..model.tasks import Context, never_chosen, whole
from ..model.tuning import skipped
from ..model.uploads import Upload
from . import captions, curves, ends, findings, style, ways as on_way
from .page import DEFAULT_WIDTH, Draw, Sheet, Words, compose
from .scales import BASELINE, BASELINE_ID, Scale, has_baseline, no_better, not_learnt, runs_of, scale_of_ends
from .series import Series, across_of, best_of, chosen_words, coloured, make_series, otherwise_chosen, same_as
from .sweep_times import draw_times

WAY = ("rounds", "bits", "seconds", "joules", *on_way.CLOCK)
PANELS = {
    "rounds": "metric against rounds", "bits": "metric against uploaded bits", "seconds": "metric against time",
    "joules": "metric against energy",
    "clock": "metric against simulated time", "steps": "metric against local steps",
    "epsilon": "final metric against epsilon", "end-bits": "final metric against uploaded bits",
    "axis": "final metric against the numeric axis with most values", "times": "time per round by phase",
}
MOST_LINES = 6  # of a panel; more are a panel for each variant, or small multiples, a group of lines in each
MOST_VARIANTS = 3  # that have panels of their own
MOST_CONTEXTS = 6  # tasks and guarantees, which all have them
SHORT = 80  # letters of settings that a caption in the picture has room for
LONGEST_NAME = 34  # letters at the end of a line; with longer ones there is a legend
LEAST_WIDE = 1.7  # inches of a panel of small multiples
ROW, ROOM_OF_ROWS = 0.165, 0.75  # inches: a row of dots, and what stands around them


@dataclass(frozen=True)
class Choice:
    """What a figure shows: panels (of PANELS; none = those that fit the data), metrics (none = chosen by the data), the
    axis of the colours, which bits are counted, and whether the axis of bits ends with the smallest budget."""

    panels: Sequence[str] = ()
    metrics: Sequence[str] = ()
    by: str | None = None
    bits: Upload = Upload(per_client=True)
    equal_bits: bool = True
    sheet: Sheet = field(default_factory=Sheet)


@dataclass
class Plan:
    """The panels of a figure, and what its texts are made of."""

    series: dict[str, list[Series]]  # drawn, by metric
    contexts: Sequence[Context] = ()  # tasks and guarantees, each with panels of its own
    draws: list[Draw] = field(default_factory=list)
    heads: list[tuple[str, str]] = field(default_factory=list)  # context and metric of each panel
    ways: list[on_way.Way] = field(default_factory=list)
    columns: int | None = None
    labels: list[str] = field(default_factory=list)  # of the x axes of small multiples
    heights: Sequence[float] = ()  # of rows of panels, in inches
    legend: bool = False
    finding: str = ""
    told: bool = False  # the finding says more than what is compared
    of_tasks: bool = False  # colours or the axis tell tasks apart, which are not compared

    def headed(self) -> None:
        """Lets the title of each panel begin with what tells it from the others: task and guarantee, and the metric."""
        several = [len(set(part)) > 1 for part in zip(*self.heads)]
        for place, (draw, head) in enumerate(zip(self.draws, self.heads)):
            words = ", ".join(word for word, differs in zip(head, several) if differs and word)
            if words and not self.labels:
                self.draws[place] = partial(_headed, draw=draw, words=f"{words[0].upper()}{words[1:]}" if not head[0] else words,
                                            alone=len(self.heads) == len(set(self.heads)))

    def add(self, draw: Draw, context: Context, metric: str) -> None:
        """Adds a panel."""
        self.draws.append(draw)
        self.heads.append((context.words, heading(metric, self.series)))


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
    for metric in dict.fromkeys(choose_metric(found) if name in ("", "auto") else name for name in choice.metrics or ("auto",)):
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
    for metric, shown in plan.series.items():
        _add(plan, every[metric], shown, metric, choice, by)
        notes += otherwise_chosen(every[metric], shown, metric) if metric != by else []
    plan.headed()
    return compose(choice.sheet, plan.draws, partial(_legends, plan), partial(_words, sweep, plan, notes), plan.columns,
                   heights=plan.heights, labels=(METRICS[by].axis.replace("\n", " "), " | ".join(plan.labels)) if plan.labels else ("", ""))


def _colours_are_tasks(sweep: Sweep, found: Sequence[Combination], by: str | None) -> bool:
    """Whether the colours are those of an axis that belongs to the task or the guarantee."""
    return bool(never_chosen([axis for axis in (coloured(sweep, found, by),) if axis], list(sweep.runs.values())))


def _drawable(sweep: Sweep) -> tuple[Sweep, list[str]]:
    """The sweep without values that are too large to draw, and a note where there were any."""
    runs, notes = drawable(list(sweep.runs.values()))
    table = within(sweep.table, COLUMNS.values())
    return replace(sweep, runs=dict(zip(sweep.runs, runs)), table=table), notes


def default_panels(series: Sequence[Series], metric: str) -> list[str]:
    """The panel that shows most of the trade-off: bits and metric at the end where uploads differ, else epsilon, else a
    numeric axis, else the way; methods on the clock against time and bits."""
    runs = runs_of(series)
    sent = on_way.has_bits(runs)
    if all(on_way.CLOCK["clock"] in run.rounds for run in runs) and not on_way.only_ends(series, metric):
        return ["clock", *(["bits"] if sent else [])]
    uploads = [Upload(per_client=True).of(run).iloc[-1] for run in runs]
    if sent and max(uploads) > ends.SAME_EPSILON * min(uploads):
        return ["end-bits"]
    if len(ends.epsilons(series)) + any(each.no_privacy for each in series) > 1:
        return ["epsilon"]
    if ends.numeric_axis(series):
        return ["axis"]
    return ["end-bits"] if sent and on_way.only_ends(series, metric) else ["rounds"]


def _headed(axes: Axes, draw: Draw, words: str, alone: bool) -> list[str]:
    """Draws a panel, and puts the words before its title, or in place of its first line where they tell it `alone`."""
    notes = draw(axes)
    first, _, rest = axes.get_title("left").partition("\n")
    lines = [words if alone else f"{words}: {first[0].lower()}{first[1:]}" if first else words, rest]
    axes.set_title("\n".join(filter(None, lines)), loc="left")
    return notes


def _add(plan: Plan, every: Sequence[Series], shown: list[Series], metric: str, choice: Choice, by: str) -> None:
    """Plans the panels of one metric, for each context; that of the times is drawn once."""
    panels = list(dict.fromkeys(choice.panels)) or default_panels(shown, metric)
    for name in panels:
        if name not in PANELS:
            raise RunFileError(f"'{name}' is not a panel; use some of {', '.join(PANELS)}.")
    axis = ends.numeric_axis(every) if "axis" in panels else None
    if "axis" in panels and axis is None:
        raise RunFileError("no numeric axis differs but epsilon, that of the colours and those of the task, so there is no "
                           "panel 'axis'; draw another one, or --panel axis alone for an axis of the task.")
    along = best_of(every, by, keep=axis) if axis else []
    scale = scale_of_ends([*shown, *along], metric)
    found = {}
    for context in plan.contexts:
        of, beside = ([each for each in series if context.includes(each.context)] for series in (shown, along))
        if of:
            found[context] = of, beside, {name: on_way.prepare(of, metric, name, choice.bits, choice.equal_bits)
                                          for name in panels if name in WAY}
    all_ways = [way for _, _, ways in found.values() for way in ways.values()]
    shared = on_way.common_scale(all_ways) if all_ways else None
    findings_ = []
    for context, (of, beside, ways) in found.items():
        plan.ways += ways.values()
        by_variant = _add_panels(plan, context, of, beside, metric, choice, by, panels, scale, ways, shared, axis)
        at_end = bool({"epsilon", "end-bits"} & set(panels))
        findings_.append((context.words, findings.by_variant(by_variant, metric) or (
            "" if plan.of_tasks else _finding(list(ways.values()), of, metric, choice.bits, at_end))))
    if not plan.finding:
        plan.finding = findings.by_context(findings_)
        plan.told = plan.finding != ""
        name = METRICS[metric].name
        plan.finding = plan.finding or f"{name[0].upper()}{name[1:]} of {captions.compared(shown)}"


def _add_panels(plan: Plan, context: Context, shown: list[Series], along: list[Series], metric: str, choice: Choice, by: str,
                panels: Sequence[str], scale: Scale, ways: dict[str, on_way.Way],
                shared: tuple[Scale, list[str]] | None, axis: str | None) -> dict[str, on_way.Way]:
    """Plans the panels of one context; returns the ways of variants where these have panels of their own."""
    plan.legend |= bool(ways) and max(len(each.name) for each in shown) > LONGEST_NAME
    crowded = bool(ways) and len(shown) > MOST_LINES
    many = crowded and len(plan.contexts) == 1 and set(panels) <= set(WAY) and len({each.group for each in shown}) > 1
    plan.legend = (plan.legend or crowded) and not many
    by_variant = on_way.by_variant(list(ways.values())[0]) if many else {}
    if not 1 < len(by_variant) <= MOST_VARIANTS or any(len(way.curves) > MOST_LINES for way in by_variant.values()):
        by_variant = {}
    for variant, way in by_variant.items():
        plan.add(partial(curves.draw, way=way, scale=shared[0], by=by, title=variant), context, metric)
    add = partial(plan.add, context=context, metric=metric)
    for name in [] if by_variant else list(ways)[-1:] if many else panels:
        if name in WAY:
            _add_way(plan, ways[name], shared, by, int((choice.sheet.width or DEFAULT_WIDTH) / LEAST_WIDE) if many else None, add)
        elif name == "times" and metric == by:
            add(partial(draw_times, series=shown))
        elif name == "epsilon":
            add(partial(ends.draw_epsilon, series=shown, metric=metric, scale=scale, by=by))
        elif name == "end-bits" and len({each.group for each in shown}) > MOST_LINES and len(ends.epsilons(shown)) < 2:
            add(partial(ends.draw_upload_rows, series=shown, bits=choice.bits))
            add(partial(ends.draw_value_rows, series=shown, metric=metric, by=by, bits=choice.bits))
            plan.heights = (*plan.heights, ROW * len(shown) + ROOM_OF_ROWS)
        elif name == "end-bits":
            add(partial(ends.draw_bits, series=shown, metric=metric, scale=scale, by=by, bits=choice.bits))
        elif name == "axis":
            add(partial(ends.draw_axis, series=along, metric=metric, scale=scale, by=by, axis=axis))
    return by_variant


def _add_way(plan: Plan, way: on_way.Way, shared: tuple[Scale, list[str]], by: str, columns: int | None,
             add: Callable[[Draw], None]) -> None:
    """One panel, or with `columns` a panel for each group of lines, in which the others are grey."""
    scale, notes = shared
    left_out = on_way.references(way)
    groups = list(dict.fromkeys(each.group for each, _ in way.curves if each not in left_out))
    if columns is None:
        add(lambda axes: notes + curves.draw(axes, way, scale, by, named=not plan.legend))
        return
    plan.columns = max(1, min(columns, len(groups)))
    plan.labels.append(f"{curves.label_of(way)}{', equal budget' if way.equal else ''}")
    gaps = -len(groups) % plan.columns
    for place, group in enumerate(groups):
        add(partial(_multiple, way=way, scale=scale, by=by, group=group, notes=notes,
                    first=place % plan.columns == 0, last=place >= len(groups) + gaps - plan.columns))


def _multiple(axes: Axes, way: on_way.Way, scale: Scale, by: str, group: str, notes: list[str],
              first: bool, last: bool) -> list[str]:
    """A panel of one group; only the outer ones have figures at their axes."""
    found = notes + curves.draw(axes, way, scale, by, focus=group)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(labelleft=first, labelbottom=last)
    return found


def _finding(ways: Sequence[on_way.Way], series: Sequence[Series], metric: str, bits: Upload, at_end: bool) -> str:
    """What the data say; empty where they say nothing."""
    told = [sentence for way in ways
            if not way.seldom and (way.against != "seconds" or with_evidence(runs_of(series))) and (sentence := findings.who_leads(way.where, [(each, way.at_end(each)) for each, _ in way.curves], metric))]
    if at_end and not told:
        last = [(each, {run.attributes["seed"]: value for run in each.combination.runs
                        if (value := last_known(run.evaluated(metric))) == value}) for each in series]
        rows = [(*pair, median(bits.of(run).iloc[-1] for run in pair[0].combination.runs)) for pair in last]
        rounds = {run.rounds_done for run in runs_of(series)}
        where = f"After {in_rounds(max(rounds))}" if len(rounds) == 1 else "At the end"
        told = [findings.cost_of_small_uploads(rows, metric) or findings.least_of_the_tied(rows, metric)
                or findings.who_leads(where, last, metric)]
    return "; ".join([told[0], *(f"{each[0].lower()}{each[1:]}" for each in told[1:])]) if any(told) else ""


def _legends(plan: Plan, panels: Sequence[Axes]) -> list[list[Line2D]]:
    """What has no name at its line: colours and variants where names are too long, markers of methods behind other
    colours, and terms of epsilons."""
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
        styles += [Line2D([], [], label=f"{each.name}, at its end", color=each.colour, linestyle=(0, (1, 2)), linewidth=1.0)
                   for each in ends_alone]
        styles += [Line2D([], [], label=BASELINE_ID, **BASELINE)] if has_baseline(panels) else []
    hues = {each.hue: each.colour for each in series if each.hue != each.group}
    return [[Line2D([], [], color=colour, linewidth=1.8, label=hue) for hue, colour in hues.items()] or colours, styles]


def _words(sweep: Sweep, plan: Plan, more: Sequence[str], drawn: Sequence[str]) -> Words:
    """Title, subtitle and caption: what is missing, what is claimed, what bars and bands mean."""
    metric, series = next(iter(plan.series.items()))
    runs = runs_of(series)
    lines = [] if sweep.complete else [Warn(f"incomplete sweep: {sweep.progress()}")]
    lines += sweep.refusals()
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
        lines.append(f"more than {MOST_LINES} lines: a panel a group, {curves.TITLES[plan.ways[-1].against].lower()} alone; "
                     "--panel names another one")
    what = f"{captions.compared(series)}; " if plan.told else ""
    return Words(plan.finding, what + captions.subtitle(series), list(dict.fromkeys(lines)))
