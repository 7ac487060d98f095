"""Numbers of rounds that follow from a budget of simulated time: they differ from seed to seed, and are no setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..io.run_file import Run

ROUNDS, ON_A_CLOCK = "rounds", "simulated_time"


def settled(runs: Sequence[Run], settings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the settings of the runs. Runs on the simulated clock have no rounds among them, unless one seed was run
    with several numbers of rounds and otherwise equal settings: then somebody has chosen them."""
    rest = [{name: value for name, value in each.items() if name != ROUNDS} for each in settings]
    seen: dict[str, dict[Any, set]] = {}
    keys = [f"{run.attributes['method']} {sorted((name, repr(value)) for name, value in each.items())}"
            for run, each in zip(runs, rest, strict=True)]
    for run, key, each in zip(runs, keys, settings, strict=True):
        seen.setdefault(key, {}).setdefault(run.attributes["seed"], set()).add(repr(each.get(ROUNDS)))
    chosen = {key for key, seeds in seen.items() if any(len(rounds) > 1 for rounds in seeds.values())}
    return [without if ON_A_CLOCK in run.rounds and key not in chosen else each
            for run, key, each, without in zip(runs, keys, settings, rest, strict=True)]
