"""A scaling study as rows: for CSV and JSON in full precision, and as cells of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..io import forms
from ..model.sizes import size
from .losses import computation_scaling, messages, phase_efficiencies, serial_fraction
from .measures import COLLECTIVES, MEAN, MOST
from .model import calibrated, fit
from .points import Doubt, Line, Point, Ratio, Study, efficiency, judged, name_of, speed_up
from .text import FACTORS, placed, shares_of, with_interval
from .timing import PARTS

DOUBT = "unreliable"
# Columns of wide tables alone.
WIDE = (*PARTS.values(), "slowest", "model", "calibrated", *FACTORS, "serial", *COLLECTIVES, "of network",
        "payload up", "MPI up", "MPI down", "memory", "start-up")


def rows(study: Study) -> list[dict[str, Any]]:
    """Returns a row for every point, in full precision. Seconds are those of a round."""
    return [row for line in study.lines for row in _rows_of(study, line)]


def _rows_of(study: Study, line: Line) -> list[dict[str, Any]]:
    """Returns the rows of a line."""
    model, found = fit(line), []
    for point in line.points:
        seconds, faster, share = point.seconds, speed_up(line, point), efficiency(line, point)
        placement, (rank, often) = point.placement, point.slowest
        network = study.networks.get(point.ranks)
        found.append({
            "study": study.name, "simulated": study.simulation or None, "series": line.series, "kind": line.kind,
            **line.values, "ranks": point.ranks, "ranks_on_nodes": placement.words or None,
            "nodes": len(placement.blocks) or None, "most_ranks_of_a_node": placement.most or None,
            "cores_per_rank": placement.cores or None, "threads_per_core": placement.threads or None,
            "misplaced": point.doubt is Doubt.MISPLACED, "clients": point.clients,
            "repetitions": seconds.n, "planned": point.planned, "crowded": point.crowded,
            "doubt": point.doubt.value if point.doubt else None, "cores": point.cores or None,
            "cores_of_others": point.median("others"),
            "load_before": point.median("load_before"), "seconds": seconds.median, "seconds_low": seconds.low,
            "seconds_high": seconds.high, "interval_of": seconds.kind,
            "base_ranks": line.base.ranks, "base_seconds": line.base.seconds.median, "speed_up": faster.median,
            "speed_up_low": faster.low, "speed_up_high": faster.high, "efficiency": share.median,
            "efficiency_low": share.low, "efficiency_high": share.high,
            **{f"seconds_{name}": point.median(name) for name in PARTS},
            **{f"share_{name}": value for name, value in shares_of(point).items()},
            "slowest_rank": rank, "slowest_share": often,
            "model_seconds": model.seconds(point.ranks) if model else math.nan,
            "model_fitted": point.ranks in model.fitted if model else None,
            "model_alpha": model.alpha if model else math.nan, "model_beta": model.beta if model else math.nan,
            "model_half": model.half if model and model.fits else None,
            "calibrated_seconds": calibrated(line, point, network) if network and point.ranks > 1 else math.nan,
            **{name: point.median(name) for name in (*point.timings[0].measures, "start_up")},
            **phase_efficiencies(line, point), "serial_fraction": serial_fraction(line, point),
            "computation_scaling": computation_scaling(line, point), **messages(line, point, network),
        })
    return found


def compared_rows(ratios: Sequence[Ratio]) -> list[dict[str, Any]]:
    """Returns a row for every ratio."""
    return [{"series": each.line.series, "compared": each.words, **each.line.values, "ranks": each.point.ranks,
             "ranks_on_nodes": each.point.placement.words or None, "pairs": each.ratio.n, "ratio": each.ratio.median,
             "ratio_low": each.ratio.low, "ratio_high": each.ratio.high, "interval_of": each.ratio.kind,
             "says": judged(each.ratio), "doubt": each.doubt.value if each.doubt else None} for each in ratios]


def cells(study: Study) -> pd.DataFrame:
    """Returns the texts of a table, a row per point."""
    return pd.DataFrame([_cells_of(study, line, point) for line in study.lines for point in line.points])


def _cells_of(study: Study, line: Line, point: Point) -> dict[str, str]:
    """Returns the texts of a point by the headings of their columns."""
    (rank, often), model, network = point.slowest, fit(line), study.networks.get(point.ranks)
    return {
        "line": name_of(line, study.lines), "ranks": placed(point), "clients": str(point.clients),
        "runs": f"{point.seconds.n}" + f" of {point.planned}" * (point.seconds.n != point.planned),
        "round": with_interval(point.seconds), "speed-up": f"{speed_up(line, point).median:.2f}",
        "efficiency": f"{efficiency(line, point).median:.2f}",
        DOUBT: point.doubt.value if point.doubt else forms.UNKNOWN,
        **{PARTS[part]: f"{100 * share:.0f} %" for part, share in shares_of(point).items()},
        "slowest": f"rank {rank}, {100 * often:.0f} %",
        "model": forms.seconds(model.seconds(point.ranks) if model else math.nan)
        + " fit" * bool(model and point.ranks in model.fitted),
        "calibrated": forms.seconds(calibrated(line, point, network) if network and point.ranks > 1 else math.nan),
        **_cells_of_losses(line, point, messages(line, point, network)["achieved_messages"])}


def _cells_of_losses(line: Line, point: Point, achieved: float) -> dict[str, str]:
    """Returns the texts on lost efficiency, collective phases (mean and largest over the ranks), bits and memory."""
    return {
        **{word: _ratio(point.median(column)) for word, column in FACTORS.items()},
        "serial": _ratio(serial_fraction(line, point)),
        **{name: f"{forms.seconds(point.median(MEAN.format(name)))}, {forms.seconds(point.median(MOST.format(name)))}"
           for name in COLLECTIVES if MEAN.format(name) in point.runs},
        "of network": _ratio(achieved), "payload up": forms.bits(point.median("payload_bits_up")),
        **{f"MPI {way}": forms.bits(8 * point.median(f"mpi_bytes_{way}")) for way in ("up", "down")},
        "memory": size(8 * point.median("memory_max")), "start-up": forms.seconds(point.median("start_up"))}


def _ratio(value: float) -> str:
    """Returns a ratio with two digits behind the point."""
    return forms.UNKNOWN if math.isnan(value) else f"{value:.2f}"
