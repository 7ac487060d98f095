"""Title and caption of a figure: what is compared, and what privacy may be claimed for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..io.errors import RunFileError
from ..io.run_file import HOLDS, NOMINAL, NOT_PRIVATE, Run, rounded_up
from ..io.words import Brief, Warn, cut, in_rounds
from ..model import guarantees
from ..model.groups import Group, typed_settings
from ..model.origins import own_models, remarks
from ..model.step_sizes import unequal
from ..stats import intervals
from ..stats.intervals import coverage

if TYPE_CHECKING:
    from ..stats.intervals import Interval
    from .series import Series

MOST_NAMED = 3  # values in a title
MOST_CLAIM = 4000  # letters; no claim that a run makes comes near
MOST_DATA = 200
NOTHING_LEARNT = "NO METHOD IS BETTER THAN THE BEST CONSTANT MODEL"


def compared(series: Sequence[Series]) -> str:
    """Returns what is compared: '4 methods at ε = 1 and 5 and gd without ε on a9a'."""
    runs = [run for each in series for run in each.combination.runs]
    methods = list(dict.fromkeys(each.combination.method for each in series))
    asked = {each.combination.method for each in series if not each.no_privacy}
    groups = list(dict.fromkeys(each.group for each in series))
    open_ = [method for method in methods if method not in asked] if asked else []
    what = _few([method for method in methods if method not in open_], "methods")
    if groups != methods and len(groups) > 1:
        what += f" with {len(groups)} values of {series[0].axis}"
    spent = [word + doubt for _, word, doubt in sorted({_spent(run) for run in runs} - {None})]
    at = f" at ε = {_few(spent, 'values')}" if spent else ""
    others = f" and {_few(open_, 'methods')} without ε" if open_ else ""
    return f"{what}{at}{others} {learnt(runs)}"


def subtitle(series: Sequence[Series]) -> str:
    """Returns the number of rounds, clients and seeds of each line."""
    runs = [run for each in series for run in each.combination.runs]
    return f"{in_rounds(_rounds(runs))}, {_joined(runs, 'clients')} clients, {seeds_each(series)}"


def seeds_each(series: Sequence[Series]) -> str:
    """Returns the number of seeds behind every value: '3 seeds each'."""
    counts = sorted({len({run.attributes["seed"] for run in each.combination.runs}) for each in series})
    if counts == [1]:
        return "one seed each"
    return f"{counts[0]} seeds each" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds each"


def _spent(run: Run) -> tuple[float, str, str] | None:
    """Returns the epsilon of a run for a title, its digits and a doubt about it: the requested one if the claim holds,
    else the accounted one; None without any."""
    nominal, accounted = float(run.attributes["epsilon_nominal"]), float(run.attributes["epsilon_accounted"])
    doubt = {HOLDS: "", NOMINAL: " (nominal only)", NOT_PRIVATE: " (no claim)"}[run.status]
    if not math.isnan(nominal):
        return nominal, f"{nominal:g}", doubt
    return (accounted, rounded_up(accounted), doubt) if 0 < accounted < math.inf else None


def learnt(runs: Sequence[Run], on: str = "on ") -> str:
    """Returns the data and users' own models: 'on mnist', 'with LeNet of lenet.py on mnist'. `on` precedes data without
    a model."""
    models = own_models(runs)
    return f"with {models} on {data_names(runs)}" if models else f"{on}{data_names(runs)}"


def data_names(runs: Sequence[Run]) -> str:
    """Returns the names of the data sets: `a9a` for a9a/a9a, and the source for generated data."""
    return _few(list(dict.fromkeys(map(_data_name, runs))), "data sets")


def _data_name(run: Run) -> str:
    """Returns the name of a run's data."""
    try:
        settings = typed_settings(run)
    except RunFileError:  # a damaged configuration, without which a figure can be drawn
        return "unknown data"
    source = str(settings.get("data.source", "synthetic"))
    files = settings.get("data.images") or settings.get("data.train")
    file = files[0] if isinstance(files, list) else files
    if not isinstance(file, str):
        return f"{source} data"
    path = PurePath(file)
    # Files of images have one name in all data sets; their folder tells which they are of.
    return path.parent.name if source == "idx" and path.parent.name else path.name


def parts_of(runs: Sequence[Run], seeds: str = "") -> str:
    """Returns delta, rounds, clients, dimension, seeds (by default those of all runs) and the data in full."""
    deltas = [f"{value:g}" for value in _distinct(runs, "delta") if not math.isnan(value)]
    count = len({run.attributes["seed"] for run in runs})
    models = own_models(runs)
    parts = [*([f"δ = {' | '.join(deltas)}"] if deltas else []), in_rounds(_rounds(runs)),
             f"{_joined(runs, 'clients')} clients", f"d = {_joined(runs, 'dimension')}", *([models] if models else []),
             seeds or f"{count} seed{'s' if count > 1 else ''}", _joined(runs, "data")]
    return ", ".join(cut(part, MOST_DATA) for part in parts)


def of_intervals(found: Sequence[Interval]) -> str:
    """Returns what points, lines, bars and bands mean."""
    kinds: dict[str, list[int]] = {}
    for each in sorted(found, key=lambda one: one.n):
        kinds.setdefault(each.kind, []).append(each.n)
    told = "; ".join(intervals.words(kind, counts) for kind, counts in kinds.items())
    return f"points and lines: median over seeds; bars and bands: {told}"


def brief_intervals(found: Sequence[Interval], is_tested: bool = False) -> list[str]:
    """Returns in few words what intervals mean, for the picture. With `is_tested` the title states results of tests
    over the seeds."""
    counts = sorted({each.n for each in found})
    seeds = f"{counts[0]} seeds" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} seeds" if counts else ""
    least = min((each.n for each in found if each.kind == "range"), default=2)
    covered = "" if is_tested else f" (covers the true median in {coverage(least):.3g} %)"
    told = {"range": f"min to max{covered}",
            "median": "95 % interval of the median"}
    kinds = [told[kind] for kind in dict.fromkeys(each.kind for each in found) if kind in told]
    test = "; title: seed by seed, tied if the 95 % t interval of the difference (not drawn) contains 0" * is_tested
    return [Brief(f"median of {seeds}, {' or '.join(kinds)}{test}")] if kinds else [Brief("one seed, no interval")]


def incomplete(runs: Sequence[Run]) -> list[str]:
    """Returns one line for every run that has not ended."""
    return [Warn(f"incomplete: {run.attributes['method']}, seed {run.attributes['seed']}: {run.rounds_done} of "
            f"{in_rounds(run.attributes['rounds'])}") for run in runs if not run.complete]


def accounted(runs: Sequence[Run]) -> list[str]:
    """Returns the accounted epsilons, if any epsilon was requested or accounted."""
    asked = any(math.isfinite(run.attributes[name]) for run in runs
                for name in ("epsilon_nominal", "epsilon_accounted"))
    in_order = sorted(runs, key=lambda run: _order(run.attributes["epsilon_accounted"]))
    return [guarantees.accounted(in_order)] if asked else []


def groups_of(series: Sequence[Series]) -> list[Group]:
    """Returns the runs of every line of a legend under its words, without epsilon, which the claims state."""
    found: dict[str, list[Run]] = {}
    for each in series:
        found.setdefault(each.group, []).extend(each.combination.runs)
    return [Group(label, tuple(runs)) for label, runs in found.items()]


def footnote_of_claims(groups: Sequence[Group], tried: Sequence[Run], axes: Sequence[str] = ()) -> list[str]:
    """Returns sentences on whether epsilons of the groups can be compared, on the claims, that no claim covers a choice
    among the `tried` runs, on step sizes that differ between methods, and on whether the runs can be compared. `axes`
    are those of a sweep."""
    rows = [[run] for group in groups for run in group.runs]
    return [*guarantees.mixture(rows), *claims(groups, folded=True), *guarantees.choice(tried),
            *map(Brief, unequal(tried, axes)),
            *remarks(tried, axes)]


def with_terms(label: str, runs: Sequence[Run], parts: Sequence[str]) -> str:
    """Returns a label of a legend with the parts of the terms that distinguish epsilons."""
    told = guarantees.told(runs, parts)
    return f"{label} [{told}]" if told else label


def claims(groups: Sequence[Group], folded: bool = False) -> list[str]:
    """Returns the claims with the methods that make them, claims of no privacy first. With `folded`, claims that differ
    only in numbers are merged, with `least to most` in place of a number."""
    found: dict[str, list[tuple[str, Group]]] = {}
    for group in groups:
        for claim in _distinct(group.runs, "claim"):
            of_claim = Group(group.label, tuple(run for run in group.runs if run.attributes["claim"] == claim))
            found.setdefault(guarantees.NUMBER.sub("#", claim) if folded else claim, []).append((claim, of_claim))
    claimed = [list(dict.fromkeys(group.label for _, group in members)) for members in found.values()]
    lines = []
    for members in sorted(found.values(), key=lambda members: not _is_of_no_privacy(members)):
        claim = cut(guarantees.folded([claim for claim, _ in members]), MOST_CLAIM)
        by_label: dict[str, list[Run]] = {}
        for _, group in members:
            by_label.setdefault(group.label, []).extend(group.runs)
        labels = [label + (f" with {_epsilons(runs)}" if sum(label in each for each in claimed) > 1 else "")
                  for label, runs in by_label.items()]
        # Wrapped, never cut: the caveats stand at the end, and so do those who make the claim.
        who = f" [{', '.join(labels)}]" if len(found) > 1 else ""
        lines.append(Warn(claim + who) if _is_of_no_privacy(members) else f"claim: {claim}{who}")
    return lines


def _is_of_no_privacy(members: Sequence[tuple[str, Group]]) -> bool:
    """Returns whether the runs of one claim are not private; they share the sentence and the status."""
    return members[0][1].first.status == NOT_PRIVATE


def _epsilons(runs: Sequence[Run]) -> str:
    """Returns what distinguishes the runs of one line of a legend that claim different things: `ε = 1 and 5`, `no
    ε`."""
    spent = {_spent(run) for run in runs}
    words = list(dict.fromkeys(word for _, word, _ in sorted(spent - {None})))
    return " and ".join(([f"ε = {_few(words, 'values')}"] if words else []) + (["no ε"] if None in spent else []))


def _few(values: Sequence[str], many: str) -> str:
    """Returns the values in a list, or their number and `many` if there are too many."""
    values = [cut(str(value)) for value in values]
    if len(values) > MOST_NAMED:
        return f"{len(values)} {many}"
    return " and ".join([", ".join(values[:-1]), values[-1]]) if len(values) > 1 else "".join(values)


def _distinct(runs: Sequence[Run], attribute: str) -> list:
    """Returns the different values of an attribute in order."""
    # Through str: NaN differs from itself and would be listed once a run.
    return list({str(run.attributes[attribute]): run.attributes[attribute]
                 for run in sorted(runs, key=lambda run: _order(run.attributes[attribute]))}.values())


def _order(value: object) -> tuple:
    """Returns a key that sorts numbers before texts; NaN is the last number."""
    if isinstance(value, str):
        return (1, value)
    return (2, 0) if isinstance(value, float) and math.isnan(value) else (0, value)


def _rounds(runs: Sequence[Run]) -> str:
    """Returns the numbers of rounds; only the least and the most if they are many, as on a clock that determines
    them."""
    found = _distinct(runs, "rounds")
    return " | ".join(map(str, found)) if len(found) <= MOST_NAMED else f"{min(found)} to {max(found)}"


def _joined(runs: Sequence[Run], attribute: str) -> str:
    """Returns the different values of an attribute in one text."""
    return " | ".join(map(str, _distinct(runs, attribute)))
