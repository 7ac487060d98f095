"""What a ranking has found, in one sentence for the title of its figure."""

from __future__ import annotations

from collections.abc import Sequence

from ..io import forms
from ..io.words import NO_EVIDENCE, joined
from ..model.evidence import evidence_of
from ..model.finals import last_known
from ..model.labels import as_word
from ..model.metrics import COMPARED
from ..model.sizes import size
from ..model.states import diverged
from .answers import verdict
from .paired import Mean, mean
from .rankings import Answer, Entry, Ranking, Result

CLOSE = 0.2  # points: ends that are printed this close to the best one are counted in a title
MOST_NAMED = 2  # methods in a part of a title
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def name_of(entry: Entry, answer: Answer) -> str:
    """What competes: the method, or with `by` the value, which has the method only where another method has it too."""
    value = entry.setting.values.get(answer.by) if answer.by else None
    if value is None:
        return entry.method
    word = as_word(value)
    same = sum(as_word(other.setting.values.get(answer.by)) == word for ranking in answer.rankings
               if entry in ranking.entries for other in ranking.entries)
    return word if same == 1 else entry.method


def shown(value: float, answer: Answer) -> str:
    """A value that is compared, with its unit: of the metric, or what was spent until the target."""
    if answer.budget.target is None:
        return forms.of_metric(value, COMPARED[answer.metric].is_share)
    return {"bits": forms.bits, "seconds": forms.seconds, "time": forms.figure, "joules": forms.joules}[answer.budget.until](value)


def end_of(entry: Entry, metric: str) -> Mean:
    """The metric at the end of the runs of an entry: the mean over its seeds."""
    return mean([last_known(entry.setting.runs[seed].evaluated(metric)) for seed in entry.seeds])


def finding(answer: Answer, ranking: Ranking) -> str:
    """Who is first, alone or tied, with which value, and who is not: the title of a figure.

    >>> finding(answer, answer.rankings[0])
    'Three methods are tied at 64.9 to 66.7 %; dp-scaffold is behind by 9.4 points'
    """
    found = ranking.verdict
    if found.first is None:
        return verdict(ranking)
    parts = [_to_target(answer, ranking) if answer.budget.target else _lead(answer, ranking)]
    if not answer.budget.target:
        parts += _others(found.behind, answer, "is behind", "are behind", _by_how_much(found.behind, answer))
    parts += [f"the seeds cannot tell about {_few(found.unknown, answer)}"] if found.unknown else []
    parts += _unreached(found.not_reached, answer)
    parts += _others(found.diverged, answer, "diverged", "diverged")
    return "; ".join(parts)


def overall(answer: Answer, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Who is first in which of several rankings, and how many of these leads are tied; `names` are those of the
    rankings."""
    firsts: dict[str, list[str]] = {}
    for ranking, name in zip(rankings, names):
        firsts.setdefault(name_of(ranking.entries[0], answer) if ranking.verdict.first else "no method", []).append(name)
    tied = sum(bool(ranking.verdict.tied) for ranking in rankings)
    said = ", ".join(f"{name}{' is first' if place == 0 else ''} at {joined(where)}"
                     for place, (name, where) in enumerate(firsts.items()))
    return said + (f"; {'all' if tied == len(rankings) else f'{tied} of {len(rankings)}'} leads are tied" if tied else "")


def _lead(answer: Answer, ranking: Ranking) -> str:
    """Who leads with which value."""
    found = ranking.verdict
    leaders = [found.first, *found.tied]
    first = shown(found.first.over.centre, answer)
    if len(leaders) == 1:
        if len(ranking.entries) == 1:
            return f"{name_of(found.first, answer)} reaches {first}, with nothing to compare"
        return f"{name_of(found.first, answer)} {'wins' if found.behind and not found.unknown else 'is first'} with {first}"
    least, most = (end(entry.over.centre for entry in leaders) for end in (min, max))
    low, high = shown(least, answer), shown(most, answer)
    start = f"{100 * least:.1f}" if COMPARED[answer.metric].is_share else low
    return f"{_counted(leaders, ranking, answer)} are tied at {high if low == high else f'{start} to {high}'}"


def target_words(answer: Answer) -> str:
    """The value that is to be reached."""
    target = answer.budget.target
    return f"{100 * target.value:g} %" if COMPARED[target.metric].is_share else forms.figure(target.value)


def _to_target(answer: Answer, ranking: Ranking) -> str:
    """What the first one spends until the target, who is tied with it or next, and how many end alike."""
    found, target = ranking.verdict, answer.budget.target
    metric = COMPARED[target.metric]
    unit = {"bits": " per client" if answer.budget.per_client else "", "time": " units of time"}
    said = f"{name_of(found.first, answer)} needs {shown(found.first.over.centre, answer)}{unit.get(answer.budget.until, '')} to reach " \
        f"{target_words(answer)}"
    if found.tied:
        said += f", tied with {_few(found.tied, answer)}"
    elif found.behind and found.first.over.centre > 0:
        times = found.behind[0].over.centre / found.first.over.centre
        said += f", {name_of(found.behind[0], answer)} {times:.1f} times as {'much' if answer.budget.until != 'bits' else 'many'}"
    if not metric.is_share or len(ranking.entries) < 3:
        return said
    ends = [end_of(entry, target.metric).centre for entry in ranking.entries]
    best = max(ends) if metric.higher_is_better else min(ends)
    close = sum(100 * abs(end - best) <= CLOSE for end in ends)
    return f"{said}; {close} of {len(ends)} end within {CLOSE:g} points of the best"


def _counted(entries: Sequence[Entry], ranking: Ranking, answer: Answer) -> str:
    """The names of few, the number of many."""
    if len(entries) <= MOST_NAMED:
        return joined([name_of(entry, answer) for entry in entries])
    count = NUMBERS[len(entries)] if len(entries) < len(NUMBERS) else str(len(entries))
    return f"{count} of {len(ranking.entries)}" if answer.by else f"{count} methods"


def _others(entries: Sequence[Entry], answer: Answer, one: str, many: str, more: str = "") -> list[str]:
    """A part of the title on entries that do not lead."""
    return [f"{_few(entries, answer)} {one if len(entries) == 1 else many}{more}"] if entries else []


def _by_how_much(entries: Sequence[Entry], answer: Answer) -> str:
    """The mean differences of those that are behind, where the metric is a share."""
    if not entries or not COMPARED[answer.metric].is_share:
        return ""
    gaps = [f"{100 * abs(entry.difference.centre):.1f}" for entry in entries]
    return f" by {joined(gaps) if len(gaps) <= MOST_NAMED else f'{gaps[0]} to {gaps[-1]}'} points"


def _unreached(entries: Sequence[Entry], answer: Answer) -> list[str]:
    """A part of the title on those that do not reach the target in every seed."""
    if not entries:
        return []
    if len(entries) == 1:
        reached, seeds = entries[0].reached, len(entries[0].seeds)
        return [f"{name_of(entries[0], answer)} reaches {target_words(answer)} in {reached} of {seeds} seeds"]
    return [f"{_few(entries, answer)} reach {target_words(answer)} in some seeds or none"]


def _few(entries: Sequence[Entry], answer: Answer) -> str:
    """The names of few, or how many there are."""
    return joined([name_of(entry, answer) for entry in entries]) if len(entries) <= MOST_NAMED else f"{len(entries)} others"


def limits_of(answer: Answer) -> str:
    """The budget for the label of an axis."""
    budget = answer.budget
    who = " per client" if budget.per_client else ", all clients"
    parts = [f"{size(budget.bits)}{who}"] if budget.bits is not None else []
    parts += [f"ε ≤ {budget.epsilon:g}"] if budget.epsilon is not None else []
    parts += [forms.seconds(budget.seconds)] if budget.seconds is not None else []
    parts += [f"{budget.time:g} units of simulated time"] if budget.time is not None else []
    parts += [forms.joules(budget.joules)] if budget.joules is not None else []
    return " and ".join(parts)


def in_doubt(title: str, answer: Answer) -> str:
    """The title, behind a word on times that are no evidence where the question is about seconds."""
    return f"{NO_EVIDENCE[0].upper()}{NO_EVIDENCE[1:]}: {title}" if time_doubt(answer) else title


def time_doubt(answer: Answer) -> list[str]:
    """Why times are no evidence, where the question is about seconds: the reason of the first such run."""
    budget = answer.budget
    asked = budget.seconds is not None or budget.target is not None and budget.until == "seconds"
    doubts = [found.words for run in answer.runs if not (found := evidence_of(run)).is_evidence] if asked else []
    return doubts[:1]


def grown(answer: Answer) -> list[str]:
    """A note on ranked methods whose objective ended above that of the start, which a ranking by scores does not show."""
    counts = {entry.method: diverged(entry.setting.runs[seed] for seed in entry.seeds)
              for ranking in answer.rankings for entry in ranking.entries if entry.result is not Result.DIVERGED}
    words = [f"{method} in {count} run{'s' if count > 1 else ''}" for method, count in counts.items() if count]
    return [f"the objective ended above that of the start: {', '.join(words)}"] if words else []
