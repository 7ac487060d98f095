"""Words for combinations of a sweep: which axes tell them apart, and how values of these are named and ordered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..io.words import cut, printable

EPSILON = "privacy.epsilon"
# The order of methods in legends and tables.
METHODS = (
    "gd", "dp-gd", "dp-sgd", "rrpsgd", "dp-srm", "dp-srm-distributed",
    "ldp-sgd", "ldp-svrg", "ldp-spider", "cdp-sgd", "soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga",
    "pmtl", "local", "pp-sgd", "naive-dp-mtl", "scaffold", "dp-scaffold", "dsgd",
    "choco-sgd", "sdm-dsgd", "q-dpsgd-1", "favano", "quafl", "fedbuff",
    "fedavg-timed", "fedavg", "fedprox", "dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth", "alpha-normec",
    "fed-alpha-normec", "fed-alpha-normec-ig", "clip21", "decomfl", "dp-decomfl",
)
NO_AXIS = "-"  # in place of a value, where the method of a row has no such axis


def label_of(words: Sequence[str]) -> str:
    """Returns the first word, followed by the others in brackets."""
    return f"{words[0]} ({', '.join(words[1:])})" if len(words) > 1 else "".join(words)


def telling(axes: Sequence[str], keys: Sequence[tuple]) -> list[str]:
    """Returns the axes that distinguish combinations. Axes that follow from others, as in lists taken in step, are
    skipped."""
    told: list[int] = []
    parts = 1
    for i in range(len(axes)):
        count = len({tuple(repr(key[j]) for j in (*told, i)) for key in keys})
        if count > parts:
            told, parts = [*told, i], count
    return [axes[i] for i in told]


def short(axis: str, axes: Sequence[str]) -> str:
    """Returns the shortest end of a dotted key that no other axis has; ε for the nominal epsilon."""
    if axis == EPSILON:
        return "ε"
    words = axis.split(".")
    for i in reversed(range(len(words))):
        end = ".".join(words[i:])
        if sum(other == end or other.endswith("." + end) for other in axes) == 1:
            return end
    return axis


def describe(axis: str, value: Any, axes: Sequence[str], spent: str) -> str:
    """Returns `name = value`. For methods and modes it is only the value, and values that are not whole are in words.
    `spent` is the text if no epsilon was requested."""
    if axis == "incomplete":
        return "incomplete" if value else "complete"
    if axis == EPSILON and value is None:
        return spent
    if value is None:
        return f"no {short(axis, axes)}"
    return as_word(value) if axis in ("method", "mode") else cut(f"{short(axis, axes)} = {as_word(value)}")


def as_word(value: Any) -> str:
    """Returns a value of an axis for people."""
    if value is None:
        return NO_AXIS
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return cut(", ".join(map(as_word, value))) or "none"
    return f"{value:g}" if isinstance(value, float) else cut(printable(str(value)))


def told_words(values: Mapping[str, Any], names: Sequence[str], axes: Sequence[str], spent: str) -> list[str]:
    """Returns the values of the axes `names`, without those that the method does not have, and `spent` if no epsilon
    was requested."""
    return [describe(name, values[name], axes, spent) for name in names
            if values[name] is not None or name == EPSILON]


def rank(value: Any) -> tuple:
    """Sorts numbers before words, methods in the order of METHODS, and what is not there last."""
    if value is None:
        return (2, 0.0, "")
    if isinstance(value, (int, float)):
        return (0, float(value), "")
    order = METHODS.index(value) if value in METHODS else len(METHODS)
    return (1, order, str(value))
