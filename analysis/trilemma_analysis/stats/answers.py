"""What `best` prints and writes: text for people, rows for programs, and the winner's configuration."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import pandas as pd

from ..io.forms import of_metric, percent
from ..io.words import Long, joined, relative, wrapped
from ..io.writing import records
from ..model import guarantees
from ..model.budgets import Budget
from ..model.groups import shortened, without_table
from ..model.metrics import COMPARED
from ..model.origins import remarks
from ..model.replicates import what_seeds_change
from ..model.states import is_lost
from ..stats.baselines import Score, baseline_notes, final_score, score
from ..stats.bits_notes import bits_notes, stands_of
from ..stats.paired import Mean, mean
from ..stats.judgement import Result, cannot_tell
from ..stats.rankings import Answer, Entry, Ranking, Verdict

WATCHDOG = "watchdog"  # table with a limit of whoever started the run, and no setting of the experiment
COMPARED_RESULTS = (Result.TIED, Result.BEHIND, Result.AHEAD_IN_COMMON_SEEDS)  # of which the seeds tell something
STANDARD = "what differences and seconds are: --wide"
USED_UP = 0.9  # of a budget: less than this is worth a word


def notes(answer: Answer) -> list[str]:
    """Returns the notes below the rankings."""
    found = []
    if len(answer.rankings) > 1:
        parts = guarantees.differing([answer.runs])
        found.append("methods are compared within a ranking only" + (
            f"; epsilons of different rankings cannot be compared ({guarantees.differ(parts)})" if parts else ""))
    found.append(_choice(answer))
    most = max(len(ranking.entries) - 1 for ranking in answer.rankings)
    if most > 0:
        found.append(Long("differences are those to the first method, seed by seed, with 95 % intervals by Student's t"
                          + (f", each by itself and not for all {most} comparisons at once" if most > 1 else ""),
                          STANDARD))
    if any(_is_cut(answer, entry) for entry in _entries(answer)):
        found.append("intervals end at values that are possible")
    found += what_seeds_change([[entry.setting.runs[seed] for seed in entry.seeds] for entry in _entries(answer)])
    found.append(Long("seconds are those of the rounds, without evaluation and recording", STANDARD))
    found += bits_notes(answer)
    if answer.skipped:
        found += ["not compared:", *(f"  {why}" for why in answer.skipped)]
    found += baseline_notes([_scored(answer, entry) for entry in _entries(answer)])
    return [*found, *guarantees.choice(answer.runs), *remarks(answer.runs)]


def _is_cut(answer: Answer, entry: Entry) -> bool:
    """Returns whether an interval of the entry is cut at a possible extreme."""
    least, most = answer.possible
    ends_ = [(entry.over, (least, most)), (entry.difference, (least - most, most - least))]
    return any(over is not None and (over.low == low or over.high == high) and over.low < over.high
               for over, (low, high) in ends_)


def _entries(answer: Answer) -> list[Entry]:
    """Returns the entries of all rankings."""
    return [entry for ranking in answer.rankings for entry in ranking.entries]


def _scores(answer: Answer, entry: Entry) -> list[Score]:
    """Returns the compared values, and those of the best constant model. The cost of a target is not a score."""
    metric = answer.metric if answer.budget.target is None else "bits"
    return [score(entry.setting.runs[seed], metric, entry.setting.found[seed].value) for seed in entry.seeds]


def _scored(answer: Answer, entry: Entry) -> tuple[str, list[Score]]:
    """Returns an entry and its scores for a remark on constant models: the compared values. If these are not scored,
    accuracies at the same rounds are, with their mean in the name, which the table does not have."""
    scores = _scores(answer, entry)
    if not all(math.isnan(each.constant) for each in scores):
        return _name(entry), scores
    scores = [final_score(entry.setting.runs[seed], entry.setting.found[seed].round) for seed in entry.seeds]
    word = "accuracy" if scores[0].is_share else "test error"
    shown = of_metric(mean([each.value for each in scores]).centre, scores[0].is_share)
    return f"{_name(entry)} with {word} {shown}", scores


def rows(answer: Answer) -> pd.DataFrame:
    """Returns one row per method and ranking, in full precision. Bits are payload bits, means over the seeds."""
    return pd.DataFrame([row_of(answer, number_, ranking, place, entry)
                         for number_, ranking in enumerate(answer.rankings, 1)
                         for place, entry in enumerate(ranking.entries, 1)])


def as_json(answer: Answer, gaps: Sequence[str] = ()) -> str:
    """Returns question, rows, notes, of which the first are on `gaps` of the sweeps, and what is skipped. Unknown and
    infinite values are null."""
    content = {"schema": "trilemma-best", "schema_version": 2, "question": question(answer), "metric": answer.metric,
               "lower_is_better": answer.lower, "rankings": records(rows(answer)),
               "skipped": list(answer.skipped), "notes": [*gaps, *notes(answer)]}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def winner_toml(ranking: Ranking, answer: Answer) -> str:
    """Returns the configuration of the winner's first run, as in its file, with a comment on its origin."""
    winner = ranking.entries[0]
    seed = winner.seeds[0]
    run, stands = winner.setting.runs[seed], winner.setting.found[seed]
    head = [question(answer), ranking.title, verdict(ranking),
            f"The configuration of {run.path.name} (seed {seed}), fingerprint {run.attributes['fingerprint']}."]
    if stands.round < stands.of:
        head.append(f"It was compared after round {stands.round}; the run has {stands.of} rounds, and its noise is "
                    "that of all of them.")
    return "".join(f"# {line}\n" for line in wrapped(head, width=98)) + without_table(run.config, WATCHDOG)


def question(answer: Answer) -> str:
    """Returns what is compared within which limits, or up to which target."""
    metric, budget = COMPARED[answer.metric], answer.budget
    limits = budget.words()
    if budget.target is None:
        return f"{' '.join(metric.axis.split())} at the last evaluated round{f' within {limits}' if limits else ''}"
    sign = ">=" if metric.higher_is_better else "<="
    what = {"bits": f"payload bits {budget.who}", "time": "simulated time", "seconds": "seconds",
            "joules": "joules"}[budget.until]
    return f"{what}, until the first evaluated round with {metric.name} {sign} {budget.target.value:g} " \
        f"(lower is better){f', within {limits}' if limits else ''}"


def _choice(answer: Answer) -> str:
    """Returns how the settings were chosen, and which choices are open."""
    entries = _entries(answer)
    peeked = list(dict.fromkeys(entry.method for entry in entries if entry.chosen_on_results))
    tuned = any(entry.settings > 1 and not entry.chosen_on_results for entry in entries)
    parts = [f"settings were chosen on the seeds for tuning ({', '.join(map(str, answer.tuning))}) and judged by "
             "others"] \
        if tuned else []
    if peeked:
        who = f" of {joined(peeked)}" if tuned else ""
        parts.append(f"settings{who} were chosen on the seeds that judge them, which flatters methods with many "
                     "settings; --tune-seeds names seeds for the choice alone")
    several = len(answer.rankings) > 1
    open_ = [f"{entry.method} ({entry.rivals} of {entry.settings - 1}{f', ranking {place}' if several else ''})"
             for place, ranking in enumerate(answer.rankings, 1) for entry in ranking.entries if entry.rivals]
    if open_:
        parts.append(f"other settings may be as good as the chosen one: {', '.join(open_)}; more seeds for tuning make "
                     "the choice firm")
    return "; ".join(parts) or "no method had settings to choose from"


def verdict(ranking: Ranking) -> str:
    """Returns who wins, in a sentence. Ties are named as ties."""
    found = ranking.verdict
    if found.first is None:
        return _no_first(found)
    first, names = _name(found.first), [entry.method for entry in found.tied]
    parts = [f"{_names(found.not_reached)} did not reach the target in {'all seeds' if _some(found) else 'any seed'}"] \
        if found.not_reached else []
    parts += [f"{_names(found.diverged)} diverged"] if found.diverged else []
    if len(ranking.entries) == 1:
        return f"{first} is the only method here"
    if found.first.result is Result.BEST_MEAN:
        return "; ".join([f"{cannot_tell(common_seeds(found), 'which method is first')}; {first} has the best mean",
                          *parts])
    if found.unknown:
        parts.append(f"the seeds cannot tell about {_names(found.unknown)}")
    if names:
        said = f"tie: {first} is first, but not significantly better than {joined(names)}"
    elif found.behind:
        said = f"{first} wins" + (f" against {_names(found.behind)}" if parts else "")
    else:
        said = f"only {first} reached the target" if found.not_reached else f"{first} is the only method left"
    return "; ".join([said, *parts])


def common_seeds(found: Verdict) -> int:
    """Returns the largest number of seeds that the first entry has in common with another that was compared with it."""
    return max(entry.difference.n for entry in (*found.tied, *found.behind, *found.unknown))


def _no_first(found: Verdict) -> str:
    """Returns the sentence on a ranking in which no method has a result in all seeds."""
    parts = ["no method reached the target in "
             f"{'all seeds' if _some(found) else 'any seed'}"] if found.not_reached else []
    return "; ".join([*parts, *([f"{_names(found.diverged)} diverged"] if found.diverged else [])])


def _some(found: Verdict) -> bool:
    """Returns whether some seed of a method reached the target."""
    return any(entry.reached for entry in found.not_reached)


def _names(entries: Sequence[Entry]) -> str:
    """Returns the methods of entries as a list in a sentence."""
    return joined([entry.method for entry in entries])


def fewer_seeds(ranking: Ranking) -> list[str]:
    """Returns a sentence on methods none of whose settings has as many seeds as other methods have."""
    most = max(len(entry.seeds) for entry in ranking.entries)
    fewer = [f"{entry.setting.method} with {len(entry.seeds)}" for entry in ranking.entries if len(entry.seeds) < most]
    return [f"fewer seeds than other methods, which have up to {most}: {', '.join(fewer)}; a mean over other seeds is "
            "another mean"] if fewer else []


def result_words(entry: Entry) -> str:
    """Returns the result of a method in the words of its row."""
    over = entry.difference
    if entry.result is Result.DIVERGED:
        return f"diverged ({sum(is_lost(entry.setting.runs[seed]) for seed in entry.seeds)} of {len(entry.seeds)})"
    if entry.result is Result.NOT_REACHED and entry.reached:
        return f"reached by {entry.reached} of {len(entry.seeds)} seeds"
    if entry.result is Result.TIED and over is not None and over.is_zero:
        return "equal in every seed"
    if entry.result is Result.UNKNOWN and over is not None:
        return ("no seed in common", "one seed: unknown", "2 seeds cannot tell")[over.n]
    return entry.result.value


def row_of(answer: Answer, number_: int, ranking: Ranking, place: int, entry: Entry) -> dict:
    """Returns the row of an entry for CSV and JSON."""
    table = pd.DataFrame([vars(each) for each in stands_of(entry)])
    over = entry.difference or Mean(0, math.nan, math.nan, math.nan, "none")
    run, way = entry.setting.runs[entry.seeds[0]], answer.budget.direction
    return {
        "ranking": number_, "title": ranking.title, "rank": place, "method": entry.setting.method,
        "setting": ", ".join(entry.label), "settings": entry.settings,
        "chosen_on_results": entry.chosen_on_results, "seeds": " ".join(map(str, entry.seeds)), "metric": answer.metric,
        "value": entry.over.centre, "low": entry.over.low, "high": entry.over.high, "reached": entry.reached,
        "difference": over.centre, "difference_low": over.low, "difference_high": over.high,
        "difference_seeds": over.n, "tied": entry.result is Result.TIED if entry.result in COMPARED_RESULTS else None,
        "result": entry.result.value,
        "round_least": int(table["round"].min()), "round_most": int(table["round"].max()),
        "rounds_within_budget": int(table["could"].min()), "rounds": int(table["of"].min()),
        "bits": table["bits"].mean(), f"bits_{way}_per_client": table["mean"].mean(),
        "bits_sent_per_client_least": table["sent_mean"].min(skipna=False),
        "bits_sent_per_client_most": table["sent_mean"].max(skipna=False),
        f"bits_{way}_largest_client": table["most"].mean(skipna=False), "seconds": table["seconds"].mean(),
        "time": table["time"].mean(), "joules": table["joules"].mean(),
        "best_constant": mean([each.constant for each in _scores(answer, entry)]).centre,
        "epsilon_accounted": table["epsilon"].max(skipna=False), "claim_status": guarantees.status_of([run]),
        **{part: guarantees.column([run], part) for part in guarantees.PARTS},
        "fingerprint": run.attributes["fingerprint"], "folder": relative(run.path.parent), "file": run.path.name,
    }


def on_rounds(answer: Answer, ranking: Ranking) -> list[str]:
    """Returns what the comparison leaves open: budgets that were not used up, and evaluations that are too far
    apart."""
    if answer.budget.target is not None:
        return ["the target counts as reached at the first evaluated round that is as good"]
    found = [sentence for limit in _limits(answer.budget) if (sentence := _unused(ranking, *limit))]
    first = [(entry.method, stands) for entry in ranking.entries for stands in stands_of(entry)[:1]]
    late = [f"{method} at round {each.round} of {each.could}" for method, each in first if each.round < each.could]
    early = [f"{method} after {each.round} of {each.of} rounds" for method, each in first
             if each.could < each.of and not each.made]
    found += [f"last evaluated before the budget was used up: {', '.join(late)}; a smaller evaluate.every shows more"] \
        if late else []
    return found + ([f"compared before their end: {', '.join(early)}; step sizes and noise are those of all rounds, "
                     "and runs that are planned for this budget may rank otherwise"] if early else [])


def _limits(budget: Budget) -> list[tuple[str, str, float]]:
    """Returns the limits of a budget: the word, the column of what was spent, and the value."""
    limits = (("bits", "mean" if budget.per_client else "bits", budget.bits), ("epsilon", "epsilon", budget.epsilon),
              ("seconds", "seconds", budget.seconds), ("energy", "joules", budget.joules))
    return [(word, column, limit) for word, column, limit in limits if limit]


def _unused(ranking: Ranking, word: str, column: str, limit: float) -> str:
    """Returns the sentence on methods that ended with a part of the limit left, if there are any. Neither the chosen
    setting nor one that differs only in rounds or epsilon has spent it."""
    shares = {entry.method: max(getattr(each, column) for each in stands_of(entry)) / limit for entry in ranking.entries
              if all(each.round == each.of for each in stands_of(entry))
              and entry.most_spent.get(column, 0.0) < USED_UP * limit}
    idle = [f"{method} used {percent(share)} of it" for method, share in shares.items() if 0 < share < USED_UP]
    more = "less noise or more rounds" if word == "epsilon" else "more rounds"
    return f"the budget of {word} was not used up: {', '.join(idle)}; with {more} the order may change" if idle else ""


def _name(entry: Entry) -> str:
    """Returns the method and its setting, for a sentence."""
    return entry.setting.method + (f" ({', '.join(shortened(entry.label))})" if entry.label else "")
