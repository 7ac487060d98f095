"""Step sizes that methods of a sweep do not share, although no axis says so."""

from __future__ import annotations

from collections.abc import Sequence

from ..io.run_file import Run
from ..io.words import cut
from .groups import all_settings, plain_number

AXIS = "step_size"  # of a sweep, which stands for either of them
STEP_SIZES = ("server.rate", "local.rate")


def unequal(runs: Sequence[Run], axes: Sequence[str]) -> list[str]:
    """Returns a sentence for every step size that differs between methods and not within any of them. One that is an
    axis of the sweep, or varies within a method, is reported elsewhere."""
    found = []
    for key in STEP_SIZES:
        values: dict[str, set[str]] = {}
        for run in runs:
            value = all_settings(run.config).get(key)
            if value is not None:
                values.setdefault(str(run.attributes["method"]), set()).add(value)
        if key in axes or any(len(each) > 1 for each in values.values()):
            continue
        methods: dict[str, list[str]] = {}
        for method, (value,) in values.items():
            methods.setdefault(value, []).append(cut(method))
        if len(methods) > 1:
            found.append(f"{key} differs: " + "; ".join(
                f"{cut(plain_number(value))} for {', '.join(names)}" for value, names in methods.items()))
    return found
