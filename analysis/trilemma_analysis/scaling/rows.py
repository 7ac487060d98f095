"""A scaling study as rows for CSV and JSON, in full precision."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from ..io.writing import csv_of_rows
from .folder import Line, Point, StudyFolder
from .model import calibrated, fit
from .points import Compared, efficiency, speed_up
from .text import judged, shares_of
from .timing import PARTS


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
            "study": study.name, "simulated": study.simulation or None, "series": line.series, "kind": line.kind,
            **line.values, "ranks": point.ranks, **_of_placement(point), "clients": point.clients,
            "repetitions": seconds.n, "planned": point.planned, "crowded": point.crowded,
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


def _of_placement(point: Point) -> dict[str, Any]:
    placement = point.placement
    return {"ranks_on_nodes": placement.words or None, "nodes": len(placement.blocks) or None,
            "most_ranks_of_a_node": placement.most or None, "cores_per_rank": placement.cores or None,
            "threads_per_core": placement.threads or None, "misplaced": point.misplaced}


def as_csv(table: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV; unknown numbers are empty."""
    names = list(dict.fromkeys(key for row in table for key in row))
    return csv_of_rows(names, ([None if _unknown(row.get(name)) else row.get(name) for name in names] for row in table))


def as_json(table: Sequence[dict[str, Any]]) -> str:
    """The same as JSON; unknown numbers are null."""
    return json.dumps([{key: None if _unknown(value) else value for key, value in row.items()} for row in table],
                      indent=1) + "\n"


def _unknown(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def compared_rows(compared: Sequence[Compared]) -> list[dict[str, Any]]:
    """A row for every ratio."""
    return [{"series": each.line.series, "compared": each.words, **each.line.values, "ranks": at.point.ranks,
             "ranks_on_nodes": at.point.placement.words or None, "pairs": at.ratio.n, "ratio": at.ratio.median,
             "ratio_low": at.ratio.low, "ratio_high": at.ratio.high, "interval_of": at.ratio.kind,
             "says": judged(at.ratio), "doubt": at.doubt}
            for each in compared for at in each.ratios]
