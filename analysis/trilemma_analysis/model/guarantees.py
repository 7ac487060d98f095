"""The guarantee behind an epsilon: protected unit, neighbouring relation, delta, adversary; and what no
epsilon of a table or figure covers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..io.run_file import CLAIM_WORDS, HOLDS, NOMINAL, NOT_PRIVATE, NOTHING_RELEASED, Run
from ..io.words import Long, Warn
from .origins import data_of, remarks

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# The adversary of a claim, by view and, where it matters, by the aggregation or the place of the noise: for a
# column and for a sentence.
AGAINST = {
    "V_server": ("every message", "whoever sees every message"),
    "V_aggregate server": ("models, trusted server", "whoever sees the models, if the server is trusted"),
    "V_aggregate trusted_decoding": ("models, trusted server", "whoever sees the models, if the server is trusted"),
    "V_aggregate simulated_secagg": (
        "sums, secure aggregation", "whoever sees sums of messages by secure aggregation, the server included"),
    "V_aggregate counted_secagg": (
        "sums, secure aggregation (counted)",
        "whoever sees sums of messages by a secure aggregation of which this run only counts the bits"),
    "V_aggregate client": ("sums of messages", "whoever sees sums of all clients' messages only"),
    "V_output": ("last model, trusted server", "whoever sees the last model only, if the server is trusted"),
    "V_shuffled": ("shuffled messages", "whoever sees every message but not its sender, if the shuffler is trusted"),
    "V_others": ("others, trusted server", "whoever sees all but its own model, if the server is trusted"),
}
PARTS = ("unit", "relation", "delta", "against")
NAMES = {"unit": "unit", "relation": "relation", "delta": "delta", "against": "adversary"}
TUNING = "`trilemma privacy tuning`"
BRACKETS = "brackets of the legend"
FIRST_THINGS = 2  # outside of a claim, in a short note


@dataclass(frozen=True)
class Guarantee:
    """What an epsilon means nothing without; epsilons of different terms cannot be compared."""

    unit: str
    relation: str
    delta: str
    against: str  # a key of _WHOLE, or the view itself where that is unknown

    def words(self, but: Sequence[str] = ()) -> str:
        """Returns the terms for a sentence, without the parts in `but`."""
        whole = {"unit": f"one {self.unit}", "relation": self.relation, "delta": f"delta {self.delta}",
                 "against": f"against {_WHOLE.get(self.against, self.against)}"}
        return ", ".join(text for part, text in whole.items() if part not in but)


_WHOLE = dict(AGAINST.values())


def guarantee_of(run: Run) -> Guarantee | None:
    """Returns the terms of a run's epsilon; None if none is claimed or accounted, or nothing leaves a client."""
    if not run.released or (run.status == NOT_PRIVATE and math.isnan(run.attributes["epsilon_accounted"])):
        return None
    view = run.privacy["view"]
    keys = (view, f"{view} {run.privacy['aggregation']}", f"{view} {run.privacy['noise_place']}")
    against, _ = next((AGAINST[key] for key in keys if key in AGAINST), (view, view))
    return Guarantee(run.privacy["unit"], run.privacy["relation"], f"{run.attributes['delta']:g}", against)


def differing(rows: Sequence[Sequence[Run]]) -> list[str]:
    """Returns the PARTS in which the terms of the runs differ."""
    found = _known(rows)
    return [part for part in PARTS if len({getattr(guarantee, part) for guarantee in found}) > 1]


def column(runs: Sequence[Run], part: str) -> str:
    """Returns one part of the terms of a row; a dash if no run has an epsilon."""
    return " | ".join(dict.fromkeys(getattr(guarantee, part) for guarantee in _known([runs]))) or "-"


def told(runs: Sequence[Run], parts: Sequence[str]) -> str:
    """Returns parts of the terms for a legend: 'client; models, trusted server'; empty if there is no epsilon."""
    found = {part: column(runs, part) for part in parts}
    return "; ".join(f"δ = {text}" if part == "delta" else text for part, text in found.items() if text != "-")


def status_of(runs: Sequence[Run]) -> str:
    """Returns the weakest status of the runs, for files, since no row may promise more than its weakest run. A claim
    that holds because nothing leaves a client is NOTHING_RELEASED. Without runs it is a dash."""
    weakest = min((run.status for run in runs), key=[NOT_PRIVATE, NOMINAL, HOLDS].index, default="-")
    return NOTHING_RELEASED if weakest == HOLDS and not any(run.released for run in runs) else weakest


def status_words(status: str) -> str:
    """Returns a status of status_of() in the words of tables."""
    return "nothing released" if status == NOTHING_RELEASED else CLAIM_WORDS.get(status, status)


def claim_cell(runs: Sequence[Run]) -> str:
    """Returns the weakest status of the runs in the words of tables."""
    return status_words(status_of(runs))


def footer(rows: Sequence[Sequence[Run]], axes: Sequence[str] = (), among: Sequence[Run] = ()) -> list[str]:
    """Returns the sentences below a table with epsilons: terms that have no column, what is outside all claims, that
    each claim is of one run, and whether the runs can be compared. `among` are all runs from which the rows were
    chosen, if these are more."""
    runs = [run for runs in rows for run in runs]
    return [*_common(rows), *_outside(rows), *choice(among or runs), *remarks(runs, axes)]


def _known(rows: Sequence[Sequence[Run]]) -> list[Guarantee]:
    """Returns the guarantees of the runs, each once. Runs without one are skipped."""
    return list(dict.fromkeys(guarantee for runs in rows for run in runs if (guarantee := guarantee_of(run))))


def _common(rows: Sequence[Sequence[Run]]) -> list[str]:
    """Returns what all rows promise, and a warning if they promise different things."""
    found, parts = _known(rows), differing(rows)
    common = [f"all epsilons: {found[0].words(but=parts)}"] if found and len(parts) < len(PARTS) else []
    return ([Warn(f"rows promise different things: {differ(parts)}; compare epsilons only between rows that agree in "
                  f"{'this column' if len(parts) == 1 else 'these columns'}")] if parts else []) + common


def mixture(rows: Sequence[Sequence[Run]]) -> list[str]:
    """Returns the warning for a figure whose lines have different terms."""
    parts = differing(rows)
    return [Warn(f"lines promise different things: {differ(parts)}; compare epsilons only within equal {BRACKETS}")] \
        if parts else []


def by_method(runs: Sequence[Run]) -> list[str]:
    """Returns the terms of the epsilons of each method, for a text without columns."""
    found: dict[Guarantee, dict[str, None]] = {}
    for run in runs:
        if (guarantee := guarantee_of(run)) is not None:
            found.setdefault(guarantee, {})[run.attributes["method"]] = None
    if len(found) < 2:
        return [f"all epsilons: {guarantee.words()}" for guarantee in found]
    return [Warn("methods promise different things: " + "; ".join(
        f"{', '.join(methods)}: {guarantee.words()}" for guarantee, methods in found.items()))]


def claims(runs: Sequence[Run]) -> list[str]:
    """Returns the distinct claims of the runs. Claims that differ only in numbers are merged."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        claim = run.attributes["claim"]
        found.setdefault(NUMBER.sub("#", claim), {})[claim] = None
    return [f"claim: {folded(list(texts))}" for _, texts in sorted(found.items())]


def accounted(runs: Sequence[Run]) -> str:
    """Returns the accounted epsilons of a figure, by their terms."""
    found: dict[str, list[str]] = {}
    for run in runs:
        guarantee = guarantee_of(run)
        if guarantee and not math.isnan(run.attributes["epsilon_accounted"]):
            found.setdefault(guarantee.words(), []).append(run.attributes["accounted_epsilon"])
    several = [f"{' | '.join(dict.fromkeys(epsilons))} for {words}" for words, epsilons in found.items()]
    return f"accounted ε: {'; '.join(several) or 'not computed'}"


def differ(parts: Sequence[str]) -> str:
    """Returns 'unit and delta differ', for these parts of the terms."""
    names = [NAMES[part] for part in parts]
    return (" and ".join([", ".join(names[:-1]), names[-1]]) + " differ") if len(names) > 1 else f"{names[0]} differs"


def _outside(rows: Sequence[Sequence[Run]]) -> list[str]:
    """Returns what the files release or did with the data that no claim covers, each once. What applies only to some
    runs has its own sentence."""
    claimed = [run for runs in rows for run in runs if run.status != NOT_PRIVATE]
    things: dict[str, list[str]] = {}
    for run in claimed:
        for thing in dict.fromkeys(_things(run)):
            things.setdefault(NUMBER.sub("#", thing), []).append(thing)
    every = [folded(texts) for texts in things.values() if len(texts) >= len(claimed)]
    some = [folded(texts) for texts in things.values() if len(texts) < len(claimed)]
    return [_listed(f"outside of {which}", found) for which, found in
            (("every claim", every), ("the claims of some runs", some)) if found]


def _listed(head: str, things: Sequence[str]) -> str:
    """Returns the sentence with all things. Its short form has the first two and the number of the others."""
    more = len(things) - FIRST_THINGS
    text = f"{head}: {', '.join(things)}"
    return Long(text, f"{head}: {', '.join(things[:FIRST_THINGS])} and {more} more (--wide)") if more > 1 else text


def _things(run: Run) -> list[str]:
    """Returns what is outside a run's claim."""
    return [*run.preprocessing, *run.releases_outside]


def choice(runs: Sequence[Run]) -> list[str]:
    """Returns a note that choosing the best of several private runs costs privacy that no run accounts for."""
    counts: dict[str, int] = {}
    for run in runs:
        if run.status != NOT_PRIVATE and run.released:
            counts[data_of(run)] = counts.get(data_of(run), 0) + 1
    several = sorted({count for count in counts.values() if count > 1})
    if not several:
        return []
    numbers = str(several[0]) if len(several) == 1 else f"{several[0]} to {several[-1]}"
    return [f"each epsilon is that of one run, not of choosing the best of the {numbers} with a claim over the same "
            f"data ({TUNING} accounts for that)"]


def folded(texts: Sequence[str]) -> str:
    """Returns one text for texts that differ only in numbers, with `least to most` in place of a number."""
    numbers = []
    for found in zip(*(NUMBER.findall(text) for text in texts)):
        ordered = sorted(set(found), key=float)
        numbers.append(ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}")
    return NUMBER.sub(lambda _: numbers.pop(0), texts[0])
