"""What a scaling study says: a table, and a verdict of three sentences for every series."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from ..io.words import NO_EVIDENCE, Warn
from ..stats.intervals import Interval, MEDIAN_SEEDS
from .folder import Line, Point, StudyFolder
from .model import Model, calibrated, fit
from .points import Compared, Ratio, efficiency, name_of, paired, speed_up
from .timing import PARTS

MOST_ERROR = 0.25  # of a model that is believed
PART_WORDS = {"clients": "work of clients", "imbalance": "imbalance", "waiting": "other waiting",
              "messages": "messages", "server": "server"}


def duration(seconds: float) -> str:
    """A time with three digits."""
    if not math.isfinite(seconds):
        return "-"
    factor, unit = next(((factor, unit) for factor, unit in ((1e6, "µs"), (1e3, "ms")) if seconds * factor < 999.5),
                        (1, "s"))
    return f"{seconds * factor:#.3g}".rstrip(".") + f" {unit}"


def with_interval(found: Interval) -> str:
    """A time with its interval: 44.1 ms [43.0 ms, 45.2 ms]."""
    ends = f" [{duration(found.low)}, {duration(found.high)}]" if found.kind != "none" else ""
    return duration(found.median) + ends


def ranks_of(count: int) -> str:
    """1 rank, 2 ranks, ..."""
    return f"{count} rank{'s' * (count != 1)}"


def listed(values: Sequence[Any]) -> str:
    """1, 2 and 3."""
    words = [str(value) for value in values]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def verdicts(study: StudyFolder) -> list[str]:
    """Three sentences for every series: of its fastest line on the most ranks that have a core each, how fast it is,
    where its time goes, and what the model says."""
    series = list(dict.fromkeys(line.series for line in study.lines))
    return [verdict([line for line in study.lines if line.series == name], study.lines) for name in series]


def verdict(lines: Sequence[Line], among: Sequence[Line]) -> str:
    """The verdict on one series."""
    found = fastest(lines)
    if found is None:
        return (f"{lines[0].series}: no number of ranks but the base has a core for every rank, so that nothing "
                "follows about speed. The figures are shown all the same. Run the study on more cores.")
    line, point = found
    return " ".join((_of_speed(line, point, among), _of_shares(point), _of_model(line, fit(line))))


def fastest(lines: Sequence[Line]) -> tuple[Line, Point] | None:
    """The fastest line on the most ranks that have a core each, and its point; None where that is the base at most."""
    sound = [(line, point) for line in lines for point in line.points
             if not point.crowded and not point.misplaced and point is not line.base]
    most = max((point.ranks for _, point in sound), default=0)
    return min(((line, point) for line, point in sound if point.ranks == most),
               key=lambda pair: pair[1].seconds.median, default=None)


def answer(lines: Sequence[Line], among: Sequence[Line]) -> str:
    """The verdict on one series in some words."""
    found = fastest(lines)
    if found is None:
        return f"{lines[0].series}: {NO_EVIDENCE}, for ranks share cores"
    line, point = found
    name, share, doubt = name_of(line, among), f"efficiency {_ratio(efficiency(line, point))}", ""
    if line.base.disturbed or point.disturbed:
        doubt = f"; {NO_EVIDENCE}: others used the cores"
    elif ties := _ties(line, point, lines):
        how = "not distinguished from" if _has_few(point) else "tied with"
        doubt = f"; {how} {listed([name_of(each, among) for each in ties])}"
    if line.kind == "strong":
        what = f"{name} is {speed_up(line, point).value:.2g} times as fast"
    else:
        what = f"{name} takes {point.seconds.median / line.base.seconds.median:.2g} times as long"
    return f"{what} on {ranks_of(point.ranks)} as on {line.base.ranks} ({share}{doubt})"


def _ratio(ratio: Ratio) -> str:
    """A ratio with its interval."""
    return f"{ratio.value:.2f}" + (f" [{ratio.low:.2f}, {ratio.high:.2f}]" if math.isfinite(ratio.low) else "")


def _ties(line: Line, point: Point, lines: Sequence[Line]) -> list[Line]:
    """Lines of the same series that cannot be distinguished from this one on the same number of ranks, pair by pair."""
    return [other for other in lines if other is not line
            for each in other.points if each.ranks == point.ranks and each.placement.fits(point.placement)
            and not _is_slower(each, point)]


def _has_few(point: Point) -> bool:
    """Whether its repetitions are too few to tell it from others."""
    return len(point.timings) < MEDIAN_SEEDS and not point.exact


def _is_slower(one: Point, other: Point) -> bool:
    ratio = paired(one, other)
    if one.exact and other.exact:
        return ratio.median > 1
    return judged(ratio) is Judgement.SLOWER


def _of_speed(line: Line, point: Point, among: Sequence[Line]) -> str:
    base, ratio = line.base, efficiency(line, point)
    if line.kind == "strong":
        how = f"{speed_up(line, point).value:.2g} times as fast as on {ranks_of(base.ranks)} " \
              f"({with_interval(base.seconds)})"
    else:
        how = f"as against {with_interval(base.seconds)} on {ranks_of(base.ranks)} with as many clients a rank"
    crowded = [each.ranks for each in line.points if each.crowded]
    shared = f"; the times of {ranks_of_list(crowded)}, which share cores, are {NO_EVIDENCE}" if crowded else ""
    if base.disturbed or point.disturbed:
        shared = f"; this is {NO_EVIDENCE}, since others used the cores meanwhile" + shared
    elif ties := _ties(line, point, [each for each in among if each.series == line.series]):
        names = listed([name_of(each, among) for each in ties])
        tied = "not distinguished from it by so few repetitions" if _has_few(point) else "tied with it"
        shared = f"; {names} {'is' if len(ties) == 1 else 'are'} {tied}{shared}"
    return (f"{name_of(line, among)}: on {placed(point)} a round takes {with_interval(point.seconds)}, {how}: "
            f"parallel efficiency {_ratio(ratio)}{shared}.")


def placed(point: Point) -> str:
    """Returns, for example, "4 ranks (2 + 2)": the ranks on each node if there are several nodes."""
    several = len(point.placement.blocks) > 1
    return ranks_of(point.ranks) + (f" ({point.placement.words})" if several else "")


def on_nodes(lines: Sequence[Line]) -> list[str]:
    """A sentence about the nodes of the ranks, if the files record them."""
    points = [point for line in lines for point in line.points if point.placement.known]
    if not points:
        return []
    if all(len(point.placement.blocks) == 1 and point.placement.words.isdecimal() for point in points):
        return ["all ranks of a run were on one node"]
    words: dict[int, dict[str, None]] = {}
    for point in points:
        words.setdefault(point.ranks, {})[point.placement.words] = None
    told = "; ".join(f"{ranks_of(ranks)}: {' or '.join(ways)}" for ranks, ways in sorted(words.items()))
    return [f"ranks on the nodes: {told}"]


def ranks_of_list(ranks: Sequence[int]) -> str:
    """3 and 4 ranks."""
    return f"{listed(ranks)} rank{'s' * (list(ranks) != [1])}"


def _of_shares(point: Point) -> str:
    told = {name: share for name, share in shares_of(point).items() if share >= 0.005}
    shares = [f"{100 * share:.0f} % {PART_WORDS[name]}" for name, share in told.items()]
    rank, often = point.slowest
    who = "" if point.exact else f"; rank {rank} computes longest most often ({100 * often:.0f} % of the rounds)"
    barrier = "waiting" in told and any(timing.layout.barrier for timing in point.timings.values())
    what = " (the barrier that tells waiting apart is part of other waiting)" if barrier else ""
    return f"Of that round {', '.join(shares)}{what}{who}."


def shares_of(point: Point) -> dict[str, float]:
    """The parts of a round, medians over the repetitions, over their sum."""
    parts = {name: point.median(name) for name in PARTS}
    whole = sum(parts.values())
    return {name: value / whole for name, value in parts.items()}


def _of_model(line: Line, model: Model | None) -> str:
    if model is None:
        ways = line.placed_in_several_ways
        placed_so = f" ({ranks_of_list(ways)} were placed in several ways)" if ways else ""
        return ("No model: that takes three numbers of ranks whose times are evidence, and there are "
                f"{len(line.sound)}{placed_so}.")
    most = max(point.ranks for point in line.points)
    half = model.half
    if len(model.fitted) < 2:
        when = "nothing about more ranks, for one fitted point does not tell latency from bandwidth"
    elif half is None:
        when = f"that messages and waiting never take half a round (to {model.most_ranks:,} ranks)"
    else:
        when = f"that messages and waiting take half a round from {ranks_of(half)} on"
        when += f", an extrapolation beyond the {most} measured" if half > most else ""
    off = f"The model, fitted on {ranks_of_list(model.fitted)}, is off by {100 * model.error:.0f} % in the median on"
    if model.error > MOST_ERROR:
        return f"{off} {listed(model.checked)}: it does not fit, and says nothing about more ranks."
    return f"{off} {listed(model.checked)}, and says {when}."


def doubts(study: StudyFolder) -> list[str]:
    """Warnings about the times: ranks that share cores among themselves or with others."""
    points = [point for line in study.lines for point in line.points]
    crowded = sorted({point.ranks for point in points if point.crowded})
    found = []
    if crowded:
        cores = sorted({point.cores for point in points if point.crowded})
        found.append(Warn(f"{NO_EVIDENCE}: {ranks_of_list(crowded)} share {listed(cores)} cores of a node"))
    found += [Warn(f"{NO_EVIDENCE}: runs on {ranks_of(ranks)} were placed {words}, which is not what was asked for")
              for ranks, words in sorted({(point.ranks, point.placement.words) for point in points if point.misplaced})]
    busy = [point for point in points if point.disturbed]
    if busy:
        used = sorted(point.others for point in busy)
        had = "had no core each" if not study.simulation else "were not simulated alone"
        span = f"{used[0]:.1f}" if f"{used[0]:.1f}" == f"{used[-1]:.1f}" else f"{used[0]:.1f} to {used[-1]:.1f}"
        found.append(Warn(
            f"{NO_EVIDENCE}: others used {span} of {listed(sorted({point.cores for point in busy}))} cores meanwhile, so "
            f"that {ranks_of_list(sorted({point.ranks for point in busy}))} {had}; repeat where nothing else runs"))
    return found


def table_text(study: StudyFolder) -> str:
    """A line for every point: what people read."""
    recorded = any(point.placement.known for line in study.lines for point in line.points)
    head = ("line", "ranks", *["on nodes"] * recorded, "clients", "runs", "round", "interval", "speed-up", "efficiency",
            *PART_WORDS.values(), "slowest", "model", "calibrated", "")
    body = [head]
    for line in study.lines:
        model = fit(line)
        for point in line.points:
            seconds, (rank, often) = point.seconds, point.slowest
            network = study.networks.get(point.ranks)
            runs = f"{seconds.n}" if seconds.n == point.planned else f"{seconds.n} of {point.planned}"
            body.append((
                name_of(line, study.lines), str(point.ranks), *[point.placement.words or "-"] * recorded,
                str(point.clients), runs, duration(seconds.median),
                f"{duration(seconds.low)} to {duration(seconds.high)}" if seconds.kind != "none" else "-",
                f"{speed_up(line, point).value:.2f}", f"{efficiency(line, point).value:.2f}",
                *(f"{100 * share:.0f} %" for share in shares_of(point).values()), f"rank {rank}, {100 * often:.0f} %",
                (duration(model.seconds(point.ranks)) + " fit" * (point.ranks in model.fitted)) if model else "-",
                duration(calibrated(line, point, network)) if network and point.ranks > 1 else "-",
                point.doubt))
    widths = [max(len(row[i]) for row in body) for i in range(len(head))]
    return "".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) if i < len(head) - 1 else cell
                             for i, (cell, width) in enumerate(zip(row, widths))).rstrip() + "\n" for row in body)


def compared_text(compared: Sequence[Compared]) -> str:
    """A line for every ratio of times, pair by pair, and a sentence for every pair of lines."""
    out = []
    for each in compared:
        for at in each.ratios:
            ratio = at.ratio
            ends = f" [{ratio.low:.3f}, {ratio.high:.3f}]" if ratio.kind != "none" else ""
            doubt = f"; {NO_EVIDENCE}: {at.doubt}" if at.doubt else ""
            line = ", ".join(filter(None, (each.line.series, each.values)))
            out.append(f"{line}, {each.words}, {placed(at.point)}: {ratio.median:.3f}{ends} times as long "
                       f"({ratio.n} pairs): {judged(ratio)}{doubt}")
    return "\n".join(out) + "\n"


def answer_compared(compared: Sequence[Compared]) -> str:
    """Where which line is faster, in some words."""
    found: dict[str, list[int]] = {}
    several = len({each.line.series for each in compared}) > 1
    for each in compared:
        for at in each.ratios:
            if at.doubt:
                continue
            what = f"{each.who} {RELATIONS[judged(at.ratio)]} {each.whom}"
            found.setdefault(what + (f", {each.line.series}," if several else ""), []).append(at.point.ranks)
    return "; ".join(f"{what} on {ranks_of_list(list(dict.fromkeys(ranks)))}" for what, ranks in found.items()) or \
        NO_EVIDENCE


class Judgement(StrEnum):
    """What a ratio of times says."""

    ONE_PAIR = "one pair says nothing"
    TOO_FEW = "too few pairs to tell"
    TIED = "tied"
    FASTER = "faster"
    SLOWER = "slower"


# How one line compares with another.
RELATIONS = {Judgement.ONE_PAIR: "is not distinguished from", Judgement.TOO_FEW: "is not distinguished from", Judgement.TIED: "is tied with",
             Judgement.FASTER: "is faster than", Judgement.SLOWER: "is slower than"}


def judged(ratio: Interval) -> Judgement:
    """What a ratio of times says."""
    if ratio.kind == "none":
        return Judgement.ONE_PAIR
    if ratio.kind == "range" and ratio.low < ratio.high:
        return Judgement.TOO_FEW
    return Judgement.TIED if ratio.low <= 1 <= ratio.high else Judgement.FASTER if ratio.high < 1 else Judgement.SLOWER
