"""What a report is about: the runs of one or several sweeps, their settings, and the answer to its question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut
from ..model.budgets import Budget
from ..model.evidence import evidence_of
from ..model.labels import EPSILON, as_word, describe, rank, telling
from ..model.metrics import COMPARED, METRICS, PERSONAL
from ..model.phases import by_kind
from ..model.states import State, state_of
from ..model.sweep import Sweep
from ..stats.questions import Comparable, Setting, chosen_metric, comparable, names_of, settings_of
from ..stats.rankings import Answer, answer
from .headline import at_least_upload

RANGES = {"any": Budget(), "epsilon": Budget(epsilon=1.0)}  # without and with a limit on epsilon


@dataclass(frozen=True)
class Member:
    """A run of the report; `setting` is the place of its setting, and `ranked` says that no other run stands for it.
    `mark` is the beginning of its fingerprint, `kinds` has the seconds of all rounds by kinds of phases."""

    run: Run
    mark: str
    setting: int
    ranked: bool
    kinds: dict[str, float]

    @cached_property
    def state(self) -> State:
        """Returns whether the run is complete, and whether it diverged."""
        return state_of(self.run)

    @property
    def timed(self) -> bool:
        """Returns whether the times of the run are evidence about its method."""
        return evidence_of(self.run).is_evidence


@dataclass(frozen=True)
class Content:
    """All that a report shows. `given` has the places of the settings in the order of their runs, `names` a short name
    for each setting. `answer` is None where no run can be compared, and `reason` says why. `level` answers the same
    question within the smallest upload of a method; it is None where uploads are equal or the question limits them."""

    sweeps: tuple[Sweep, ...]
    budget: Budget
    metric: str
    tuning: tuple[int, ...]
    settings: tuple[Setting, ...]
    given: tuple[int, ...]
    names: tuple[str, ...]
    members: tuple[Member, ...]
    answer: Answer | None
    level: Answer | None
    reason: str

    @property
    def title(self) -> str:
        """Returns the names of the sweeps."""
        return cut(" + ".join(dict.fromkeys(sweep.name for sweep in self.sweeps)), 200)

    @cached_property
    def methods(self) -> list[str]:
        """Returns all methods, in the order of figures."""
        return list(dict.fromkeys(setting.method for setting in self.settings))

    @cached_property
    def metrics(self) -> list[str]:
        """Returns the metrics of which any run has a value, in the order of METRICS."""
        names = [name for name in (*METRICS, *COMPARED) if any(len(each.run.evaluated(name)) for each in self.members)]
        errors = any(len(each.run.evaluated("test_error")) for each in self.members)
        return [name for name in dict.fromkeys(names) if name != PERSONAL or not errors]

    @cached_property
    def kinds(self) -> dict[str, list[Comparable]]:
        """Returns what each setting must share with those it is compared with, by the names of RANGES."""
        return {name: [comparable(setting, budget) for setting in self.settings] for name, budget in RANGES.items()}

    @cached_property
    def groups(self) -> dict[str, list[Comparable]]:
        """Returns the different `kinds` in the order of rankings."""
        return {name: sorted(dict.fromkeys(found[place] for place in self.given), key=lambda key: key.place)
                for name, found in self.kinds.items()}

    def names_in(self, found: Answer) -> list[str]:
        """Returns the names of the rankings of an answer. They tell a ranking from all `groups`, so that it has the
        same name within every budget."""
        groups = self.groups["any" if found.budget.epsilon is None else "epsilon"]
        names = dict(zip(groups, names_of(groups)))
        return [names[ranking.shared] for ranking in found.rankings]

    def place(self, setting: Setting) -> int:
        """Returns the place of a setting, which is an object of `answer` or of `settings`."""
        return self._places[_key(setting)]

    @cached_property
    def _places(self) -> dict[tuple, int]:
        """Returns the places of all settings by their keys."""
        return {_key(each): place for place, each in enumerate(self.settings)}

    @cached_property
    def keys(self) -> dict[str, list[str]]:
        """Returns the settings in which those of each method differ."""
        return {method: told([each for each in self.settings if each.method == method]) for method in self.methods}


def collect(sweeps: Sequence[Sweep], budget: Budget, metric: str = "auto", tuning: Sequence[int] = (),
            by: str | None = None) -> Content:
    """Returns the content of a report on the sweeps. The other arguments are those of `stats.rankings.answer`. Raises
    RunFileError if no cell is done."""
    runs = [run for sweep in sweeps for run in sweep.runs.values()]
    if not runs:
        raise RunFileError(f"{', '.join(str(sweep.folder) for sweep in sweeps)}: no cell is done, so there is nothing "
                           "to report; run the sweep first.")
    metric = chosen_metric(sweeps, budget, metric)
    given = settings_of(sweeps, Budget(), metric, by)
    settings = sorted(given, key=_order)
    places = {id(setting): place for place, setting in enumerate(settings)}
    try:
        found, reason = answer(sweeps, budget, metric, tuning, by), ""
    except RunFileError as error:
        found, reason = None, str(error)
    return Content(tuple(sweeps), budget, metric, tuple(tuning), tuple(settings),
                   tuple(places[id(each)] for each in given), tuple(_names(settings)),
                   tuple(_members(sweeps, settings, metric, by)), found,
                   at_least_upload(sweeps, found) if found else None, reason)


def _members(sweeps: Sequence[Sweep], settings: Sequence[Setting], metric: str, by: str | None) -> list[Member]:
    """Returns every run of the sweeps with its setting. A run whose seed another run represents is looked up alone."""
    taken = {id(run): place for place, setting in enumerate(settings) for run in setting.runs.values()}
    places = {_key(setting): place for place, setting in enumerate(settings)}
    found = []
    for sweep in sweeps:
        rows = sweep.table.set_index("index")
        for index, run in sweep.runs.items():
            place = taken.get(id(run))
            if place is None:
                (alone,) = settings_of([_with(sweep, {index: run})], Budget(), metric, by)
                place = places.get(_key(alone), -1)
            found.append(Member(run, str(rows.loc[index, "hash"]), place, id(run) in taken, by_kind(rows.loc[index])))
    return sorted(found, key=lambda each: (each.setting, each.run.attributes["seed"], str(each.run.path)))


def _with(sweep: Sweep, runs: dict[int, Run]) -> Sweep:
    """Returns the sweep with only the runs `runs`."""
    return Sweep(sweep.folder, sweep.name, sweep.experiment, sweep.axes, sweep.table, runs, (), sweep.tuning)


def _key(setting: Setting) -> tuple:
    """Returns what identifies a setting."""
    return setting.method, setting.data, setting.first.attributes["clients"], repr(sorted(setting.values.items()))


def _order(setting: Setting) -> tuple:
    """Returns the sort key of settings in legends: the method, then the values of the axes."""
    values = [setting.values.get(axis) for axis in setting.axes if axis not in ("method", "seed")]
    return rank(setting.first.attributes["method"]), setting.method, [rank(_plain(value)) for value in values]


def _plain(value: Any) -> Any:
    """Returns a value that can be ordered."""
    return str(value) if isinstance(value, list) else value


def _names(settings: Sequence[Setting]) -> list[str]:
    """Returns the method of each setting, with what distinguishes the setting from others of its method."""
    found = []
    rivals = {method: told([each for each in settings if each.method == method])
              for method in {each.method for each in settings}}
    for setting in settings:
        keys = rivals[setting.method]
        words = [describe(key, setting.values.get(key), keys, "no ε") for key in keys if key in setting.values]
        found.append(cut(", ".join([setting.method, *words]), 120))
    return found


def told(rivals: Sequence[Setting]) -> list[str]:
    """Returns the settings in which rivals differ: epsilon first, then axes of the sweep."""
    names = list(dict.fromkeys((EPSILON, *(name for each in rivals for name in each.axes),
                                *(name for each in rivals for name in each.values))))
    names = [name for name in names if name not in ("method", "seed") and any(name in each.values for each in rivals)]
    return telling(names, [tuple(each.values.get(name) for name in names) for each in rivals])


def words(setting: Setting, keys: Sequence[str]) -> dict[str, str]:
    """Returns the values of those `keys` that the setting has, for people."""
    return {key: as_word(setting.values[key]) for key in keys if key in setting.values}
