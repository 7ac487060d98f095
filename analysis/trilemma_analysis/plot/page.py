"""One picture: title, legends and panels over a short caption; and the whole text, which is saved with the picture."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine

from ..io.errors import RunFileError
from ..io.forms import UNITS
from ..io.words import Brief, Warn
from ..io.writing import write_output
from . import names, style

# Widths in inches. Panels next to each other need this much room; a single one is no wider than this.
NARROW, MARGIN = 5.0, 0.06
HANDLE, HANDLE_GAP = 2.6, 0.5  # of a legend, in sizes of the font
SHAPE = 0.74  # height of a panel with its labels, by its width
DPI = 200
SIZES = (1.0, 30.0)  # of widths
FONTS = (3.0, 40.0)
DEFAULT_WIDTH, SINGLE_WIDTH, DEFAULT_FONT = 7.2, 4.8, 8.0
MOST_LINES = 3  # of a caption in a picture
LONGEST = 160  # letters of a line of it
KINDS = ("pdf", "png", "svg")
ACROSS = "title across the sheet"
# Where a line may end: at any space but the one between a number and its unit.
SPACES = re.compile(rf"(?<!\d)\s+|\s+(?!(?:{'|'.join(map(re.escape, UNITS))})(?!\w))")


@dataclass(frozen=True)
class Sheet:
    """How wide a figure is and what stands around its panels: width in inches, size of the font in points, a title in
    place of the finding ("" for none), and whether there is a caption."""

    width: float | None = None
    font: float = DEFAULT_FONT
    title: str | None = None
    caption: bool = True

    def check(self) -> None:
        """Raises RunFileError for sizes that no figure can have."""
        if self.width is not None and not SIZES[0] <= self.width <= SIZES[1]:
            raise RunFileError(f"a width of {self.width:g} inches cannot be drawn; take {SIZES[0]:g} to {SIZES[1]:g}.")
        if not FONTS[0] <= self.font <= FONTS[1]:
            raise RunFileError(f"a font size of {self.font:g} points cannot be drawn; take {FONTS[0]:g} to "
                               f"{FONTS[1]:g}.")


@dataclass(frozen=True)
class Words:
    """The texts of a figure: its finding, what is compared, and notes. Notes that are `Warn` or `Brief` are the caption
    in the picture; all of them are in the text that is saved with it."""

    title: str
    subtitle: str
    notes: Sequence[str]

    @property
    def text(self) -> str:
        """Returns title, subtitle and notes, one line each."""
        return "\n".join(filter(None, (self.title, self.subtitle, *self.notes)))


Draw = Callable[[Axes], list[str]]  # draws a panel, and returns notes


def compose(sheet: Sheet, panels: Sequence[Draw], legends: Callable[[Sequence[Axes]], Sequence[Sequence[Artist]]],
            words: Callable[[list[str]], Words], columns: int | None = None, shape: float = SHAPE,
            heights: Sequence[float] = (), widths: Sequence[float] | None = None,
            labels: tuple[str, str] = ("", ""), inner: Sequence[float] = ()) -> Figure:
    """Draws the panels and sets everything around them. `legends` makes the entries of the legends for what is drawn,
    `words` the texts from the notes of the panels. The whole text is the figure's label. `columns` is the number of
    panels next to each other where the sheet is wide enough, by default 2, or 3 of 3; the last of 3 in 2 columns fills
    its row. `shape` is the height of a panel by its width, in place of which `heights` are those of the rows in inches;
    `widths` are the shares of the columns, `inner` those of the rows without what stands around their panels. A title
    that goes across() the sheet makes its row higher. `labels` are of the y and the x axes of all panels, which then
    have none."""
    sheet.check()
    width = sheet.width or (SINGLE_WIDTH if len(panels) == 1 else DEFAULT_WIDTH)
    if columns is None:
        columns = 1 if len(panels) == 1 or width < NARROW else 3 if len(panels) == 3 and width > 9 else 2
    rows = -(-len(panels) // columns)
    heights = heights or [shape * width / columns] * rows
    room = sum(heights)
    with mpl.rc_context(style.rc(sheet.font)):
        figure = Figure(figsize=(width, room), dpi=DPI)
        FigureCanvasAgg(figure)
        grid = figure.add_gridspec(rows, columns, height_ratios=inner or heights, width_ratios=widths)
        places = [figure.add_subplot(grid[i // columns, i % columns]) for i in range(len(panels))]
        if len(panels) == 3 and columns == 2 and not labels[1]:
            places[2].set_subplotspec(grid[1, :])
        notes = [note for panel, place in zip(panels, places) for note in panel(place)]
        room += sum(_lines_across(figure, place, width) * _line(place.title.get_fontsize()) for place in places)
        texts = words(list(dict.fromkeys(notes)))
        texts = texts if sheet.title is None else replace(texts, title=sheet.title)
        figure.set_label(texts.text)
        figure.set_gid(texts.title)
        _set(figure, sheet, places, room, legends(places), texts, labels)
    return figure


def across(axes: Axes, title: str) -> None:
    """Gives a panel a title that goes over the whole width of the sheet."""
    axes.set_title(title, loc="left").set_in_layout(False)
    axes.set_gid(ACROSS)


def _lines_across(figure: Figure, axes: Axes, width: float) -> int:
    """Wraps the title of a panel that goes across the sheet, and reserves its lines in the layout; returns their
    number."""
    if axes.get_gid() != ACROSS:
        return 0
    lines = wrap(figure, axes.get_title("left"), axes.title.get_fontsize(), width)
    axes.set_title("\n".join(lines), loc="left")
    axes.set_title("\n".join(" " for _ in lines), loc="center")
    return len(lines)


def save(figure: Figure, path: str | Path) -> None:
    """Writes the figure in the format of the name's ending, with its text in the metadata, and the text into a file of
    the same name that ends in .txt."""
    path = Path(path)
    kind = path.suffix.lstrip(".").lower()
    if kind not in KINDS:
        raise RunFileError(f"{path}: cannot draw into '{path.suffix}'; use one of {', '.join(KINDS)}.")
    text = figure.get_label()
    title = figure.get_gid() or ""
    # Without the date the same runs give the same file.
    metadata = {"pdf": {"Title": title, "Subject": text, "CreationDate": None},
                "png": {"Title": title, "Description": text},
                "svg": {"Title": title, "Date": None}}[kind]
    content = picture(figure, kind, metadata)
    if kind == "svg":
        described = f"</title>\n <desc>{escape(text)}</desc>"
        content = content.decode("utf-8").replace("</title>", described, 1).encode("utf-8")
    write_output(path, content)
    if text:
        write_output(path.with_suffix(".txt"), text + "\n")


def picture(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    """Returns the content of a file with the figure, of a kind of KINDS."""
    content = io.BytesIO()
    with mpl.rc_context(style.rc(DEFAULT_FONT)):
        figure.savefig(content, format=kind, metadata=metadata)
    return content.getvalue()


def _set(figure: Figure, sheet: Sheet, axes: Sequence[Axes], room: float, legends: Sequence[Sequence[Artist]],
         texts: Words, labels: tuple[str, str]) -> None:
    """Puts title and legends above the panels and the caption below; the height of the figure follows."""
    width, font = figure.get_figwidth(), sheet.font
    above = [(line, 1.25 * font, "bold", style.INK)
             for line in wrap(figure, texts.title, 1.25 * font, width, bold=True)]
    if sheet.caption:
        above += [(line, 0.9 * font, "normal", style.SOFT) for line in wrap(figure, texts.subtitle, 0.9 * font, width)]
    below = [(line, font, "normal", style.INK) for line in wrap(figure, labels[1], font, width)]
    below += _caption(figure, texts.notes, 0.85 * font, width) if sheet.caption else []
    marks = [_legend(figure, handles, width, font) for handles in legends if len(handles)]
    heights = [legend.get_window_extent().height / figure.dpi for legend in marks]
    over = [(line, font, "normal", style.INK) for line in wrap(figure, labels[0], font, width)]
    top = sum(_line(size) for _, size, _, _ in [*above, *over]) + sum(heights) + MARGIN + 0.04
    bottom = sum(_line(size) for _, size, _, _ in below) + MARGIN + (0.08 if below else 0.0)
    height = top + room + bottom
    figure.set_figheight(height)
    down = _stack(figure, above, MARGIN)
    for legend, tall in zip(marks, heights):
        legend.set_bbox_to_anchor((MARGIN / width, 1 - down / height))
        down += tall
    _stack(figure, over, down)
    _stack(figure, below, height - bottom + 0.08)
    _lay_out(figure, axes, (0, bottom / height, 1, room / height))


def _stack(figure: Figure, lines: Sequence[tuple[str, float, str, str]], down: float) -> float:
    """Writes lines below each other, from `down` inches below the upper edge; returns where they end."""
    width, height = figure.get_size_inches()
    for line, size, weight, colour in lines:
        figure.text(MARGIN / width, 1 - down / height, line, fontsize=size, fontweight=weight, color=colour, va="top")
        down += _line(size)
    return down


def _lay_out(figure: Figure, axes: Sequence[Axes], place: tuple[float, float, float, float]) -> None:
    """Finds the places of the panels; titles and labels that are longer than their panel are wrapped, and names at
    lines and points are moved apart."""
    engine = ConstrainedLayoutEngine(rect=place, w_pad=MARGIN, h_pad=MARGIN, wspace=0.03, hspace=0.03)
    figure.set_layout_engine(engine)
    renderer = figure.canvas.get_renderer()
    for _ in range(2):
        engine.execute(figure)
        for panel in axes:
            box = panel.get_window_extent(renderer)
            size = panel.xaxis.label.get_fontsize()
            for label, room in ((panel.xaxis.label, box.width), (panel.yaxis.label, 1.1 * box.height)):
                label.set_text(_filled(figure, label.get_text(), size, room))
            if panel.get_gid() == ACROSS:
                panel.set_title(panel.get_title("left"), loc="left", x=(MARGIN * figure.dpi - box.x0) / box.width)
            else:
                panel.set_title(_filled(figure, panel.get_title("left"), size, box.width), loc="left")
            for axis in (panel.xaxis, panel.yaxis):
                while _touching(axis, renderer) and style.thin_ticks(axis):
                    pass
    for _ in range(2):
        engine.execute(figure)
        for panel in axes:
            names.move_apart(panel, renderer)
    figure.set_layout_engine("none")


def _filled(figure: Figure, text: str, size: float, room: float) -> str:
    """Returns a text of several lines, wrapped to a width in pixels."""
    return "\n".join(line for part in text.split("\n")
                     for line in wrap(figure, part, size, room / figure.dpi + 2 * MARGIN))


def _touching(axis: Axis, renderer: object) -> bool:
    """Returns whether labels of neighbouring ticks touch."""
    boxes = [text.get_window_extent(renderer).expanded(1.25, 1.0) for text in axis.get_majorticklabels()
             if text.get_text()]
    return any(a.overlaps(b) for a, b in zip(boxes, boxes[1:]))


def _legend(figure: Figure, handles: Sequence[Artist], width: float, font: float) -> Artist:
    """Returns a legend of as many columns as fit. An entry that is too long for a line is wrapped."""
    mark = (HANDLE + HANDLE_GAP + 1) * font / 72
    for handle in handles:
        handle.set_label("\n".join(wrap(figure, handle.get_label(), font, width - mark)))
    for columns in range(len(handles), 0, -1):
        legend = figure.legend(handles=handles, loc="upper left", ncols=columns, frameon=False, borderpad=0.15,
                               borderaxespad=0.0, handlelength=HANDLE, columnspacing=1.4, handletextpad=HANDLE_GAP,
                               labelspacing=0.3)
        if columns == 1 or legend.get_window_extent().width / figure.dpi <= width - 2 * MARGIN:
            return legend
        legend.remove()
    raise AssertionError("a legend without entries")


def _caption(figure: Figure, notes: Sequence[str], size: float, width: float) -> list[tuple[str, float, str, str]]:
    """Returns the lines under a figure: first warnings, then brief notes, as far as MOST_LINES have room for them.
    Longer notes end with dots, and omitted notes are counted."""
    found: list[tuple[str, float, str, str]] = []
    brief = [note for note in notes if isinstance(note, Brief)]
    for texts, look, what in (([note for note in notes if isinstance(note, Warn)], ("bold", style.WARNING), "warning"),
                              (brief, ("normal", style.SOFT), "note")):
        room = MOST_LINES - len(found) - (what == "warning" and len(brief) > 0)
        for shown in range(len(texts), -1, -1):
            left = len(texts) - shown
            more = [f"{left} {'more ' if shown else ''}{what}{'s' if left > 1 else ''} in the text with this picture"] \
                if left else []
            told = "; ".join([*(shorten(text, LONGEST, placeholder=" …") for text in texts[:shown]), *more])
            lines = wrap(figure, told, size, width - 0.1, bold=what == "warning")
            if len(lines) <= room or not shown:
                found += [(line, size, *look) for line in lines]
                break
    return found


def wrap(figure: Figure, text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """Returns the lines of a text wrapped to a width in inches, never between a number and its unit. A word that is too
    long for a line is broken."""
    renderer = figure.canvas.get_renderer()
    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")

    def fits(line: str) -> bool:
        return renderer.get_text_width_height_descent(line, font, False)[0] / figure.dpi <= width - 2 * MARGIN

    lines: list[str] = []
    line = ""
    for word in filter(None, SPACES.split(text)):
        whole = f"{line} {word}" if line else word
        if fits(whole):
            line = whole
            continue
        lines += [line] if line else []
        while not fits(word) and len(word) > 1:
            most = next((i for i in range(len(word) - 1, 0, -1) if fits(word[:i])), 1)
            lines, word = [*lines, word[:most]], word[most:]
        line = word
    return [*lines, line] if line else lines


def _line(size: float) -> float:
    """Returns the height of a line, in inches."""
    return 1.32 * size / 72
