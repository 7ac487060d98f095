"""The figures of a report: the plane of bits and metric, the way there, epsilon, and the choice of settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ..io import forms
from ..io.run_file import HOLDS, NOT_PRIVATE
from ..model.budgets import spent_by
from ..model.guarantees import guarantee_of
from ..model.labels import EPSILON, as_word
from ..model.metrics import COMPARED
from ..model.states import diverged
from ..stats.paired import mean
from ..stats.questions import Comparable, Setting, comparable
from ..stats.rankings import Entry, Ranking
from .content import Content
from .headline import heading, lead_words
from .packed import thin
from .svg import Axis, Chart, LETTER, Mark, axis_of

NAMED = 6  # lines of a panel with a name; the others are grey
MOST_POINTS = 90  # of a line that is drawn without JavaScript
MOST_PANELS = 24
BITS, ROUNDS = "payload bits sent per client", "round"


def form_of(metric: str) -> str:
    """How values of a metric are written."""
    return "percent" if COMPARED[metric].is_share else "number"


def style_of(setting: Setting) -> str:
    """The symbol of a setting: "diverged" where any run did, "plain" where no privacy is claimed, "open" where it is
    nominal only."""
    run = setting.first
    if diverged(setting.runs.values()):
        return "diverged"
    return "" if run.status == HOLDS else "plain" if run.status == NOT_PRIVATE else "open"


def planes(content: Content) -> list[Chart]:
    """Bits per client and metric of every method at its best setting, a path over epsilon: a chart for every task and kind
    of guarantee, and in each what claims none on the same task."""
    found: dict[Comparable, list[tuple[Ranking, Entry]]] = {}
    for ranking in content.answer.rankings if content.answer and content.budget.target is None else ():
        for entry in ranking.entries:
            found.setdefault(content.kinds["epsilon"][content.place(entry.setting)], []).append((ranking, entry))
    open_ = {key: pairs for key, pairs in found.items() if all(not _claims(entry.setting) for _, entry in pairs)}
    charts = []
    for key in [key for key in found if key not in open_] or found:
        shown = found[key] + [pair for other, pairs in open_.items() for pair in pairs
                              if other != key and (other.task, other.data) == (key.task, key.data)]
        title = heading(content.answer, content.names_in(content.answer), [ranking for ranking, _ in shown])
        charts.append(_plane(content, [entry for _, entry in shown], title, key.words(content.groups["epsilon"])))
    return charts


def _claims(setting: Setting) -> bool:
    """Whether the runs of a setting claim an epsilon, accounted or nominal."""
    return setting.first.status != NOT_PRIVATE


def _plane(content: Content, entries: Sequence[Entry], title: str, words: str) -> Chart:
    """The plane of one task and kind of guarantee, which `words` state."""
    entries = list({content.place(entry.setting): entry for entry in entries}.values())
    points = [(entry, mean([entry.setting.found[seed].mean for seed in entry.seeds]).centre) for entry in entries]
    points = [(entry, bits) for entry, bits in points if bits > 0 and math.isfinite(entry.over.centre)]
    metric, methods = COMPARED[content.metric], content.methods
    y = axis_of([value for entry, _ in points for value in (entry.over.centre, entry.over.low, entry.over.high)],
                metric.name, form_of(content.metric))
    x = axis_of([bits for _, bits in points] or [1.0, 10.0], f"{BITS} (log scale; equal bits side by side)", "bits",
                True)
    x = Axis(x.label, x.low / 1.25, x.high * 1.6, "bits", True)
    marks: list[Mark] = []
    for method in methods:
        own = sorted(((entry, bits) for entry, bits in points if entry.setting.method == method),
                     key=lambda pair: _epsilon(pair[0].setting))
        sharing = [each for each in methods if any(entry.setting.method == each and any(
            abs(bits / mine - 1) < 0.03 for _, mine in own) for entry, bits in points)]
        dodge = 1.0 + 0.07 * (sharing.index(method) - (len(sharing) - 1) / 2) if own else 1.0
        path = [(bits * dodge, entry.over.centre) for entry, bits in own]
        colour = methods.index(method)
        marks += [Mark("line", path, -1, colour, style="path")] if len(path) > 1 else []
        for i, (entry, bits) in enumerate(own):
            marks += _point(content, entry, bits * dodge, method if i == len(own) - 1 else "", len(own) > 1)
    return Chart(title, f"{metric.name} against {BITS}: {words}", x, y, marks, 720, 380)


def _point(content: Content, entry: Entry, bits: float, name: str, several: bool) -> list[Mark]:
    """A method at its best setting: interval, point and text; `several` says that its path has other epsilons."""
    place, over = content.place(entry.setting), entry.over
    colour, epsilon = content.methods.index(entry.setting.method), _epsilon(entry.setting)
    ends = [(bits, over.low), (bits, over.high)]
    value = forms.of_metric(over.centre, COMPARED[content.metric].is_share)
    words = f"ε = {epsilon:g}" if epsilon > 0 and several else ""
    return [*([Mark("bar", ends, place, colour)] if not math.isnan(over.low) else []),
            Mark("dot", [(bits, over.centre)], place, colour,
                 f"{content.names[place]}: {value}, {forms.bits(bits)} per client", style_of(entry.setting)),
            Mark("tag", [(bits, over.centre)], place, colour, " ".join(filter(None, (name, words))))]


def _epsilon(setting: Setting) -> float:
    """The nominal epsilon of a setting, 0 where it claims nothing."""
    value = setting.values.get(EPSILON)
    return float(value) if isinstance(value, (int, float)) and _claims(setting) else 0.0


def curve(setting: Setting, seeds: Iterable[int], metric: str) -> pd.DataFrame:
    """Rounds that all seeds have evaluated, with the `mean` of the metric, `low` and `high` of the seeds, and `bits`
    per client."""
    frames = []
    for seed in seeds:
        run = setting.runs[seed]
        if metric in run.rounds:
            spent = spent_by(run, "up")
            frames.append(pd.DataFrame({"round": spent["round"], "bits": spent["mean"], "value": run.rounds[metric]}
                                       ).dropna(subset=["value"]))
    if not frames:
        return pd.DataFrame(columns=["round", "bits", "mean", "low", "high"])
    whole = pd.concat(frames).groupby("round").agg(bits=("bits", "mean"), mean=("value", "mean"), low=("value", "min"),
                                                   high=("value", "max"), seeds=("value", "size")).reset_index()
    return whole[whole["seeds"] == len(frames)]


def curves(content: Content, against: str) -> list[Chart]:
    """The metric against BITS or ROUNDS: a chart for every ranking, with the interval of the ranking at the state that
    was compared."""
    if content.answer is None:
        return []
    several = len(content.answer.rankings) > 1
    return [_curves(content, (f"{name}: " if several else "") + lead_words(content.answer, ranking), ranking.entries,
                    against) for name, ranking in zip(content.names_in(content.answer), content.answer.rankings)]


def _curves(content: Content, title: str, entries: Sequence[Entry], against: str) -> Chart:
    """The panel of one ranking, with its finding as `title`."""
    column = "bits" if against == BITS else "round"
    lines = []
    for entry in entries:
        line = curve(entry.setting, entry.seeds, content.metric)
        line = line[np.isfinite(line["mean"]) & ((line[column] > 0) | (column == "round"))]
        lines.append((entry, thin(line, "mean", MOST_POINTS)))
    form = form_of(content.metric)
    values = [value for _, line in lines for value in line["mean"]]
    y = axis_of(values, COMPARED[content.metric].name, form)
    spent = [value for _, line in lines for value in line[column]]
    x = axis_of(spent, against + (" (log scale)" if against == BITS else ""), "bits" if against == BITS else "count",
                against == BITS)
    marks: list[Mark] = []
    for place, (entry, line) in enumerate(lines):
        if len(line):
            marks = [*_line(content, entry, line, column, place < NAMED), *marks]
    right = min(190.0, 26 + LETTER * max((len(mark.text) for mark in marks if mark.kind == "name"), default=0))
    return Chart(title, f"{COMPARED[content.metric].name} against {against}", x, y, marks, 560, 300, right)


def _line(content: Content, entry: Entry, line: pd.DataFrame, column: str, named: bool) -> list[Mark]:
    """Band, line, ranked value and name of one method."""
    place = content.place(entry.setting)
    colour = content.methods.index(entry.setting.method) if named else -1
    points = list(zip(line[column], line["mean"]))
    area = [Mark("area", list(zip(line[column], line["low"], line["high"])), place, colour)] if named else []
    name = [Mark("name", points[-1:], place, colour, content.names[place])] if named else []
    return [*area, Mark("line", points, place, colour, content.names[place], "" if named else "far"),
            *_compared(content, entry, column, place, colour), *name]


def _compared(content: Content, entry: Entry, column: str, place: int, colour: int) -> list[Mark]:
    """The value and the interval of the ranking, at the mean of the states that were compared."""
    if content.budget.target is not None or not math.isfinite(entry.over.centre):
        return []
    attribute = "mean" if column == "bits" else "round"
    x = mean([float(getattr(entry.setting.found[seed], attribute)) for seed in entry.seeds]).centre
    bar = [Mark("bar", [(x, entry.over.low), (x, entry.over.high)], place, colour)] \
        if not math.isnan(entry.over.low) else []
    return [*bar, Mark("dot", [(x, entry.over.centre)], place, colour, content.names[place], style_of(entry.setting))]


def epsilons(content: Content) -> list[Chart]:
    """The accounted epsilon against rounds: a chart for every kind of guarantee, one line for settings that agree."""
    kinds: dict[str, dict[tuple, tuple[int, pd.DataFrame, list[str]]]] = {}
    for place, setting in enumerate(content.settings):
        run = setting.first
        promised = guarantee_of(run)
        spent = run.rounds[["round", "epsilon"]].dropna()
        if promised is None or run.status == NOT_PRIVATE or not len(spent):
            continue
        key = tuple(float(f"{value:.4g}") for value in spent["epsilon"].iloc[:: max(1, len(spent) // 8)])
        lines = kinds.setdefault(promised.words(), {})
        lines.setdefault(key, (place, spent, []))[2].append(setting.method)
    return [_epsilons(content, words, list(lines.values())) for words, lines in kinds.items()]


def _epsilons(content: Content, words: str, lines: Sequence[tuple[int, pd.DataFrame, list[str]]]) -> Chart:
    """The chart of one kind of guarantee; `lines` has the place of a setting, its rounds and the methods that share
    it."""
    x = axis_of([value for _, line, _ in lines for value in line["round"]], ROUNDS, "count", False)
    y = axis_of([0.0, *(value for _, line, _ in lines for value in line["epsilon"])], "accounted ε", log=False)
    marks = []
    for place, line, methods in sorted(lines, key=lambda each: -each[1]["epsilon"].iloc[-1]):
        line = line.iloc[np.unique(np.linspace(0, len(line) - 1, MOST_POINTS).astype(int))]
        points = list(zip(line["round"].astype(float), line["epsilon"]))
        who = list(dict.fromkeys(methods))
        name = f"ε = {forms.epsilon(points[-1][1])}: {', '.join(who) if len(who) < 3 else f'{len(who)} methods'}"
        marks += [Mark("line", points, place, 99, f"{name} ({', '.join(who)})"),
                  Mark("name", points[-1:], place, 99, name)]
    most = max((line["epsilon"].iloc[-1] for _, line, _ in lines), default=0.0)
    return Chart(f"ε grows to {forms.epsilon(most)} by the end", f"accounted ε against rounds: {words}", x, y, marks, 560, 240, 190)


def tunings(content: Content) -> tuple[list[tuple[str, Chart]], int]:
    """What the choice of settings saw: a chart for every ranking, method and axis, each with its caption, and how many
    more there would be. Hollow points are of seeds that choose, full ones of seeds that judge."""
    found = []
    for ranking in content.answer.rankings if content.answer else ():
        group = [setting for setting in content.settings
                 if comparable(setting, content.budget).competes_in(ranking.shared, content.budget)]
        for entry in ranking.entries:
            rivals = [setting for setting in group if setting.method == entry.setting.method]
            axes = [axis for axis in entry.setting.axes if axis not in ("method", "seed", EPSILON)
                    and len({repr(setting.values.get(axis)) for setting in rivals}) > 1]
            found += [_tuning(content, entry, rivals, axis) for axis in axes]
    return found[:MOST_PANELS], max(0, len(found) - MOST_PANELS)


def _tuning(content: Content, entry: Entry, rivals: Sequence[Setting], axis: str) -> tuple[str, Chart]:
    """Caption and chart of one axis of the settings a method was chosen among."""
    values = sorted({setting.values.get(axis) for setting in rivals}, key=lambda value: (isinstance(value, str), value)
                    if isinstance(value, (str, int, float)) else (True, str(value)))
    tuned = any(set(content.tuning) & setting.found.keys() for setting in rivals)
    marks, scores = [], []
    for setting in rivals:
        x, place = float(values.index(setting.values.get(axis))), content.place(setting)
        colour = content.methods.index(setting.method)
        for chooses in (True, False):
            over = mean([each.value for seed, each in setting.found.items() if (seed in content.tuning) == chooses])
            if not over.n or not math.isfinite(over.centre):
                continue
            scores.append(over.centre)
            style = ("open" if chooses else "") + (" chosen" if setting is entry.setting or
                                                   place == content.place(entry.setting) else "")
            word = forms.of_metric(over.centre, COMPARED[content.metric].is_share)
            marks.append(Mark("dot", [(x + (-0.12 if chooses else 0.12 * tuned), over.centre)], place, colour,
                              f"{content.names[place]}: {word} on {over.n} seed{'s' * (over.n > 1)} that "
                              f"{'choose' if chooses else 'judge'}", style))
    chosen = values.index(entry.setting.values.get(axis))
    edge = len(values) > 2 and chosen in (0, len(values) - 1) and not isinstance(values[chosen], (str, bool))
    caption = f"{entry.setting.method}: {axis} = {as_word(values[chosen])} chosen of {len(values)} values" \
        + ("; it lies on the edge of the grid, so a better one may lie beyond" if edge else "") \
        + (f"; {entry.rivals} of {entry.settings - 1} other settings may be as good" if entry.rivals else "")
    x_axis = Axis(axis, -0.5, len(values) - 0.5, names=tuple(map(as_word, values)))
    room = len(values) * (LETTER * min(12, max(map(len, x_axis.names))) + 9)  # so that every name has its place
    return caption, Chart(caption, caption, x_axis, axis_of(scores, COMPARED[content.metric].name,
                                                            form_of(content.metric)), marks, max(328, room + 80))
