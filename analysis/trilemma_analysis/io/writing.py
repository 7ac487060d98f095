"""The one place where files are written: whole or not at all, and never through a symbolic link."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import math
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TYPE_CHECKING

from .errors import RunFileError
from .words import printable

if TYPE_CHECKING:
    import pandas as pd

# What prevents writing, and the remedy.
FAULTS = {
    errno.ENOSPC: ("the disk is full", "free some space"),
    errno.EDQUOT: ("the disk quota is used up", "delete files that are no longer needed"),
    errno.EFBIG: ("the limit on the size of a file is reached", "raise it (ulimit -f)"),
    errno.EROFS: ("the file system is read-only", "make it writable"),
    errno.EACCES: ("no permission to write", "fix the permissions of its folder"),
    errno.EPERM: ("no permission to write", "fix the permissions of its folder"),
    errno.ENOENT: ("there is no such folder", "create it"),
    errno.ENOTDIR: ("a part of its path is not a folder", "check the path"),
    errno.EISDIR: ("a folder", "name a file"),
}
LONGEST_NAME = 120  # letters of the name of a file that follows from a text
# Spreadsheets take a cell that begins so for a formula, and run it (OWASP, CSV injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r")


class WriteError(RunFileError):
    """An output that cannot be written; `errno` is the number that the operating system gave."""

    def __init__(self, path: str | Path, error: OSError) -> None:
        fault, remedy = FAULTS.get(error.errno or 0, (error.strerror or str(error), "check the disk"))
        super().__init__(f"{printable(str(path))}: cannot be written: {fault}; {remedy}, or name another file.")
        self.errno = error.errno


def write_output(path: str | Path, content: str | bytes, sync: bool = True) -> None:
    """Replaces the file `path` by one with this content, or leaves it as it was: the content is written to a temporary
    file in the same folder, brought to the disk (unless `sync` is false) and renamed. Refuses a symbolic link and what
    is no regular file."""
    path = Path(path)
    _check(path)
    temporary = None
    try:
        file, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(file, "wb") as out:
            out.write(content.encode("utf-8") if isinstance(content, str) else content)
            out.flush()
            if sync:
                os.fsync(out.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None and os.path.lexists(temporary):
            os.unlink(temporary)
        raise WriteError(path, error) from None


def write_new(path: str | Path, content: str | bytes, overwrite: bool = False) -> None:
    """Writes a file that does not exist, or with `overwrite` replaces it as write_output() does."""
    _refuse(path, overwrite)
    write_output(path, content)


def write_new_files(folder: Path, files: Mapping[str, str | bytes], overwrite: bool = False) -> None:
    """Writes files by their path in a folder, which is created where it is missing. Unless `overwrite` is given,
    nothing is written if one of them exists."""
    for name in files:
        _refuse(folder / name, overwrite)
    for name, content in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(path.parent, error) from None
        write_output(path, content, sync=False)


def _refuse(path: str | Path, overwrite: bool) -> None:
    """Refuses a path at which something is, unless it may be replaced."""
    if not overwrite and os.path.lexists(path):
        raise RunFileError(f"{printable(str(path))}: exists; name another output, or give --overwrite.")


def safe_name(name: str) -> str:
    """Returns `name` as the name of a file or folder. Characters other than ASCII letters, digits, "_", "-", "." and
    blanks become their code between underscores. A long name ends with a part of its SHA-256.

    >>> safe_name("ldp-sgd eps 2"), safe_name("../x")
    ('ldp-sgd eps 2', '_.._2f_x')
    """
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "_-. ") else f"_{ord(letter):x}_"
                    for letter in name)
    if len(plain) > LONGEST_NAME:
        plain = plain[:LONGEST_NAME - 17] + "-" + hashlib.sha256(plain.encode()).hexdigest()[:16]
    return plain if plain and plain[0] not in ". " else f"_{plain}"


def _check(path: Path) -> None:
    """Refuses a path at which there is anything but a regular file."""
    try:
        there = os.lstat(path)
    except OSError:  # mostly since it is not there; anything else shows when it is written
        return
    if stat.S_ISLNK(there.st_mode):
        raise RunFileError(f"{printable(str(path))}: a symbolic link, through which nothing is written; remove it, or "
                           "name another file.")
    if not stat.S_ISREG(there.st_mode):
        raise RunFileError(f"{printable(str(path))}: not a regular file, and only such are replaced; name another "
                           "file.")


def _mode(path: Path) -> int:
    """Returns the mode of the file to be replaced, else 0666 without the bits of the umask."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def cell(value: object) -> object:
    """Returns a value for a CSV file. A text that spreadsheets would evaluate as a formula gets a leading single
    quote."""
    if isinstance(value, str) and value.startswith(FORMULA) and not _is_number(value):
        return "'" + value
    return value


def _is_number(text: str) -> bool:
    """Returns whether a text is a number and nothing else."""
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()


def csv_of(frame: pd.DataFrame) -> str:
    """Returns the frame as CSV without its index, in full precision."""
    safe = frame.rename(columns=cell)
    texts = [name for name, kind in zip(safe.columns, safe.dtypes)
             if kind.kind == "O" or str(kind) in ("string", "str")]
    for name in texts:
        safe[name] = safe[name].map(cell)
    return safe.to_csv(index=False)


def csv_of_rows(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns rows of values as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([cell(name) for name in header])
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Returns the rows as objects for JSON. Unknown and infinite values are None."""
    rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return [{name: None if isinstance(value, float) and math.isinf(value) else value for name, value in row.items()}
            for row in rows]
