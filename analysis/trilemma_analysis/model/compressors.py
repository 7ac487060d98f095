"""Compressors with their parameters, for figures: which of them is rand-k says little without its k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .combinations import Combination

KIND = "compressor.kind"


def with_parameters(found: Sequence[Combination]) -> list[Combination]:
    """Returns the combinations with `rand-k, k = 12` in place of the kind `rand-k`, if all runs of this kind have the
    same parameter. Otherwise the parameter is an axis of its own."""
    words: dict[object, set[str]] = {}
    for each in found:
        for run in each.runs:
            words.setdefault(each.values.get(KIND), set()).add(run.attributes["compressor_label"])
    known = {kind: own.pop() for kind, own in words.items() if kind is not None and len(own) == 1}
    return [replace(each, values=each.values | {KIND: known[each.values[KIND]]})
            if each.values.get(KIND) in known else each for each in found]
