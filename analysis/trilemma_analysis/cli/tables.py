"""Tables of text: columns that stand below each other, and numbers in a form."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: list[list[str]], words: Sequence[int], may_go: Sequence[str] = ()) -> list[str]:
    """Lines of a table whose first row is its heading; columns of words stand left, numbers right. Columns with a
    heading of `may_go` and no value in any row are skipped."""
    kept = [i for i, column in enumerate(zip(*rows))
            if column[0] not in may_go or any(cell != "-" for cell in column[1:])]
    rows, words = [[row[i] for i in kept] for row in rows], [place for place, i in enumerate(kept) if i in words]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i in words else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines
