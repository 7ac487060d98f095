"""The finding of a figure, as its title: who leads, and what a smaller upload costs; by the judgement of rankings
(stats/judgement.py), and with the values that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..io import forms
from ..io.forms import bits as in_bits
from ..io.words import capitalised, joined
from ..model import guarantees
from ..model.metrics import METRICS
from ..stats.judgement import (Judgement, MOST_NAMED, Result, Values, counted, judge, share_words, tie, value_range,
                               which_is_best)
from .ends import SAME_EPSILON, epsilons
from .series import Series
from .ways import Way

SMALL = 0.5  # of the upload of the best: what is less is a smaller upload
SHARES = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 7: "a seventh", 8: "an eighth",
          9: "a ninth", 10: "a tenth"}
MOST_LEVELS = 3  # epsilons, or other lines, in a title
MANY_TIMES = 10.0  # from this ratio on the title has ratios

Found = Sequence[tuple[Series, Values]]  # what is compared: values of a metric by seed


def judged(found: Found, metric: str) -> Judgement[Series]:
    """Returns the judgement of series by their values."""
    return judge(found, not METRICS[metric].higher_is_better)


def rivals_of(found: Found) -> list[tuple[Series, Values]]:
    """Returns what may be compared: private methods where any is private, never both kinds; empty for fewer than two,
    and where the terms of their epsilons differ."""
    known = [pair for pair in found if pair[1] and not pair[0].gone]
    rivals = [pair for pair in known if not pair[0].no_privacy] or known
    differ = guarantees.differing([each.combination.runs for each, _ in rivals])
    return rivals if len(rivals) > 1 and not differ else []


def by_level(found: Found) -> dict[float | None, list[tuple[Series, Values]]]:
    """Returns the rivals at each epsilon, the largest first; under None where there is one or none."""
    rivals = rivals_of(found)
    levels = epsilons([each for each, _ in rivals])
    if len(levels) < 2:
        return {None: rivals} if rivals else {}
    at = {level: [pair for pair in rivals if level / SAME_EPSILON <= pair[0].epsilon[0] <= level]
          for level in reversed(levels)}
    return {level: pairs for level, pairs in at.items() if len(pairs) > 1}


@dataclass(frozen=True)
class Lead:
    """What the seeds say at one epsilon: in words, and who leads alone with which value, if that is all."""

    words: str
    alone: tuple[str, str] | None = None


def who_leads(where: str, found: Found, metric: str) -> str:
    """Returns 'After 200 rounds, ldp-sgd leads with 90.0 %', for each epsilon where there are several; empty where the
    terms of epsilons differ, or there is no rival."""
    levels = by_level(found)
    if not 0 < len(levels) <= MOST_LEVELS:
        return ""
    among = "private " if len({each.no_privacy for each, _ in found}) == 2 else ""
    leads = [_lead(pairs, metric, among, "" if level is None else f" at ε = {level:g}")
             for level, pairs in levels.items()]
    if not all(lead.words for lead in leads):
        return ""
    alone = [lead.alone for lead in leads if lead.alone]
    if len(leads) > 1 and len(alone) == len(leads) and len({who for who, _ in alone}) == 1:
        return f"{where}, {alone[0][0]} with {joined([value for _, value in alone])}"
    return f"{where}, {'; '.join(lead.words for lead in leads)}"


def _lead(rivals: Found, metric: str, among: str, at: str) -> Lead:
    """Returns who leads alone or tied, or that the seeds cannot tell; nothing if the drawn values have another
    order."""
    judgement = judged(rivals, metric)
    drawn = {each: median(values.values()) for each, values in rivals}
    is_share = METRICS[metric].is_share
    show = share_words(is_share) if is_share else "{:.3g}".format
    unit = "" if is_share else f"{METRICS[metric].name} "
    noun = f"{among}{_noun(rivals)}"
    if not judgement.told:
        return Lead(which_is_best(judgement.seeds, len(rivals),
                                  unit + value_range(list(drawn.values()), show, is_share),
                                  noun) + at)
    leaders, open_ = judgement.leaders, judgement.of(Result.UNKNOWN)
    if len(leaders) > 1:
        values = unit + value_range([drawn[each] for each in leaders], show, is_share)
        return Lead(tie([each.path_name if at else each.name for each in leaders], len(rivals), values, noun) + at)
    first = leaders[0]
    if (max if METRICS[metric].higher_is_better else min)(drawn.values()) != drawn[first]:
        return Lead("")
    who = f"{first.path_name if at else first.name} leads{f' the {noun}' if among else ''}"
    value = f"{unit}{show(drawn[first])}{at}"
    more = _times(first, drawn, metric)
    more += f"; the seeds cannot tell about {counted([each.name for each in open_], len(open_))}" if open_ else ""
    return Lead(f"{who} with {value}{more}", None if more else (who, value))


def _times(first: Series, drawn: Mapping[Series, float], metric: str) -> str:
    """Returns how many times as much others have of a metric that is better when lower, if that is a number of
    times."""
    others = sorted(((value / drawn[first], each.name)
                     for each, value in drawn.items() if each is not first and value > 0)
                    if drawn[first] > 0 else ())
    if METRICS[metric].higher_is_better or not others or others[-1][0] < MANY_TIMES:
        return ""
    told = joined([f"{name}{'' if place else ' has'} {forms.figure(float(f'{times:.2g}'))}"
                   for place, (times, name) in enumerate(others)]) \
        if len(others) <= MOST_LEVELS else f"the others have {others[0][0]:.2g} to {others[-1][0]:.2g}"
    return f"; {told} times as much"


def _noun(rivals: Found) -> str:
    """Returns the noun for what is compared: methods, or lines if the values of another setting have colours."""
    return "methods" if len({each.combination.method for each, _ in rivals}) == len(rivals) else "lines"


def by_variant(ways: Mapping[str, Way], metric: str) -> str:
    """Returns 'At 1995 units of time with slow_share = 0.34 a leads with 80.0 %; with slow_share = 0.89 b leads with
    83.0 %'; empty where a variant has no finding."""
    found = [who_leads(f"{way.where} with {variant}" if place == 0 else f"with {variant}",
                       [(each, way.at_end(each)) for each, _ in way.curves], metric)
             for place, (variant, way) in enumerate(ways.items())]
    return "; ".join(found) if all(found) else ""


def by_context(found: Sequence[tuple[str, str]]) -> str:
    """Returns 'label_noise = 0.1: at the end, a leads with 80.0 %; label_noise = 0.4: ...', given the words of tasks
    and guarantees and their findings, or the only finding; empty where one has none, or there are more than
    MOST_LEVELS."""
    if len(found) == 1:
        return found[0][1]
    if len(found) > MOST_LEVELS or not all(finding for _, finding in found):
        return ""
    return "; ".join(f"{words}: {finding[0].lower()}{finding[1:]}" for words, finding in found)


def cost_of_small_uploads(found: Sequence[tuple[Series, Values, float]], metric: str) -> str:
    """Returns 'With a tenth of ldp-sgd's upload, soteriafl-sgd loses 4.0 points at ε = 8 and 9.6 points at ε = 0.5',
    given values at the end and bits; empty where the seeds do not tell, where no private method sends much less than
    the best one, or where these two are not the same methods at all epsilons."""
    private = [row for row in found if row[1] and not row[0].no_privacy and not row[0].gone]
    among = [each for each, *_ in private]
    if not METRICS[metric].is_share or guarantees.differing([each.combination.runs for each in among]):
        return ""
    parts, ratios, pairs = [], [], set()
    levels = epsilons(among)
    for level in dict.fromkeys(levels[-1:] + levels[:1]):
        rows = [row for row in private if level / SAME_EPSILON <= row[0].epsilon[0] <= level]
        best = _best(rows, metric)
        other = _best([row for row in rows if best and row[2] <= SMALL * best[2]], metric)
        if not best or not other or judged([best[:2], other[:2]], metric).of(Result.BEHIND) != [other[0]]:
            return ""
        parts.append(f"{100 * abs(median(best[1].values()) - median(other[1].values())):.1f} points at ε = {level:g}")
        ratios.append(best[2] / other[2])
        pairs.add((other[0].path_name, best[0].path_name))
    if len(pairs) != 1 or max(ratios) > 1.1 * min(ratios):
        return ""
    (small_one, large_one), = pairs
    whole = round(ratios[0])
    share = f"{SHARES[whole]} of {large_one}'s upload" if whole in SHARES and abs(ratios[0] / whole - 1) < 0.07 else \
        f"an upload {ratios[0]:.2g} times smaller than {large_one}'s"
    return f"With {share}, {small_one} loses {' and '.join(parts)}"


def least_of_the_tied(found: Sequence[tuple[Series, Values, float]], metric: str) -> str:
    """Returns '8 of 12 methods are tied for the best test accuracy (84.6 to 84.8 %); top-k sends least of them (43
    kbit)', given values at the end and bits; empty where no more than two are tied, or epsilons differ."""
    levels = by_level([row[:2] for row in found])
    if set(levels) != {None}:
        return ""
    (rivals,) = levels.values()
    leaders = judged(rivals, metric).leaders
    if len(leaders) <= MOST_NAMED:
        return ""
    least = min((row for row in found if row[0] in leaders), key=lambda row: row[2])
    drawn = [median(values.values()) for each, values in rivals if each in leaders]
    private = "private " if len(rivals) < len(found) and not rivals[0][0].no_privacy else ""
    return capitalised(f"{counted(leaders, len(rivals), private + _noun(rivals))} are tied for the best "
                       f"{METRICS[metric].name} "
                       f"({value_range(drawn, share_words(METRICS[metric].is_share), METRICS[metric].is_share)}); "
                       f"{least[0].path_name} sends least of them ({in_bits(least[2])})")


def _best(rows: Sequence[tuple[Series, Values, float]], metric: str) -> tuple[Series, Values, float] | None:
    """Returns the row with the best mean over the seeds; None without rows."""
    if not rows:
        return None
    best = judged([row[:2] for row in rows], metric).first.item
    return next(row for row in rows if row[0] is best)
