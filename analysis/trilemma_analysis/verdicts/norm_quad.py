"""NORM-QUAD: clipping against normalisation on quadratics with a known minimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column, Rule, Statement, Verdict, beats, outcome

CLIP, NORM = "dp-fedavg-clip", "dp-normfedavg"
CELL = ["threshold", "scale", "rate"]
SETTINGS = {"bound.threshold": "threshold", "start.scale": "scale", "local.rate": "rate"}
CONSTANT = 1  # q of the paper's noise that the rule judges; other values show what the noise decides
TAIL = 50  # rounds over which the suboptimality is averaged
ROUNDS_SHARE = 0.95
RATES = (0.0005, 0.001, 0.002, 0.004)  # of the rule; others count where clipping is idle at these
IDLE = 0.9  # share of the start value above which clipping has not left the start


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run: S, where it started and ended, and the signal-to-noise ratios of its cell at the usual rates."""
    rounds = {index: run.rounds for index, run in sweep.runs.items()}
    table = sweep.table.assign(**{name: sweep.table[key] for key, name in SETTINGS.items()})
    table = table[["index", "method", "seed", *CELL]].astype({"seed": "int64"})
    table["constant"] = [float(typed_settings(sweep.runs[i]).get("privacy.constant", CONSTANT)) for i in table["index"]]
    table["S"] = [rounds[i]["suboptimality"].iloc[-TAIL:].mean() for i in table["index"]]
    table["start"] = [rounds[i]["suboptimality"].iloc[0] for i in table["index"]]
    table["distance"] = [_last(rounds[i], "distance") for i in table["index"]]
    found = _signal_to_noise(table[table["rate"].isin(RATES)], rounds)
    return table.merge(found, how="left", left_on=["constant", *CELL], right_index=True)


def _last(rounds: pd.DataFrame, column: str) -> float:
    """The last value of a column, unknown where the run has none."""
    return float(rounds[column].iloc[-1]) if column in rounds else np.nan


def judge(runs: pd.DataFrame) -> Verdict:
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
    return Verdict("NORM-QUAD", (_lower(judged), _equal(narrow), _snr(snr), *less), _notes(base, judged),
                   seeds=main["seed"].nunique(),
                   ours=f"S(norm) / S(clip) {base['ratio'].min():.2f} to {base['ratio'].max():.2f} at C = 50, 100")


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean S of both methods by cell, their ratio, and where the cell started."""
    cells = _pivot(runs, "S")
    cells["start"] = runs.groupby(CELL)["start"].mean()
    cells["ratio"] = cells[NORM] / cells[CLIP]
    return cells


def _wide(cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells of Q1 at the usual rates, and those that it is judged by."""
    wide = cells[cells.index.get_level_values("threshold") > 40]
    base = wide[wide.index.get_level_values("rate").isin(RATES)]
    if (base["ratio"] < 1).all() and (base["ratio"] <= IDLE).sum() >= 3 * len(base) // 4:
        return base, base
    return base, wide[wide[CLIP] < IDLE * wide["start"]]  # all rates at which clipping gets somewhere


def _with_noise(constant: float, runs: pd.DataFrame) -> Statement:
    """Q1 at the usual rates with another constant of the noise."""
    found = _lower(_wide(_cells(runs))[0])
    return replace(found, name=f"Q1-{constant:g}", text=f"with the noise of q = {constant:g}, {found.text}", key=False,
                   aside=True)


def judge_trajectory(runs: pd.DataFrame) -> Verdict:
    """NORM-QUAD-TRAJ, figure 3: which trajectory ends nearer to the minimiser, at C = 100 and the best usual rate."""
    table = runs[(runs["threshold"] == 100) & runs["rate"].isin(RATES) & (runs["constant"] == CONSTANT)]
    means = _pivot(table, "distance")
    ends = means.groupby("scale").min()
    nearer = (ends[NORM] < ends[CLIP]).all()

    def of_seeds(scale: float, method: str) -> np.ndarray:
        rate = means.xs(scale, level="scale")[method].idxmin()[-1]
        chosen = (table["scale"] == scale) & (table["method"] == method) & (table["rate"] == rate)
        return table[chosen].sort_values("seed")["distance"].to_numpy()

    text = "; ".join(f"start scale {scale:g}: {row[NORM]:.4g} against {row[CLIP]:.4g}" for scale, row in ends.iterrows())
    statement = Statement("Q4", "C = 100: normalisation ends nearer to the minimiser from both starts",
                          outcome(nearer, all(beats(of_seeds(s, NORM), of_seeds(s, CLIP)) for s in ends.index)), text,
                          key=True)
    return Verdict("NORM-QUAD-TRAJ", (statement,), seeds=table["seed"].nunique(),
                   ours=", ".join(f"{row[NORM]:.3g} : {row[CLIP]:.3g}" for _, row in ends.iterrows()))


def _pivot(table: pd.DataFrame, value: str) -> pd.DataFrame:
    """Mean of a column by cell, a column a method."""
    return table.pivot_table(index=CELL, columns="method", values=value, aggfunc="mean")


def _lower(wide: pd.DataFrame) -> Statement:
    """Q1: where clipping bounds little."""
    lower, clear = int((wide["ratio"] < 1).sum()), int((wide["ratio"] <= 0.9).sum())
    needed = 3 * len(wide) // 4
    return Statement(
        "Q1", f"C = 50 and 100: normalisation ends lower in all {len(wide)} cells, by a tenth in {needed}",
        outcome(len(wide) > 0 and lower == len(wide) and clear >= needed, bool((wide["ratio"] > 1).mean() > 0.5)),
        f"lower in {lower}, by a tenth in {clear}; ratios {wide['ratio'].min():.3g} to {wide['ratio'].max():.3g}",
        key=True)


def _equal(narrow: pd.DataFrame) -> Statement:
    """Q2: where clipping bounds most."""
    ratio = narrow["ratio"]
    return Statement(
        "Q2", "C = 40: nearly equal, clipping never better",
        outcome(((ratio - 1).abs() <= 0.1).all() and (ratio <= 1.02).all()),
        f"ratios {ratio.min():.3g} to {ratio.max():.3g}")


def _signal_to_noise(table: pd.DataFrame, rounds: dict[int, pd.DataFrame]) -> pd.DataFrame:
    """Share of rounds in which normalisation has the higher ratio, and the mean quotient, for each cell."""
    def mean_over_seeds(cells: pd.DataFrame) -> np.ndarray:
        ratios = [rounds[i]["mean_norm"].to_numpy()[1:] / rounds[i]["noise_norm"].to_numpy()[1:]
                  for i in cells["index"]]
        return np.mean(ratios, axis=0)

    found = {}
    for cell, group in table.groupby(["constant", *CELL]):
        norm = mean_over_seeds(group[group["method"] == NORM])
        clip = mean_over_seeds(group[group["method"] == CLIP])
        found[cell] = {"share": float((norm >= clip).mean()), "quotient": float((norm / clip).mean())}
    table = pd.DataFrame.from_dict(found, orient="index", columns=["share", "quotient"])
    return table.set_axis(pd.MultiIndex.from_tuples(found, names=["constant", *CELL]))


def _snr(snr: pd.DataFrame) -> Statement:
    """Q3: ratios of signal to noise."""
    quotient: Callable[[int], float] = lambda c: snr.loc[[i for i in snr.index if i[0] == c], "quotient"].mean()
    gains = {c: quotient(c) for c in (40, 50, 100)}
    return Statement(
        "Q3", "signal-to-noise never lower with normalisation; the gain at C = 50 and 100 exceeds that at 40",
        outcome((snr["share"] >= ROUNDS_SHARE).all() and min(gains[50], gains[100]) > gains[40]),
        f"smallest share of rounds {snr['share'].min():.3f}; mean quotients "
        + ", ".join(f"{gain:.3g} at {c}" for c, gain in gains.items()))


def _notes(base: pd.DataFrame, judged: pd.DataFrame) -> tuple[str, ...]:
    """What the published step sizes give."""
    idle = int((base[CLIP] > IDLE * base["start"]).sum())
    clear = int((base["ratio"] <= IDLE).sum())
    lower = int((base["ratio"] < 1).sum())
    return (f"at the usual rates: lower in {lower} of {len(base)} cells, by a tenth in {clear}; "
            f"clipping has not left {IDLE} of the start value in {idle}; judged are {len(judged)} cells",)


COLUMNS = {
    "method": Column("method"), "threshold": Column("threshold C of the bound", "1"),
    "scale": Column("distance of the start from the minimiser, relative to start I1", "1"),
    "rate": Column("local step size", "1"), "constant": Column("constant q of the noise", "1"),
    "seed": Column("seed"), "S": Column(f"mean suboptimality over the last {TAIL} rounds", "1"),
    "start": Column("suboptimality of the start model", "1"),
    "distance": Column("distance of the last model from the minimiser", "1"),
    "share": Column("share of the rounds in which the ratio of signal to noise, averaged over seeds, is at least as high "
                    "with normalisation; the same for both methods of a cell", "1"),
    "quotient": Column("mean over the rounds of that ratio with normalisation divided by that with clipping", "1"),
}
RULES = (
    Rule("norm-quad", ("NORM-QUAD",), rows, judge, COLUMNS, "appreciably lower with normalisation at C = 50, 100",
         seeds=3),
    Rule("norm-quad-traj", ("NORM-QUAD-TRAJ",), rows, judge_trajectory, COLUMNS,
         "normalisation ends nearer to the minimiser", chooses=True, seeds=3))
