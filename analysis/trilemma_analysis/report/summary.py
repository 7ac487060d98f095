"""The data of a report but for its curves: what rank.js needs to answer questions, and what is written down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scipy.special import stdtrit

from ..io.run_file import NOT_PRIVATE
from ..model import guarantees
from ..model.budgets import Budget
from ..model.metrics import COMPARED
from ..model.states import is_lost
from ..stats import answers
from ..stats.baselines import score
from ..stats.paired import LEVEL
from ..stats.questions import Setting, comparable
from ..stats.rankings import ASKED
from .charts import style_of
from .content import Content, words

SCHEMA_VERSION = 1
RANGES = {"any": Budget(), "epsilon": Budget(epsilon=1.0)}  # without and with a limit on epsilon


def summary(content: Content) -> dict[str, Any]:
    """Metrics, methods, settings with the groups they compete in, runs, and the answer as `best --json` has it."""
    keys = {name: [comparable(setting, budget) for setting in content.settings] for name, budget in RANGES.items()}
    groups = {name: sorted(dict.fromkeys(found[place] for place in content.given), key=lambda key: key.place)
              for name, found in keys.items()}
    tasks = list(dict.fromkeys((key.task, key.data) for key in keys["any"]))
    choices = list(dict.fromkeys(map(_choice, content.settings)))
    most = max(len(setting.runs) for setting in content.settings)
    return {
        "schema": "trilemma-report", "schema_version": SCHEMA_VERSION, "title": content.title,
        "folders": [sweep.folder.name for sweep in content.sweeps],
        "metrics": {name: {"name": COMPARED[name].name, "higher": COMPARED[name].higher_is_better,
                           "share": COMPARED[name].is_share, "possible": COMPARED[name].possible}
                    for name in content.metrics},
        "question": {"metric": content.metric, "bits": content.budget.bits, "per_client": content.budget.per_client,
                     "epsilon": content.budget.epsilon, "seconds": content.budget.seconds,
                     "target": content.budget.target.value if content.budget.target else None,
                     "tuning": content.tuning, "by": content.answer.by if content.answer else None},
        "methods": content.methods,
        "groups": {name: [{"title": key.words(found), "released": key.released,
                           "task": tasks.index((key.task, key.data))}
                          for key in found] for name, found in groups.items()},
        "settings": [_setting(content, i, {name: groups[name].index(found[i]) for name, found in keys.items()},
                              choices.index(_choice(content.settings[i]))) for i in range(len(content.settings))],
        "given": content.given,
        "runs": [_run(content, i) for i in range(len(content.members))],
        "student": stdtrit(range(1, max(2, most)), LEVEL).tolist(),
        "answer": json.loads(answers.as_json(content.answer)) if content.answer else None,
        "notes": [note for sweep in content.sweeps for note in sweep.notes],
    }


def _setting(content: Content, place: int, groups: dict[str, int], choice: int) -> dict[str, Any]:
    """What the page needs of a setting; `groups` has the places of the groups it competes in, and
    settings that differ in the asked privacy alone have the same `choice`."""
    setting = content.settings[place]
    keys = _ordered(setting, content.keys[setting.method])
    epsilon = setting.values.get("privacy.epsilon")
    return {"method": content.methods.index(setting.method), "name": content.names[place], "style": style_of(setting),
            "choice": choice, "claims": setting.first.status != NOT_PRIVATE,
            "values": words(setting, keys), "axes": [key for key in keys if key in setting.values], "groups": groups,
            "epsilon": epsilon if isinstance(epsilon, (int, float)) else None}


def _choice(setting: Setting) -> str:
    """The values of a setting but those that say how private it is asked to be."""
    return repr(sorted((name, value) for name, value in setting.values.items() if name not in ASKED))


def _ordered(setting: Setting, keys: Sequence[str]) -> list[str]:
    """The keys in the order of a label: axes of the sweep first."""
    every = list(dict.fromkeys((*setting.axes, *setting.values)))
    return sorted(keys, key=lambda key: every.index(key) if key in every else len(every))


def _run(content: Content, place: int) -> dict[str, Any]:
    """What the page needs of a run."""
    member = content.members[place]
    run = member.run
    return {"setting": member.setting, "ranked": member.ranked, "seed": run.attributes["seed"], "file": run.path.name,
            "mark": member.mark,
            "folder": run.path.parent.name, "fingerprint": run.attributes["fingerprint"],
            "sha256": str(run.attributes.get("content_sha256", "")), "clients": run.attributes["clients"],
            "rounds": run.rounds_done, "released": run.released, "status": run.status,
            "state": member.state.name, "lost": is_lost(run), "claim": run.attributes["claim"],
            "constant": {name: score(run, name, 0.0).constant for name in content.metrics},
            "terms": guarantees.column([run], "against")}
