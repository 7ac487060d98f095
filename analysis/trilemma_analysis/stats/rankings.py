"""The best setting of every method, and the methods in their order, compared seed by seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..io.words import cut
from ..model.budgets import Budget
from ..model.labels import as_word, telling
from ..model.metrics import COMPARED, learn
from ..model.states import is_lost
from ..model.sweep import Sweep
from .judgement import Result, lead_of, result_of
from .paired import Mean, mean
from .questions import (Comparable, Setting, check_scores, chosen_metric, groups_of, lost, passed_over, settings_of,
                        skipped)

ASKED = ("privacy.epsilon", "privacy.sigma")  # the privacy that a run is asked for, which seeds need not choose
SPENDING = ("rounds", *ASKED)  # settings that say how much of a budget is spent


@dataclass(frozen=True)
class Entry:
    """A method at its best setting, which `label` tells from the `settings` it was chosen among; `reached` of its seeds
    have a finite value. `difference` is that of this method's values and the winner's, over the seeds both have."""

    setting: Setting
    label: tuple[str, ...]
    settings: int
    chosen_on_results: bool  # and not on seeds for tuning, or the only one
    seeds: tuple[int, ...]
    over: Mean
    reached: int
    rivals: int = 0  # settings that the seeds which chose do not tell from the best one
    # Of each limit, by the settings that differ from the chosen one in what they spend alone.
    most_spent: dict[str, float] = field(default_factory=dict)
    difference: Mean | None = None
    result: Result = Result.FIRST

    @property
    def method(self) -> str:
        """Returns the method, with the value that competes, if any."""
        return self.setting.method


@dataclass(frozen=True)
class Verdict:
    """The entries of a ranking by their result; `first` has the best mean, and is None where no method has a result
    that counts."""

    first: Entry | None
    tied: tuple[Entry, ...]
    behind: tuple[Entry, ...]
    unknown: tuple[Entry, ...]
    not_reached: tuple[Entry, ...]
    diverged: tuple[Entry, ...]


@dataclass(frozen=True)
class Ranking:
    """Methods that can be compared, best first, and what they share; `absent` are methods that share it and cannot be
    compared, with the reason of their first run."""

    title: str
    entries: tuple[Entry, ...]
    shared: Comparable
    absent: tuple[tuple[str, str], ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Returns who is first, tied with it, behind it, or not distinguished from it."""
        of = {result: tuple(entry for entry in self.entries if entry.result is result) for result in Result}
        first = next(iter((*of[Result.FIRST], *of[Result.BEST_MEAN])), None)
        return Verdict(first, of[Result.TIED], of[Result.BEHIND],
                       (*of[Result.UNKNOWN], *of[Result.AHEAD_IN_COMMON_SEEDS]), of[Result.NOT_REACHED],
                       of[Result.DIVERGED])


@dataclass(frozen=True)
class Answer:
    """What `best` says: a ranking for every set of methods that can be compared, and what is in none, with reasons.
    `runs` are all that could be chosen; each value of the setting `by` competes as a method."""

    budget: Budget
    metric: str
    tuning: tuple[int, ...]
    rankings: tuple[Ranking, ...]
    skipped: tuple[str, ...]
    runs: tuple[Run, ...]
    by: str | None = None

    @property
    def lower(self) -> bool:
        """Returns whether lower values are better: those spent until a target, or by the metric's own direction."""
        return self.budget.target is not None or not COMPARED[self.metric].higher_is_better

    @property
    def possible(self) -> tuple[float, float]:
        """Returns the least and the largest possible value. What is spent until a target is not negative."""
        return (0.0, math.inf) if self.budget.target is not None else COMPARED[self.metric].possible


def answer(sweeps: Sequence[Sweep], budget: Budget, metric: str = "auto", tuning: Sequence[int] = (),
           by: str | None = None) -> Answer:
    """Ranks the methods of the sweeps within the budget. `tuning` are the seeds that choose the settings of a method
    and do not judge it; without them all seeds do both. With `by` each value of that setting competes. Raises
    RunFileError where no run can be compared."""
    runs = [run for sweep in sweeps for run in sweep.runs.values()]
    if not runs:
        raise RunFileError(f"{', '.join(str(sweep.folder) for sweep in sweeps)}: no cell is done, so there is nothing "
                           "to compare.")
    metric = chosen_metric(sweeps, budget, metric)
    check_scores(runs, metric)
    learn(runs)
    settings = settings_of(sweeps, budget, metric, by)
    usable = tuple(setting.runs[seed] for setting in settings for seed in setting.found)
    found = Answer(budget, metric, tuple(tuning), (), (), usable, by)
    groups = groups_of(settings, budget)
    rankings, notes = [], [*skipped(settings), *lost(sweeps), *passed_over(settings, sweeps)]
    for key, members in groups.items():
        entries, why = _entries(members, found)
        notes += why
        if entries:
            rankings.append((key, entries, _absent(members, entries)))
    if not rankings:
        hint = "the limit on bits is for all clients together, did you mean --per-client? " \
            if budget.bits is not None and not budget.per_client else ""
        raise RunFileError(f"no run can be compared: {hint}{'; '.join(notes)}.")
    rankings.sort(key=lambda found: found[0].place)
    keys: list[Comparable] = [key for key, *_ in rankings]
    return replace(found, skipped=tuple(dict.fromkeys(notes)),
                   rankings=tuple(Ranking(key.words(keys), tuple(entries), key, absent)
                                  for key, entries, absent in rankings))


def _absent(members: Sequence[Setting], entries: Sequence[Entry]) -> tuple[tuple[str, str], ...]:
    """Returns the methods without an entry, each with the first reason."""
    found: dict[str, str] = {}
    for setting in members:
        for why in setting.why_not.values():
            found.setdefault(setting.method, why)
    return tuple((method, why) for method, why in found.items() if method not in [entry.method for entry in entries])


def _entries(members: Sequence[Setting], asked: Answer) -> tuple[list[Entry], list[str]]:
    """Returns the methods of one ranking, best first, and notes on omitted ones."""
    methods: dict[str, list[Setting]] = {}
    for setting in members:
        if setting.found:
            methods.setdefault(setting.method, []).append(setting)
    entries, notes = [], []
    for settings in methods.values():
        entry, why = _best(settings, asked)
        entries += [entry] if entry else []
        notes += why
    entries.sort(key=lambda entry: _order(entry.setting, entry.seeds, asked.lower))
    others = [_judged(entry, entries[0], asked) for entry in entries[1:]]
    return [*(_leading(entry, others) for entry in entries[:1]), *others], notes


def _best(settings: Sequence[Setting], asked: Answer) -> tuple[Entry | None, list[str]]:
    """Returns the best setting of a method, of equal ones the first by the values of the axes, as in figures."""
    settings = sorted(settings, key=_place)
    tuned = any(set(asked.tuning) & setting.found.keys() for setting in settings)
    full, notes = _full(settings, asked.tuning if tuned else ())
    best, _ = min(full, key=lambda pair: _order(*pair, asked.lower))
    method, label = best.method, _label(best, settings)
    judged = tuple(sorted(seed for seed in best.found if not tuned or seed not in asked.tuning))
    if not judged:
        return None, [*notes, f"{method}: its best setting ({', '.join(label) or 'the only one'}) has no value for any "
                      "other seed than those for tuning"]
    over, reached = _over(best, judged)
    over = over.within(*asked.possible)
    chosen_on = next(on for setting, on in full if setting is best)
    rivals = sum(_cannot_be_told(best, setting, chosen_on) for setting, on in full
                 if not _lost(setting, on) and _but(setting, ASKED) != _but(best, ASKED))
    alike = [setting for setting, _ in full if _but(setting, SPENDING) == _but(best, SPENDING)]
    spent = {name: max(getattr(stands, name) for setting in alike for stands in setting.found.values())
             for name in ("bits", "mean", "epsilon", "seconds", "joules")}
    return Entry(best, label, len(full), not tuned and len(full) > 1, judged, over, reached, rivals, spent), notes


def _full(settings: Sequence[Setting],
          tuning: Sequence[int]) -> tuple[list[tuple[Setting, tuple[int, ...]]], list[str]]:
    """Returns the settings of a method that compete, each with the seeds by which it is chosen, and a sentence on the
    others. Settings with fewer seeds than the fullest one do not compete, since a mean over fewer seeds is another
    mean. A setting without a run that judges it competes: such runs may be made only of the chosen setting."""
    on = [tuple(seed for seed in setting.found if not tuning or seed in tuning) for setting in settings]
    most = max(map(len, on))
    full = [(setting, seeds) for setting, seeds in zip(settings, on) if len(seeds) == most]
    notes = _too_few(settings, len(settings) - len(full), most, "choose")
    if tuning:
        counts = [len(setting.found.keys() - set(tuning)) for setting, _ in full]
        most = max(counts)
        kept = [pair for pair, count in zip(full, counts)
                if count == most or not pair[0].runs.keys() - set(tuning)]
        notes += _too_few(settings, len(full) - len(kept), most, "be judged")
        full = kept
    return full, notes


def _too_few(settings: Sequence[Setting], count: int, most: int, to: str) -> list[str]:
    """Returns the sentence on `count` settings of a method that do not compete because they have too few seeds."""
    seeds = f"fewer than {most} seeds" if most > 1 else "no seed"
    told = f"{settings[0].method}: {count} of {len(settings)} settings, which have {seeds} to {to} by"
    return [told] if count else []


def _but(setting: Setting, names: Sequence[str]) -> dict[str, Any]:
    """Returns the values of the settings without those of `names`."""
    return {name: value for name, value in setting.values.items() if name not in names}


def _place(setting: Setting) -> list[tuple[bool, float, str]]:
    """Returns the sort key of a setting: numbers by size, then words in alphabetical order."""
    values = [setting.values.get(axis) for axis in setting.axes]
    return [(False, float(value), "") if isinstance(value, (int, float)) else (True, 0.0, str(value))
            for value in values]


def _cannot_be_told(best: Setting, other: Setting, seeds: Iterable[int]) -> bool:
    """Returns whether the seeds leave open which of two settings is better: a single seed does, and differences whose
    interval contains 0."""
    pairs = [(best.found[seed].value, other.found[seed].value) for seed in seeds if seed in other.found]
    apart = mean([a - b for a, b in pairs if math.isfinite(a) and math.isfinite(b)])
    return apart.n == 1 or apart.contains_zero


def _over(setting: Setting, seeds: Iterable[int]) -> tuple[Mean, int]:
    """Returns mean and interval of the finite values, and their number."""
    values = [setting.found[seed].value for seed in seeds]
    known = [value for value in values if math.isfinite(value)]
    return mean(known or values), len(known)


def _order(setting: Setting, seeds: Sequence[int], lower: bool) -> tuple[bool, float, float]:
    """Sorts the best first: diverged ones last, and those with a value in all seeds before others."""
    over, reached = _over(setting, seeds)
    return _lost(setting, seeds), -reached / len(seeds), over.centre if lower else -over.centre


def _lost(setting: Setting, seeds: Iterable[int]) -> bool:
    """Returns whether the objective of the run of any of the seeds is not finite, so that it has no place among
    results."""
    return any(is_lost(setting.runs[seed]) for seed in seeds)


def _leading(entry: Entry, others: Sequence[Entry]) -> Entry:
    """Returns the entry with the best mean, and its result."""
    return replace(entry, result=_without_place(entry) or lead_of(len(entry.seeds), [other.result for other in others]))


def _judged(entry: Entry, first: Entry, asked: Answer) -> Entry:
    """Returns the entry with its difference to the first one, seed by seed, and the result."""
    pairs = [(entry.setting.found[seed].value, first.setting.found[seed].value)
             for seed in entry.seeds if seed in first.seeds]
    over = mean([mine - best for mine, best in pairs if math.isfinite(mine) and math.isfinite(best)])
    least, most = asked.possible
    over = over.within(least - most, most - least)
    return replace(entry, difference=over, result=_without_place(entry) or result_of(over, asked.lower))


def _without_place(entry: Entry) -> Result | None:
    """Returns the result of an entry that has no place among the others; None if it has one."""
    if _lost(entry.setting, entry.seeds):
        return Result.DIVERGED
    return Result.NOT_REACHED if entry.reached < len(entry.seeds) else None


def _told(rivals: Sequence[Setting]) -> list[str]:
    """Returns the settings in which the candidates of a method differ, axes of the sweep first."""
    names = list(dict.fromkeys(name for each in rivals for name in (*each.axes, *each.values)
                               if any(name in other.values for other in rivals)))
    return telling(names, [tuple(each.values.get(name) for name in names) for each in rivals])


def _label(setting: Setting, rivals: Sequence[Setting]) -> tuple[str, ...]:
    """Returns what distinguishes a setting, by the keys of the experiment."""
    return tuple(cut(f"{name} = {as_word(setting.values[name])}") for name in _told(rivals) if name in setting.values)


def without_privacy(sweeps: Sequence[Sweep], asked: Answer) -> tuple[Ranking, ...]:
    """Returns the rankings of methods that claim nothing, within the same budget, with which private ones are
    compared."""
    budget = replace(asked.budget, epsilon=None)
    found = asked if budget == asked.budget else answer(sweeps, budget, asked.metric, asked.tuning, asked.by)
    return tuple(ranking for ranking in found.rankings if ranking.shared.released and ranking.shared.promised is None)
