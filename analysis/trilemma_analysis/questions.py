"""Which method is best within a budget: the runs of every setting, what can be compared, and the order of methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import terms
from .budgets import COMPARED, PERSONAL, Budget, Standing, standing
from .clock_rounds import settled
from .combinations import choose_metric, combinations
from .groups import UNTOLD, typed_settings
from .labels import as_word
from .origins import data_of
from .reader import Run, RunFileError
from .sweep import Sweep
from .words import cut

# Settings that say what is learnt from which data: values on different tasks cannot be compared, so that no method may
# choose among them.
TASK = ("data.", "partition.", "problem.", "start.")
# Settings that others follow from (rounds), that have no effect on a result, or that say how it is looked at.
NO_CHOICE = ("budget.", "evaluate.", "timing.", "checkpoint.", "watchdog.", "debug.")


@dataclass(frozen=True)
class Setting:
    """One setting of one method: its runs, and where they stand or why they cannot be compared, by seed."""

    method: str
    values: dict[str, Any]
    axes: tuple[str, ...]
    runs: dict[int, Run] = field(default_factory=dict)
    found: dict[int, Standing] = field(default_factory=dict)
    why_not: dict[int, str] = field(default_factory=dict)

    @property
    def first(self) -> Run:
        """The run that stands for what all seeds share."""
        return next(iter(self.runs.values()))


@dataclass(frozen=True)
class Comparable:
    """What runs must share to be compared: the task, and what their epsilons mean. Without a budget of epsilon, which
    makes all epsilons the same, also the nominal one and the kind of the claim."""

    task: tuple[tuple[str, str], ...]
    data: str
    promised: terms.Terms | None
    released: bool
    claim: str = ""
    nominal: str = ""

    def words(self, others: Sequence[Comparable]) -> str:
        """The title of a ranking: how its task differs from those of others, and what its epsilons mean."""
        names = [name for name, value in self.task if any(dict(other.task).get(name) != value for other in others)]
        parts = [f"{name} = {dict(self.task)[name]}" for name in names]
        if not names and any(other.data != self.data for other in others):
            parts.append(cut(f"data {self.data}"))
        if not self.released:
            return "; ".join([*parts, "nothing is released"])
        if self.promised is None:
            return "; ".join([*parts, "no privacy is claimed"])
        asked = f" {self.nominal}" if self.nominal not in ("", "nan") else ""
        weak = {"NO": ", not a private run,", "nominal only": ", nominal only,"}.get(self.claim, "")
        return "; ".join([*parts, f"epsilon{asked}{weak} for {self.promised.words()}"])


def comparable(run: Run, budget: Budget) -> Comparable:
    """What other runs must share with this one."""
    task = {name: repr(value) for name, value in typed_settings(run).items()
            if name.startswith(TASK) and name not in UNTOLD} | {"clients": str(run.attributes["clients"])}
    claim = (run.claim_word, f"{run.attributes['epsilon_nominal']:g}") if budget.epsilon is None else ()
    return Comparable(tuple(sorted(task.items())), data_of(run), terms.terms_of(run), run.released, *claim)


def chosen_metric(sweeps: Sequence[Sweep], budget: Budget, metric: str) -> str:
    """The metric of the target, or that was asked for, or with "auto" the one that tables of the sweeps choose."""
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
    """All settings of all sweeps; one that is in several of them has the seeds of all. Runs on different numbers of
    ranks are different settings, for the sake of their times. Of repetitions the first counts. With `by`, the path of a
    setting, a method with each value of it competes as one of its own. Raises RunFileError where no run has it."""
    runs = [(run, sweep) for sweep in sweeps for run in sweep.runs.values()]
    if by is not None and not any(by in typed_settings(run) for run, _ in runs):
        axes = dict.fromkeys(axis for sweep in sweeps for axis in sweep.axes if axis not in ("method", "seed"))
        raise RunFileError(f"--by {by}: no run has this setting; the axes are {', '.join(axes) or 'method and seed only'}.")
    modes = {run.attributes["mode"] for run, _ in runs}
    found: dict[tuple, Setting] = {}
    chosen = [{name: value for name, value in typed_settings(run).items()
               if not name.startswith(NO_CHOICE) and name not in UNTOLD or name == "privacy.epsilon"}
              for run, _ in runs]
    for (run, sweep), values in zip(runs, settled([run for run, _ in runs], chosen)):
        values["ranks"] = run.attributes["ranks"]
        method = str(run.attributes["method"]) + (f" ({run.attributes['mode']})" if len(modes) > 1 else "")
        if by is not None and by in values:
            method += f", {as_word(values[by])}"
        key = (method, data_of(run), run.attributes["clients"], repr(sorted(values.items())))
        setting = found.setdefault(key, Setting(method, values, sweep.axes))
        seed = run.attributes["seed"]
        if seed not in setting.runs:
            setting.runs[seed] = run
            stands = standing(run, metric, budget)
            (setting.why_not if isinstance(stands, str) else setting.found)[seed] = stands
    return list(found.values())


def groups_of(settings: Sequence[Setting], budget: Budget) -> dict[Comparable, list[Setting]]:
    """The settings by what they must share. With a budget of epsilon, training that releases nothing competes with
    every kind of epsilon: it has spent none."""
    groups: dict[Comparable, list[Setting]] = {}
    for setting in settings:
        groups.setdefault(comparable(setting.first, budget), []).append(setting)
    if budget.epsilon is None:
        return groups
    local = [key for key in groups if not key.released]
    for key in local:
        hosts = [other for other in groups if other.released and (other.task, other.data) == (key.task, key.data)
                 and any(setting.found for setting in groups[other])]
        for other in hosts:
            groups[other] += groups[key]
        if hosts:
            del groups[key]
    return groups


def left_out(settings: Sequence[Setting]) -> list[str]:
    """One sentence for every reason why runs of a method cannot be compared; its numbers are those of the first."""
    found: dict[tuple[str, str], list[str]] = {}
    for setting in settings:
        for why in setting.why_not.values():
            found.setdefault((setting.method, terms.NUMBER.sub("#", why)), []).append(why)
    runs = {method: sum(len(setting.runs) for setting in settings if setting.method == method) for method, _ in found}
    return [f"{method}: {len(whys)} of {runs[method]} runs: {whys[0]}" for (method, _), whys in found.items()]
