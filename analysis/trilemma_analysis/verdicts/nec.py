"""NEC: error feedback with smoothed normalisation, on other data than the paper's (figures 1 to 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column, Rule, Statement, Verdict, beats, not_worse, outcome

NORMEC, FEDAVG = "fed-alpha-normec", "dp-fedavg-smooth"
BETAS = (0.001, 0.01, 0.1)
LARGEST_GAMMA = 0.1  # of the paper's grid
BEST = 0.01  # beta that the paper finds best
WINDOW = 5  # evaluations in a moving mean
REACHED = 0.93  # of the best accuracy with full participation


def rows(sweep: Sweep, score: Callable[[pd.DataFrame], pd.Series]) -> pd.DataFrame:
    """A row a run with its scores, and before it a row an evaluated state where the curve counts: with error feedback
    at the beta that the paper finds best. `score` makes of the rounds one that starts low."""
    return pd.concat([_rows_of(run, score) for run in sweep.runs.values()], ignore_index=True)


def judge(table: pd.DataFrame, name: str, statements: tuple[str, ...]) -> Verdict:
    """Judges every beta at the gamma with the best mean final score."""
    runs = _runs(table)
    rules = {"B1": _best_beta, "B3": _per_round, "P1": _order, "P2": _saving, "F1": _feedback}

    def found(tuned: dict) -> tuple[Statement, ...]:
        return tuple(rules[statement](tuned) for statement in statements)

    tuned = _tune(runs)
    notes = _notes(tuned)
    inside = runs[runs["gamma"] <= LARGEST_GAMMA]
    if 0 < len(inside) < len(runs):
        notes += [f"on the paper's grid alone, {line}" for line in map(Statement.line, found(_tune(inside)))]
    return Verdict(name, found(tuned), tuple(notes), substitute=True, seeds=runs["seed"].nunique(), ours=_short(tuned))


def _accuracy(rounds: pd.DataFrame) -> pd.Series:
    """The column that is the score."""
    return rounds["accuracy"]


def _decrease(rounds: pd.DataFrame) -> pd.Series:
    """Share of the objective's start value that is gone: where one class is rare, accuracy says little."""
    return 1 - rounds["objective"] / rounds["objective"].iloc[0]


def _rows_of(run, score: Callable[[pd.DataFrame], pd.Series]) -> pd.DataFrame:
    """The rows of a run: its settings, and its score smoothed over WINDOW evaluations."""
    settings = typed_settings(run)
    method = run.attributes["method"]
    scores = score(run.rounds).dropna()
    smooth = scores.rolling(WINDOW, min_periods=1).mean()
    table = pd.DataFrame({
        "method": method, "p": float(settings.get("participation.rate", 1)),
        "beta": float(settings["memory.step" if method == NORMEC else "bound.threshold"]),
        "gamma": float(settings["local.rate"]), "seed": int(run.attributes["seed"]),
        "round": run.rounds["round"][scores.index], "messages": run.rounds["messages"][scores.index], "score": smooth,
        "best": np.nan, "area": np.nan})
    table.loc[table.index[-1], ["best", "area"]] = smooth.max(), float(scores.mean())
    return table if method == NORMEC and table["beta"].iloc[0] == BEST else table.iloc[[-1]]


def _runs(table: pd.DataFrame) -> pd.DataFrame:
    """A row a run: final, best and mean score, and the smoothed scores and messages of all states that are known."""
    found = []
    for settings, states in table.groupby(["method", "p", "beta", "gamma", "seed"]):
        states = states.sort_values("round")
        last = states.iloc[-1]
        found.append([*settings, last["score"], last["best"], last["area"], states["score"].to_numpy(),
                      states["messages"].to_numpy()])
    return pd.DataFrame(found, columns=["method", "p", "beta", "gamma", "seed", "final", "best", "area", "curve",
                                        "messages"])


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
    return Statement("B1", f"beta = {BEST} is best with full participation, and not worse with a quarter",
                     outcome(holds, any(beats(full[b], full[BEST]) for b in others)), text, key=True)


def _per_round(tuned: dict) -> Statement:
    """B3: full against partial participation in a round."""
    gaps = {b: _score(tuned, NORMEC, 1.0, b, "area") - _score(tuned, NORMEC, 0.25, b, "area") for b in BETAS}
    holds = all(not_worse(gap, 0 * gap) for gap in gaps.values())
    return Statement("B3", "per round full participation is not worse (area under the score)", outcome(holds),
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
                     outcome(n[0.25] < n[0.5] < n[1.0],
                             all(_first(part, target) > _first(full, target) for part, full in pairs)),
                     ", ".join(f"{count:.0f} at p = {p:g}" for p, count in n.items()), key=True)


def _saving(tuned: dict) -> Statement:
    """P2: how many transmissions a quarter of the clients saves."""
    n = _transmissions(tuned)
    ratio = n[0.25] / n[1.0] if np.isfinite(n[1.0]) else np.nan
    return Statement("P2", "a quarter of the clients needs at most 0.4 of the transmissions", outcome(ratio <= 0.4),
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
    return Statement("F1", "error feedback is ahead of none at every beta, each at its best gamma",
                     outcome(all(wins), any(losses)), "; ".join(texts), key=True)


def _notes(tuned: dict) -> list[str]:
    """The tuned step sizes."""
    gammas = ", ".join(f"{method} p {p:g} beta {beta:g}: {runs['gamma'].iloc[0]:g}"
                       for (method, p, beta), runs in sorted(tuned.items()))
    return [f"best gamma: {gammas}"]


def _short(tuned: dict) -> str:
    """Final scores of both methods by beta, for a table."""
    return ", ".join(f"{_score(tuned, NORMEC, 1.0, b, 'final').mean():.3f} : "
                     f"{_score(tuned, FEDAVG, 1.0, b, 'final').mean():.3f} (beta {b:g})" for b in BETAS)


def _columns(score: str, unit: str) -> dict[str, Column]:
    """What the columns mean, for a score."""
    return {
        "method": Column("method"), "p": Column("participation rate", "1"),
        "beta": Column("step of the memories, or norm bound without them", "1"), "gamma": Column("local step size", "1"),
        "seed": Column("seed"), "round": Column("round of the state", "round"),
        "messages": Column("messages from clients to the server until then", "1"),
        "score": Column(f"{score}, mean of the last {WINDOW} evaluations", unit),
        "best": Column("best such mean; only at the end of a run", unit),
        "area": Column(f"mean over all evaluations of the {score}; only at the end of a run", unit)}


def _rule(name: str, ids: tuple[str, ...], statements: tuple[str, ...], score: Callable[[pd.DataFrame], pd.Series],
          meaning: str, paper: str) -> Rule:
    """A rule of this module, by what it is called, its statements and its score."""
    return Rule(name, ids, partial(rows, score=score), partial(judge, name=ids[0], statements=statements),
                _columns(meaning, "1"), paper, chooses=True)


RULES = (
    _rule("nec-fmnist-s", ("NEC-FMNIST-S",), ("B1", "B3", "P1", "P2", "F1"), _accuracy, "test accuracy",
          "beta = 0.01 best; error feedback ahead; transmissions 1200 : 4500"),
    _rule("nec-a9a", ("NEC-A9A-S",), ("P1", "F1"), _decrease, "share of the objective's start value that is gone",
          "error feedback ahead; fewer transmissions with fewer clients"))
