"""The 2 x 2 trade-off figure: utility and loss (or accuracy) against rounds and against communicated bits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import captions, style
from .drawable import drawable
from .groups import Band, Group, band, group_runs
from .reader import Run, RunFileError

BITS = {"model": "the papers' count", "payload": "encoded messages", "mpi": "handed to MPI"}
METRICS = ("auto", "objective", "accuracy")
ACCURACY_SPREAD = 0.02  # where final accuracies differ by less, accuracy says nothing about the methods
LOG_RATIO = 10.0
EQUAL_BITS_MARGIN = 1.1
LINE_MARKERS = 12
LEFT = 0.06
PANELS = 5.2  # inches of the two rows, however long the captions
LABELS = {
    "utility": "Utility: mean of ‖∇f‖² so far (lower is better)",
    "objective": "Objective f (lower is better)",
    "accuracy": "Test accuracy (higher is better)",
}


def draw_curves(runs: Sequence[Run], bits: str = "model", metric: str = "auto", equal_bits: bool = True) -> Figure:
    """Draws the figure. `bits` is a key of BITS, `metric` one of METRICS; with `equal_bits` the bits axis ends a
    little after the run that sends least has ended."""
    runs, notes = drawable(runs)
    groups = group_runs(runs)
    shown = captions.labelled(groups)
    chosen = choose_metric(runs) if metric == "auto" else metric
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(11, 8.2), dpi=150)
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2, sharey="row")
        for row, column in zip(axes, ("utility", chosen)):
            _draw_row(row, shown, column, f"bits_up_{bits}", equal_bits)
        axes[1][0].set_xlabel("communication rounds")
        axes[1][1].set_xlabel(f"bits from all clients to the server ({BITS[bits]})")
        _caption(figure, axes, groups, shown, notes)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Writes the figure in the format of the name's ending."""
    path = Path(path)
    kind = path.suffix.lstrip(".").lower()
    # Without those that ask for LaTeX, or have no header.
    known = sorted(figure.canvas.get_supported_filetypes().keys() - {"pgf", "raw", "rgba"})
    if kind not in known:
        raise RunFileError(f"{path}: cannot draw into '{path.suffix}'; use one of {', '.join(known)}.")
    with mpl.rc_context(style.RC):
        # Without the date the same runs give the same SVG.
        figure.savefig(path, metadata={"Date": None} if kind == "svg" else None)


def choose_metric(runs: Sequence[Run]) -> str:
    """Accuracy where the runs end at different accuracies, else the objective."""
    finals = [values.iloc[-1] for run in runs if len(values := run.evaluated("accuracy"))]
    return "accuracy" if finals and max(finals) - min(finals) > ACCURACY_SPREAD else "objective"


def _draw_row(axes: Sequence[Axes], groups: Sequence[Group], y: str, bits: str, equal_bits: bool) -> None:
    by_round = [band(group, y, "round") for group in groups]
    by_bits = [band(group, y, bits) for group in groups]
    drawn = [curve for curve in by_round if len(curve.x)]
    if not drawn:
        raise RunFileError(f"none of the files has a value of '{y}'; choose another metric.")
    styles = style.line_styles(groups)
    end = _bits_end(by_bits, bits, equal_bits)
    for curve, look in zip(by_round, styles):
        _draw(axes[0], curve, look, stepped=False)
    for curve, look in zip(by_bits, styles):
        # Steps: until a round's last bit has arrived, the model of the round before is all there is.
        _draw(axes[1], curve, look, stepped=True)

    axes[0].set_xlim(0, max(curve.x.max() for curve in drawn))
    style.bits_axis(axes[1], min(curve.x[curve.x > 0].min() for curve in by_bits if (curve.x > 0).any()), end)
    axes[0].set_title(f"{LABELS[y]}, against rounds", loc="left", fontsize=10.5, pad=8)
    budget = ", equal budget" if equal_bits else ""
    axes[1].set_title(f"against communicated bits{budget}", loc="left", fontsize=10.5, pad=8)
    for axis in axes:
        style.dress(axis)
        style.value_axis(axis, _scale(y, drawn))


def _draw(axes: Axes, curve: Band, look: dict, stepped: bool) -> None:
    every = max(1, len(curve.x) // LINE_MARKERS)
    axes.plot(curve.x, curve.median, **look, markevery=every, drawstyle="steps-post" if stepped else "default")
    if (curve.high > curve.low).any():
        axes.fill_between(
            curve.x, curve.low, curve.high, color=look["color"], alpha=0.16, linewidth=0,
            step="post" if stepped else None,
        )


def _bits_end(curves: Sequence[Band], bits: str, equal_bits: bool) -> float:
    finals = [curve.x.max() for curve in curves if len(curve.x) and curve.x.max() > 0]
    if not finals:
        raise RunFileError(
            f"'{bits}' is 0 in all files (no round is done, or a single process hands nothing to MPI); take other bits."
        )
    return EQUAL_BITS_MARGIN * (min(finals) if equal_bits else max(finals))


def _scale(y: str, curves: Sequence[Band]) -> str:
    if y == "accuracy":
        return "percent"
    low = min(curve.low.min() for curve in curves)
    high = max(curve.high.max() for curve in curves)
    wide = y == "utility" or high > LOG_RATIO * low
    return "log" if low > 0 and wide else "linear"


def _caption(figure: Figure, axes: Sequence[Sequence[Axes]], groups: Sequence[Group], shown: Sequence[Group],
             more: Sequence[str]) -> None:
    runs = [run for group in groups for run in group.runs]
    notes = [*captions.footnote(groups).split("\n"), *more]
    # Inches: about 0.072 a letter, 0.85 for a line sample and the gap to the next column.
    entry = 0.85 + 0.072 * max(len(group.label) for group in shown)
    columns = max(1, min(len(groups), int((1 - LEFT) * figure.get_figwidth() / entry)))
    legend_rows = -(-len(groups) // columns)
    # Inches from the edges: the number of lines decides how much room the captions take.
    top = 1.1 + 0.26 * legend_rows
    bottom = 0.86 + 0.19 * len(notes)
    height = max(figure.get_figheight(), top + bottom + PANELS)
    figure.set_figheight(height)
    figure.subplots_adjust(left=LEFT, right=0.97, top=1 - top / height, bottom=bottom / height, hspace=0.28,
                           wspace=0.1)
    figure.text(LEFT, 1 - 0.36 / height, captions.title(runs), fontsize=15, fontweight="bold")
    figure.text(LEFT, 1 - 0.64 / height, captions.subtitle(runs), fontsize=9.5, color=style.SOFT)
    figure.legend(
        *axes[0][0].get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(LEFT - 0.009, 1 - 0.7 / height),
        ncol=columns, frameon=False, handlelength=3.2, columnspacing=2.0,
    )
    write_notes(figure, notes, bottom - 0.76)


def write_notes(figure: Figure, notes: Sequence[str], top: float) -> None:
    """Writes the lines under a figure, the first one `top` inches above its lower edge; warnings stand out."""
    alarm = False
    for i, line in enumerate(notes):
        alarm = captions.is_warning(line) or (alarm and line.startswith(" "))
        figure.text(
            LEFT, (top - 0.19 * i) / figure.get_figheight(), line, fontsize=8,
            color=style.WARNING if alarm else style.SOFT, fontweight="bold" if alarm else "normal",
        )
