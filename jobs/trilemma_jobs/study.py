"""The file of a scaling study: its keys, its points (series, ranks, settings) and their order. See docs/reference/studies.md."""
from __future__ import annotations

import difflib
import hashlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .idle import is_uneven
from .plan import start, words_of
from .values import UserError, settings_of

KEYS = {"name": str, "experiment": str, "ranks": list, "repetitions": int, "warm_up": int, "order_seed": int,
        "set": dict, "axes": dict, "series": list}
SERIES_KEYS = {"name": str, "kind": str, "clients_per_rank": int, "set": dict}
KINDS = ("strong", "weak")
WORDS = {str: "a text", list: "a list", int: "a whole number", dict: "a table"}
# What a run for times needs, unless the study says otherwise: waiting is a phase of its own, and nothing but rounds.
FOR_TIMES = {"timing.separate_wait": True, "evaluate.every": 0, "checkpoint.seconds": 0}


@dataclass
class Point:
    """What is repeated: a number of ranks of a series with one value of every axis."""
    series: str
    ranks: int
    values: dict
    settings: dict
    hash: str = ""


@dataclass
class Study:
    """A study file with its defaults; settings as dotted keys."""
    path: str
    name: str
    experiment: str
    ranks: list
    repetitions: int
    warm_up: int
    order_seed: int
    fixed: dict
    axes: dict
    series: list
    points: list = field(default_factory=list)
    placements: dict = field(default_factory=dict)  # by ranks

    def manifest(self) -> dict:
        """The content of study.json."""
        return {"schema": "trilemma-study", "schema_version": 1, "name": self.name, "experiment": self.experiment,
                "warm_up": self.warm_up, "repetitions": self.repetitions, "order_seed": self.order_seed,
                "set": self.fixed, "axes": self.axes, "series": self.series,
                "runs": [{"order": i, "series": point.series, "ranks": point.ranks, "repetition": repetition,
                          "values": point.values, "settings": point.settings, "hash": point.hash,
                          "file": file_of(point, repetition), "placement": self.placements[point.ranks].manifest()}
                         for i, (point, repetition) in enumerate(self.order())]}

    def order(self) -> list:
        """Every point once in each repetition, in an order of its own that `order_seed` fixes: what drifts with time
        meets all points alike, and the runs of one repetition are neighbours in time."""
        found = []
        for repetition in range(1, self.repetitions + 1):
            block = list(self.points)
            random.Random(f"{self.order_seed} {repetition}").shuffle(block)
            found += [(point, repetition) for point in block]
        return found


def file_of(point: Point, repetition: int) -> str:
    """Name of the run file."""
    return f"{point.hash}-r{repetition}.h5"


def read(path: str, ranks: list | None, repetitions: int | None, overrides: list) -> Study:
    """A study from its file; `ranks`, `repetitions` and `overrides` (KEY=VALUE) are those of the command line."""
    given = parsed(path)
    check_keys(path, "", given, KEYS)
    if "experiment" not in given:
        raise UserError(f"{path}: experiment is missing; name the experiment file that is to be timed.")
    series = [one_series(path, entry) for entry in given.get("series", [{"kind": "strong"}])]
    names = [each["name"] for each in series]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"{path}: two series are called '{twice}'; give one of them another name.")
    study = Study(path, given.get("name", Path(path).stem), experiment_of(path, given["experiment"]),
                  ranks or given.get("ranks", []), repetitions or given.get("repetitions", 10), given.get("warm_up", 5),
                  given.get("order_seed", 1), flat(given.get("set", {})), flat(given.get("axes", {})), series)
    study.fixed.update(dict(setting.split("=", 1) for setting in overrides))
    check(study)
    study.points = points_of(study)
    return study


def parsed(path: str) -> dict:
    """The file's TOML."""
    try:
        import tomllib
    except ImportError:
        raise UserError(f"a study is read by tomllib, which Python has from 3.11 on, and this is {sys.version_info[0]}."
                        f"{sys.version_info[1]}; start jobs/submit by a newer one.") from None
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not TOML ({str(error).rstrip('.')}); fix the file.") from None


def check_keys(path: str, table: str, given: dict, known: dict) -> None:
    """Refuses unknown keys with the nearest known one, and values of the wrong kind."""
    for key, value in given.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            raise UserError(f"{path}: {table}{key}: unknown key; " + (f'did you mean "{table}{near[0]}"?' if near else
                                                                      f"expected {', '.join(known)}."))
        if not isinstance(value, known[key]) or isinstance(value, bool):
            raise UserError(f"{path}: {table}{key} = {json.dumps(value, default=str)}: expected {WORDS[known[key]]}.")


def one_series(path: str, entry: dict) -> dict:
    """A checked entry of [[series]] with its defaults."""
    if not isinstance(entry, dict):
        raise UserError(f"{path}: series: expected tables, as in [[series]].")
    check_keys(path, "series.", entry, SERIES_KEYS)
    if "kind" not in entry:
        raise UserError(f"{path}: series.kind is missing; expected one of {', '.join(KINDS)}.")
    kind = entry["kind"]
    if kind not in KINDS:
        raise UserError(f"{path}: series.kind is '{kind}': expected one of {', '.join(KINDS)}.")
    if (kind == "weak") != ("clients_per_rank" in entry):
        raise UserError(f"{path}: series.clients_per_rank belongs to weak series, "
                        + ("and this one has none; say how many clients a rank has." if kind == "weak" else
                           "and this one is strong; leave it out, or set clients."))
    if entry.get("clients_per_rank", 1) < 1:
        raise UserError(f"{path}: series.clients_per_rank is {entry['clients_per_rank']}: expected 1 or more.")
    return {"name": entry.get("name", kind), "kind": kind, "clients_per_rank": entry.get("clients_per_rank"),
            "set": flat(entry.get("set", {}))}


def experiment_of(path: str, name: str) -> str:
    """The experiment relative to the study file, else to the working directory, as sweeps find theirs."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    found = beside if os.path.isfile(beside) else name
    if not os.path.isfile(found):
        raise UserError(f"{path}: experiment {name}: there is no {beside}; name it relative to the study.")
    return found


def flat(table: dict, before: str = "") -> dict:
    """Nested tables as dotted keys."""
    found = {}
    for key, value in table.items():
        found.update(flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value})
    return found


def check(study: Study) -> None:
    """Refuses numbers, axes and settings that make no study."""
    path = study.path
    if not study.ranks:
        raise UserError(f"{path}: ranks is missing or empty; name them there, as in ranks = [1, 2, 4], or by --ranks.")
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 1 for n in study.ranks) or \
            sorted(set(study.ranks)) != study.ranks:
        raise UserError(f"{path}: ranks = {json.dumps(study.ranks)}: expected rising whole numbers from 1 on, as in "
                        "[1, 2, 4].")
    for key, least in (("repetitions", 1), ("warm_up", 0)):
        if getattr(study, key) < least:
            raise UserError(f"{path}: {key} is {getattr(study, key)}: expected {least} or more.")
    if re.fullmatch(r"[^/%\\\x00-\x1f]+", study.name) is None:
        raise UserError(f"{path}: name = {json.dumps(study.name)}: a name without / % \\ and line breaks is needed.")
    for axis, values in study.axes.items():
        if not isinstance(values, list) or not values or len({str(value) for value in values}) < len(values):
            raise UserError(f"{path}: axes.{axis} = {json.dumps(values, default=str)}: expected a list of different "
                            "values.")
        if axis in study.fixed:
            raise UserError(f"{path}: {axis} is both an axis and a setting; remove one of the two.")
    for series in study.series:
        own = {**study.fixed, **study.axes, **series["set"]}
        if twice := next((key for key in series["set"] if key in study.axes), None):
            raise UserError(f"{path}: {twice} is both an axis and a setting of the series '{series['name']}'; "
                            "remove one of the two.")
        if series["kind"] == "weak" and "clients" in own:
            raise UserError(f"{path}: clients of the weak series '{series['name']}' are clients_per_rank times ranks; "
                            "do not set them.")
        rounds = str(own.get("rounds", ""))
        if rounds.isdecimal() and int(rounds) <= study.warm_up:
            raise UserError(f"{path}: warm_up = {study.warm_up} leaves nothing of rounds = {rounds}; run more rounds.")


def points_of(study: Study) -> list:
    """All points, without their hashes."""
    found = []
    for series in study.series:
        for ranks in study.ranks:
            for values in itertools.product(*study.axes.values()):
                chosen = dict(zip(study.axes, values))
                clients = {"clients": series["clients_per_rank"] * ranks} if series["kind"] == "weak" else {}
                found.append(Point(series["name"], ranks, chosen,
                                   {**FOR_TIMES, **study.fixed, **series["set"], **chosen, **clients}))
    return found


def name_points(study: Study, options) -> None:
    """Gives every point the hash of its resolved configuration, series, ranks and placement (and platform). The program
    refuses invalid settings."""
    data = ["--data-dir", options.data_dir] if options.data_dir else []
    simulated = []
    if options.platform:
        simulated = [Path(options.platform).read_text(encoding="utf-8"), str(options.compute_factor)]
    known: dict = {}
    uneven: set = set()
    for point in study.points:
        words = tuple(words_of(point.settings))
        if words not in known:
            known[words] = resolved(study, options, [*words, *data])
            check_resolved(study, known[words], bool(options.platform))
        if is_uneven(known[words], point.ranks):
            uneven.add(point.ranks)
        placed = study.placements[point.ranks].identity if options.backend != "local" else []
        text = "\n".join([point.series, str(point.ranks), known[words], *simulated, *placed])
        point.hash = hashlib.sha256(text.encode()).hexdigest()[:12]
    if twice := next((point for i, point in enumerate(study.points)
                      if any(point.hash == other.hash for other in study.points[:i])), None):
        raise UserError(f"{study.path}: two points with {json.dumps(twice.values)} are the same configuration, so an "
                        "axis has no effect; take it out.")
    if uneven:
        ranks = ", ".join(map(str, sorted(uneven)))
        print(f"submit: note: on {ranks} ranks the clients are no multiple of the ranks that host them, and the "
              "fullest rank sets the time.", file=sys.stderr)


def check_resolved(study: Study, config: str, simulated: bool) -> None:
    """Refuses what shows in the whole configuration alone: too few rounds, and what simulated ranks cannot do."""
    settings = settings_of(config)
    rounds = settings.get("rounds", "")
    if rounds.isdecimal() and int(rounds) <= study.warm_up:
        raise UserError(f"{study.path}: warm_up = {study.warm_up} leaves nothing of rounds = {rounds}; run more rounds.")
    if simulated:
        for key, value in (("exchange.up", "overlap"), ("clock.time", "real")):
            if settings.get(key) == value:
                raise UserError(f"{study.path}: {key} = \"{value}\" takes MPI calls that SimGrid lacks; choose another "
                                "value for simulated ranks.")


def resolved(study: Study, options, words: list) -> str:
    """The configuration as the program reads it, without comments."""
    program = options.program_command[-1]
    try:
        done = start(options, "config", study.experiment, *words)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{program} could not be asked for the configuration: {error}") from error
    if done.returncode != 0:
        why = " ".join(done.stderr.split()) or f"it ended with code {done.returncode}."
        raise UserError(f"{study.path}: " + re.sub("^trilemma: ", "", why))
    return "\n".join(line for line in done.stdout.splitlines() if line and not line.startswith("#"))
