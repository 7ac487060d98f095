"""Runs that differ only in their seed become one group."""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..io.errors import RunFileError
from ..io.forms import epsilon as epsilon_form
from ..io.run_file import Run
from ..io.words import cut, printable
from .clock_rounds import settled

# What makes runs repetitions of each other. Method first: it is always part of the label.
KEYS = ("method", "mode", "name", "epsilon_nominal", "compressor", "clients", "ranks")
# Settings that those attributes stand for already, or that repetitions may differ in.
UNTOLD = ("seed", "method", "mode", "name", "clients", "privacy.epsilon", "start.file", "server_hosts", "hosting")
UNTOLD_TABLES = ("checkpoint.", "watchdog.")  # of whoever started the run, as a batch job or by hand
MOST_TOLD = 3  # settings in a label
# What is learnt from which data.
TASK_TABLES = ("data.", "partition.", "problem.", "start.")


@dataclass(frozen=True)
class Group:
    """Runs of the same method and settings, one a seed."""

    label: str
    runs: tuple[Run, ...]
    full: str = ""  # the label with all settings that tell the group from others of its method

    @property
    def first(self) -> Run:
        """The run that stands for what all runs of the group share."""
        return self.runs[0]

    @property
    def method(self) -> str:
        """The method that all runs of the group use."""
        return self.first.attributes["method"]

    @property
    def compressed(self) -> bool:
        """Whether the clients send compressed messages."""
        return self.first.compressed


def group_runs(runs: Sequence[Run]) -> list[Group]:
    """Groups runs in the order of their first appearance; a label names the method and what else tells apart.

    Runs are repetitions if all settings but the seed, seeds in step with it (without_splits) and those of who started them agree, the numbers of ranks agree,
    and both or neither are complete; a seed counts once. Of many telling settings the label has MOST_TOLD, `full` all.
    """
    members: dict[tuple, dict[int, Run]] = {}
    chosen_of = without_splits(runs, [settings(run.config) for run in runs])
    for run, chosen in zip(runs, settled(runs, chosen_of)):
        key = (*(str(run.attributes[key]) for key in KEYS), *sorted(chosen.items()), run.complete)
        seeds = members.setdefault(key, {})
        if seeds.setdefault(run.attributes["seed"], run) is not run:
            print(f"note: {printable(str(run.path))} repeats seed {run.attributes['seed']} of another file; counted "
                  "once", file=sys.stderr)
    groups = []
    for key, found in members.items():
        rivals = [other for other in members if other[0] == key[0]]
        extra = _telling(key, rivals, tuple(found.values()))
        extra += ["incomplete"] if not key[-1] and any(other[-1] for other in rivals) else []
        name, words = cut(key[0]), list(dict.fromkeys(extra))
        groups.append(Group(_label(name, shortened(words)), tuple(found.values()), _label(name, words)))
    return groups


def shortened(words: Sequence[str]) -> list[str]:
    """The first MOST_TOLD words, and how many more there are."""
    more = len(words) - MOST_TOLD
    return [*words[:MOST_TOLD], f"+ {more} more"] if more > 0 else list(words)


def _label(name: str, words: Sequence[str]) -> str:
    """A name, the words in brackets behind it."""
    return f"{name} ({', '.join(words)})" if words else name


def spent(runs: Sequence[Run]) -> float:
    """The largest accounted epsilon of runs, which must not promise more than the weakest of them; NaN where there is
    not one for each."""
    found = [float(run.attributes["epsilon_accounted"]) for run in runs]
    return math.nan if not found or any(map(math.isnan, found)) else max(found)


def spent_word(epsilon: float, asked: Collection[str] = ()) -> str:
    """For a label: the accounted epsilon of runs that were asked for none, as with a given sigma, or that there is
    none. `asked` are words for the epsilons that others were asked for."""
    if not 0 < epsilon < math.inf:
        return "no ε"
    word = f"ε = {epsilon_form(epsilon)}"
    return f"{word} accounted" if word in asked else word


def _telling(key: tuple, rivals: Sequence[tuple], runs: Sequence[Run]) -> list[str]:
    """What tells a group of runs from the others of its method; what follows from the words before it is skipped."""
    values = [{**dict(zip(KEYS, other)), **dict(other[len(KEYS):-1])} for other in rivals]
    own = {**dict(zip(KEYS, key)), **dict(key[len(KEYS):-1])}
    told: list[str] = []
    parts = 1
    for name in dict.fromkeys(name for known in values for name in known):
        count = len({tuple(known.get(other) for other in (*told, name)) for known in values})
        if count > parts:
            told, parts = [*told, name], count
    asked = {_describe("epsilon_nominal", known["epsilon_nominal"]) for known in values}
    return [spent_word(spent(runs), asked) if (name, own[name]) == ("epsilon_nominal", "nan") else
            _describe(name, own[name]) for name in told if name in own]


def task_but_seeds(run: Run) -> tuple:
    """What is learnt from which data by how many clients, whatever the seeds are."""
    task = sorted((name, value) for name, value in all_settings(run.config).items()
                  if name.startswith(TASK_TABLES) and not name.endswith(".seed"))
    return run.environment.get("data_files", ""), run.attributes["clients"], tuple(task)


def what_differs(runs: Sequence[Run]) -> list[str]:
    """What tells the tasks of runs apart, seeds aside: names of settings with their values, "clients" and "the data
    files"; empty where all runs learn the same.

    >>> what_differs(runs)  # doctest: +SKIP
    ['partition.kind ("iid", "sorted")']
    """
    found = []
    tasks = [task_but_seeds(run) for run in runs]
    if len({files for files, _, _ in tasks}) > 1:
        found.append("the data files")
    named = [{"clients": clients, **dict(task)} for _, clients, task in tasks]
    for name in dict.fromkeys(name for values in named for name in values):
        values = dict.fromkeys(str(each.get(name, "none")) for each in named)
        if len(values) > 1:
            found.append(f"{name} ({', '.join(values)})")
    return found


def without_splits(runs: Sequence[Run], settings_of: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings of the runs without those seeds that go in step with `seed` in all runs of a task: `data.seed`, where
    every seed has a partition and a split of its own. Such runs repeat one setting on one task."""
    tasks: dict[tuple, list[int]] = {}
    configs = [all_settings(run.config) for run in runs]
    for place, run in enumerate(runs):
        tasks.setdefault(task_but_seeds(run), []).append(place)
    found = [dict(each) for each in settings_of]
    for places in tasks.values():
        for name in {name for place in places for name in configs[place] if name.endswith(".seed")}:
            pairs = {(runs[place].attributes["seed"], configs[place].get(name)) for place in places}
            seeds, values = zip(*pairs)
            if len(pairs) > 1 and len(set(seeds)) == len(set(values)) == len(pairs):
                for place in places:
                    found[place].pop(name, None)
    return found


def settings(config: str) -> dict[str, str]:
    """Dotted keys and values of a resolved configuration without UNTOLD ones."""
    return {key: value for key, value in all_settings(config).items()
            if key not in UNTOLD and not key.startswith(UNTOLD_TABLES)}


def all_settings(config: str) -> dict[str, str]:
    """Dotted keys and values of a resolved configuration (one `key = value` a line)."""
    table, found = "", {}
    for line in config.splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif " = " in line and not line.startswith("#"):
            key, value = line.split(" = ", 1)
            found[printable(table + key)] = printable(value)
    return found


def text_setting(run: Run, key: str, default: str = "") -> str:
    """A setting of a run that is text; `default` where its configuration does not have the key."""
    return all_settings(run.config).get(key, default).strip("'\"")


def without_table(config: str, name: str) -> str:
    """A resolved configuration without one of its tables."""
    kept, table = [], ""
    for line in config.splitlines():
        if line.startswith("["):
            table = line.strip("[]")
        if table != name:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def typed_settings(run: Run) -> dict[str, Any]:
    """Dotted keys of a run's configuration, and their values as numbers, texts, flags and lists."""
    found: dict[str, Any] = {}

    def take(table: dict[str, Any], start: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                take(value, start + key + ".")
            else:
                found[start + key] = value

    try:
        take(tomllib.loads(run.config), "")
    except (ValueError, RecursionError):
        raise RunFileError(f"{run.path}: /config is not TOML, so the file is damaged; repeat the run.") from None
    return found


def _describe(key: str, value: str) -> str:
    """A setting in a label: `key = value`, or the value alone for attributes that need no name."""
    known = {"epsilon_nominal": "ε = ", "clients": "n = ", "ranks": "ranks = "}
    prefix = known.get(key, "" if key in KEYS else f"{key} = ")
    return cut(f"{prefix}{plain_number(value)}")


def plain_number(text: str) -> str:
    """The text of a setting, a number with a point in the form that axes have.

    >>> plain_number("3.0"), plain_number("10000000000.0"), plain_number("rand-k"), plain_number("20000000")
    ('3', '1e+10', 'rand-k', '20000000')
    """
    try:
        return text if text.isdigit() else f"{float(text):g}"
    except ValueError:
        return text
