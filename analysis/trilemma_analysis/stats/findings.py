"""What a ranking has found, in one sentence for the title of its figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..io import forms
from ..io.words import NO_EVIDENCE, capitalised, joined
from ..model.budgets import spent_by
from ..model.evidence import evidence_of
from ..model.finals import last_known
from ..model.labels import as_word
from ..model.metrics import COMPARED
from ..model.sizes import size
from ..model.states import above_start
from .answers import common_seeds, verdict
from .paired import Mean, mean
from .judgement import MOST_NAMED, Result, cannot_tell, counted, grown_words, tie, value_range, which_is_best
from .rankings import Answer, Entry, Ranking

CLOSE = 0.2  # points: ends that are printed this close to the best one are counted in a title


def name_of(entry: Entry, answer: Answer) -> str:
    """Returns what competes: the method, or with `by` the value. The method is added if another method has the same
    value."""
    value = entry.setting.values.get(answer.by) if answer.by else None
    if value is None:
        return entry.method
    word = as_word(value)
    same = sum(as_word(other.setting.values.get(answer.by)) == word for ranking in answer.rankings
               if entry in ranking.entries for other in ranking.entries)
    return word if same == 1 else entry.method


def shown(value: float, answer: Answer) -> str:
    """Returns a compared value with its unit: of the metric, or what was spent until the target."""
    if answer.budget.target is None:
        return forms.of_metric(value, COMPARED[answer.metric].is_share)
    return {"bits": forms.bits, "seconds": forms.seconds, "time": forms.figure,
            "joules": forms.joules}[answer.budget.until](value)


def end_of(entry: Entry, metric: str) -> Mean:
    """Returns the metric at the end of the runs of an entry: the mean over its seeds."""
    return mean([last_known(entry.setting.runs[seed].evaluated(metric)) for seed in entry.seeds])


def spent_at_end(entry: Entry, answer: Answer) -> Mean:
    """Returns what the runs of an entry have spent by their end, in the unit of the target."""
    budget = answer.budget
    return mean([float(spent_by(entry.setting.runs[seed], budget.direction, budget.sent)[budget.spending].iloc[-1])
                 for seed in entry.seeds])


def finding(answer: Answer, ranking: Ranking) -> str:
    """Returns the title of a figure: who is first, alone or tied, with which value, and who is not.

    >>> finding(answer, answer.rankings[0])
    '3 of 4 methods are tied at 64.9 to 66.7 %; dp-scaffold is behind by 9.4 points'
    """
    found = ranking.verdict
    if found.first is None:
        return verdict(ranking)
    parts = [_to_target(answer, ranking) if answer.budget.target else lead(answer, ranking)]
    if not answer.budget.target:
        parts += _others(found.behind, answer, "is behind", "are behind", _by_how_much(found.behind, answer))
    if found.unknown and found.first.result is Result.FIRST:
        parts.append(f"the seeds cannot tell about {_few(found.unknown, answer)}")
    parts += _unreached(found.not_reached, answer)
    parts += _others(found.diverged, answer, "diverged", "diverged")
    said = "; ".join(parts)
    named = answer.budget.target or (found.first.result is Result.FIRST and len(found.tied) < MOST_NAMED)
    return said if named else capitalised(said)  # names keep their letters


def overall(answer: Answer, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Returns the result of each of several rankings in few words, of equal ones once; `names` are those of the
    rankings.

    >>> overall(answer, answer.rankings, ["ε = 1", "ε = 2", "ε = 4"])  # doctest: +SKIP
    'ε = 1 and ε = 2: ldp-sgd is first; ε = 4: ldp-sgd and cdp-sgd are tied'
    """
    found: dict[str, list[str]] = {}
    for ranking, name in zip(rankings, names):
        found.setdefault(_in_short(answer, ranking), []).append(name)
    return "; ".join(f"{joined(where)}: {words}" for words, where in found.items())


def _in_short(answer: Answer, ranking: Ranking) -> str:
    """Returns who is first, alone or tied, without values."""
    found = ranking.verdict
    if found.first is None or len(ranking.entries) == 1:
        return verdict(ranking)
    if found.first.result is Result.BEST_MEAN:
        return cannot_tell(common_seeds(found), "which is first")
    leaders = [name_of(entry, answer) for entry in (found.first, *found.tied)]
    return f"{leaders[0]} is first" if len(leaders) == 1 else \
        f"{counted(leaders, len(ranking.entries), _noun(answer))} are tied"


def _noun(answer: Answer) -> str:
    """Returns the noun for what competes."""
    return "values" if answer.by else "methods"


def lead(answer: Answer, ranking: Ranking) -> str:
    """Returns who leads with which value, alone or tied, or that the seeds cannot tell."""
    found = ranking.verdict
    first = shown(found.first.over.centre, answer)
    if len(ranking.entries) == 1:
        return f"{name_of(found.first, answer)} reaches {first}, with nothing to compare"
    compared = [found.first, *found.tied, *found.behind, *found.unknown]
    leaders = compared if found.first.result is Result.BEST_MEAN else [found.first, *found.tied]
    values = value_range([entry.over.centre for entry in leaders], lambda value: shown(value, answer),
                         answer.budget.target is None and COMPARED[answer.metric].is_share)
    if found.first.result is Result.BEST_MEAN:
        return which_is_best(common_seeds(found), len(compared), values, _noun(answer))
    if not found.tied:
        wins = "wins" if found.behind and not found.unknown else "is first"
        return f"{name_of(found.first, answer)} {wins} with {first}"
    return tie([name_of(entry, answer) for entry in leaders], len(ranking.entries), values, _noun(answer))


def target_words(answer: Answer) -> str:
    """Returns the target value in words."""
    target = answer.budget.target
    return f"{100 * target.value:g} %" if COMPARED[target.metric].is_share else forms.figure(target.value)


def _to_target(answer: Answer, ranking: Ranking) -> str:
    """Returns what the first one spends until the target, who is tied with it or next, and how many end alike."""
    found, target = ranking.verdict, answer.budget.target
    metric = COMPARED[target.metric]
    unit = {"bits": " per client" if answer.budget.per_client else "", "time": " units of time"}
    needed = shown(found.first.over.centre, answer) + unit.get(answer.budget.until, "")
    said = f"{name_of(found.first, answer)} needs {needed} to reach {target_words(answer)}"
    if found.first.result is Result.BEST_MEAN and found.unknown:
        said += f"; {cannot_tell(common_seeds(found), 'whether it is first')}"
    elif found.tied:
        said += f", tied with {_few(found.tied, answer)}"
    elif found.behind and found.first.over.centre > 0:
        times = found.behind[0].over.centre / found.first.over.centre
        much = "many" if answer.budget.until == "bits" else "much"
        said += f", {name_of(found.behind[0], answer)} {times:.1f} times as {much}"
    if not metric.is_share or len(ranking.entries) < 3:
        return said
    # By the digits that stand in the figure, so that readers count the same.
    ends = [round(100 * end_of(entry, target.metric).centre, 1) for entry in ranking.entries]
    best = max(ends) if metric.higher_is_better else min(ends)
    close = sum(round(abs(end - best), 1) <= CLOSE for end in ends)
    return f"{said}; {close} of {len(ends)} end within {CLOSE:g} points of the best"


def _others(entries: Sequence[Entry], answer: Answer, one: str, many: str, more: str = "") -> list[str]:
    """Returns a part of the title on entries that do not lead."""
    return [f"{_few(entries, answer)} {one if len(entries) == 1 else many}{more}"] if entries else []


def _by_how_much(entries: Sequence[Entry], answer: Answer) -> str:
    """Returns the mean differences of those that are behind, if the metric is a share."""
    if not entries or not COMPARED[answer.metric].is_share:
        return ""
    gaps = [f"{100 * abs(entry.difference.centre):.1f}" for entry in entries]
    return f" by {joined(gaps) if len(gaps) <= MOST_NAMED else f'{gaps[0]} to {gaps[-1]}'} points"


def _unreached(entries: Sequence[Entry], answer: Answer) -> list[str]:
    """Returns parts of the title on entries that do not reach the target in every seed, and on those that reach it in
    none."""
    some, none = ([entry for entry in entries if (entry.reached > 0) == any_] for any_ in (True, False))
    parts = []
    if len(some) == 1:
        parts.append(f"{_few(some, answer)} reaches {target_words(answer)} in {some[0].reached} of "
                     f"{len(some[0].seeds)} seeds")
    elif some:
        parts.append(f"{_few(some, answer)} reach {target_words(answer)} in some seeds only")
    if none:
        parts.append(f"{_few(none, answer)} {'reaches' if len(none) == 1 else 'reach'} {target_words(answer)} in no "
                     "seed")
    return parts


def _few(entries: Sequence[Entry], answer: Answer) -> str:
    """Returns the names of few entries, or their number."""
    return joined([name_of(entry, answer)
                   for entry in entries]) if len(entries) <= MOST_NAMED else f"{len(entries)} others"


def limits_of(answer: Answer) -> str:
    """Returns the budget for the label of an axis."""
    budget = answer.budget
    who = " per client" if budget.per_client else ", all clients"
    parts = [f"{size(budget.bits)}{who}"] if budget.bits is not None else []
    parts += [f"ε ≤ {budget.epsilon:g}"] if budget.epsilon is not None else []
    parts += [forms.seconds(budget.seconds)] if budget.seconds is not None else []
    parts += [f"{budget.time:g} units of simulated time"] if budget.time is not None else []
    parts += [forms.joules(budget.joules)] if budget.joules is not None else []
    return " and ".join(parts)


def in_doubt(title: str, answer: Answer) -> str:
    """Returns the title, preceded by a doubt about times that are no evidence if the question is about seconds."""
    return f"{capitalised(NO_EVIDENCE)}: {title}" if time_doubt(answer) else title


def time_doubt(answer: Answer) -> list[str]:
    """Returns why times are no evidence, if the question is about seconds: the reason of the first such run."""
    budget = answer.budget
    asked = budget.seconds is not None or budget.target is not None and budget.until == "seconds"
    doubts = [found.words for run in answer.runs if not (found := evidence_of(run)).is_evidence] if asked else []
    return doubts[:1]


def grown(answer: Answer) -> list[str]:
    """Returns a note on ranked methods whose objective ended above that of the start, which a ranking by scores does
    not show."""
    counts: Counter[str] = Counter()
    for entry in (entry for ranking in answer.rankings for entry in ranking.entries):
        if entry.result is not Result.DIVERGED:
            counts[entry.method] += above_start(entry.setting.runs[seed] for seed in entry.seeds)
    return grown_words(list(counts.items()))
