"""Title and footnote of a figure: what was run, and what privacy may be claimed for it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from . import terms
from .groups import QUARTILE_SEEDS, Group
from .origins import remarks
from .reader import NOT_PRIVATE, Run
from .words import TITLE, cut

CLAIM_WIDTH = 150
WHO_WIDTH = 300
MOST_CLAIM = 4000  # letters; no claim that a run makes comes near
DATA_WIDTH = 70


def title(runs: Sequence[Run]) -> str:
    """Names of the experiments."""
    return cut(", ".join(_distinct(runs, "name")), TITLE)


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
    return ",   ".join(cut(part, DATA_WIDTH) for part in parts)


def footnote(groups: Sequence[Group]) -> str:
    """Claims, the accountant's word, incomplete runs and the meaning of the bands."""
    runs = [run for group in groups for run in group.runs]
    lines = [*footnote_of_claims(groups), *_wrapped(terms.accounted(runs))]
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


def footnote_of_claims(groups: Sequence[Group], folded: bool = False, axes: Sequence[str] = ()) -> list[str]:
    """Whether epsilons of the groups can be compared, the claims, that none covers a choice among the runs, and
    whether the runs go together; `axes` are those of a sweep."""
    rows = [group.runs for group in groups]
    mixture = [line for text in terms.mixture(rows) for line in _wrapped(text)]
    runs = [run for runs in rows for run in runs]
    below = [*terms.choice(runs), *remarks(runs, axes)]
    return [*mixture, *claims(groups, folded), *(line for text in below for line in _wrapped(text))]


def labelled(groups: Sequence[Group]) -> list[Group]:
    """The groups, with what their epsilons protect in the labels where that differs."""
    parts = terms.differing([group.runs for group in groups])
    return [replace(group, label=with_terms(group.label, group.runs, parts)) for group in groups]


def with_terms(label: str, runs: Sequence[Run], parts: Sequence[str]) -> str:
    """A label of a legend with the parts of the terms that tell epsilons apart."""
    told = terms.told(runs, parts)
    return f"{label} [{told}]" if told else label


def is_warning(line: str) -> bool:
    """Whether a line of the footnote must stand out."""
    return line.startswith((NOT_PRIVATE.rstrip(":"), "incomplete")) or " promise different things: " in line


def claims(groups: Sequence[Group], folded: bool = False) -> list[str]:
    """The claims with the methods that make them; claims of no privacy come first. With `folded` claims that differ
    in numbers alone are one, with `least to most` in place of a number."""
    found: dict[str, list[tuple[str, str]]] = {}
    for group in groups:
        for claim in _distinct(group.runs, "claim"):
            found.setdefault(terms.NUMBER.sub("#", claim) if folded else claim, []).append((claim, group.label))
    lines, all_labels = [], {group.label for group in groups}
    for members in sorted(found.values(), key=lambda members: not members[0][0].startswith(NOT_PRIVATE)):
        labels = list(dict.fromkeys(label for _, label in members))
        claim = cut(terms.folded([claim for claim, _ in members]), MOST_CLAIM)
        who = "" if len(labels) == len(all_labels) else cut(f" [{', '.join(labels)}]", WHO_WIDTH)
        head = "" if claim.startswith(NOT_PRIVATE) else "claim: "
        # Wrapped, never cut: the caveats stand at the end.
        lines += _wrapped(head + claim + who)
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, CLAIM_WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _distinct(runs: Sequence[Run], attribute: str) -> list:
    # Through str: NaN differs from itself and would be listed once a run.
    return list({str(run.attributes[attribute]): run.attributes[attribute] for run in runs}.values())


def _joined(runs: Sequence[Run], attribute: str) -> str:
    return " | ".join(map(str, _distinct(runs, attribute)))


def _number(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:g}"
