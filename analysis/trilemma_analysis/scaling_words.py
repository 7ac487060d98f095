"""What a scaling study says: table, rows for CSV and JSON, and a verdict of three sentences for every series."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from .intervals import Interval
from .scaling_folder import Line, Point, StudyFolder
from .scaling_model import Model, calibrated, fit
from .scaling_points import Compared, Ratio, efficiency, name_of, paired, speed_up
from .scaling_timing import PARTS
from .words import NO_EVIDENCE

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
    sound = [(line, point) for line in lines for point in line.points if not point.crowded and point is not line.base]
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
        doubt = f"; tied with {listed([name_of(each, among) for each in ties])}"
    if line.kind == "strong":
        what = f"{name} is {speed_up(line, point).value:.2g} times as fast"
    else:
        what = f"{name} takes {point.seconds.median / line.base.seconds.median:.2g} times as long"
    return f"{what} on {ranks_of(point.ranks)} as on {line.base.ranks} ({share}{doubt})"


def _ratio(ratio: Ratio) -> str:
    """A ratio with its interval."""
    return f"{ratio.value:.2f}" + (f" [{ratio.low:.2f}, {ratio.high:.2f}]" if math.isfinite(ratio.low) else "")


def _ties(line: Line, point: Point, lines: Sequence[Line]) -> list[Line]:
    """Lines of the same series that are not told from this one on as many ranks, pair by pair."""
    return [other for other in lines if other is not line
            for each in other.points if each.ranks == point.ranks and judged(paired(each, point)) != "slower"]


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
        shared = f"; {names} {'is' if len(ties) == 1 else 'are'} tied with it{shared}"
    return (f"{name_of(line, among)}: on {ranks_of(point.ranks)} a round takes {with_interval(point.seconds)}, {how}: "
            f"parallel efficiency {_ratio(ratio)}{shared}.")


def ranks_of_list(ranks: Sequence[int]) -> str:
    """3 and 4 ranks."""
    return f"{listed(ranks)} rank{'s' * (list(ranks) != [1])}"


def _of_shares(point: Point) -> str:
    shares = [f"{100 * share:.0f} % {PART_WORDS[name]}" for name, share in shares_of(point).items() if share >= 0.005]
    rank, often = point.slowest
    who = f"rank {rank} computes longest most often ({100 * often:.0f} % of the rounds)"
    return f"Of that round {', '.join(shares)}; {who}."


def shares_of(point: Point) -> dict[str, float]:
    """The parts of a round, medians over the repetitions, over their sum."""
    parts = {name: point.median(name) for name in PARTS}
    whole = sum(parts.values())
    return {name: value / whole for name, value in parts.items()}


def _of_model(line: Line, model: Model | None) -> str:
    if model is None:
        sound = sum(not point.doubt for point in line.points)
        return f"No model: that takes three numbers of ranks whose times are evidence, and there are {sound}."
    most = max(point.ranks for point in line.points)
    half = model.half
    if len(model.fitted) < 2:
        when = "nothing about more ranks, for one fitted point does not tell latency from bandwidth"
    elif half is None:
        when = f"that messages and waiting never take half a round (to {model.most_ranks:,} ranks)"
    else:
        when = f"that messages and waiting take half a round from {ranks_of(half)} on"
        when += f", an extrapolation beyond the {most} measured" if half > most else ""
    return (f"The model, fitted on {ranks_of_list(model.fitted)}, is off by {100 * model.error:.0f} % in the median on "
            f"{listed(model.checked)}, and says {when}.")


def doubts(study: StudyFolder) -> list[str]:
    """Warnings about the times: ranks that share cores among themselves or with others."""
    points = [point for line in study.lines for point in line.points]
    crowded = sorted({point.ranks for point in points if point.crowded})
    found = []
    if crowded:
        cores = sorted({point.cores for point in points if point.crowded})
        found.append(f"{NO_EVIDENCE}: {ranks_of_list(crowded)} share {listed(cores)} cores of a node")
    busy = [point for point in points if point.disturbed]
    if busy:
        used = sorted(point.others for point in busy)
        span = f"{used[0]:.1f}" if f"{used[0]:.1f}" == f"{used[-1]:.1f}" else f"{used[0]:.1f} to {used[-1]:.1f}"
        found.append(f"{NO_EVIDENCE}: others used {span} of {listed(sorted({point.cores for point in busy}))} cores "
                     f"meanwhile, so that {ranks_of_list(sorted({point.ranks for point in busy}))} had no core each; "
                     "repeat where nothing else runs")
    return found


def rows(study: StudyFolder) -> list[dict[str, Any]]:
    """A row for every point, in full precision; seconds are those of a round."""
    return [row for line in study.lines for row in _rows_of(study, line)]


def _rows_of(study: StudyFolder, line: Line) -> list[dict[str, Any]]:
    model, found = fit(line), []
    for point in line.points:
        seconds, faster, share = point.seconds, speed_up(line, point), efficiency(line, point)
        rank, often = point.slowest
        network = study.networks.get(point.ranks)
        found.append({
            "study": study.name, "series": line.series, "kind": line.kind, **line.values, "ranks": point.ranks,
            "clients": point.clients, "repetitions": seconds.n, "planned": point.planned, "crowded": point.crowded,
            "disturbed": point.disturbed, "cores": point.cores or None, "cores_of_others": point.others,
            "load_before": point.load, "seconds": seconds.median, "seconds_low": seconds.low,
            "seconds_high": seconds.high, "interval_of": seconds.kind,
            "base_ranks": line.base.ranks, "base_seconds": line.base.seconds.median, "speed_up": faster.value,
            "speed_up_low": faster.low, "speed_up_high": faster.high, "efficiency": share.value,
            "efficiency_low": share.low, "efficiency_high": share.high,
            **{f"seconds_{name}": point.median(name) for name in PARTS},
            **{f"share_{name}": value for name, value in shares_of(point).items()},
            "slowest_rank": rank, "slowest_share": often,
            "model_seconds": model.seconds(point.ranks) if model else math.nan,
            "model_fitted": point.ranks in model.fitted if model else None,
            "model_alpha": model.alpha if model else math.nan, "model_beta": model.beta if model else math.nan,
            "model_half": model.half if model else None,
            "calibrated_seconds": calibrated(line, point, network) if network and point.ranks > 1 else math.nan,
        })
    return found


def as_csv(table: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV; unknown numbers are empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(key for row in table for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: None if _unknown(value) else value for key, value in row.items()} for row in table)
    return out.getvalue()


def as_json(table: Sequence[dict[str, Any]]) -> str:
    """The same as JSON; unknown numbers are null."""
    return json.dumps([{key: None if _unknown(value) else value for key, value in row.items()} for row in table],
                      indent=1) + "\n"


def _unknown(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def table_text(study: StudyFolder) -> str:
    """A line for every point: what people read."""
    head = ("line", "ranks", "clients", "runs", "round", "interval", "speed-up", "efficiency",
            *PART_WORDS.values(), "slowest", "model", "calibrated", "")
    body = [head]
    for line in study.lines:
        model = fit(line)
        for point in line.points:
            seconds, (rank, often) = point.seconds, point.slowest
            network = study.networks.get(point.ranks)
            runs = f"{seconds.n}" if seconds.n == point.planned else f"{seconds.n} of {point.planned}"
            body.append((
                name_of(line, study.lines), str(point.ranks), str(point.clients), runs, duration(seconds.median),
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
        for ranks, ratio in each.ratio.items():
            ends = f" [{ratio.low:.3f}, {ratio.high:.3f}]" if ratio.kind != "none" else ""
            doubt = f"; {NO_EVIDENCE}: {each.doubt(ranks)}" if each.doubt(ranks) else ""
            out.append(f"{each.line.series}, {each.words}, {ranks_of(ranks)}: {ratio.median:.3f}{ends} times as long "
                       f"({ratio.n} pairs): {judged(ratio)}{doubt}")
    return "\n".join(out) + "\n"


def answer_compared(compared: Sequence[Compared]) -> str:
    """Where which line is faster, in some words."""
    found: dict[str, list[int]] = {}
    several = len({each.line.series for each in compared}) > 1
    for each in compared:
        who, _, other = each.words.partition(" over ")
        for ranks, ratio in each.ratio.items():
            if each.doubt(ranks):
                continue
            how = {"tied": "is tied with", "one pair says nothing": "is not told from"}.get(judged(ratio))
            what = f"{who} {how or f'is {judged(ratio)} than'} {other}" + (f", {each.line.series}," if several else "")
            found.setdefault(what, []).append(ranks)
    return "; ".join(f"{what} on {ranks_of_list(ranks)}" for what, ranks in found.items()) or \
        NO_EVIDENCE


def judged(ratio: Interval) -> str:
    """What a ratio of times says."""
    if ratio.kind == "none":
        return "one pair says nothing"
    return "tied" if ratio.low <= 1 <= ratio.high else "faster" if ratio.high < 1 else "slower"


def compared_rows(compared: Sequence[Compared]) -> list[dict[str, Any]]:
    """A row for every ratio."""
    return [{"series": each.line.series, "compared": each.words, **each.line.values, "ranks": ranks, "pairs": ratio.n,
             "ratio": ratio.median, "ratio_low": ratio.low, "ratio_high": ratio.high, "interval_of": ratio.kind,
             "says": judged(ratio), "doubt": each.doubt(ranks)}
            for each in compared for ranks, ratio in each.ratio.items()]
