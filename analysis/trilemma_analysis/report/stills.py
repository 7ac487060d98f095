"""Pictures of a page for readers without JavaScript, in place of which chart.js draws: the figures that `best` and
`sweep` write, and those of the charts that follow no question."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..io.errors import RunFileError
from ..io.words import cut
from ..model.metrics import METRICS
from ..plot import names, style
from ..plot.page import DEFAULT_FONT, DEFAULT_WIDTH, picture, wrap
from ..plot.ranking_figure import draw_answer
from ..plot.sweep_figure import draw_sweep
from ..plot.sweep_plan import Choice
from .charts import Chart
from .content import Content
from .paths import without_folders

PIXELS = 120  # of an inch
COLUMNS, HEIGHT = 2, 2.2  # of charts in a picture, in inches


def answers(content: Content) -> str:
    """Returns the figures of the answer and of the answer at equal upload, as `best` writes them."""
    return "".join(_still(partial(draw_answer, found)) for found in (content.answer, content.level) if found)


def sweeps(content: Content, *panels: str) -> str:
    """Returns the figure of every sweep with the `panels`, as `sweep` writes it."""
    metric = content.metric if content.metric in METRICS else "auto"
    return "".join(_still(partial(draw_sweep, sweep, Choice(panels, (metric,)))) for sweep in content.sweeps)


def charts(content: Content, found: Sequence[Chart]) -> str:
    """Returns one picture of all `found` charts."""
    return _still(partial(_draw, content, found)) if found else ""


def _still(draw: Callable[[], Figure]) -> str:
    """Returns the figure that `draw` makes as an image, which its whole text replaces; or why it draws nothing."""
    try:
        figure = draw()
    except RunFileError as error:
        return f'<p class="caption">{escape(str(error))}</p>'
    content = without_folders(picture(figure, "svg", metadata={"Date": None}).decode())
    # No slash, which the search for names of folders would take for one.
    encoded = base64.b64encode(content.encode()).decode().replace("/", "%2F")
    return f'<img class="still" width="{PIXELS * figure.get_figwidth():.0f}" alt="{escape(figure.get_label())}" ' \
        f'src="data:image/svg+xml;base64,{encoded}">'


def _draw(content: Content, found: Sequence[Chart]) -> Figure:
    """Returns a figure with the charts side by side; its text has their titles."""
    rows = -(-len(found) // COLUMNS)
    with mpl.rc_context(style.rc(DEFAULT_FONT)):
        figure = Figure(figsize=(DEFAULT_WIDTH, HEIGHT * rows), layout="constrained")
        canvas = FigureCanvasAgg(figure)
        panels = figure.subplots(rows, COLUMNS, squeeze=False).flat
        for chart, axes in zip(found, panels):
            _panel(axes, chart, content)
        for axes in panels[len(found):]:
            axes.set_axis_off()
        figure.draw_without_rendering()
        for axes in panels:
            names.move_apart(axes, canvas.get_renderer())
    figure.set_label("; ".join(chart.title for chart in found))
    return figure


def _panel(axes: Axes, chart: Chart, content: Content) -> None:
    """Draws a chart."""
    colours = style.colours(content.methods, False)
    for mark in chart.marks:
        colour = colours[mark.colour] if mark.colour < len(colours) else style.INK
        if mark.kind == "name":
            names.at_end(axes, *mark.points[0], cut(mark.text), colour)
            continue
        axes.plot(*zip(*mark.points), "-" if mark.kind == "line" else "o", color=colour,
                  markerfacecolor="white" if "open" in mark.style else colour,
                  markeredgecolor=style.INK if "chosen" in mark.style else colour)
    title = wrap(axes.figure, chart.title, DEFAULT_FONT, DEFAULT_WIDTH / COLUMNS - 0.6)
    axes.set_title("\n".join(title), loc="left")
    axes.set(xlabel=cut(chart.x["label"]), ylabel=chart.y["label"])
    if "names" in chart.x:
        axes.set_xticks(range(len(list(map(cut, chart.x["names"])))), list(map(cut, chart.x["names"])))
