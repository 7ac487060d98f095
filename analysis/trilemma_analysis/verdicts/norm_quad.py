"""NORM-QUAD: clipping against normalisation on quadratics with a known minimum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..model.sweep import Sweep
from .rules import Statement, Verdict, beats

CLIP, NORM = "dp-fedavg-clip", "dp-normfedavg"
CELL = ["bound.threshold", "start.scale", "local.rate"]
TAIL = 50  # rounds over which the suboptimality is averaged
ROUNDS_SHARE = 0.95
RATES = (0.0005, 0.001, 0.002, 0.004)  # of the rule; others count where clipping is idle at these
IDLE = 0.9  # share of the start value above which clipping has not left the start


def judge(sweep: Sweep) -> Verdict:
    """Judges by S = mean suboptimality over the last 50 rounds and by the signal-to-noise ratio of the aggregate."""
    table = sweep.table.copy()
    rounds = {index: run.rounds for index, run in sweep.runs.items()}
    table["S"] = [rounds[i]["suboptimality"].iloc[-TAIL:].mean() for i in table["index"]]
    table["start"] = [rounds[i]["suboptimality"].iloc[0] for i in table["index"]]
    cells = _pivot(table, "S")
    cells["start"] = table.groupby(CELL)["start"].mean()
    cells["ratio"] = cells[NORM] / cells[CLIP]
    threshold, rate = (cells.index.get_level_values(name) for name in ("bound.threshold", "local.rate"))
    usual = rate.isin(RATES)
    wide, narrow = cells[threshold > 40], cells[(threshold == 40) & usual]
    base = wide[usual[threshold > 40]]
    if (base["ratio"] < 1).all() and (base["ratio"] <= IDLE).sum() >= 3 * len(base) // 4:
        judged = base
    else:  # then the rule looks at all rates at which clipping gets somewhere
        judged = wide[wide[CLIP] < IDLE * wide["start"]]
    snr = _signal_to_noise(table[table["local.rate"].isin(RATES)], rounds)
    return Verdict("NORM-QUAD", (_lower(judged), _equal(narrow), _snr(snr)), _notes(base, judged, sweep))


def judge_trajectory(sweep: Sweep) -> Verdict:
    """NORM-QUAD-TRAJ, figure 3: which trajectory ends nearer to the minimiser, at C = 100 and the best usual rate."""
    table = sweep.table[(sweep.table["bound.threshold"] == 100) & sweep.table["local.rate"].isin(RATES)].copy()
    table["distance"] = [sweep.runs[i].rounds["distance"].iloc[-1] for i in table["index"]]
    means = _pivot(table, "distance")
    ends = means.groupby("start.scale").min()
    nearer = (ends[NORM] < ends[CLIP]).all()

    def of_seeds(scale: float, method: str) -> np.ndarray:
        rate = means.xs(scale, level="start.scale")[method].idxmin()[-1]
        chosen = (table["start.scale"] == scale) & (table["method"] == method) & (table["local.rate"] == rate)
        return table[chosen].sort_values("seed")["distance"].to_numpy()

    text = "; ".join(f"start scale {scale:g}: {row[NORM]:.4g} against {row[CLIP]:.4g}" for scale, row in ends.iterrows())
    statement = Statement("Q4", "C = 100: normalisation ends nearer to the minimiser from both starts", bool(nearer), text,
                          key=True, reversed_=all(beats(of_seeds(s, NORM), of_seeds(s, CLIP)) for s in ends.index))
    return Verdict("NORM-QUAD-TRAJ", (statement,), seeds=table["seed"].nunique(), notes=(f"claim: {next(iter(sweep.runs.values())).attributes['claim']}",))


def _pivot(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean of a column by cell, a column a method."""
    return table.pivot_table(index=CELL, columns="method", values=value, aggfunc="mean")


def _lower(wide: pd.DataFrame) -> Statement:
    """Q1: where clipping bounds little."""
    lower, clear = int((wide["ratio"] < 1).sum()), int((wide["ratio"] <= 0.9).sum())
    needed = 3 * len(wide) // 4
    return Statement(
        "Q1", f"C = 50 and 100: normalisation ends lower in all {len(wide)} cells, by a tenth in {needed}",
        len(wide) > 0 and lower == len(wide) and clear >= needed,
        f"lower in {lower}, by a tenth in {clear}; ratios {wide['ratio'].min():.3g} to {wide['ratio'].max():.3g}",
        key=True, reversed_=bool((wide["ratio"] > 1).mean() > 0.5))


def _equal(narrow: pd.DataFrame) -> Statement:
    """Q2: where clipping bounds most."""
    ratio = narrow["ratio"]
    return Statement(
        "Q2", "C = 40: nearly equal, clipping never better",
        bool(((ratio - 1).abs() <= 0.1).all() and (ratio <= 1.02).all()),
        f"ratios {ratio.min():.3g} to {ratio.max():.3g}")


def _signal_to_noise(table: pd.DataFrame, rounds: dict[int, pd.DataFrame]) -> pd.DataFrame:
    """Share of rounds in which normalisation has the higher ratio, and the mean quotient, for each cell."""
    def mean_over_seeds(cells: pd.DataFrame) -> np.ndarray:
        ratios = [rounds[i]["mean_norm"].to_numpy()[1:] / rounds[i]["noise_norm"].to_numpy()[1:]
                  for i in cells["index"]]
        return np.mean(ratios, axis=0)

    found = {}
    for cell, group in table.groupby(CELL):
        norm = mean_over_seeds(group[group["method"] == NORM])
        clip = mean_over_seeds(group[group["method"] == CLIP])
        found[cell] = {"share": float((norm >= clip).mean()), "quotient": float((norm / clip).mean())}
    return pd.DataFrame.from_dict(found, orient="index")


def _snr(snr: pd.DataFrame) -> Statement:
    """Q3: ratios of signal to noise."""
    quotient: Callable[[int], float] = lambda c: snr.loc[[i for i in snr.index if i[0] == c], "quotient"].mean()
    gains = {c: quotient(c) for c in (40, 50, 100)}
    return Statement(
        "Q3", "signal-to-noise never lower with normalisation; the gain at C = 50 and 100 exceeds that at 40",
        bool((snr["share"] >= ROUNDS_SHARE).all() and min(gains[50], gains[100]) > gains[40]),
        f"smallest share of rounds {snr['share'].min():.3f}; mean quotients "
        + ", ".join(f"{gain:.3g} at {c}" for c, gain in gains.items()))


def _notes(base: pd.DataFrame, judged: pd.DataFrame, sweep: Sweep) -> tuple[str, ...]:
    """What the published step sizes give, and the claim."""
    idle = int((base[CLIP] > IDLE * base["start"]).sum())
    clear = int((base["ratio"] <= IDLE).sum())
    claim = next(iter(sweep.runs.values())).attributes["claim"]
    lower = int((base["ratio"] < 1).sum())
    return (f"at the usual rates: lower in {lower} of {len(base)} cells, by a tenth in {clear}; "
            f"clipping has not left {IDLE} of the start value in {idle}; judged are {len(judged)} cells",
            f"claim: {claim}")
