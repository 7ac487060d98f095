"""Statements on quadratics with a known minimum, whose cells are quotients of clipping and normalisation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from .rules import Statement, Verdict, beats, outcome
from .values import RATES

CLIP, NORM = "dp-fedavg-clip", "dp-normfedavg"
CELL = ["threshold", "scale", "rate"]
CONSTANT = 1  # q of the paper's noise that the rule judges; other values show what the noise decides
ROUNDS_SHARE = 0.95
IDLE = 0.9  # share of the start value above which clipping has not left the start


def judge(runs: pd.DataFrame, name: str) -> Verdict:
    """Judges by S = mean suboptimality over the last 50 rounds and by the signal-to-noise ratio of the aggregate. Runs
    with less noise than the rule's are judged separately."""
    noises = {float(constant): group for constant, group in runs.groupby("constant")}
    main = noises.pop(CONSTANT)
    cells = _cells(main)
    threshold, rate = (cells.index.get_level_values(name) for name in ("threshold", "rate"))
    narrow = cells[(threshold == 40) & rate.isin(RATES)]
    snr = main[main["rate"].isin(RATES)].groupby(CELL)[["share", "quotient"]].first()
    base, judged = _wide(cells)
    less = [_with_noise(constant, group) for constant, group in sorted(noises.items(), reverse=True)]
    return Verdict(name, (_lower(judged), _equal(narrow), _snr(snr), *less), _notes(base, judged),
                   seeds=main["seed"].nunique(),
                   ours=f"S(norm) / S(clip) {base['ratio'].min():.2f} to {base['ratio'].max():.2f} at C = 50, 100")


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Returns the mean S of both methods by cell, their ratio, and where the cell started."""
    cells = _pivot(runs, "S")
    cells["start"] = runs.groupby(CELL)["start"].mean()
    cells["ratio"] = cells[NORM] / cells[CLIP]
    return cells


def _wide(cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Returns the cells of Q1 at the usual rates, and those that it is judged by."""
    wide = cells[cells.index.get_level_values("threshold") > 40]
    base = wide[wide.index.get_level_values("rate").isin(RATES)]
    if (base["ratio"] < 1).all() and (base["ratio"] <= IDLE).sum() >= 3 * len(base) // 4:
        return base, base
    return base, wide[wide[CLIP] < IDLE * wide["start"]]  # all rates at which clipping gets somewhere


def _with_noise(constant: float, runs: pd.DataFrame) -> Statement:
    """Judges Q1 at the usual rates with another constant of the noise."""
    found = _lower(_wide(_cells(runs))[0])
    return replace(found, name=f"Q1-{constant:g}", text=f"with the noise of q = {constant:g}, {found.text}", key=False,
                   aside=True)


def judge_trajectory(runs: pd.DataFrame, name: str) -> Verdict:
    """Judges figure 3: which trajectory ends nearer to the minimiser, at C = 100 and the best usual rate."""
    table = runs[(runs["threshold"] == 100) & runs["rate"].isin(RATES) & (runs["constant"] == CONSTANT)]
    means = _pivot(table, "distance")
    ends = means.groupby("scale").min()
    nearer = (ends[NORM] < ends[CLIP]).all()

    def of_seeds(scale: float, method: str) -> np.ndarray:
        rate = means.xs(scale, level="scale")[method].idxmin()[-1]
        chosen = (table["scale"] == scale) & (table["method"] == method) & (table["rate"] == rate)
        return table[chosen].sort_values("seed")["distance"].to_numpy()

    text = "; ".join(f"start scale {scale:g}: {row[NORM]:.4g} against {row[CLIP]:.4g}"
                     for scale, row in ends.iterrows())
    statement = Statement("Q4", "C = 100: normalisation ends nearer to the minimiser from both starts",
                          outcome(nearer, all(beats(of_seeds(s, NORM), of_seeds(s, CLIP)) for s in ends.index)), text,
                          key=True)
    return Verdict(name, (statement,), seeds=table["seed"].nunique(),
                   ours=", ".join(f"{row[NORM]:.3g} : {row[CLIP]:.3g}" for _, row in ends.iterrows()))


def _pivot(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Returns the mean of a column by cell, a column a method."""
    return table.pivot_table(index=CELL, columns="method", values=value, aggfunc="mean")


def _lower(wide: pd.DataFrame) -> Statement:
    """Judges Q1: where clipping bounds little."""
    lower, clear = int((wide["ratio"] < 1).sum()), int((wide["ratio"] <= 0.9).sum())
    needed = 3 * len(wide) // 4
    return Statement(
        "Q1", f"C = 50 and 100: normalisation ends lower in all {len(wide)} cells, by a tenth in {needed}",
        outcome(len(wide) > 0 and lower == len(wide) and clear >= needed, bool((wide["ratio"] > 1).mean() > 0.5)),
        f"lower in {lower}, by a tenth in {clear}; ratios {wide['ratio'].min():.3g} to {wide['ratio'].max():.3g}",
        key=True)


def _equal(narrow: pd.DataFrame) -> Statement:
    """Judges Q2: where clipping bounds most."""
    ratio = narrow["ratio"]
    return Statement(
        "Q2", "C = 40: nearly equal, clipping never better",
        outcome(((ratio - 1).abs() <= 0.1).all() and (ratio <= 1.02).all()),
        f"ratios {ratio.min():.3g} to {ratio.max():.3g}")


def _snr(snr: pd.DataFrame) -> Statement:
    """Judges Q3: ratios of signal to noise."""
    quotient: Callable[[int], float] = lambda c: snr.loc[[i for i in snr.index if i[0] == c], "quotient"].mean()
    gains = {c: quotient(c) for c in (40, 50, 100)}
    return Statement(
        "Q3", "signal-to-noise never lower with normalisation; the gain at C = 50 and 100 exceeds that at 40",
        outcome((snr["share"] >= ROUNDS_SHARE).all() and min(gains[50], gains[100]) > gains[40]),
        f"smallest share of rounds {snr['share'].min():.3f}; mean quotients "
        + ", ".join(f"{gain:.3g} at {c}" for c, gain in gains.items()))


def _notes(base: pd.DataFrame, judged: pd.DataFrame) -> tuple[str, ...]:
    """Returns what the published step sizes give."""
    idle = int((base[CLIP] > IDLE * base["start"]).sum())
    clear = int((base["ratio"] <= IDLE).sum())
    lower = int((base["ratio"] < 1).sum())
    return (f"at the usual rates: lower in {lower} of {len(base)} cells, by a tenth in {clear}; "
            f"clipping has not left {IDLE} of the start value in {idle}; judged are {len(judged)} cells",)
