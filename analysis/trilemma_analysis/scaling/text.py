"""What a scaling study says: the answer, doubts, and where the time of a round goes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..io import forms
from ..io.words import NO_EVIDENCE, Warn, joined
from ..stats.intervals import Interval, MEDIAN_SEEDS
from .losses import serial_fraction
from .model import fit
from .points import (Doubt, Judgement, Line, MODEL_RANKS, Point, Ratio, Study, efficiency, judged, name_of, speed_up,
                     ties, usable_ranks)
from .timing import PARTS

MOST_TIED = 3  # lines that are named
# Factors of the parallel efficiency, by their words.
FACTORS = {"load balance": "load_balance", "serialisation": "serialisation_efficiency",
           "transfer": "transfer_efficiency"}
# How one line compares with another.
RELATIONS = {Judgement.ONE_PAIR: ("not distinguished", "from"), Judgement.TOO_FEW: ("not distinguished", "from"),
             Judgement.TIED: ("tied", "with"), Judgement.FASTER: ("faster", "than"),
             Judgement.SLOWER: ("slower", "than")}


def with_interval(found: Interval) -> str:
    """Returns a time with its interval: 44.1 ms [43 to 45.2 ms]."""
    ends = f" [{forms.span(found.low, found.high, forms.seconds)}]" if found.kind != "none" else ""
    return forms.seconds(found.median) + ends


def ratio_of(found: Interval) -> str:
    """Returns a ratio with its interval: 0.84 [0.64, 1.01]."""
    return f"{found.median:.2f}" + (f" [{found.low:.2f}, {found.high:.2f}]" if math.isfinite(found.low)
                                    and found.low != found.high else "")


def in_ranks(ranks: Sequence[int] | int) -> str:
    """Returns numbers of ranks in words: "1 rank", "2 ranks", "3 and 4 ranks"."""
    ranks = [ranks] if isinstance(ranks, int) else list(ranks)
    return f"{joined(ranks)} rank{'s' * (ranks != [1])}"


def placed(point: Point) -> str:
    """Returns the number of ranks, and the ranks on each node if there are several: "4 (2 + 2)"."""
    return f"{point.ranks}" + (f" ({point.placement.words})" if len(point.placement.blocks) > 1 else "")


def answers(study: Study, brief: bool = False) -> list[str]:
    """Returns the answer for every series: how fast its fastest line is on the most ranks whose times are evidence."""
    return [answer([line for line in study.lines if line.series == name], study.lines, brief)
            for name in dict.fromkeys(line.series for line in study.lines)]


def answer(lines: Sequence[Line], among: Sequence[Line], brief: bool = False) -> str:
    """Returns the answer for one series; `brief` omits the efficiency. A ratio below 1 is written as its reciprocal:
    "1.5 times as long"."""
    found = fastest(lines)
    if found is None:
        why = joined(list(dict.fromkeys(point.doubt.value for line in lines for point in line.points if point.doubt)))
        what = f"{NO_EVIDENCE} ({why})" if why else "one number of ranks, from which no speed-up follows"
        return f"{lines[0].series}: {what}"
    line, point = found
    ratio = speed_up(line, point).median if line.kind == "strong" else line.base.seconds.median / point.seconds.median
    pace = _pace(ratio)
    tied = [name_of(each, among) for each in ties(line, point, lines)]
    few = len(point.runs) < MEDIAN_SEEDS and not point.exact
    others = joined(tied) if len(tied) <= MOST_TIED else f"{len(tied)} other lines"
    tie = f"{'not distinguished from' if few else 'tied with'} {others}" if tied else ""
    words = f"{name_of(line, among)} {pace} on {placed(point)} as on {in_ranks(line.base.ranks)}"
    if brief:
        return words + f", {tie}" * bool(tie)
    clients = " with as many clients a rank" * (line.kind == "weak")
    return f"{words}{clients} (efficiency {ratio_of(efficiency(line, point))}{f', {tie}' * bool(tie)})"


def _pace(ratio: float) -> str:
    """Returns a ratio of speeds with two digits: "is 2 times as fast", "takes 1.5 times as long", "is as fast"."""
    if f"{ratio:.2g}" == "1" or f"{1 / ratio:.2g}" == "1":
        return "is as fast"
    return f"is {ratio:.2g} times as fast" if ratio > 1 else f"takes {1 / ratio:.2g} times as long"


def fastest(lines: Sequence[Line]) -> tuple[Line, Point] | None:
    """Returns the fastest line on the most ranks whose times are evidence, and its point; None if that is the base, or
    the base is no evidence."""
    sound = [(line, point) for line in lines for point in line.usable if point is not line.base and not line.base.doubt]
    most = max((point.ranks for _, point in sound), default=0)
    return min(((line, point) for line, point in sound if point.ranks == most),
               key=lambda pair: pair[1].seconds.median, default=None)


def details(study: Study) -> list[str]:
    """Returns for every series the parts of the time of its answer, and the predictions of the model."""
    pairs = [fastest([line for line in study.lines if line.series == name])
             for name in dict.fromkeys(line.series for line in study.lines)]
    return [f"{name_of(line, study.lines)}, {in_ranks(point.ranks)}: {_of_shares(point)} {_of_losses(line, point)} "
            f"{of_model(line)}" for line, point in filter(None, pairs)]


def _of_shares(point: Point) -> str:
    """Returns the parts of a round as shares, and the rank that computes longest."""
    shares = {name: share for name, share in shares_of(point).items() if share >= 0.005}
    rank, often = point.slowest
    who = "" if point.exact else f"; rank {rank} computes longest most often ({100 * often:.0f} % of the rounds)"
    barrier = "waiting" in shares and any(timing.barrier for timing in point.timings)
    what = " (the barrier that tells waiting apart is part of other waiting)" if barrier else ""
    return ", ".join(f"{100 * share:.0f} % {PARTS[name]}" for name, share in shares.items()) + f"{what}{who}."


def _of_losses(line: Line, point: Point) -> str:
    """Returns the factors of the parallel efficiency, the serial fraction, and what a round hands to MPI."""
    known = {word: value for word, column in FACTORS.items() if math.isfinite(value := point.median(column))}
    factors = ", ".join(f"{word} {value:.2f}" for word, value in known.items())
    serial = serial_fraction(line, point)
    found = [f"{factors[:1].upper()}{factors[1:]}"] if factors else []
    found += [f"serial fraction {serial:.2f}"] if serial >= 0 else []
    up, down = (8 * point.median(f"mpi_bytes_{way}") for way in ("up", "down"))
    return f"{'; '.join(found)}. A round hands {forms.bits(up)} up and {forms.bits(down)} down to MPI."


def shares_of(point: Point) -> dict[str, float]:
    """Returns the parts of a round, medians over the repetitions, over their sum."""
    parts = {name: point.median(name) for name in PARTS}
    return {name: value / sum(parts.values()) for name, value in parts.items()}


def of_model(line: Line) -> str:
    """Returns the error of the model, where it is largest, and its prediction for more ranks."""
    model = fit(line)
    if model is None:
        ways = line.placed_in_several_ways
        so = f" ({in_ranks(ways)} were placed in several ways)" if ways else ""
        return (f"No model: that takes {MODEL_RANKS} numbers of ranks whose times are evidence, and there are "
                f"{len(line.sound)}{so}.")
    where, error = model.worst
    off = (f"The model, fitted on {in_ranks(model.fitted)} and checked on {joined(list(model.errors))}, is off by up "
           f"to {100 * error:.0f} % (on {where})")
    if not model.fits:
        return f"{off}: it does not fit, and says nothing about more ranks."
    if len(model.fitted) < 2:
        return f"{off}, and says nothing about more ranks, for one fitted point does not tell latency from bandwidth."
    if (half := model.half) is None:
        return f"{off}, and says that messages and waiting never take half a round (to {model.most_ranks:,} ranks)."
    most = max(point.ranks for point in line.points)
    beyond = f", an extrapolation beyond the {most} measured" if half > most else ""
    return f"{off}, and says that messages and waiting take half a round from {in_ranks(half)} on{beyond}."


def on_nodes(lines: Sequence[Line]) -> list[str]:
    """Returns the nodes of the ranks, if the files record them."""
    ways = {(point.ranks, point.placement.words) for line in lines for point in line.points if point.placement.known}
    told = "; ".join(f"{in_ranks(ranks)}: {words}" for ranks, words in sorted(ways))
    return [f"ranks on the nodes: {told}"] if ways else []


def doubts(study: Study) -> list[str]:
    """Returns warnings about the times: ranks that share cores among themselves or with others, and other faults."""
    points = [point for line in study.lines for point in line.points]
    return [Warn(f"{NO_EVIDENCE}: {_of_doubt(doubt, [point for point in points if point.doubt is doubt])}")
            for doubt in Doubt if any(point.doubt is doubt for point in points)]


def _of_doubt(doubt: Doubt, points: Sequence[Point]) -> str:
    """Returns why the times of some points are no evidence."""
    ranks = in_ranks(sorted({point.ranks for point in points}))
    cores = joined(sorted({point.cores for point in points}))
    others = sorted(other for point in points if math.isfinite(other := point.median("others")))
    if doubt is Doubt.SHARED:
        return f"{ranks} share {cores} cores of a node"
    if doubt is Doubt.MISPLACED:
        words = joined(list(dict.fromkeys(point.placement.words for point in points)))
        return f"{ranks} were placed {words}, which is not what was asked for"
    if doubt is Doubt.LOAD and others:
        span = " to ".join(dict.fromkeys(f"{other:.1f}" for other in (others[0], others[-1])))
        return f"others used {span} of {cores} cores during the runs on {ranks}; repeat them where nothing else runs"
    return f"{doubt.value}, on {ranks}; repeat the runs where nothing else runs"


def no_picture(lines: Sequence[Line]) -> str:
    """Returns why there is no picture; empty where there is one."""
    found = usable_ranks(lines)
    there = f"and there {'is' if found == 1 else 'are'} {found or 'none'}"
    return f"no picture: it takes {MODEL_RANKS} numbers of ranks whose times are evidence, {there}" \
        if found < MODEL_RANKS else ""


def compared_lines(ratios: Sequence[Ratio]) -> list[str]:
    """Returns one line for every ratio of times."""
    out = []
    for each in ratios:
        line = ", ".join([each.line.series, *(f"{key} = {value}" for key, value in each.line.values.items()
                                              if str(value) != each.who)])
        ratio, doubt = each.ratio, f"; {NO_EVIDENCE}: {each.doubt.value}" if each.doubt else ""
        ends = f" [{ratio.low:.3f}, {ratio.high:.3f}]" if ratio.kind != "none" else ""
        out.append(f"{line}, {each.words} on {placed(each.point)}: {ratio.median:.3f}{ends} times as long "
                   f"({ratio.n} pair{'s' * (ratio.n != 1)}): {judged(ratio)}{doubt}")
    return out


def answer_compared(ratios: Sequence[Ratio]) -> str:
    """Returns where which line is faster, for example "reduce is tied with gather on 1 rank, faster on 2 and 4
    ranks"."""
    found: dict[tuple[str, str, str], dict[tuple[str, str], list[int]]] = {}
    for each in (each for each in ratios if not each.doubt):
        of_line = found.setdefault((each.line.series, each.who, each.against), {})
        of_line.setdefault(RELATIONS[judged(each.ratio)], []).append(each.point.ranks)
    several, told = len({each.line.series for each in ratios}) > 1, []
    for (series, who, against), by_word in found.items():
        words = [(f"{word} on " if i else f"{who} is {word} {than} {against} on ")
                 + in_ranks(list(dict.fromkeys(ranks))) for i, ((word, than), ranks) in enumerate(by_word.items())]
        told.append(f"{series}: " * several + ", ".join(words))
    return "; ".join(told) or NO_EVIDENCE
