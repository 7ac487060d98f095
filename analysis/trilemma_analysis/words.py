"""Text from files on its way to people."""

from __future__ import annotations

LABEL = 60  # letters of one part of a label
TITLE = 100
NO_EVIDENCE = "no evidence of time"  # how a doubt about the times of a scaling study begins


class Warn(str):
    """A line of a caption that must stand out."""


def printable(text: str) -> str:
    """The text with its control characters, line ends and lone surrogates escaped: a name in a file must not steer a
    terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


def cut(text: str, width: int = LABEL) -> str:
    """The text, cut where it is longer than a figure or a table has room for."""
    return text if len(text) <= width else text[: width - 2].rstrip() + " …"


def in_rounds(number: int | str) -> str:
    """A number of rounds with its noun: "1 round", "20 rounds", "10 to 20 rounds"."""
    return f"{number} round" if str(number) == "1" else f"{number} rounds"
