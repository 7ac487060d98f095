"""The finding of a figure, as its title: who leads, and what a smaller upload costs; from paired differences over the
seeds, as in rankings, and only as far as these tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from ..io.forms import bits as in_bits, of_metric
from ..model import guarantees
from ..model.metrics import METRICS
from ..stats.paired import Mean, mean
from .ends import SAME_EPSILON, epsilons
from .series import Series
from .ways import Way

Values = Mapping[int, float]  # of a metric, by seed
MOST_NAMED = 2  # methods that are not distinguished from the leader
SMALL = 0.5  # of the upload of the best: what is less is a smaller upload
SHARES = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 7: "a seventh", 8: "an eighth",
          9: "a ninth", 10: "a tenth"}


def ahead(one: Values, other: Values, metric: str) -> Mean:
    """By how much one is better than the other: the paired mean over their common seeds."""
    sign = 1 if METRICS[metric].higher_is_better else -1
    return mean([sign * (one[seed] - other[seed]) for seed in one if seed in other])


def leader(found: Sequence[tuple[Series, Values]], metric: str) -> tuple[Series, Values, list[Series]]:
    """The best by the median over the seeds, which is what figures draw, its values, and those that the paired
    differences do not distinguish from it."""
    sign = 1 if METRICS[metric].higher_is_better else -1
    best, values = max(found, key=lambda pair: sign * median(pair[1].values()))
    return best, values, [each for each, other in found if each is not best and not ahead(values, other, metric).low > 0]


def who_leads(where: str, found: Sequence[tuple[Series, Values]], metric: str) -> str:
    """'After 200 rounds ldp-sgd leads with 90.0 %', or 'with test error 0.81'; empty where epsilons or their terms differ,
    or there is no rival."""
    rivals = [pair for pair in found if not pair[0].no_privacy] or list(found)
    rivals = [pair for pair in rivals if pair[1] and not pair[0].gone]
    among = [each for each, _ in rivals]
    if len(rivals) < 2 or len(epsilons(among)) > 1 or guarantees.differing([each.combination.runs for each in among]):
        return ""
    best, values, tied = leader(rivals, metric)
    value = of_metric(median(values.values()), METRICS[metric].is_share)
    value = value if METRICS[metric].is_share else f"{METRICS[metric].name} {value}"
    of, among_private = (" the private methods", " of the private methods") if len(rivals) < len(found) else ("", "")
    if not tied:
        return f"{where} {best.name} leads{of} with {value}"
    others = " and ".join(each.name for each in tied) if len(tied) <= MOST_NAMED else f"{len(tied)} others"
    seeds = len(values)
    return f"{where} {best.name} is first{among_private} with {value}, but {seeds} seed{'s do' if seeds > 1 else ' does'} not distinguish " \
        f"it from {others}"


def by_variant(ways: Mapping[str, Way], metric: str) -> str:
    """'At 1995 units of time with slow_share = 0.34 a leads with 80.0 %; with slow_share = 0.89 b leads with 83.0 %';
    empty where a variant has no finding."""
    found = [who_leads(f"{way.where} with {variant}" if place == 0 else f"with {variant}",
                       [(each, way.at_end(each)) for each, _ in way.curves], metric)
             for place, (variant, way) in enumerate(ways.items())]
    return "; ".join(found) if all(found) else ""


def cost_of_small_uploads(found: Sequence[tuple[Series, Values, float]], metric: str) -> str:
    """'With a tenth of ldp-sgd's upload, soteriafl-sgd loses 4.0 points at ε = 8 and 9.6 points at ε = 0.5', given
    values at the end and bits; empty where the seeds do not tell, where no private method sends much less than the best
    one, or where these two are not the same methods at all epsilons."""
    private = [row for row in found if row[1] and not row[0].no_privacy and not row[0].gone]
    among = [each for each, *_ in private]
    if not METRICS[metric].is_share or guarantees.differing([each.combination.runs for each in among]):
        return ""
    parts, ratios, pairs = [], [], set()
    levels = epsilons(among)
    for level in dict.fromkeys(levels[-1:] + levels[:1]):
        rows = [row for row in private if level / SAME_EPSILON <= row[0].epsilon[0] <= level]
        if not rows:
            return ""
        best = _best(rows, metric)
        small = [row for row in rows if row[2] <= SMALL * best[2]]
        if not small:
            return ""
        other = _best(small, metric)
        lost = ahead(best[1], other[1], metric)
        if not lost.low > 0:
            return ""
        drawn = median(best[1].values()) - median(other[1].values())
        parts.append(f"{100 * abs(drawn):.1f} points at ε = {level:g}")
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
    """'8 of 12 are tied for the best test accuracy; top-k sends least of them (43 kbit)', given values at the end and
    bits; empty where no more than two are tied, or epsilons or their terms differ."""
    rows = [row for row in found if row[1] and not row[0].gone]
    among = [each for each, *_ in rows]
    if len(rows) < 3 or len(epsilons(among)) > 1 or guarantees.differing([each.combination.runs for each in among]):
        return ""
    best, _, tied = leader([(each, values) for each, values, _ in rows], metric)
    least = min((row for row in rows if row[0] in (best, *tied)), key=lambda row: row[2])
    return f"{len(tied) + 1} of {len(rows)} are tied for the best {METRICS[metric].name}; {least[0].path_name} sends " \
        f"least of them ({in_bits(least[2])})" if len(tied) > 1 else ""


def _best(rows: Sequence[tuple[Series, Values, float]], metric: str) -> tuple[Series, Values, float]:
    """The row with the best median over the seeds."""
    best = leader([(each, values) for each, values, _ in rows], metric)[0]
    return next(row for row in rows if row[0] is best)
