"""The sentence at the top of a report. headline.js writes the same for a question that the reader asks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..io import forms
from ..io.errors import RunFileError
from ..model.budgets import Budget
from ..model.metrics import COMPARED
from ..model.sweep import Sweep
from ..stats.answers import verdict
from ..stats.baselines import score
from ..stats.bits_notes import UNLIKE, stands_of
from ..stats.findings import lead, target_words
from ..stats.judgement import MOST_NAMED, Result
from ..stats.paired import mean
from ..stats.rankings import Answer, Entry, Ranking, answer


def main_ranking(found: Answer) -> Ranking:
    """Returns the ranking that the sentence is about: of those with a promise the one with most methods, of equal ones
    the last, whose epsilon is the largest."""
    return max(found.rankings, key=lambda each: (each.shared.promised is not None, len(each.entries),
                                                 found.rankings.index(each)))


def least_upload(found: Answer) -> float | None:
    """Returns the smallest upload of a method in the main ranking, at which all of them can be compared; None where the
    question has a limit on bits or a target, or the methods have sent equally much."""
    if found.budget.bits is not None or found.budget.target is not None:
        return None
    column = "mean" if found.budget.per_client else "bits"
    sent = [max(getattr(each, column) for each in stands_of(entry)) for entry in main_ranking(found).entries]
    sent = [value for value in sent if value > 0]
    return min(sent) if sent and max(sent) > UNLIKE * min(sent) else None


def at_least_upload(sweeps: Sequence[Sweep], found: Answer) -> Answer | None:
    """Returns the answer to the same question within the smallest upload; None where there is none."""
    bits = least_upload(found)
    if bits is None:
        return None
    try:
        return answer(sweeps, replace(found.budget, bits=bits), found.metric, found.tuning, found.by)
    except RunFileError:
        return None


def headline(found: Answer, level: Answer | None, names: Sequence[str]) -> str:
    """Returns the answer in one sentence: who leads with which value and upload, who does at equal upload, and what the
    best constant model scores. `names` are those of the rankings of `found`."""
    ranking = main_ranking(found)
    name = names[found.rankings.index(ranking)] if len(found.rankings) > 1 else ""
    parts = [_with_upload(found, ranking) + _alone(ranking)]
    same = next((each for each in level.rankings if each.shared == ranking.shared), None) if level else None
    if level and same:
        parts.append(f"at {forms.bits(level.budget.bits)}{who(level.budget)} {lead_words(level, same)}{_alone(same)}")
    constant = constant_of(found, ranking.entries)
    if not math.isnan(constant):
        parts.append(f"a constant model scores {forms.of_metric(constant, COMPARED[found.metric].is_share)}")
    return f"{name}: {'; '.join(parts)}" if name else "; ".join(parts)


def _alone(ranking: Ranking) -> str:
    """Returns why a ranking of one method has no other; empty if there is no reason, or there are others."""
    if len(ranking.entries) > 1 or not ranking.absent:
        return ""
    more = len(ranking.absent) - MOST_NAMED
    reasons = [f"{method}: {why}"
               for method, why in ranking.absent[:MOST_NAMED]] + ([f"and {more} more"] if more > 0 else [])
    return f" ({'; '.join(reasons)})"


def lead_words(found: Answer, ranking: Ranking) -> str:
    """Returns who leads, or what is said where no method has a result in all seeds."""
    first = ranking.verdict.first
    if first is None:
        return verdict(ranking)
    if found.budget.target is None:
        return lead(found, ranking)
    return f"{first.method} needs {forms.bits(first.over.centre)}{who(found.budget)} to reach {target_words(found)}; " \
        + verdict(ranking)


def _with_upload(found: Answer, ranking: Ranking) -> str:
    """Returns the lead with its interval and with the bits of those that lead."""
    judged = ranking.verdict
    said = lead_words(found, ranking)
    if judged.first is None or found.budget.target:
        return said
    tells = judged.first.result is Result.FIRST
    leaders = [judged.first, *judged.tied] if tells else list(ranking.entries)
    sent = [mean([_bits(each, found.budget) for each in stands_of(entry)]).centre for entry in leaders]
    low, high = forms.bits(min(sent)), forms.bits(max(sent))
    upload = f"{low if low == high else f'{low} to {high}'}{who(found.budget)}"
    over = judged.first.over
    if len(leaders) > 1 or len(ranking.entries) == 1 or math.isnan(over.low):
        return f"{said} ({upload})"
    ends = forms.span(over.low, over.high, forms.share_or_figure(COMPARED[found.metric].is_share))
    return f"{said} [{ends.replace(' to ', ', ')}] and {upload}"


def _bits(stands, budget: Budget) -> float:
    """Returns the bits that count."""
    return stands.mean if budget.per_client else stands.bits


def who(budget: Budget) -> str:
    """Returns whose bits count, behind a number."""
    return " per client" if budget.per_client else " of all clients"


def constant_of(found: Answer, entries: Sequence[Entry]) -> float:
    """Returns the score of the best constant model, the mean over the runs of the entries; NaN where it is not
    known."""
    return mean([score(entry.setting.runs[seed], found.metric, 0.0).constant for entry in entries
                 for seed in entry.seeds]).centre
