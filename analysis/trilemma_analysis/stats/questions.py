"""Which method is best within a budget: the runs of every setting, what can be compared, and the order of methods."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut, printable
from ..model import guarantees
from ..model.budgets import Budget, Standing, standing
from ..model.clock_rounds import settled
from ..model.combinations import choose_metric, combinations
from ..model.groups import UNTOLD, typed_settings, without_splits
from ..model.labels import as_word, short
from ..model.metrics import COMPARED, PERSONAL
from ..model.origins import data_of
from ..model.sweep import Sweep
from ..model.tasks import STRICT, TERMS, conditions, is_of_task, place_of

WEAK = {"NO": "not a private run", "nominal only": "nominal only"}  # what must be said with a claim
QUOTE = "'"  # of values that are words
# Tables of settings that no method chooses: other settings follow from them, or they have no effect on a result.
NO_CHOICE = ("budget.", "evaluate.", "timing.", "checkpoint.", "watchdog.", "debug.")


@dataclass(frozen=True)
class Setting:
    """One setting of one method: its runs, and where they stand or why they cannot be compared, by seed. `data` tells
    whether others saw the same records, `conditions` are settings under which all methods were run. `passed_over` has
    the folder of every other run that could be compared, and that of the run which was taken."""

    method: str
    values: dict[str, Any]
    axes: tuple[str, ...]
    data: str
    conditions: tuple[str, ...] = ()
    runs: dict[int, Run] = field(default_factory=dict)
    found: dict[int, Standing] = field(default_factory=dict)
    why_not: dict[int, str] = field(default_factory=dict)
    passed_over: list[tuple[Path, Path]] = field(default_factory=list)

    @property
    def first(self) -> Run:
        """Returns the run that represents what all seeds share."""
        return next(iter(self.runs.values()))

    def add(self, run: Run, stands: Standing | str) -> None:
        """Adds a run and where it stands. Of those with one seed the first counts that can be compared: what was
        evaluated seldom may have nothing to show where another one has."""
        seed = run.attributes["seed"]
        if seed in self.found:
            taken, other = (each.path.parent.absolute() for each in (self.runs[seed], run))
            if other != taken and not isinstance(stands, str):
                self.passed_over.append((other, taken))
        elif not isinstance(stands, str):
            self.why_not.pop(seed, None)
            self.runs[seed], self.found[seed] = run, stands
        elif seed not in self.runs:
            self.runs[seed], self.why_not[seed] = run, stands


@dataclass(frozen=True)
class Comparable:
    """What runs must share to be compared: the task, and what their epsilons mean. Without a budget of epsilon, which
    makes all epsilons the same, also the nominal one and the kind of the claim."""

    task: tuple[tuple[str, str], ...]
    data: str
    promised: guarantees.Guarantee | None
    released: bool
    claim: str = ""
    nominal: str = ""
    strict: bool = False

    @property
    def place(self) -> tuple:
        """Sorts rankings by nominal epsilon, those without a promise behind the others, and equal ones by the task."""
        asked = float(self.nominal or "nan")
        return (self.promised is None, math.inf if math.isnan(asked) else asked,
                [place_of(_plain(value)) for _, value in self.task])

    def competes_in(self, other: Comparable, budget: Budget) -> bool:
        """Returns whether settings of this kind are ranked among those of another one: with a budget of epsilon,
        training that releases nothing competes with every kind of epsilon, for it has spent none."""
        return self == other or (budget.epsilon is not None and not self.released and other.released
                                 and (other.task, other.data) == (self.task, self.data))

    def apart(self, others: Sequence[Comparable], whole: bool = True) -> list[str]:
        """Returns what distinguishes the task and the terms from those of others, in words. Settings have their `whole`
        keys or only the ends of these. The nominal epsilon and the kind of the claim are excluded."""
        task = dict(self.task)
        parts = [f"{name if whole else short(name, list(task))} = {_plain(value)}"
                 for name, value in task.items()
                 if any(dict(other.task).get(name) != value for other in others)]
        if any(other.data != self.data for other in others if not parts or other.task == self.task):
            parts.append(cut(f"data {self.data}"))
        if any(other.strict != self.strict for other in others):
            parts.append(f"{STRICT} = {str(self.strict).lower()}")
        if self.promised is not None:
            parts += [f"{TERMS[part]} = {getattr(self.promised, part)}" for part in guarantees.PARTS
                      if any(getattr(self.promised, part) != getattr(other.promised, part) for other in others
                             if other.promised is not None)]
        return parts

    def name(self, others: Sequence[Comparable]) -> str:
        """Returns the name of a ranking: what tells it from the others, and nothing else."""
        parts = self.apart(others, whole=False)
        kinds = {(other.released, other.promised is None) for other in others}
        asked = {other.nominal for other in others if other.promised is not None}
        if not self.released or self.promised is None:
            parts += ["no privacy" if self.released else "nothing released"] if len(kinds) > 1 else []
        elif len(asked) > 1 or len(kinds) > 1:
            open_ = "no ε asked for" if len(asked) > 1 else "private"
            parts.append(open_ if self.nominal in ("", "nan") else f"ε = {self.nominal}")
        if len({other.claim for other in others}) > 1 and self.claim in WEAK and self.promised is not None:
            parts.append(WEAK[self.claim])
        return ", ".join(parts)

    def words(self, others: Sequence[Comparable]) -> str:
        """Returns the title of a ranking: what distinguishes it from others, and what its epsilons mean."""
        parts = self.apart(others)
        if not self.released:
            return "; ".join([*parts, "nothing is released"])
        if self.promised is None:
            return "; ".join([*parts, "no privacy is claimed"])
        asked = f" {self.nominal}" if self.nominal not in ("", "nan") else ""
        weak = f", {WEAK[self.claim]}," if self.claim in WEAK else ""
        return "; ".join([*parts, f"epsilon{asked}{weak} for {self.promised.words()}"])


def _plain(value: str) -> str:
    """Returns a value of Python for people: words without quotes, whole numbers without a point."""
    return value.removesuffix(".0") if value.strip(QUOTE) == value else value.strip(QUOTE)


def names_of(keys: Sequence[Comparable]) -> list[str]:
    """Returns a name for each of several rankings, no two of which are equal."""
    names = [key.name(keys) for key in keys]
    return [name if name and names.count(name) == 1 else " ".join(filter(None, (name, f"ranking {place}")))
            for place, name in enumerate(names, 1)]


def comparable(setting: Setting, budget: Budget) -> Comparable:
    """Returns what other settings must share with this one. Values on different tasks cannot be compared, so no method
    may choose among them. A split for each seed is no other task."""
    run = setting.first
    task = {name: repr(value) for name, value in setting.values.items()
            if is_of_task(name) or name in setting.conditions}
    task["clients"] = str(run.attributes["clients"])
    claim = (run.claim_word, f"{run.attributes['epsilon_nominal']:g}") if budget.epsilon is None else ()
    return Comparable(tuple(sorted(task.items())), setting.data, guarantees.guarantee_of(run), run.released, *claim,
                      strict=bool(setting.values.get(STRICT, False)))


def chosen_metric(sweeps: Sequence[Sweep], budget: Budget, metric: str) -> str:
    """Returns the metric of the target, or `metric`, or for "auto" the one that tables of the sweeps choose."""
    if budget.target is not None:
        return budget.target.metric
    if metric == "auto":
        return choose_metric([each for sweep in sweeps for each in combinations(sweep)])
    if metric not in COMPARED:
        raise RunFileError(f"'{metric}' is not a metric; use one of auto, {', '.join(COMPARED)}.")
    return metric


def check_scores(runs: Sequence[Run], metric: str) -> None:
    """Refuses to rank clients' own scores as accuracies where they are errors."""
    if metric == PERSONAL and any(len(run.evaluated("test_error")) for run in runs):
        raise RunFileError(f"'{PERSONAL}' is an error where targets are real, and is compared only where it is an "
                           "accuracy; use test_error.")


def settings_of(sweeps: Sequence[Sweep], budget: Budget, metric: str, by: str | None = None) -> list[Setting]:
    """Returns all settings of all sweeps. A setting in several sweeps has the seeds of all. Runs on different numbers
    of ranks are different settings, because of their times. With `by`, the path of a setting, a method with each value
    of it competes on its own. Raises RunFileError if no run has it."""
    runs = [(run, sweep) for sweep in sweeps for run in sweep.runs.values()]
    if by is not None and not any(by in typed_settings(run) for run, _ in runs):
        axes = dict.fromkeys(axis for sweep in sweeps for axis in sweep.axes if axis not in ("method", "seed"))
        raise RunFileError(f"--by {by}: no run has this setting; the axes are "
                           f"{', '.join(axes) or 'method and seed only'}.")
    modes = {run.attributes["mode"] for run, _ in runs}
    found: dict[tuple, Setting] = {}
    chosen = [{name: value for name, value in typed_settings(run).items()
               if not name.startswith(NO_CHOICE) and name not in UNTOLD or name == "privacy.epsilon"}
              for run, _ in runs]
    chosen = without_splits([run for run, _ in runs], chosen)
    shared = tuple(name for name in conditions([(str(run.attributes["method"]), values)
                                                for (run, _), values in zip(runs, chosen)]) if name != by)
    for (run, sweep), values in zip(runs, settled([run for run, _ in runs], chosen)):
        values["ranks"] = run.attributes["ranks"]
        method = str(run.attributes["method"]) + (f" ({run.attributes['mode']})" if len(modes) > 1 else "")
        if by is not None and by in values:
            method += f", {as_word(values[by])}"
        data = data_of(run, values)
        key = (method, data, run.attributes["clients"], repr(sorted(values.items())))
        found.setdefault(key, Setting(method, values, sweep.axes, data, shared)).add(run, standing(run, metric, budget))
    return list(found.values())


def groups_of(settings: Sequence[Setting], budget: Budget) -> dict[Comparable, list[Setting]]:
    """Returns the settings by what they must share. Those that compete in other groups too (Comparable.competes_in)
    have none of their own."""
    groups: dict[Comparable, list[Setting]] = {}
    for setting in settings:
        groups.setdefault(comparable(setting, budget), []).append(setting)
    for key in [key for key in groups if not key.released]:
        hosts = [other for other in groups if other != key and key.competes_in(other, budget)
                 and any(setting.found for setting in groups[other])]
        for other in hosts:
            groups[other] += groups[key]
        if hosts:
            del groups[key]
    return groups


def skipped(settings: Sequence[Setting]) -> list[str]:
    """Returns one sentence for every reason why runs of a method cannot be compared, with the numbers of the first."""
    found: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        for why in setting.why_not.values():
            found.setdefault((setting.method, guarantees.NUMBER.sub("#", why)), []).append(why)
    runs = {method: sum(len(setting.runs) for setting in settings if setting.method == method) for method, _ in found}
    return [f"{method}: {len(whys)} of {runs[method]} runs: {whys[0]}" for (method, _), whys in found.items()]


def lost(sweeps: Sequence[Sweep]) -> list[str]:
    """Returns one sentence for every method with cells that diverged before their end, so that no file has their
    results."""
    cells = Counter(method for sweep in sweeps
                    for method in sweep.table.loc[sweep.table["diverged"] & (sweep.table["state"] != "done"), "method"])
    return [f"{method}: {count} cell{'s' if count > 1 else ''} diverged before the end"
            for method, count in cells.items()]


def passed_over(settings: Sequence[Setting], sweeps: Sequence[Sweep]) -> list[str]:
    """Returns a sentence for each folder skipped because an earlier one holds the same runs."""
    names = {sweep.folder.absolute(): sweep.folder for sweep in sweeps}
    counts = Counter(tuple(printable(str(names.get(folder, folder))) for folder in folders)
                     for setting in settings for folders in setting.passed_over)
    return [f"{count} run{'s' if count > 1 else ''} of {other}: passed over for those of the same settings in {taken}, "
            "which was named first" for (other, taken), count in counts.items()]
