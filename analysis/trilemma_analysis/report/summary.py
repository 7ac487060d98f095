"""The data of a report but for its curves: what rank.js needs to answer questions, and what is written down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain, combinations
from typing import Any

from scipy.special import stdtrit

from ..io.run_file import NOT_PRIVATE, Run
from ..io.words import relative
from ..model import guarantees, replicates
from ..model.groups import all_settings
from ..model.labels import as_word
from ..model.metrics import COMPARED, SCORES
from ..model.origins import PROMISES, breaks, data_of, files_of, of_origin, own_model, promise_words
from ..model.states import above_start, is_lost
from ..stats import answers
from ..stats.baselines import score
from ..stats.judgement import GROWN, GROWN_IN
from ..stats.paired import LEVEL
from ..stats.questions import Setting, lost, names_of, passed_over
from ..stats.rankings import ASKED, SPENDING
from .charts import epsilons, style_of, tunings
from .content import Content, words

SCHEMA_VERSION = 2
FEW_ORIGINS = 5  # kinds of origin of runs, whose remarks are held for every choice


def summary(content: Content) -> dict[str, Any]:
    """Returns metrics, methods, settings with the groups in which they compete, runs, and the answer as in `best
    --json`."""
    keys, groups = content.kinds, content.groups
    tasks = list(dict.fromkeys((key.task, key.data) for key in keys["any"]))
    choices = list(dict.fromkeys(map(_choice, content.settings)))
    most = max(len(setting.runs) for setting in content.settings)
    return {
        "schema": "trilemma-report", "schema_version": SCHEMA_VERSION, "title": content.title,
        "folders": [relative(sweep.folder) for sweep in content.sweeps],
        "metrics": {name: {"name": COMPARED[name].name, "higher": COMPARED[name].higher_is_better,
                           "share": COMPARED[name].is_share, "possible": COMPARED[name].possible}
                    for name in content.metrics},
        "question": {"metric": content.metric, "bits": content.budget.bits, "per_client": content.budget.per_client,
                     "epsilon": content.budget.epsilon, "seconds": content.budget.seconds,
                     "target": content.budget.target.value if content.budget.target else None,
                     "tuning": content.tuning, "by": content.answer.by if content.answer else None},
        "methods": content.methods,
        "groups": {name: [{"title": key.words(found), "short": short, "promised": key.promised is not None,
                           "place": place, "released": key.released, "task": tasks.index((key.task, key.data))}
                          for place, (key, short) in enumerate(zip(found, names_of(found)))]
                   for name, found in groups.items()},
        "settings": [_setting(content, i, {name: groups[name].index(found[i]) for name, found in keys.items()},
                              choices.index(_choice(content.settings[i]))) for i in range(len(content.settings))],
        "given": content.given,
        "runs": [_run(content, i) for i in range(len(content.members))],
        "student": stdtrit(range(1, max(2, most)), LEVEL).tolist(),
        "answer": json.loads(answers.as_json(content.answer)) if content.answer else None,
        "lost": [*lost(content.sweeps), *passed_over(content.settings, content.sweeps)],
        "guarantees": [[getattr(each, part) for part in guarantees.PARTS] for each in _guarantees(content)],
        "remarks": _remarks(content), "scores": SCORES,
        "words": {"same": replicates.SAME, "ofARun": replicates.OF_A_RUN, "grown": GROWN, "grownIn": GROWN_IN,
                  "parts": [guarantees.NAMES[part] for part in guarantees.PARTS],
                  "promises": list(map(promise_words, PROMISES))},
        "notes": [note for sweep in content.sweeps for note in sweep.notes],
        "charts": {"epsilons": list(map(asdict, epsilons(content))), "tunings": list(map(asdict, tunings(content)[0]))},
    }


def _setting(content: Content, place: int, groups: dict[str, int], choice: int) -> dict[str, Any]:
    """Returns the data of a setting. `groups` has the places of the groups in which it competes. Settings that differ
    only in the requested privacy have the same `choice`."""
    setting, by = content.settings[place], content.answer.by if content.answer else None
    keys = _ordered(setting, content.keys[setting.method])
    epsilon = setting.values.get("privacy.epsilon")
    return {"method": content.methods.index(setting.method), "name": content.names[place], "style": style_of(setting),
            "choice": choice, "claims": setting.first.status != NOT_PRIVATE,
            "values": words(setting, keys), "axes": [key for key in keys if key in setting.values], "groups": groups,
            "alike": _choice(setting, SPENDING),
            "value": as_word(setting.values[by]) if by and by in setting.values else None,
            "epsilon": epsilon if isinstance(epsilon, (int, float)) else None}


def _choice(setting: Setting, but: Sequence[str] = ASKED) -> str:
    """Returns a text that settings share if they differ only in the keys `but`."""
    return hashlib.sha256(repr(sorted((name, value)
                                      for name, value in setting.values.items() if name not in but)).encode()
                          ).hexdigest()[:12]


def _guarantees(content: Content) -> list[guarantees.Guarantee]:
    """Returns the guarantees of all runs, each once."""
    return list(dict.fromkeys(found for each in content.members if (found := guarantees.guarantee_of(each.run))))


def _origin(run: Run) -> str:
    """Returns what remarks on the origin of runs depend on. Runs with equal results have the same remarks."""
    problem = {key: value for key, value in all_settings(run.config).items() if key.startswith("problem.")}
    return repr((sorted(files_of(run).items()), data_of(run), sorted(problem.items()), run.environment.get("real"),
                 sorted(set(run.environment.get("processors", "").splitlines())), run.simulation is not None))


def _remarks(content: Content) -> dict[str, list[str]]:
    """Returns the remarks on the origin of runs, by the origins among them: for all, and for every combination if the
    origins are few."""
    runs: dict[str, list[Run]] = {}
    for each in content.members:
        runs.setdefault(_origin(each.run), []).append(each.run)
    choices = chain.from_iterable(combinations(range(len(runs)), size) for size in range(1, len(runs) + 1)) \
        if len(runs) <= FEW_ORIGINS else ()
    kinds = list(runs.values())
    return {"all": of_origin([each.run for each in content.members])} | {
        ",".join(map(str, chosen)): of_origin([run for kind in chosen for run in kinds[kind]]) for chosen in choices}


def _ordered(setting: Setting, keys: Sequence[str]) -> list[str]:
    """Returns the keys in the order of a label: axes of the sweep first."""
    every = list(dict.fromkeys((*setting.axes, *setting.values)))
    return sorted(keys, key=lambda key: every.index(key) if key in every else len(every))


def _run(content: Content, place: int) -> dict[str, Any]:
    """Returns the data of a run."""
    member = content.members[place]
    run = member.run
    broken = [i for i, name in enumerate(PROMISES) if breaks(run, name)]
    return {"setting": member.setting, "ranked": member.ranked, "seed": run.attributes["seed"], "file": run.path.name,
            "mark": member.mark,
            "folder": run.path.parent.name, "fingerprint": run.attributes["fingerprint"],
            "sha256": str(run.attributes.get("content_sha256", "")), "clients": run.attributes["clients"],
            "rounds": run.rounds_done, "released": run.released, "status": run.status,
            "state": member.state.name, "lost": is_lost(run), "claim": run.attributes["claim"],
            "constant": {name: score(run, name, 0.0).constant for name in content.metrics},
            "planned": run.attributes["planned_bits_up"], "grown": bool(above_start([run])),
            "split": replicates.split_of(run),
            "generated": not files_of(run), "data": hashlib.sha256(data_of(run).encode()).hexdigest()[:12],
            "origin": list(dict.fromkeys(_origin(each.run) for each in content.members)).index(_origin(run)),
            "guarantee": _guarantees(content).index(promised) if (promised := guarantees.guarantee_of(run)) else None,
            **({"model": own_model(run), "broken": broken} if broken else {}),
            "terms": guarantees.column([run], "against")}
