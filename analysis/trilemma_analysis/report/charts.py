"""Charts of a report that do not follow the question of the page: epsilon against rounds, and the choice of settings.
The page holds them as data; chart.js draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..io import forms
from ..io.run_file import HOLDS, NOT_PRIVATE
from ..model.guarantees import guarantee_of
from ..model.labels import EPSILON, as_word
from ..model.metrics import COMPARED
from ..model.states import diverged
from ..stats.paired import mean
from ..stats.questions import Setting, comparable
from ..stats.rankings import Entry
from .content import Content

MOST_POINTS = 90  # of a line
MOST_PANELS = 24
LETTER = 7.3  # pixels, of bold text of 12 pixels


@dataclass(frozen=True)
class Mark:
    """Something drawn: a "line" through points (x, y), a "dot", or a "name" at the end of a line. `setting` and
    `colour` are the places of its setting and of its method."""

    kind: str
    points: Sequence[tuple[float, ...]]
    setting: int
    colour: int
    text: str
    style: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure with axes. `title` is its finding, `axes` names what is drawn against what. An axis has a `label`, and
    where they matter the `names` of the values 0, 1, ..., its `form` (of rank.js), whether it is `log`, and `values`
    that it includes."""

    title: str
    axes: str
    x: dict[str, Any]
    y: dict[str, Any]
    marks: list[Mark]
    width: float = 328
    height: float = 240
    right: float = 14


def form_of(metric: str) -> str:
    """Returns the form of rank.js in which values of a metric are written."""
    return "percent" if COMPARED[metric].is_share else "number"


def style_of(setting: Setting) -> str:
    """Returns the symbol of a setting: "diverged" if any run did, "plain" if no privacy is claimed, "open" if epsilon
    is only nominal."""
    run = setting.first
    if diverged(setting.runs.values()):
        return "diverged"
    return "" if run.status == HOLDS else "plain" if run.status == NOT_PRIVATE else "open"


def epsilons(content: Content) -> list[Chart]:
    """Returns charts of the accounted epsilon against rounds: a chart for every kind of guarantee, one line for
    settings that agree."""
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
    """Returns the chart of one kind of guarantee. `lines` has the place of a setting, its rounds and the methods that
    share it."""
    marks = []
    for place, line, methods in sorted(lines, key=lambda each: -each[1]["epsilon"].iloc[-1]):
        line = line.iloc[np.unique(np.linspace(0, len(line) - 1, MOST_POINTS).astype(int))]
        points = list(zip(line["round"].astype(float), line["epsilon"]))
        who = list(dict.fromkeys(methods))
        name = f"ε = {forms.epsilon(points[-1][1])}: {', '.join(who) if len(who) < 3 else f'{len(who)} methods'}"
        marks += [Mark("line", points, place, 99, f"{name} ({', '.join(who)})"),
                  Mark("name", points[-1:], place, 99, name)]
    most = max((line["epsilon"].iloc[-1] for _, line, _ in lines), default=0.0)
    return Chart(f"ε grows to {forms.epsilon(most)} by the end", f"accounted ε against rounds: {words}",
                 {"label": "round", "form": "count", "log": False},
                 {"label": "accounted ε", "form": "number", "log": False, "values": [0.0]}, marks, 560, 240, 190)


def tunings(content: Content) -> tuple[list[Chart], int]:
    """Returns charts of the results that chose settings, one for every ranking, method and axis, and the number of
    omitted charts. Hollow points are of seeds that choose, full ones of seeds that judge."""
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


def _tuning(content: Content, entry: Entry, rivals: Sequence[Setting], axis: str) -> Chart:
    """Returns the chart of one axis of the settings among which a method was chosen. Its title has the choice."""
    values = sorted({setting.values.get(axis) for setting in rivals}, key=lambda value: (isinstance(value, str), value)
                    if isinstance(value, (str, int, float)) else (True, str(value)))
    tuned = any(set(content.tuning) & setting.found.keys() for setting in rivals)
    marks = []
    for setting in rivals:
        x, place = float(values.index(setting.values.get(axis))), content.place(setting)
        colour = content.methods.index(setting.method)
        for chooses in (True, False):
            over = mean([each.value for seed, each in setting.found.items() if (seed in content.tuning) == chooses])
            if not over.n or not math.isfinite(over.centre):
                continue
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
    names = list(map(as_word, values))
    room = len(values) * (LETTER * min(12, max(map(len, names))) + 9)  # so that every name has its place
    return Chart(caption, caption, {"label": axis, "names": names},
                 {"label": COMPARED[content.metric].name, "form": form_of(content.metric)}, marks, max(328, room + 80))
