"""The one place where files are written: whole or not at all, and never through a symbolic link."""
from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from .values import UserError

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
    errno.ELOOP: ("a symbolic link, through which nothing is written", "remove it"),
    errno.ENXIO: ("not a regular file", "move it away"),
}


class WriteError(UserError):
    """An output that cannot be written; `errno` is the number that the operating system gave."""

    def __init__(self, path: Path, error: OSError):
        fault, remedy = FAULTS.get(error.errno or 0, (error.strerror or str(error), "check the disk"))
        super().__init__(f"{path}: cannot be written: {fault}; {remedy}, or choose another place.")
        self.errno = error.errno


def write_file(path: Path, text: str, mode: int = 0o666) -> None:
    """Replaces what is called `path` by a file with this text, or leaves it as it was: the text is written to a
    temporary file in the same folder, brought to the disk and renamed. `mode` is reduced by the umask."""
    temporary = None
    mask = os.umask(0o077)
    os.umask(mask)
    try:
        file, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=str(path.parent))
        with os.fdopen(file, "wb") as out:
            out.write(text.encode("utf-8"))
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, mode & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None and os.path.lexists(temporary):
            os.unlink(temporary)
        raise WriteError(path, error) from None


def open_log(path: Path) -> BinaryIO:
    """A log that a program appends to; refuses a symbolic link and what is no regular file, and never waits for one."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
                       0o666)
    except OSError as error:
        raise WriteError(path, error) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise WriteError(path, OSError(errno.ENXIO, os.strerror(errno.ENXIO)))
    os.set_blocking(file, True)
    return os.fdopen(file, "ab")
