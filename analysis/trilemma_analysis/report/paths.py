"""Texts of a page that is handed on: without the folders of the machine that wrote it."""

from __future__ import annotations

import re
from typing import Any

# Two or more parts behind a slash at the beginning of a word. Tags, addresses and units ("bit/s") are none.
ABSOLUTE = re.compile(r"""(?<![\w<./:~-])(?:/[^\s/<>"'&;,()]+){2,}""")


def without_folders(text: str) -> str:
    """Returns the text with the last part in place of each absolute path.

    >>> without_folders("/home/a/runs/x.h5: 3 kbit/s, see docs/index.md</p>")
    'x.h5: 3 kbit/s, see docs/index.md</p>'
    """
    return ABSOLUTE.sub(lambda path: path[0].rsplit("/", 1)[1], text)


def all_without_folders(value: Any) -> Any:
    """Returns a value of JSON with all its texts without absolute paths."""
    if isinstance(value, dict):
        return {key: all_without_folders(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [all_without_folders(each) for each in value]
    return without_folders(value) if isinstance(value, str) else value

