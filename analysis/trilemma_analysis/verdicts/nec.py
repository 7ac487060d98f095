"""NEC: error feedback with smoothed normalisation, on other data than the paper's (figures 1 to 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Statement, Verdict, beats, not_worse

NORMEC, FEDAVG = "fed-alpha-normec", "dp-fedavg-smooth"
BETAS = (0.001, 0.01, 0.1)
LARGEST_GAMMA = 0.1  # of the paper's grid
BEST = 0.01  # beta that the paper finds best
WINDOW = 5  # evaluations in a moving mean
REACHED = 0.93  # of the best accuracy with full participation


def judge(sweep: Sweep, name: str, statements: tuple[str, ...], score: Callable[[pd.DataFrame], pd.Series]) -> Verdict:
    """Judges by a score of the rounds that starts low, every beta at the gamma with the best mean final score."""
    runs = pd.DataFrame([_row(run, score) for run in sweep.runs.values()])
    rules = {"B1": _best_beta, "B3": _per_round, "P1": _order, "P2": _saving, "F1": _feedback}

    def found(tuned: dict) -> tuple[Statement, ...]:
        return tuple(rules[statement](tuned) for statement in statements)

    tuned = _tune(runs)
    notes = _notes(tuned, sweep)
    inside = runs[runs["gamma"] <= LARGEST_GAMMA]
    if 0 < len(inside) < len(runs):
        notes += [f"on the paper's grid alone, {line}" for line in map(Statement.line, found(_tune(inside)))]
    return Verdict(name, found(tuned), tuple(notes), substitute=True, seeds=runs["seed"].nunique())


def _accuracy(rounds: pd.DataFrame) -> pd.Series:
    """The column that is the score."""
    return rounds["accuracy"]


def _decrease(rounds: pd.DataFrame) -> pd.Series:
    """Share of the objective's start value that is gone: where one class is rare, accuracy says little."""
    return 1 - rounds["objective"] / rounds["objective"].iloc[0]


RULES = {"nec-fmnist-s": partial(judge, name="NEC-FMNIST-S", statements=("B1", "B3", "P1", "P2", "F1"), score=_accuracy),
         "nec-a9a": partial(judge, name="NEC-A9A-S", statements=("P1", "F1"), score=_decrease)}


def _row(run, score: Callable[[pd.DataFrame], pd.Series]) -> dict:
    """The settings of a run, and its scores smoothed over WINDOW evaluations."""
    settings = typed_settings(run)
    method = run.attributes["method"]
    scores = score(run.rounds).dropna()
    smooth = scores.rolling(WINDOW, min_periods=1).mean().to_numpy()
    return {
        "method": method, "seed": int(run.attributes["seed"]),
        "p": float(settings.get("participation.rate", 1)), "gamma": float(settings["local.rate"]),
        "beta": float(settings["memory.step" if method == NORMEC else "bound.threshold"]),
        "final": smooth[-1], "best": smooth.max(), "area": float(scores.mean()),
        "curve": smooth, "messages": run.rounds["messages"][scores.index].to_numpy()}


def _tune(runs: pd.DataFrame) -> dict[tuple[str, float, float], pd.DataFrame]:
    """Runs by (method, p, beta), ordered by seed, of the gamma whose mean final score is best."""
    found = {}
    for key, group in runs.groupby(["method", "p", "beta"]):
        gamma = group.groupby("gamma")["final"].mean().idxmax()
        found[key] = group[group["gamma"] == gamma].sort_values("seed")
    return found


def _score(tuned: dict, method: str, p: float, beta: float, column: str) -> np.ndarray:
    """A column of the tuned runs of a cell, one value a seed."""
    return tuned[method, p, beta][column].to_numpy()


def _best_beta(tuned: dict) -> Statement:
    """B1: which beta is best."""
    full = {beta: _score(tuned, NORMEC, 1.0, beta, "best") for beta in BETAS}
    part = {beta: _score(tuned, NORMEC, 0.25, beta, "best") for beta in BETAS}
    others = [beta for beta in BETAS if beta != BEST]
    holds = all(beats(full[BEST], full[b]) for b in others) and all(not_worse(part[BEST], part[b]) for b in others)
    text = "; ".join(f"beta {b:g}: {full[b].mean():.4f} with all clients, {part[b].mean():.4f} with a quarter"
                     for b in BETAS)
    return Statement("B1", f"beta = {BEST} is best with full participation, and not worse with a quarter", holds, text,
                     key=True, reversed_=any(beats(full[b], full[BEST]) for b in others))


def _per_round(tuned: dict) -> Statement:
    """B3: full against partial participation in a round."""
    gaps = {b: _score(tuned, NORMEC, 1.0, b, "area") - _score(tuned, NORMEC, 0.25, b, "area") for b in BETAS}
    holds = all(not_worse(gap, 0 * gap) for gap in gaps.values())
    return Statement("B3", "per round full participation is not worse (area under the score)", holds,
                     ", ".join(f"{gap.mean():+.4f} at beta {b:g}" for b, gap in gaps.items()))


def _first(run: dict, target: float) -> float:
    """Messages of one run until its moving mean reaches the target; inf = never."""
    above = np.flatnonzero(run["curve"] >= target)
    return float(run["messages"][above[0]]) if len(above) else np.inf


def _transmissions(tuned: dict) -> dict[float, float]:
    """Messages until the moving mean of the score, averaged over seeds, reaches the target, by p; inf = never."""
    curves = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["curve"].to_list()), axis=0) for p in (1.0, 0.5, 0.25)}
    messages = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["messages"].to_list()), axis=0) for p in curves}
    target = REACHED * curves[1.0].max()
    above = {p: np.flatnonzero(curve >= target) for p, curve in curves.items()}
    return {p: float(messages[p][above[p][0]]) if len(above[p]) else np.inf for p in curves}


def _order(tuned: dict) -> Statement:
    """P1: transmissions by participation."""
    n = _transmissions(tuned)
    target = REACHED * _score(tuned, NORMEC, 1.0, BEST, "best").mean()
    pairs = list(zip(*(tuned[NORMEC, p, BEST].to_dict("records") for p in (0.25, 1.0))))
    return Statement("P1", f"fewer transmissions to {REACHED} of the best score, the fewer clients take part",
                     n[0.25] < n[0.5] < n[1.0], ", ".join(f"{count:.0f} at p = {p:g}" for p, count in n.items()),
                     key=True, reversed_=all(_first(part, target) > _first(full, target) for part, full in pairs))


def _saving(tuned: dict) -> Statement:
    """P2: how many transmissions a quarter of the clients saves."""
    n = _transmissions(tuned)
    ratio = n[0.25] / n[1.0] if np.isfinite(n[1.0]) else np.nan
    return Statement("P2", "a quarter of the clients needs at most 0.4 of the transmissions", ratio <= 0.4,
                     f"ratio {ratio:.2f} (paper: 0.27)")


def _feedback(tuned: dict) -> Statement:
    """F1: error feedback against none."""
    wins, losses, texts = [], [], []
    for b in BETAS:
        for column in ("final", "area"):
            ours, theirs = (_score(tuned, method, 1.0, b, column) for method in (NORMEC, FEDAVG))
            wins.append(beats(ours, theirs))
            losses.append(beats(theirs, ours))
            texts.append(f"beta {b:g} {column} {ours.mean():.4f} : {theirs.mean():.4f}")
    return Statement("F1", "error feedback is ahead of none at every beta, each at its best gamma", all(wins),
                     "; ".join(texts), key=True, reversed_=any(losses))


def _notes(tuned: dict, sweep: Sweep) -> list[str]:
    """The tuned step sizes and the claims of the runs."""
    gammas = ", ".join(f"{method} p {p:g} beta {beta:g}: {runs['gamma'].iloc[0]:g}"
                       for (method, p, beta), runs in sorted(tuned.items()))
    claims = sorted({str(run.attributes["claim"]) for run in sweep.runs.values()})
    return [f"best gamma: {gammas}"] + [f"claim: {claim}" for claim in claims]
