"""The checksum of what a run file says, as docs/reference/run-file.md describes it under `content_sha256`."""

from __future__ import annotations

import hashlib
import struct
import warnings
from pathlib import Path

import h5py
import numpy as np

CHECKSUM = "content_sha256"
SUMMED = ("checkpoints", "classes", "config", "contacts", "environment", "model", "mpi", "partition", "phases",
          "privacy", "rounds", "starts")
ROWS_AT_ONCE = 1 << 14


class ChangedFileWarning(UserWarning):
    """A run file does not say what it said when it was written."""


def is_changed(file: h5py.File) -> bool:
    """Returns whether the open file has a checksum that differs from that of its content."""
    return CHECKSUM in file.attrs and file.attrs[CHECKSUM] != content_sum(file)


def of_change(path: Path) -> str:
    """Returns the sentence about a file that has changed since it was written."""
    return f"{path}: its content has changed since it was written ({CHECKSUM} says so); take a copy that is whole, " \
        "or run it again."


def warn_of_change(path: Path) -> None:
    """Warns (ChangedFileWarning) at the line that called read_run()."""
    warnings.warn(of_change(path), ChangedFileWarning, stacklevel=3)


def content_sum(file: h5py.File) -> str:
    """Returns the SHA-256 of the content in hexadecimal digits."""
    total = hashlib.sha256()
    _add_attributes(total, file, "/")
    for name in SUMMED:
        if name in file:
            _add(total, file[name], f"/{name}")
    return total.hexdigest()


def _add(total, member: h5py.Group | h5py.Dataset, path: str) -> None:
    """Adds a data set, or a group with all its members."""
    if isinstance(member, h5py.Group):
        _add_attributes(total, member, path)
        for name in sorted(member):
            _add(total, member[name], f"{path}/{name}")
        return
    kind = _kind(member.dtype)
    _add_text(total, path)
    _add_text(total, kind)
    total.update(struct.pack(f"<{1 + member.ndim}Q", member.ndim, *member.shape))
    _add_attributes(total, member, path)
    if kind == "text":
        for text in np.ravel(member[()]):
            _add_text(total, text)
    else:
        for row in range(0, member.shape[0], ROWS_AT_ONCE):
            total.update(np.asarray(member[row:row + ROWS_AT_ONCE]).astype(_wide(kind)).tobytes())


def _add_attributes(total, owner: h5py.Group | h5py.Dataset, path: str) -> None:
    """Adds the attributes of a group or data set in alphabetical order."""
    for name in sorted(owner.attrs):
        if name == CHECKSUM:
            continue
        if (shape := owner.attrs.get_id(name).shape) is not None and len(shape) == 1:
            _add_text(total, f"{path}@{name}")
            _add_text(total, "texts")
            total.update(struct.pack("<Q", shape[0]))
            for text in owner.attrs[name] if shape[0] else ():
                _add_text(total, text)
            continue
        value = owner.attrs[name]
        kind = "text" if isinstance(value, str) else _kind(np.asarray(value).dtype)
        _add_text(total, f"{path}@{name}")
        _add_text(total, kind)
        if kind == "text":
            _add_text(total, value)
        else:
            total.update(np.asarray(value).astype(_wide(kind)).tobytes())


def _add_text(total, text: str | bytes) -> None:
    """Adds the length of a text and the text."""
    raw = text.encode(errors="surrogateescape") if isinstance(text, str) else bytes(text)
    total.update(struct.pack("<Q", len(raw)))
    total.update(raw)


def _kind(dtype: np.dtype) -> str:
    """Returns the word for a type in the sum."""
    return {"f": "floating", "i": "integer", "u": "natural"}.get(dtype.kind, "text")


def _wide(kind: str) -> str:
    """Returns the type to which values of a kind are converted, so that the sum does not depend on their width."""
    return {"floating": "<f8", "integer": "<i8", "natural": "<u8"}[kind]
