"""The panels of a figure of a sweep: which ones there are, by the data, and what each of them is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from matplotlib.axes import Axes

from ..io.errors import RunFileError
from ..io.words import in_rounds
from ..model.evidence import with_evidence
from ..model.finals import last_known
from ..model.metrics import METRICS, heading
from ..model.tasks import Context
from ..model.uploads import Upload
from . import captions, curves, ends, findings, ways as on_way
from .page import DEFAULT_WIDTH, NARROW, Draw, Sheet
from .scales import Scale, runs_of, scale_of_ends
from .series import Series, best_of
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
    in_rows: bool = False  # of dots, a row a line, in place of a plane of bits and metric
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
                self.draws[place] = partial(_headed, draw=draw, alone=len(self.heads) == len(set(self.heads)),
                                            words=words if head[0] else f"{words[0].upper()}{words[1:]}")

    def add(self, draw: Draw, context: Context, metric: str) -> None:
        """Adds a panel."""
        self.draws.append(draw)
        self.heads.append((context.words, heading(metric, self.series)))

    def drawn(self, context: Context, metric: str) -> list[Series]:
        """Returns the series of a metric that a context compares."""
        return [each for each in self.series[metric] if context.includes(each.context)]

    def choose_rows(self, panels: Mapping[str, Sequence[str]], width: float) -> None:
        """Draws rows of dots where planes are all that is asked for, one of them has too many lines for its names, and
        none has several epsilons. The two panels of a plane stand on each other where the sheet is narrow."""
        planes = list(filter(None,
                             (self.drawn(context, metric) for metric in self.series for context in self.contexts)))
        self.in_rows = all(names == ["end-bits"] for names in panels.values()) \
            and any(len({each.group for each in shown}) > MOST_LINES for shown in planes) \
            and all(len(ends.epsilons(shown)) < 2 for shown in planes)
        if self.in_rows:
            self.columns = 1 if width < NARROW else 2
            self.heights = [ROW * len(shown) + ROOM_OF_ROWS for shown in planes for _ in range(2 // self.columns)]


def default_panels(series: Sequence[Series], metric: str) -> list[str]:
    """Returns the panel that shows most of the trade-off: bits and metric at the end if uploads differ, else epsilon,
    else a numeric axis, else the curves. Methods on the clock are drawn against time and bits."""
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


def panels_of(choice: Choice, shown: Sequence[Series], metric: str) -> list[str]:
    """Returns the panels that are asked for, or those that fit the data. Raises RunFileError for an unknown one."""
    panels = list(dict.fromkeys(choice.panels)) or default_panels(shown, metric)
    for name in panels:
        if name not in PANELS:
            raise RunFileError(f"'{name}' is not a panel; use some of {', '.join(PANELS)}.")
    return panels


def _headed(axes: Axes, draw: Draw, words: str, alone: bool) -> list[str]:
    """Draws a panel, and puts the words before its title, or in place of its first line where they tell it `alone`."""
    notes = draw(axes)
    first, _, rest = axes.get_title("left").partition("\n")
    lines = [words if alone else f"{words}: {first[0].lower()}{first[1:]}" if first else words, rest]
    axes.set_title("\n".join(filter(None, lines)), loc="left")
    return notes


def add_metric(plan: Plan, every: Sequence[Series], metric: str, panels: Sequence[str], choice: Choice,
               by: str) -> None:
    """Plans the panels of one metric, for each context; that of the times is drawn once."""
    shown = plan.series[metric]
    axis = ends.numeric_axis(every) if "axis" in panels else None
    if "axis" in panels and axis is None:
        raise RunFileError("no numeric axis differs but epsilon, that of the colours and those of the task, so there "
                           "is no panel 'axis'; draw another one, or --panel axis alone for an axis of the task.")
    along = best_of(every, by, keep=axis) if axis else []
    scale = scale_of_ends([*shown, *along], metric)
    found = {}
    for context in plan.contexts:
        of, beside = plan.drawn(context, metric), [each for each in along if context.includes(each.context)]
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


def _add_panels(plan: Plan, context: Context, shown: list[Series], along: list[Series], metric: str, choice: Choice,
                by: str, panels: Sequence[str], scale: Scale, ways: dict[str, on_way.Way],
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
            columns = int((choice.sheet.width or DEFAULT_WIDTH) / LEAST_WIDE) if many else None
            _add_way(plan, ways[name], shared, by, columns, add)
        elif name == "times" and metric == by:
            add(partial(draw_times, series=shown))
        elif name == "epsilon":
            add(partial(ends.draw_epsilon, series=shown, metric=metric, scale=scale, by=by))
        elif name == "end-bits" and plan.in_rows:
            add(partial(ends.draw_upload_rows, series=shown, bits=choice.bits))
            add(partial(ends.draw_value_rows, series=shown, metric=metric, by=by, bits=choice.bits,
                        named=plan.columns == 1))
        elif name == "end-bits":
            add(partial(ends.draw_bits, series=shown, metric=metric, scale=scale, by=by, bits=choice.bits))
        elif name == "axis":
            add(partial(ends.draw_axis, series=along, metric=metric, scale=scale, by=by, axis=axis))
    return by_variant


def _add_way(plan: Plan, way: on_way.Way, shared: tuple[Scale, list[str]], by: str, columns: int | None,
             add: Callable[[Draw], None]) -> None:
    """Adds one panel, or with `columns` a panel for each group of lines, in which the others are grey."""
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
    """Draws a panel of one group. Only the outer panels have figures at their axes."""
    found = notes + curves.draw(axes, way, scale, by, focus=group)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(labelleft=first, labelbottom=last)
    return found


def _finding(ways: Sequence[on_way.Way], series: Sequence[Series], metric: str, bits: Upload, at_end: bool) -> str:
    """Returns the finding in the data, empty if there is none."""
    worth = [way for way in ways if not way.is_apart and (way.against != "seconds" or with_evidence(runs_of(series)))]
    leads = [findings.who_leads(way.where, [(each, way.at_end(each)) for each, _ in way.curves], metric)
             for way in worth]
    told = list(filter(None, leads))
    if at_end and not told:
        last = [(each, {run.attributes["seed"]: value for run in each.combination.runs
                        if (value := last_known(run.evaluated(metric))) == value}) for each in series]
        rows = [(*pair, median(bits.of(run).iloc[-1] for run in pair[0].combination.runs)) for pair in last]
        rounds = {run.rounds_done for run in runs_of(series)}
        where = f"After {in_rounds(max(rounds))}" if len(rounds) == 1 else "At the end"
        told = [findings.cost_of_small_uploads(rows, metric) or findings.least_of_the_tied(rows, metric)
                or findings.who_leads(where, last, metric)]
    return "; ".join([told[0], *(f"{each[0].lower()}{each[1:]}" for each in told[1:])]) if any(told) else ""
