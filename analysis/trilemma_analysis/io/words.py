"""Text from files on its way to people."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path

LABEL = 60  # letters of one part of a label
WIDTH = 100  # of text where there is no terminal
NARROWEST = 60
NO_EVIDENCE = "unreliable times"  # how a doubt about the times of a scaling study begins


class Warn(str):
    """A line of a caption that must stand out."""


class Brief(str):
    """A line of a caption that has a place in the picture itself; others are only in the text next to it."""


def printable(text: str) -> str:
    """Returns `text` with control characters, line ends and lone surrogates escaped. A name in a file must not control
    a terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def cut(text: str, width: int = LABEL) -> str:
    """Returns `text`, cut at `width` letters."""
    return text if len(text) <= width else text[: width - 2].rstrip() + " …"


def joined(words: Sequence[object]) -> str:
    """Returns the words as in a sentence: 'one, two and three'."""
    texts = list(map(str, words))
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def capitalised(text: str) -> str:
    """Returns `text` with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def in_rounds(number: int | str) -> str:
    """Returns a number of rounds with its noun: "1 round", "20 rounds", "10 to 20 rounds"."""
    return f"{number} round" if str(number) == "1" else f"{number} rounds"


def as_count(number: int, noun: str) -> str:
    """Returns a number with its noun: "1 file", "12 files"."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


class Long(str):
    """A sentence that names everything; `short` has what matters, and counts the rest."""

    short: str

    def __new__(cls, text: str, short: str) -> Long:
        """Returns the sentence with its short form."""
        made = super().__new__(cls, text)
        made.short = short
        return made


def in_short(notes: Sequence[str]) -> list[str]:
    """Returns each note once, in its short form if it has one."""
    return list(dict.fromkeys(note.short if isinstance(note, Long) else note for note in notes))


def room() -> int:
    """Returns the columns of the terminal, WIDTH without one."""
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def wrapped(notes: Sequence[str], indent: str = "", width: int = 0) -> list[str]:
    """Returns notes as lines of `width` letters, by default the width of the terminal."""
    return [line for note in notes for line in textwrap.wrap(
        note, width or room(), initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)]


def rate(value: float) -> str:
    """Returns rounds per second: whole numbers from 100 on, else three digits."""
    return number(value, ",.0f" if value >= 100 else ".3g")


def number(value: float, form: str) -> str:
    """Returns a number in the format `form`, or a dash if it is not known."""
    return "-" if math.isnan(value) else format(value, form)


def relative(folder: Path) -> str:
    """Returns the folder as a command can name it in the working directory; for a folder elsewhere only its name."""
    if not folder.is_absolute():
        return str(folder)
    return str(folder.relative_to(Path.cwd())) if folder.is_relative_to(Path.cwd()) else folder.name
