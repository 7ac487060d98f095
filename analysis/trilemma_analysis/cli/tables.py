"""Tables for people: the columns that matter and fit stand side by side, the others in lines below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..io.forms import UNKNOWN
from ..io.words import WIDTH, as_count, room, wrapped

MOST = 8  # columns
WIDEST = (60, 48, 32, 24, 18, 12)  # letters of a cell of words, beyond which it goes over several lines
NARROW = 24  # letters: in columns up to this width hyphens are places to break
WIDEST_HEADING = 16  # of a column of numbers
EXTRA = "more column"
GAP = "  "


@dataclass(frozen=True, eq=False)
class Column:
    """A column: its heading and the text of its cells. Words stand left, numbers right. `below` is the text for a value
    that all rows share, rows without one left out if it `may_lack`; a column that `stays` is never moved there. A
    `firm` column has its place before others, and an `extra` one is shown in wide tables alone. Columns of one `kind`,
    such as bits, are reported as equal where they are."""

    heading: str
    cells: Sequence[str]
    words: bool = False
    below: str = "{heading} {cell}"
    stays: bool = False
    may_lack: bool = False
    extra: bool = False
    firm: bool = False
    kind: str = ""

    @property
    def is_empty(self) -> bool:
        """Returns whether no row has a value."""
        return all(cell in ("", UNKNOWN) for cell in self.cells)

    @property
    def shared(self) -> str:
        """Returns the line for a column whose rows are all equal, and empty for others."""
        values = set(self.cells) - ({UNKNOWN} if self.may_lack else set())
        if self.stays or len(self.cells) < 2 or len(values) > 1:
            return ""
        return self.below.format(heading=self.heading, cell=values.pop())


def table(columns: Sequence[Column], wide: bool = False) -> list[str]:
    """Returns the lines of a table, its columns in the order of their importance. Values that all rows share are
    reported below the table, as are columns that equal another one. Of the other columns those that fit are shown, at
    most MOST, and a line names the rest. With `wide` all columns are shown.

    >>> print("\\n".join(table([Column("method", ["gd", "ldp-sgd"], words=True), Column("seeds", ["3", "3"])])))
    method
    -------
    gd
    ldp-sgd
    seeds 3
    """
    known = [column for column in columns if not column.is_empty]
    if wide:
        return _lines(known)
    equal = _equal(known)
    apart = [column for column in known if not column.shared and column not in equal]
    shown, widest = _fitting([column for column in apart if not column.extra], room())
    left_out = [column.heading for column in apart if column not in shown and not column.extra]
    extra = sum(column.extra for column in apart)
    below = ["; ".join([*(column.shared for column in known if column.shared and not column.extra),
                        *(f"{column.heading} = {first.heading}"
                          for column, first in equal.items() if not column.extra)])]
    below += [f"not shown: {', '.join(left_out)}{f' and {as_count(extra, EXTRA)}' if extra else ''} "
              "(--wide)"] if left_out else []
    return _lines(shown, widest) + wrapped([line for line in below if line])


SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "ε": r"$\varepsilon$", "δ": r"$\delta$", "²": "$^2$",
           "µ": r"$\mu$",
           **{letter: f"\\{letter}" for letter in "{}$&#_%"}}  # letters that LaTeX reads otherwise


def latex(columns: Sequence[Column]) -> str:
    """Returns a LaTeX table with rules of the package booktabs and the columns that fit into WIDTH. Values that all
    rows share are in a comment above the table.

    >>> columns = [Column("method", ["ldp-sgd"], words=True), Column("ε spent", ["2"]), Column("accuracy", ["90.0 %"])]
    >>> print(latex(columns), end="")
    \\begin{tabular}{lrr}
    \\toprule
    method & $\\varepsilon$ spent & accuracy \\\\
    \\midrule
    ldp-sgd & 2 & 90.0 \\% \\\\
    \\bottomrule
    \\end{tabular}
    """
    known = [column for column in columns if not column.is_empty and not column.extra]
    equal = _equal(known)
    shared = "; ".join(column.shared for column in known if column.shared)
    shown, _ = _fitting([column for column in known if not column.shared and column not in equal], WIDTH)
    head, *rows = [" & ".join("".join(SPECIAL.get(letter, letter) for letter in text) for text in line) + r" \\"
                   for line in zip(*((column.heading, *column.cells) for column in shown))]
    form = "".join("l" if column.words else "r" for column in shown)
    return "\n".join([*([f"% {shared}"] if shared else []), rf"\begin{{tabular}}{{{form}}}", r"\toprule", head,
                      r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", ""])


def _equal(known: Sequence[Column]) -> dict[Column, Column]:
    """Returns the columns that equal an earlier one of their kind, each with that one."""
    return {column: first for place, column in enumerate(known) if not column.stays and not column.shared
            for first in known[:place] if first.cells == column.cells and first.kind == column.kind != ""}


def aligned(rows: Sequence[Sequence[str]], words: Sequence[int], may_go: Sequence[str] = ()) -> list[str]:
    """Returns the lines of a table whose first row is the heading. Columns in `words` are aligned left, others right.
    Columns with a heading in `may_go` and no value are omitted."""
    columns = [Column(heading, cells, i in words) for i, (heading, *cells) in enumerate(zip(*rows))]
    return _lines([column for column in columns if column.heading not in may_go or not column.is_empty])


def _fitting(columns: Sequence[Column], width: int) -> tuple[list[Column], int]:
    """Returns the columns that fit into `width`, firm ones first, and the width of words at which they fit."""
    def needed(column: Column, widest: int) -> int:
        return len(GAP) + max(len(line) for text in _texts(column, widest) for line in text)

    width += len(GAP)
    firm = [column for column in columns if column.stays or column.firm][:MOST]
    widest = next((each for each in WIDEST if sum(needed(column, each) for column in firm) <= width), WIDEST[-1])
    shown: set[Column] = set()
    for column in (*firm, *(column for column in columns if column not in firm)):
        if len(shown) < MOST and needed(column, widest) <= width:
            shown.add(column)
            width -= needed(column, widest)
    return [column for column in columns if column in shown], widest


def _texts(column: Column, widest: int | None) -> list[list[str]]:
    """Returns the heading and the cells of a column, each wrapped to `widest` or on one line without it."""
    if widest is None:
        return [[text] for text in (column.heading, *column.cells)]
    heading = widest if column.words else max(WIDEST_HEADING, *map(len, column.cells))
    return [_broken(column.heading, heading),
            *(_broken(cell, widest) if column.words else [cell] for cell in column.cells)]


def seeds_each(counts: Iterable[int]) -> str:
    """Returns the line below a table whose rows have equally many seeds."""
    return "1 seed each" if set(counts) == {1} else "{cell} seeds each"


def _broken(text: str, width: int) -> list[str]:
    """Returns `text` in lines of at most `width` letters; in narrow columns names are broken at hyphens."""
    return textwrap.wrap(text, width, break_on_hyphens=width <= NARROW) or [""]


def _lines(columns: Sequence[Column], widest: int | None = None) -> list[str]:
    """Returns the columns side by side, with a rule below the headings."""
    texts = [_texts(column, widest) for column in columns]
    widths = [max(len(line) for text in column for line in text) for column in texts]
    lines = []
    for row in zip(*texts):
        for i in range(max(map(len, row))):
            cells = [text[i] if i < len(text) else "" for text in row]
            lines.append(GAP.join(cell.ljust(width) if column.words else cell.rjust(width)
                                  for cell, width, column in zip(cells, widths, columns)).rstrip())
    heading = max((len(text[0]) for text in texts), default=0)
    return [*lines[:heading], GAP.join("-" * width for width in widths), *lines[heading:]]
