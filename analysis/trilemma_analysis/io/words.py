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
    """The text with its control characters, line ends and lone surrogates escaped: a name in a file must not steer a
    terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def cut(text: str, width: int = LABEL) -> str:
    """The text, cut where it is longer than a figure or a table has room for."""
    return text if len(text) <= width else text[: width - 2].rstrip() + " …"


def joined(words: Sequence[object]) -> str:
    """The words in a sentence: 'one, two and three'."""
    texts = list(map(str, words))
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def capitalised(text: str) -> str:
    """The text with a large first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def in_rounds(number: int | str) -> str:
    """A number of rounds with its noun: "1 round", "20 rounds", "10 to 20 rounds"."""
    return f"{number} round" if str(number) == "1" else f"{number} rounds"


def as_count(number: int, noun: str) -> str:
    """A number with its noun: "1 file", "12 files"."""
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


class Long(str):
    """A sentence that names everything; `short` has what matters, and counts the rest."""

    short: str

    def __new__(cls, text: str, short: str) -> Long:
        """The sentence and its short form."""
        made = super().__new__(cls, text)
        made.short = short
        return made


def in_short(notes: Sequence[str]) -> list[str]:
    """The notes, each once and in its short form where it has one."""
    return list(dict.fromkeys(note.short if isinstance(note, Long) else note for note in notes))


def room() -> int:
    """The columns of the terminal; WIDTH where there is none."""
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def wrapped(notes: Sequence[str], indent: str = "", width: int = 0) -> list[str]:
    """Notes as lines of a width, that of the terminal by default."""
    return [line for note in notes for line in textwrap.wrap(
        note, width or room(), initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)]


def rate(value: float) -> str:
    """Rounds per second: whole numbers from 100 on, else three digits."""
    return number(value, ",.0f" if value >= 100 else ".3g")


def number(value: float, form: str) -> str:
    """The number in a format, or a dash where it is not known."""
    return "-" if math.isnan(value) else format(value, form)


def relative(folder: Path) -> str:
    """The folder as a command can name it in the working directory; outside of that its name alone."""
    if not folder.is_absolute():
        return str(folder)
    return str(folder.relative_to(Path.cwd())) if folder.is_relative_to(Path.cwd()) else folder.name
