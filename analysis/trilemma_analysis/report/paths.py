"""Texts of a page that is handed on: without the folders of the machine that wrote it."""

from __future__ import annotations

import re
from typing import Any

# An absolute path begins at the beginning of a word, perhaps as an address of a file or in the folder of a user; tags,
# addresses of pages, units ("bit/s") and relative paths have no such slash.
ROOT = r"(?:file:(?://[\w.-]*)?|~[\w.-]*)?/(?![/\s])"
START = rf"(?:(?<![\w<./~-])|(?<=-[ILl])){ROOT}"
QUOTE = r"""(?P<quote>\\?["'`]|&quot;|&\#x27;)"""
# Blanks belong to a path up to what ends it: a quote, punctuation, or the end of a text that the path begins.
LETTER = r"""&amp;|&\#x27;(?=\w)|[^<>"\n,;:&"""
WITH_BLANKS = rf"(?:{LETTER}\ ]|\ (?!/))*/"
ENDED, ALONE = (rf"(?=(?:{LETTER}/])*{end})" for end in (r"[:,;]\s", r"(?:[<\n]|\Z)"))
# Without any of these, a path has blanks only within brackets or behind a backslash.
PART = r"""(?:\([^()/<>"\n]*\)|\[[^][/<>"\n]*\]|\\\ |&amp;|&\#x27;(?=\w)|(?<=\w)'(?=\w)|:(?!/)
    |[^][\s/<>"'&:;()\\])+"""
FOLDERS = re.compile(rf"""
    {QUOTE}{ROOT}(?:(?!(?P=quote))[^\n<>])*/(?=(?:(?!(?P=quote))[^\n<>/])+(?P=quote))
    | {START}{WITH_BLANKS}{ENDED}
    | (?:(?<=>)|(?<=\n)|\A){START}{WITH_BLANKS}{ALONE}
    | {START}(?:{PART}/)+(?=[^\s/<>"'&;])
    """, re.VERBOSE)


def without_folders(text: str) -> str:
    """Returns the text with the last part in place of each absolute path.

    >>> without_folders("/home/a/runs/x.h5: 3 kbit/s, see docs/index.md</p>")
    'x.h5: 3 kbit/s, see docs/index.md</p>'
    """
    return FOLDERS.sub(lambda folders: folders["quote"] or "", text)


def all_without_folders(value: Any) -> Any:
    """Returns a value of JSON with all its texts without absolute paths."""
    if isinstance(value, dict):
        return {key: all_without_folders(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [all_without_folders(each) for each in value]
    return without_folders(value) if isinstance(value, str) else value
