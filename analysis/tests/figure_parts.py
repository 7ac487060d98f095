"""What tests look up in figures."""

from __future__ import annotations

from matplotlib.colors import to_hex
from matplotlib.text import Text


def words(figure):
    """The whole text of a figure, as it is saved with it, its lines joined."""
    return " ".join(figure.get_label().split())


def in_picture(figure, colour=None):
    """The text around the panels, of one colour if given, its lines joined."""
    return " ".join(" ".join(text.get_text() for text in figure.texts
                             if colour in (None, text.get_color())).split())


def legends(figure):
    """The entries of every legend above the panels."""
    return [[text.get_text() for text in legend.get_texts()] for legend in figure.legends]


def panel(figure, start):
    """The panel whose title begins so."""
    (found,) = [axes for axes in figure.axes if axes.get_title(loc="left").startswith(start)]
    return found


def curves(axes, colour):
    """Lines of one colour that show a metric on the way."""
    return [line for line in axes.get_lines() if to_hex(line.get_color()) == colour]


def overlapping(figure):
    """Pairs of texts, legends and panels that touch, and what leaves the figure."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    around = [(text.get_text(), text.get_window_extent(renderer)) for text in figure.texts]
    around += [("legend", legend.get_window_extent(renderer)) for legend in figure.legends]
    panels = [(axes.get_title(loc="left"), axes.get_tightbbox(renderer)) for axes in figure.axes]
    found = [(a, b) for i, (a, one) in enumerate([*around, *panels]) for b, two in [*around, *panels][i + 1:]
             if one.padded(-1.5).overlaps(two.padded(-1.5))]
    whole = figure.bbox.padded(2)
    found += [(name, "edge") for name, box in [*around, *panels]
              if not (whole.contains(box.x0, box.y0) and whole.contains(box.x1, box.y1))]
    for axes in figure.axes:
        names = [(text.get_text(), Text.get_window_extent(text, renderer)) for text in axes.texts]
        found += [(a, b) for i, (a, one) in enumerate(names) for b, two in names[i + 1:]
                  if one.padded(-1).overlaps(two.padded(-1))]
        for axis in (axes.xaxis, axes.yaxis):
            boxes = [text.get_window_extent(renderer) for text in axis.get_majorticklabels() if text.get_text()]
            found += [("ticks", axes.get_title(loc="left")) for a, b in zip(boxes, boxes[1:]) if a.overlaps(b)]
    return found
