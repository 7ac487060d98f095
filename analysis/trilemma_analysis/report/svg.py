"""Charts as SVG text: scales, ticks and marks. chart.js draws the same charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from ..io import forms

LETTER = 7.3  # pixels, of bold text of 12 pixels
LINE = 15  # pixels between texts below each other
MARGIN = {"top": 12, "bottom": 44, "left": 58, "right": 14}
MOST_TICKS = 6
LEAST_SPAN = 0.02  # of the values of a strip
FORMS: dict[str, Callable[[float], str]] = {
    "percent": forms.percent, "bits": forms.bits, "seconds": forms.seconds, "number": forms.figure,
    "count": lambda value: f"{value:,.0f}",
}


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; `form` is a key of FORMS. With `names`, these stand at 0, 1, ..."""

    label: str
    low: float
    high: float
    form: str = "number"
    log: bool = False
    names: tuple[str, ...] = ()

    def share(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one."""
        if self.log:
            return math.log(max(value, 1e-300) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """A few round values."""
        if self.names:
            return [float(i) for i in range(len(self.names))]
        return _log_ticks(self.low, self.high) if self.log else _linear_ticks(self.low, self.high)


@dataclass(frozen=True)
class Mark:
    """Something drawn: a "line" or "area" through points, a "dot", a "bar" between two points, or a "name". `setting`
    is what it belongs to, `colour` the place of its method; an area has (x, low, high)."""

    kind: str
    points: Sequence[tuple[float, ...]]
    setting: int = -1
    colour: int = -1
    text: str = ""
    style: str = ""


@dataclass(frozen=True)
class Chart:
    """A figure with axes. `title` is what it finds, `axes` what it shows against what."""

    title: str
    axes: str
    x: Axis
    y: Axis
    marks: list[Mark] = field(default_factory=list)
    width: float = 328
    height: float = 240
    right: float = MARGIN["right"]


def axis_of(values: Sequence[float], label: str, form: str = "number", log: bool | None = None) -> Axis:
    """An axis for values, logarithmic on request or where positive values differ by a factor of more than 5."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if log is None:
        log = form != "percent" and low > 0 and high > 5 * low
    if log and low > 0:
        room = max(high / low, 1.5) ** 0.06
        return Axis(label, low / room, high * room, form, True)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    least = max(0.0, low - room) if low >= 0 else low - room
    return Axis(label, least, min(1.0, high + room) if form == "percent" and high <= 1 else high + room, form)


def _linear_ticks(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
    step = next(unit * power for unit in (1, 2, 5, 10) if (high - low) / (unit * power) <= MOST_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers, fewer of them the wider the range is."""
    decades = math.log10(high / low)
    digits = (1,) if decades > 2.5 else (1, 3) if decades > 1.5 else (1, 2, 5) if decades > 0.5 else \
        (1, 1.5, 2, 3, 4, 5, 7)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
    return found[::-(-len(found) // MOST_TICKS)] if found else [low, high]


def draw(chart: Chart) -> str:
    """The chart as an SVG element."""
    left, top = MARGIN["left"], MARGIN["top"]
    wide, high = chart.width - left - chart.right, chart.height - top - MARGIN["bottom"]

    def px(value: float) -> float:
        return round(left + wide * min(1.0, max(0.0, chart.x.share(value))), 1)

    def py(value: float) -> float:
        return round(top + high * (1 - min(1.0, max(0.0, chart.y.share(value)))), 1)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {chart.width:g} {chart.height:g}" '
             f'width="{chart.width:g}" height="{chart.height:g}" role="img" class="chart">'
             f"<title>{escape(chart.title)}</title><desc>{escape(chart.axes)}</desc>"]
    for tick in chart.y.ticks():
        y = py(tick)
        parts.append(f'<line class="grid" x1="{left}" x2="{left + wide:g}" y1="{y}" y2="{y}"/>'
                     f'<text class="tick" x="{left - 6}" y="{y + 4}" text-anchor="end">'
                     f"{tick_text(tick, chart.y)}</text>")
    bottom = top + high
    for tick in _apart(chart.x, wide):
        x = px(tick)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{top}" y2="{bottom:g}"/>'
                     f'<text class="tick" x="{x}" y="{bottom + 17:g}" text-anchor="middle">'
                     f"{tick_text(tick, chart.x)}</text>")
    parts.append(f'<path class="axis" d="M{left} {top}V{bottom:g}H{left + wide:g}"/>'
                 f'<text class="label" x="{left + wide / 2:g}" y="{chart.height - 6:g}" text-anchor="middle">'
                 f"{escape(chart.x.label)}</text>")
    parts += [_mark(mark, px, py) for mark in chart.marks if mark.kind not in ("name", "tag")]
    parts += [*_named(chart, px, py), *_tagged(chart, px, py)]
    return "".join(parts) + "</svg>"


def tick_text(value: float, axis: Axis) -> str:
    """A tick without needless zeros."""
    if axis.names:
        name = axis.names[int(value)]
        return escape(name if len(name) <= 12 else name[:11] + "…")
    text = FORMS[axis.form](value)
    return text.replace(".0 %", " %") if axis.high - axis.low > 0.02 else text


def _apart(axis: Axis, wide: float) -> list[float]:
    """The ticks of a horizontal axis for whose texts there is room."""
    ticks = axis.ticks()
    longest = max((len(tick_text(tick, axis)) for tick in ticks), default=1) * LETTER + 8
    every = max(1, math.ceil(len(ticks) * longest / wide))
    return ticks[::every]


def _mark(mark: Mark, px: Callable[[float], float], py: Callable[[float], float]) -> str:
    """A mark as an SVG group; `px` and `py` turn values into pixels."""
    words = f"<title>{escape(mark.text)}</title>" if mark.text else ""
    owner = f' data-s="{mark.setting}"' if mark.setting >= 0 else ""
    group = f'<g class="mark m{mark.colour} {mark.style}"{owner}>{words}'
    if mark.kind == "dot":
        x, y = mark.points[0][:2]
        return f"{group}{symbol(mark.style, px(x), py(y))}</g>"
    if mark.kind == "area":
        upper = " ".join(f"{px(x)},{py(top)}" for x, _, top in mark.points)
        lower = " ".join(f"{px(x)},{py(low)}" for x, low, _ in reversed(mark.points))
        return f'{group}<polygon class="area" points="{upper} {lower}"/></g>'
    points = " ".join(f"{px(x)},{py(y)}" for x, y in mark.points)
    return f'{group}<polyline class="{mark.kind}" points="{points}"/></g>'


def symbol(style: str, x: float, y: float) -> str:
    """A circle; a square where no privacy is claimed, hollow where it is nominal only, a cross where a run diverged."""
    if "diverged" in style:
        return f'<path class="cross" d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10"/>'
    if "plain" in style:
        return f'<rect class="dot" x="{x - 4.5:g}" y="{y - 4.5:g}" width="9" height="9"/>'
    return f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="5"/>'


def _named(chart: Chart, px: Callable[[float], float], py: Callable[[float], float]) -> list[str]:
    """The names at the right, moved apart, each with a thin line to what it names."""
    names = sorted((mark for mark in chart.marks if mark.kind == "name"), key=lambda mark: py(mark.points[0][1]))
    wanted = spread([py(mark.points[0][1]) for mark in names], MARGIN["top"] + 4, chart.height - MARGIN["bottom"])
    start, most = chart.width - chart.right + 16, int((chart.right - 18) / LETTER)
    parts = []
    for mark, y in zip(names, wanted):
        x = px(mark.points[0][0])
        text = mark.text if len(mark.text) <= most else mark.text[:max(1, most - 1)] + "…"
        parts.append(f'<g class="mark m{mark.colour}" data-s="{mark.setting}"><title>{escape(mark.text)}</title>'
                     f'<path class="leader" d="M{x + 6:g} {py(mark.points[0][1])}L{start - 3:g} {y:g}"/>'
                     f'<text class="name" x="{start:g}" y="{y + 4:g}">{escape(text)}</text></g>')
    return parts


def _tagged(chart: Chart, px: Callable[[float], float], py: Callable[[float], float]) -> list[str]:
    """Texts next to points, each at the first side where it covers no other text or point, else none."""
    taken = [(px(mark.points[0][0]) - 6, py(mark.points[0][1]) - 6, 12.0, 12.0) for mark in chart.marks
             if mark.kind == "dot"]
    parts = []
    for mark in (mark for mark in chart.marks if mark.kind == "tag" and mark.text):
        x, y, wide = px(mark.points[0][0]), py(mark.points[0][1]), LETTER * len(mark.text)
        for left, top in ((x + 9, y - 7), (x - 9 - wide, y - 7), (x + 9, y - 17), (x + 9, y + 4),
                          (x - 9 - wide, y - 17), (x - 9 - wide, y + 4), (x - wide / 2, y - 24),
                          (x - wide / 2, y + 10)):
            box = (left, top, wide, 14.0)
            if left >= MARGIN["left"] and left + wide <= chart.width and top >= 0 and not any(
                    _overlap(box, other) for other in taken):
                taken.append(box)
                parts.append(f'<g class="mark m{mark.colour}" data-s="{mark.setting}">'
                             f'<text class="name" x="{left:.1f}" y="{top + 11:.1f}">{escape(mark.text)}</text></g>')
                break
    return parts


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two boxes (left, top, width, height) overlap."""
    return (one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
            and one[1] < other[1] + other[3] and other[1] < one[1] + one[3])


def spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Ascending positions that are LINE apart and as close to the wanted ones as that allows.

    >>> spread([10, 12, 80], 0, 100)
    [10, 25, 80]
    """
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + LINE if found else low))
    limit = high
    for i in reversed(range(len(found))):
        found[i] = min(found[i], limit)
        limit = found[i] - LINE
    return found


def strip(low: float, centre: float, high: float, ends: tuple[float, float], colour: int) -> str:
    """A value and its interval on a common scale, as a small picture for a cell of a table. The scale spans 2 % or more
    of its values, so that equal values look equal."""
    span = max(ends[1] - ends[0], LEAST_SPAN * abs(ends[1])) or 1.0
    start = (ends[0] + ends[1] - span) / 2

    def at(value: float) -> float:
        return round(6 + 128 * (value - start) / span, 1)

    bar = "" if math.isnan(low) else \
        f'<line class="interval" x1="{at(max(low, ends[0]))}" x2="{at(min(high, ends[1]))}" y1="9" y2="9"/>'
    dot = f'<circle class="dot" cx="{at(centre)}" cy="9" r="4.5"/>' if math.isfinite(centre) else ""
    return f'<svg class="strip mark m{colour}" viewBox="0 0 140 18" width="140" height="18" aria-hidden="true">' \
        f"{bar}{dot}</svg>"
