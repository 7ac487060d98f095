"""Names at the ends of lines and at points, in place of a legend, moved apart where they would touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

END, POINT = "name at an end", "name at a point"
BEHIND = 1.02  # the right edge of the axes
HIDES = 5.0  # a name or point under a name counts as this number of times its area of lines
FAR = 0.15  # of a letter's area: what a name may cover instead of standing farther off
LEADER = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 1, "shrinkB": 1, "relpos": (0, 0.5)}
# Where a name may stand by its point, in units of the font's size, and its alignment; the best places first.
PLACES = [(x * far, y * far, ha, va, far) for far in (1.0, 1.9, 2.9, 4.0, 5.5) for x, y, ha, va in (
    (0.6, 0.0, "left", "center"), (-0.6, 0.0, "right", "center"), (0.0, 0.6, "center", "bottom"),
    (0.0, -0.6, "center", "top"), (0.6, 0.6, "left", "bottom"), (-0.6, 0.6, "right", "bottom"),
    (0.6, -0.6, "left", "top"), (-0.6, -0.6, "right", "top"))]


def at_end(axes: Axes, x: float, y: float, text: str, colour: str, across: bool = False) -> None:
    """Adds a name right of the axes, at the height of the end (x, y) of its line, or of a line that goes `across` the
    axes."""
    axes.annotate(text, (x, y), xycoords=axes.get_yaxis_transform() if across else "data", xytext=(BEHIND, y),
                  textcoords=axes.get_yaxis_transform(), color=colour, va="center",
                  ha="left", annotation_clip=False, gid=END, arrowprops=LEADER | {"color": colour})


def at_point(axes: Axes, x: float, y: float, text: str, colour: str, bold: bool = False) -> None:
    """Adds a name next to the point (x, y)."""
    name = axes.annotate(text, (x, y), xytext=(0, 0), textcoords="offset points", color=colour, gid=POINT,
                         fontweight="bold" if bold else "normal", annotation_clip=False,
                         arrowprops=LEADER | {"color": colour, "relpos": (0.5, 0.5)})
    name.set_in_layout(False)


def move_apart(axes: Axes, renderer: object) -> None:
    """Gives the names of a panel places where they do not touch each other; those at points avoid the points too."""
    texts = [text for text in axes.texts if isinstance(text, Annotation)]
    _spread([text for text in texts if text.get_gid() == END], axes, renderer)
    points = [text for text in texts if text.get_gid() == POINT]
    if points:
        _place(points, axes, renderer)


def _spread(texts: Sequence[Annotation], axes: Axes, renderer: object) -> None:
    """Moves names at ends up and down."""
    if not texts:
        return
    ends = axes.transData.transform([(axes.get_xlim()[0], text.xy[1]) for text in texts])[:, 1]
    box = axes.get_window_extent(renderer)
    tall = [_box(text, renderer).height for text in texts]
    order = np.argsort(ends, kind="stable")
    steps = np.concatenate([[0.0], np.cumsum([(tall[a] + tall[b]) / 2 for a, b in zip(order, order[1:])])])
    places = _increasing(np.clip(ends[order], box.y0, box.y1) - steps) + steps
    places -= max(0.0, places[-1] - box.y1)
    places += max(0.0, box.y0 - places[0])
    heights = axes.transData.inverted().transform([(box.x0, place) for place in places])[:, 1]
    for i, height in zip(order, heights):
        texts[i].set_position((BEHIND, height))


def _increasing(values: np.ndarray) -> np.ndarray:
    """Returns the nearest values, by least squares, that do not decrease (pool adjacent violators)."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([float(value)])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return np.array([np.mean(pool) for pool in pools for _ in pool])


def _place(texts: Sequence[Annotation], axes: Axes, renderer: object) -> None:
    """Gives each name the first place by its point at which it covers least."""
    size = texts[0].get_fontsize()
    pixels = size * axes.figure.dpi / 72
    whole = axes.get_window_extent(renderer).padded(pixels / 2)
    taken = [Bbox.from_bounds(x - pixels / 3, y - pixels / 3, pixels / 1.5, pixels / 1.5)
             for x, y in axes.transData.transform([text.xy for text in texts])]
    lines = _along_lines(axes, pixels / 5)
    for text in texts:
        found = []
        for x, y, ha, va, far in PLACES:
            text.set_position((x * size, y * size))
            text.set(ha=ha, va=va)
            box = _box(text, renderer)
            covered = _shared(box, taken) + box.width * box.height - _shared(box, [whole])
            over_lines = _shared(box, lines)
            found.append((HIDES * covered + over_lines + FAR * (far - 1) * pixels**2, len(found), x, y, ha, va, far,
                          box))
        *_, x, y, ha, va, far, box = min(found, key=lambda place: place[:2])
        text.set_position((x * size, y * size))
        text.set(ha=ha, va=va)
        text.arrow_patch.set_visible(far > 1)
        taken.append(box)


def _along_lines(axes: Axes, size: float) -> np.ndarray:
    """Returns the ends of small boxes along the paths and bars of a panel, which names should not cover."""
    paths = [line.get_xydata()
             for line in axes.get_lines() if len(line.get_xdata()) > 1 and line.get_transform() == axes.transData]
    paths += [segment for each in axes.collections if isinstance(each, LineCollection)
              for segment in each.get_segments()]
    found = []
    for path in paths:
        ends = axes.transData.transform(path)
        for one, other in zip(ends, ends[1:]):
            count = max(2, int(np.hypot(*(other - one)) / size / 2))
            places = np.linspace(one, other, count)
            found.append(np.hstack([places - size / 2, places + size / 2]))
    return np.vstack(found) if found else np.zeros((0, 4))


def _box(text: Annotation, renderer: object) -> Bbox:
    """Returns the box of a name, without its leader."""
    text.update_positions(renderer)
    return Text.get_window_extent(text, renderer)


def _shared(one: Bbox, others: Sequence[Bbox] | np.ndarray) -> float:
    """Returns the area that a box shares with others, given as boxes or as rows of their ends (x0, y0, x1, y1)."""
    ends = others if isinstance(others, np.ndarray) else np.array([each.extents for each in others]).reshape(-1, 4)
    wide = np.minimum(one.x1, ends[:, 2]) - np.maximum(one.x0, ends[:, 0])
    tall = np.minimum(one.y1, ends[:, 3]) - np.maximum(one.y0, ends[:, 1])
    return float((np.clip(wide, 0, None) * np.clip(tall, 0, None)).sum())
