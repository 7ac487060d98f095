"""What no method may choose by its results: the task, and the guarantee behind an epsilon. Figures draw a panel for
each of their combinations, and rankings are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..io.run_file import Run
from .groups import TASK_TABLES, typed_settings
from .guarantees import NAMES, PARTS, guarantee_of
from .labels import as_word, short, telling

CLIENTS, STRICT = "clients", "privacy.strict"
GUARANTEE = ("privacy.delta", "privacy.view", "privacy.relation", STRICT)
# Conditions of a task where all methods were run under the same ones; else some method has chosen them, as it chooses a
# step size.
CONDITIONS = (("participation.kind", "participation.rate", "participation.size"),
              ("clock.slow_share", "clock.fast", "clock.slow", "clock.law", "clock.file"))
TERMS = {part: "δ" if part == "delta" else name for part, name in NAMES.items()} | {"privacy.delta": "δ"}


@dataclass(frozen=True)
class Context:
    """The task and the guarantee of a run, as far as they differ among others; None for what a run does not have, as
    the delta of a method without privacy, which is compared with runs with any."""

    values: tuple[tuple[str, str | None], ...]

    def includes(self, other: Context) -> bool:
        """Returns whether a run of the other context is compared with those of this one."""
        return all(theirs is None or theirs == mine for (_, mine), (_, theirs) in zip(self.values, other.values))

    @property
    def words(self) -> str:
        """Returns the words for the title of a panel: 'label_noise = 0.4, δ = 0.001'."""
        return ", ".join(f"{name} = {value}" for name, value in self.values if value is not None)


def is_of_task(name: str) -> bool:
    """Returns whether a setting says what is learnt from which data by how many clients."""
    return name == CLIENTS or name.startswith(TASK_TABLES)


def conditions(of_method: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Returns the settings of CONDITIONS that differ, and have the same values for all methods; given the settings of
    every run with its method."""
    found = []
    for names in CONDITIONS:
        values: dict[str, set[str]] = {}
        for method, settings in of_method:
            values.setdefault(method, set()).add(repr([settings.get(name) for name in names]))
        sets = list(values.values())
        if sets and len(sets[0]) > 1 and all(each == sets[0] for each in sets):
            found += names
    return found


def never_chosen(axes: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Returns the axes of a sweep that belong to the task, its conditions or the guarantee."""
    shared = conditions([(str(run.attributes["method"]), typed_settings(run)) for run in runs])
    return [axis for axis in axes if is_of_task(axis) or axis in GUARANTEE or axis in shared]


def contexts_of(runs: Sequence[Run], axes: Sequence[str], among: Sequence[str]) -> list[Context]:
    """Returns the context of each run, by those of the `axes` that are never chosen and by the parts of the guarantee
    in which the runs of one method differ. `among` are all axes of the sweep, from which names are distinguished."""
    rows = [_values(run, axes) for run in runs]
    parts = _differing_terms(runs)
    known = [guarantee_of(run) for run in runs]
    keys = [(*row, *(None if terms is None else getattr(terms, part) for part in parts))
            for row, terms in zip(rows, known)]
    told = set(telling([*axes, *parts], keys))
    names = [(TERMS[name] if name in TERMS else short(name, list(among)), name in told) for name in (*axes, *parts)]
    return [Context(tuple((name, value) for (name, is_told), value in zip(names, key) if is_told)) for key in keys]


def whole(contexts: Sequence[Context]) -> list[Context]:
    """Returns the different contexts in the order of their values, without those that another one includes."""
    distinct = sorted(dict.fromkeys(contexts), key=lambda each: [place_of(value) for _, value in each.values])
    return [each for each in distinct if not any(other is not each and other.includes(each) for other in distinct)]


def _values(run: Run, axes: Sequence[str]) -> list[str | None]:
    """Returns the values of settings of a run, also of axes that only other methods have."""
    settings = typed_settings(run) | {CLIENTS: run.attributes["clients"]}
    return [as_word(settings[axis]) if axis in settings else None for axis in axes]


def _differing_terms(runs: Sequence[Run]) -> list[str]:
    """Returns the parts of the guarantee that differ among the runs of one method."""
    found: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        if (terms := guarantee_of(run)) is not None:
            for part in PARTS:
                found.setdefault((part, str(run.attributes["method"])), set()).add(getattr(terms, part))
    return [part for part in PARTS if any(len(values) > 1 for (name, _), values in found.items() if name == part)]


def place_of(value: str | None) -> tuple[int, float, str]:
    """Returns the place of a value among others: numbers by their size, before words."""
    try:
        return 0, float(value or ""), ""
    except ValueError:
        return 1, 0.0, value or ""
