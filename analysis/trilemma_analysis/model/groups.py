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
        """Returns the run that represents what all runs of the group share."""
        return self.runs[0]

    @property
    def method(self) -> str:
        """Returns the method that all runs of the group use."""
        return self.first.attributes["method"]

    @property
    def compressed(self) -> bool:
        """Returns whether the clients send compressed messages."""
        return self.first.compressed


def group_runs(runs: Sequence[Run]) -> list[Group]:
    """Returns the groups of runs in the order of their first appearance. A label has the method and what else
    distinguishes the group. Runs are repetitions if these agree: all settings except the seed, seeds in step with it
    (without_splits) and UNTOLD ones, the number of ranks, and whether they are complete. A seed counts once. A label
    has at most MOST_TOLD settings, `full` has all."""
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
    """Returns the first MOST_TOLD words, and the number of the others."""
    more = len(words) - MOST_TOLD
    return [*words[:MOST_TOLD], f"+ {more} more"] if more > 0 else list(words)


def _label(name: str, words: Sequence[str]) -> str:
    """Returns a name followed by the words in brackets."""
    return f"{name} ({', '.join(words)})" if words else name


def spent(runs: Sequence[Run]) -> float:
    """Returns the largest accounted epsilon of runs, which must not promise more than their weakest; NaN if any run has
    none."""
    found = [float(run.attributes["epsilon_accounted"]) for run in runs]
    return math.nan if not found or any(map(math.isnan, found)) else max(found)


def spent_word(epsilon: float, asked: Collection[str] = ()) -> str:
    """Returns for a label the accounted epsilon of runs that requested none, as with a given sigma, or that there is
    none. `asked` are words for the epsilons that others requested."""
    if not 0 < epsilon < math.inf:
        return "no ε"
    word = f"ε = {epsilon_form(epsilon)}"
    return f"{word} accounted" if word in asked else word


def _telling(key: tuple, rivals: Sequence[tuple], runs: Sequence[Run]) -> list[str]:
    """Returns what distinguishes a group of runs from the others of its method. Words that follow from earlier ones are
    skipped."""
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
    """Returns what is learnt, from which data and by how many clients, without seeds."""
    task = sorted((name, value) for name, value in all_settings(run.config).items()
                  if name.startswith(TASK_TABLES) and not name.endswith(".seed"))
    return run.environment.get("data_files", ""), run.attributes["clients"], tuple(task)


def what_differs(runs: Sequence[Run]) -> list[str]:
    """Returns what distinguishes the tasks of runs, without seeds: names of settings with their values, "clients" and
    "the data files"; empty if all runs learn the same.

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
    """Returns the settings of the runs without seeds that go in step with `seed` in all runs of a task, such as
    `data.seed` if every seed has its own partition and split. Such runs repeat one setting on one task."""
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
    """Returns dotted keys and values of a resolved configuration, without UNTOLD ones."""
    return {key: value for key, value in all_settings(config).items()
            if key not in UNTOLD and not key.startswith(UNTOLD_TABLES)}


def all_settings(config: str) -> dict[str, str]:
    """Returns dotted keys and values of a resolved configuration (one `key = value` a line)."""
    table, found = "", {}
    for line in config.splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif " = " in line and not line.startswith("#"):
            key, value = line.split(" = ", 1)
            found[printable(table + key)] = printable(value)
    return found


def text_setting(run: Run, key: str, default: str = "") -> str:
    """Returns a setting that is text; `default` if the configuration does not have the key."""
    return all_settings(run.config).get(key, default).strip("'\"")


def without_table(config: str, name: str) -> str:
    """Returns a resolved configuration without the table `name`."""
    kept, table = [], ""
    for line in config.splitlines():
        if line.startswith("["):
            table = line.strip("[]")
        if table != name:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def typed_settings(run: Run) -> dict[str, Any]:
    """Returns dotted keys of a run's configuration with values as numbers, texts, flags and lists."""
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
    """Returns a setting for a label: `key = value`, or only the value for settings that need no name."""
    known = {"epsilon_nominal": "ε = ", "clients": "n = ", "ranks": "ranks = "}
    prefix = known.get(key, "" if key in KEYS else f"{key} = ")
    return cut(f"{prefix}{plain_number(value)}")


def plain_number(text: str) -> str:
    """Returns the text of a setting; a number with a point gets the form that axes have.

    >>> plain_number("3.0"), plain_number("10000000000.0"), plain_number("rand-k"), plain_number("20000000")
    ('3', '1e+10', 'rand-k', '20000000')
    """
    try:
        return text if text.isdigit() else f"{float(text):g}"
    except ValueError:
        return text
