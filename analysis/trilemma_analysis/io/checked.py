"""Checked access to an HDF5 file: links, kinds and sizes are looked at before anything is read."""

from __future__ import annotations

import math
import os
from typing import Any

import h5py
import numpy as np

MOST_MEMBERS = 1000  # of a group
MOST_TEXT = 1 << 24  # bytes of one text of fixed length
MOST_PACKED = 1 << 30  # bytes of a data set that is stored through filters, and so larger than its file
KINDS = {"text": "OSU", "an integer": "iu", "a number": "iuf"}
PLAIN_TYPES = {"i": np.dtype(np.int64), "u": np.dtype(np.uint64), "f": np.dtype(np.float64)}


class Damage(Exception):
    """What is wrong with an object of the file, as the end of a sentence."""


class Missing(Damage):
    """An object or attribute that the file does not have."""


class Elsewhere(Damage):
    """An object that is not in the file itself."""


def attribute(thing: h5py.HLObject, name: str, kind: str | None = None) -> Any:
    """Returns a single value as Python's own str, int or float. `kind` is a key of KINDS, or None for any of them."""
    what = _attribute_name(thing, name)
    found, shape, dtype = _open_attribute(thing, name, what)
    if shape is None or math.prod(shape) != 1:
        raise Damage(f"holds {0 if shape is None else math.prod(shape)} values in {what} instead of one")
    if kind is None:
        kind = "a number" if dtype.kind in KINDS["a number"] else "text"
    _check_kind(dtype, kind, what)
    value = _plain(_read_attribute(found, shape, dtype))
    if kind == "an integer" and not -(2**63) <= value < 2**63:
        raise Damage(f"holds {value} in {what}, more than 63 bits")
    return value


def attribute_or(thing: h5py.HLObject, name: str, kind: str, otherwise: Any) -> Any:
    """Returns a single value as attribute() does, or `otherwise` if there is no such attribute."""
    return attribute(thing, name, kind) if name in thing.attrs else otherwise


def texts_attribute(thing: h5py.HLObject, name: str) -> list[str]:
    """Returns a list of texts, which may be empty."""
    what = _attribute_name(thing, name)
    found, shape, dtype = _open_attribute(thing, name, what)
    if shape is None or len(shape) != 1 or shape[0] > MOST_MEMBERS:
        raise Damage(f"holds {what} as something else than a list of at most {MOST_MEMBERS} texts")
    _check_kind(dtype, "text", what)
    return [_plain(value) for value in _read_attribute(found, shape, dtype)] if shape[0] else []


def any_attribute(thing: h5py.HLObject, name: str) -> Any:
    """Returns an attribute by its rank: a single value, a tuple for a list, or None for what is neither (a type or
    shape that the package does not know, as in files of other programs and later versions)."""
    try:
        shape = thing.attrs.get_id(name).shape
        if shape is not None and math.prod(shape) == 1 and len(shape) == 0:
            return attribute(thing, name)
        if shape is not None and len(shape) == 1 and shape[0] <= MOST_MEMBERS:
            return tuple(map(_plain, thing.attrs[name])) if shape[0] else ()
    except (Damage, TypeError, ValueError, OSError, RuntimeError):
        pass
    return None


def _open_attribute(thing: h5py.HLObject, name: str, what: str
                    ) -> tuple[h5py.h5a.AttrID, tuple[int, ...] | None, np.dtype]:
    """Returns an open attribute with its shape and type. `thing.attrs[name]` would open it once more, and a file has
    some hundred attributes."""
    if name not in thing.attrs:
        raise Missing(f"lacks {what}")
    try:
        found = thing.attrs.get_id(name)
        return found, found.shape, found.dtype
    except (TypeError, ValueError, OSError, RuntimeError):
        raise Damage(f"holds {what} in a type that no run file has") from None


def _read_attribute(found: h5py.h5a.AttrID, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Returns the values of an open attribute; texts as bytes."""
    values = np.empty(shape, dtype)
    found.read(values)
    return values


def _attribute_name(thing: h5py.HLObject, name: str) -> str:
    """Returns the words for an attribute in a sentence about damage."""
    return f"the attribute '{name}'" + ("" if thing.name == "/" else f" of {thing.name}")


def group(file: h5py.File, path: str) -> h5py.Group:
    """Returns a group of the file itself."""
    found = _follow(file, path, "group")
    if not isinstance(found, h5py.Group) or len(found) > MOST_MEMBERS:
        raise Damage(f"holds something else than a group of at most {MOST_MEMBERS} members in '{path}'")
    return found


def has(file: h5py.File, path: str) -> bool:
    """Returns whether `path` exists or is a link to another file."""
    try:
        _follow(file, path, "object")
    except Missing:
        return False
    except Damage:
        pass
    return True


def array(file: h5py.File, path: str, kind: str, dimensions: int, rows: int | None = None) -> np.ndarray:
    """Returns the values of a data set after checking its number of dimensions and its largest number of rows."""
    return _values(file, _dataset(file, path, kind), path, kind, dimensions, rows)


def column(file: h5py.File, path: str, kind: str, rows: int) -> tuple[np.ndarray, h5py.Dataset]:
    """Returns the values of a one-dimensional data set with at most `rows` rows, and the data set, for its
    attributes."""
    found = _dataset(file, path, kind)
    return _values(file, found, path, kind, 1, rows), found


def _values(file: h5py.File, found: h5py.Dataset, path: str, kind: str, dimensions: int, rows: int | None
            ) -> np.ndarray:
    """Returns the values of a data set after checking dimensions, rows and size; numbers have widths that pandas
    knows."""
    if found.shape is None or len(found.shape) != dimensions:
        raise Damage(f"holds data set '{path}' with {len(found.shape or ())} dimensions instead of {dimensions}")
    if rows is not None and found.shape[0] > rows:
        raise Damage(f"holds {found.shape[0]} rows in '{path}', more than the {rows} of its rounds")
    _check_size(file, found, path)
    values = found[()]
    if kind == "text" or values.dtype == np.float32:
        return values
    return values.astype(PLAIN_TYPES[values.dtype.kind])  # other widths and byte orders are strange to pandas


def texts(file: h5py.File, path: str) -> list[str]:
    """Returns the texts of a data set with one dimension."""
    return [_plain(value) for value in array(file, path, "text", 1)]


def text(file: h5py.File, path: str) -> str:
    """Returns the text of a data set with one value."""
    found = _dataset(file, path, "text")
    if found.shape is None or math.prod(found.shape) != 1:
        raise Damage(f"holds data set '{path}' with something else than one text")
    _check_size(file, found, path)
    return _plain(found[()])


def is_single(file: h5py.File, path: str) -> bool:
    """Returns whether the object at the path is a data set of a single value."""
    found = _follow(file, path, "object")
    return isinstance(found, h5py.Dataset) and found.shape == ()


def _follow(file: h5py.File, path: str, what: str) -> Any:
    """Returns the object at a path, following only links within the file."""
    here: Any = file
    for name in path.strip("/").split("/"):
        # Not through h5py's `in`, which opens the target of an external link.
        key = name.encode("utf-8", "surrogateescape")
        if not isinstance(here, h5py.Group) or not here.id.links.exists(key):
            raise Missing(f"lacks the {what} '{path}'")
        if here.id.links.get_info(key).type != h5py.h5l.TYPE_HARD:
            raise Elsewhere(f"has a link to somewhere else in place of the {what} '{path}'")
        here = here[name]
    return here


def _dataset(file: h5py.File, path: str, kind: str) -> h5py.Dataset:
    """Returns a data set of a kind. Raises Damage if it is none, and Elsewhere if its values are in another file."""
    found = _follow(file, path, "data set")
    if not isinstance(found, h5py.Dataset):
        raise Damage(f"holds something else than a data set in '{path}'")
    if found.is_virtual or found.external:
        raise Elsewhere(f"keeps the values of the data set '{path}' in another file")
    try:
        dtype = found.dtype
    except (TypeError, ValueError):
        raise Damage(f"holds data set '{path}' in a type that no run file has") from None
    _check_kind(dtype, kind, f"data set '{path}'")
    return found


def _check_kind(dtype: np.dtype, kind: str, what: str) -> None:
    """Raises Damage for a type that is not of the kind."""
    is_text = dtype.kind in "SU" or h5py.check_string_dtype(dtype) is not None
    if dtype.kind not in KINDS[kind] or (kind == "text" and not (is_text and dtype.itemsize <= MOST_TEXT)):
        raise Damage(f"holds {what} as {dtype.name if dtype.kind != 'O' else 'text or references'}, not as {kind}")


def _check_size(file: h5py.File, found: h5py.Dataset, path: str) -> None:
    """Raises Damage where a data set claims more bytes than the file can hold."""
    size = math.prod(found.shape) * found.dtype.itemsize
    chunk = math.prod(found.chunks or ()) * found.dtype.itemsize
    most = MOST_PACKED if found.id.get_create_plist().get_nfilters() else os.path.getsize(file.filename)
    if size > most or chunk > max(most, MOST_PACKED):
        raise Damage(f"claims {size} bytes for data set '{path}', more than it can hold")


def _plain(value: Any) -> Any:
    """Returns a value of h5py as Python's own str, int or float, for texts of fixed and of variable length."""
    if isinstance(value, np.ndarray):
        value = value.reshape(())[()]
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value.item() if isinstance(value, np.generic) else value
