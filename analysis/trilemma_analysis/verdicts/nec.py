"""NEC: error feedback with smoothed normalisation, on other data than the paper's (figures 1 to 4)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from ..groups import typed_settings
from ..sweep import Sweep
from .rules import Statement, Verdict, beats

NORMEC, FEDAVG = "fed-alpha-normec", "dp-fedavg-smooth"
BETAS = (0.001, 0.01, 0.1)
BEST = 0.01  # beta that the paper finds best
WINDOW = 5  # evaluations in a moving mean
REACHED = 0.93  # of the best accuracy with full participation


def judge(sweep: Sweep, name: str, statements: tuple[str, ...]) -> Verdict:
    """Judges by test accuracy, every beta at the gamma with the best mean final accuracy."""
    runs = pd.DataFrame([_row(run) for run in sweep.runs.values()])
    tuned = _tune(runs)
    all_statements = {"B1": _best_beta, "B3": _per_round, "P1": _order, "P2": _saving, "F1": _feedback}
    found = tuple(all_statements[s](tuned) for s in statements)
    return Verdict(name, found, tuple(_notes(tuned, sweep)), substitute=True)


RULES = {"nec-fmnist-s": partial(judge, name="NEC-FMNIST-S", statements=("B1", "B3", "P1", "P2", "F1")),
         "nec-a9a": partial(judge, name="NEC-A9A-S", statements=("P1", "F1"))}


def _row(run) -> dict:
    settings = typed_settings(run.config)
    method = run.attributes["method"]
    rows = run.rounds[run.rounds["accuracy"].notna()]
    smooth = rows["accuracy"].rolling(WINDOW, min_periods=1).mean().to_numpy()
    return {
        "method": method, "seed": int(run.attributes["seed"]),
        "p": float(settings.get("participation.rate", 1)), "gamma": float(settings["local.rate"]),
        "beta": float(settings["memory.step" if method == NORMEC else "bound.threshold"]),
        "final": smooth[-1], "best": smooth.max(), "area": float(rows["accuracy"].mean()),
        "curve": smooth, "messages": rows["messages"].to_numpy()}


def _tune(runs: pd.DataFrame) -> dict[tuple[str, float, float], pd.DataFrame]:
    """Runs by (method, p, beta), ordered by seed, of the gamma whose mean final accuracy is best."""
    found = {}
    for key, group in runs.groupby(["method", "p", "beta"]):
        gamma = group.groupby("gamma")["final"].mean().idxmax()
        found[key] = group[group["gamma"] == gamma].sort_values("seed")
    return found


def _score(tuned: dict, method: str, p: float, beta: float, column: str) -> np.ndarray:
    return tuned[method, p, beta][column].to_numpy()


def _best_beta(tuned: dict) -> Statement:
    full = {beta: _score(tuned, NORMEC, 1.0, beta, "best") for beta in BETAS}
    part = {beta: _score(tuned, NORMEC, 0.25, beta, "best") for beta in BETAS}
    others = [beta for beta in BETAS if beta != BEST]
    holds = all(beats(full[BEST], full[b]) for b in others) and not any(beats(part[b], part[BEST]) for b in others)
    text = "; ".join(f"beta {b:g}: {full[b].mean():.4f} with all clients, {part[b].mean():.4f} with a quarter"
                     for b in BETAS)
    return Statement("B1", f"beta = {BEST} is best with full participation, and not worse with a quarter", holds, text,
                     key=True, reversed_=any(beats(full[b], full[BEST]) for b in others))


def _per_round(tuned: dict) -> Statement:
    gaps = {b: _score(tuned, NORMEC, 1.0, b, "area") - _score(tuned, NORMEC, 0.25, b, "area") for b in BETAS}
    holds = not any(beats(-gap, 0 * gap) for gap in gaps.values())
    return Statement("B3", "per round full participation is not worse (area under the accuracy)", holds,
                     ", ".join(f"{gap.mean():+.4f} at beta {b:g}" for b, gap in gaps.items()))


def _transmissions(tuned: dict) -> dict[float, float]:
    """Messages until the moving mean of the accuracy reaches the target, by p; mean over seeds, inf = never."""
    target = REACHED * _score(tuned, NORMEC, 1.0, BEST, "best").mean()
    found = {}
    for p in (1.0, 0.5, 0.25):
        first = []
        for _, run in tuned[NORMEC, p, BEST].iterrows():
            above = np.flatnonzero(run["curve"] >= target)
            first.append(float(run["messages"][above[0]]) if len(above) else np.inf)
        found[p] = float(np.mean(first))
    return found


def _order(tuned: dict) -> Statement:
    n = _transmissions(tuned)
    return Statement("P1", f"fewer transmissions to {REACHED} of the best accuracy, the fewer clients take part",
                     n[0.25] < n[0.5] < n[1.0], ", ".join(f"{count:.0f} at p = {p:g}" for p, count in n.items()),
                     key=True, reversed_=n[0.25] > n[1.0])


def _saving(tuned: dict) -> Statement:
    n = _transmissions(tuned)
    ratio = n[0.25] / n[1.0] if np.isfinite(n[1.0]) else np.nan
    return Statement("P2", "a quarter of the clients needs at most 0.4 of the transmissions", ratio <= 0.4,
                     f"ratio {ratio:.2f} (paper: 0.27)")


def _feedback(tuned: dict) -> Statement:
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
    gammas = ", ".join(f"{method} p {p:g} beta {beta:g}: {runs['gamma'].iloc[0]:g}"
                       for (method, p, beta), runs in sorted(tuned.items()))
    claims = sorted({str(run.attributes["claim"]) for run in sweep.runs.values()})
    return [f"best gamma: {gammas}"] + [f"claim: {claim}" for claim in claims]
