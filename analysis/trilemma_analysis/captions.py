"""Title and footnote of a figure: what was run, and what privacy may be claimed for it."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence

from .groups import QUARTILE_SEEDS, Group
from .reader import NOT_PRIVATE, Run

CLAIM_WIDTH = 150
WHO_WIDTH = 60
DATA_WIDTH = 70
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def title(runs: Sequence[Run]) -> str:
    """Names of the experiments."""
    return ", ".join(_distinct(runs, "name"))


def subtitle(runs: Sequence[Run]) -> str:
    """Nominal privacy, clients and dimension."""
    epsilons = [_number(value) for value in _distinct(runs, "epsilon_nominal")]
    deltas = [_number(value) for value in _distinct(runs, "delta")]
    parts = [
        f"nominal ε = {' | '.join(epsilons)}",
        f"δ = {' | '.join(deltas)}",
        f"{_joined(runs, 'clients')} clients",
        f"d = {_joined(runs, 'dimension')}",
        _joined(runs, "data"),
    ]
    return ",   ".join(_short(part, DATA_WIDTH) for part in parts)


def footnote(groups: Sequence[Group]) -> str:
    """Claims, the accountant's word, incomplete runs and the meaning of the bands."""
    runs = [run for group in groups for run in group.runs]
    lines = [*claims(groups), f"accounted ε: {_joined(runs, 'accounted_epsilon')}"]
    for run in runs:
        if not run.complete:
            method, asked = run.attributes["method"], run.attributes["rounds"]
            lines.append(f"incomplete: {method}, seed {run.attributes['seed']}: {run.rounds_done} of {asked} rounds")
    seeds = sorted({len(group.runs) for group in groups})
    if seeds[-1] > 1:
        kind = "quartiles" if seeds[0] >= QUARTILE_SEEDS else f"min to max, quartiles from {QUARTILE_SEEDS} seeds on"
        lines.append(f"lines: median over {' or '.join(map(str, seeds))} seeds; bands: {kind}")
    lines.append("solid: compressed messages; dashed: uncompressed; bits count with whole rounds, log after the first")
    return "\n".join(lines)


def is_warning(line: str) -> bool:
    """Whether a line of the footnote must stand out."""
    return line.startswith((NOT_PRIVATE.rstrip(":"), "incomplete"))


def claims(groups: Sequence[Group], folded: bool = False) -> list[str]:
    """The claims with the methods that make them; claims of no privacy come first. With `folded` claims that differ
    in numbers alone are one, with `least to most` in place of a number."""
    found: dict[str, list[tuple[str, str]]] = {}
    for group in groups:
        for claim in _distinct(group.runs, "claim"):
            found.setdefault(NUMBER.sub("#", claim) if folded else claim, []).append((claim, group.label))
    lines, all_labels = [], {group.label for group in groups}
    for members in sorted(found.values(), key=lambda members: not members[0][0].startswith(NOT_PRIVATE)):
        labels = list(dict.fromkeys(label for _, label in members))
        claim = _folded([claim for claim, _ in members])
        who = "" if len(labels) == len(all_labels) else _short(f" [{', '.join(labels)}]", WHO_WIDTH)
        head = "" if claim.startswith(NOT_PRIVATE) else "claim: "
        # Wrapped, never cut: the caveats stand at the end.
        lines += textwrap.wrap(
            head + claim + who, CLAIM_WIDTH, subsequent_indent="    ", break_on_hyphens=False
        )
    return lines


def _folded(texts: Sequence[str]) -> str:
    """One text for texts that differ in numbers alone."""
    numbers = []
    for found in zip(*(NUMBER.findall(text) for text in texts)):
        ordered = sorted(set(found), key=float)
        numbers.append(ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}")
    return NUMBER.sub(lambda _: numbers.pop(0), texts[0])


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 2].rstrip() + " …"


def _distinct(runs: Sequence[Run], attribute: str) -> list:
    # Through str: NaN differs from itself and would be listed once a run.
    return list({str(run.attributes[attribute]): run.attributes[attribute] for run in runs}.values())


def _joined(runs: Sequence[Run], attribute: str) -> str:
    return " | ".join(map(str, _distinct(runs, attribute)))


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:g}"
