"""Statements on error feedback with smoothed normalisation, tuned over gamma and judged by curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from .rules import Outcome, Statement, Verdict, beats, not_run, not_worse, outcome

# Error feedback; none, with the argument of error feedback; none as equation 2 of the paper is printed.
NORMEC, FEDAVG, LITERAL = "fed-alpha-normec", "dp-fedavg-smooth", "dp-fedavg-smooth, literal"
BEST = 0.01  # beta that the paper finds best
ALL = 0  # records of a minibatch where all are taken
LARGEST_GAMMA = 0.1  # of the paper's grid, whose other values are smaller
DIAGONAL = 0.001  # beta gamma of the paper's best cells without memory
REACHED = 0.93  # of the best accuracy with full participation
CONVERGED = 0.9  # of its best score that a run keeps
FULL, QUARTER = 1.0, 0.25
Tuned = dict[tuple[str, float, float], pd.DataFrame]


class Variant(NamedTuple):
    """What the paper leaves open or fixes for all methods: meaning of sigma, rounds, and local work in a round."""

    mode: str
    rounds: int
    batch: int
    steps: int

    def words(self) -> str:
        """Returns the variant in words."""
        batch = "all" if self.batch == ALL else self.batch
        steps = f"{self.steps} local step{'s' * (self.steps > 1)}"
        return f"{self.mode} noise, {self.rounds} rounds, {steps} of {batch} records"


def variants_of(table: pd.DataFrame) -> dict[Variant, pd.DataFrame]:
    """Returns by variant a row a run: final, best and mean score, and the smoothed scores and messages of all known
    states."""
    found: dict[Variant, list] = {}
    for key, states in table.groupby([*Variant._fields, "method", "p", "beta", "gamma", "seed"]):
        states = states.sort_values("round")
        last = states.iloc[-1]
        mode, rounds, batch, steps = key[:4]
        found.setdefault(Variant(str(mode), int(rounds), int(batch), int(steps)), []).append(
            [*key[4:], last["score"], last["best"], last["area"], states["score"].to_numpy(),
             states["messages"].to_numpy()])
    columns = ["method", "p", "beta", "gamma", "seed", "final", "best", "area", "curve", "messages"]
    return {variant: pd.DataFrame(runs, columns=columns) for variant, runs in found.items()}


def tune(runs: pd.DataFrame) -> Tuned:
    """Returns runs by (method, p, beta), ordered by seed, of the gamma whose mean final score is best."""
    found = {}
    for (method, p, beta), group in runs.groupby(["method", "p", "beta"]):
        gamma = group.groupby("gamma")["final"].mean().idxmax()
        found[str(method), float(p), float(beta)] = group[group["gamma"] == gamma].sort_values("seed")
    return found


def judge(table: pd.DataFrame, name: str, statements: Sequence[str],
          betas: Sequence[float]) -> Verdict:
    """Judges every beta at the gamma with the best mean final score, with the fewest rounds and the least local work
    that there are; runs with more are judged separately."""
    variants = variants_of(table)
    main = min(variants, key=lambda variant: (variant.steps, variant.batch, variant.rounds))
    runs = variants.pop(main)
    tuned = tune(runs)
    found = tuple(RULES_OF[each](tuned, betas) for each in statements)
    apart = [each for variant, more in sorted(variants.items()) for each in _apart(main, variant, more, betas)]
    if any(method == LITERAL for method, _, _ in tuned):
        apart.append(_feedback(tuned, betas, "F1-LITERAL", LITERAL))
    notes = [f"judged: {main.words()}", *_notes(tuned)]
    inside = runs[runs["gamma"] <= LARGEST_GAMMA]
    if len(inside) < len(runs) and tuned.keys() == tune(inside).keys():
        notes += [f"with gamma up to {LARGEST_GAMMA:g} alone, {RULES_OF[each](tune(inside), betas).line()}"
                  for each in statements]
    return Verdict(name, (*found, *apart), tuple(notes), substitute=True, seeds=runs["seed"].nunique(),
                   ours=_short(tuned, betas))


def _apart(main: Variant, variant: Variant, runs: pd.DataFrame, betas: Sequence[float]) -> list[Statement]:
    """Judges which beta is best, and whether error feedback is ahead, in another variant than the judged one."""
    tuned = tune(runs)
    end = f"{variant.rounds}" if variant[2:] == main[2:] else "FULL" if variant.steps == 1 else "EPOCH"
    found = [_best_beta(tuned, betas), _feedback(tuned, betas)]
    return [replace(each, name=f"{each.name}-{end}", text=f"{variant.words()}: {each.text}", key=False, aside=True)
            for each in found if each.outcome is not Outcome.NOT_RUN]


def _score(tuned: Tuned, method: str, p: float, beta: float, column: str) -> np.ndarray:
    """Returns a column of the tuned runs of a cell, one value a seed."""
    return tuned[method, p, beta][column].to_numpy()


def _has(tuned: Tuned, method: str, p: float, betas: Sequence[float]) -> bool:
    """Returns whether there are runs of a method at all betas."""
    return all((method, p, beta) in tuned for beta in betas)


def _best_beta(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """Judges B1: which beta is best."""
    others = [beta for beta in betas if beta != BEST]
    if not _has(tuned, NORMEC, FULL, betas):
        return not_run("B1", f"beta = {BEST} is best", "runs with error feedback at every beta", key=True)
    full = {beta: _score(tuned, NORMEC, FULL, beta, "best") for beta in betas}
    holds = all(beats(full[BEST], full[b]) for b in others)
    text = "; ".join(f"beta {b:g}: {full[b].mean():.4f}" for b in betas) + " with all clients"
    words = f"beta = {BEST} is best with full participation"
    if _has(tuned, NORMEC, QUARTER, betas):
        part = {beta: _score(tuned, NORMEC, QUARTER, beta, "best") for beta in betas}
        holds &= all(not_worse(part[BEST], part[b]) for b in others)
        text += "; " + ", ".join(f"{part[b].mean():.4f}" for b in betas) + " with a quarter"
        words += ", and not worse with a quarter"
    return Statement("B1", words, outcome(holds, any(beats(full[b], full[BEST]) for b in others)), text, key=True)


def _worst_beta(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """Judges B2: which beta is worst."""
    full = {beta: _score(tuned, NORMEC, FULL, beta, "best") for beta in betas}
    worst = max(betas)
    return Statement("B2", f"beta = {worst:g} is the worst with full participation",
                     outcome(all(beats(full[b], full[worst]) for b in betas if b != worst)),
                     ", ".join(f"{full[b].mean():.4f} at beta {b:g}" for b in betas))


def _per_round(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """Judges B3: full against partial participation in a round."""
    gaps = {b: _score(tuned, NORMEC, FULL, b, "area") - _score(tuned, NORMEC, QUARTER, b, "area") for b in betas}
    holds = all(not_worse(gap, 0 * gap) for gap in gaps.values())
    return Statement("B3", "per round full participation is not worse (area under the score)", outcome(holds),
                     ", ".join(f"{gap.mean():+.4f} at beta {b:g}" for b, gap in gaps.items()))


def _first(run: dict, target: float) -> float:
    """Returns the messages of one run until its moving mean reaches the target; inf = never."""
    above = np.flatnonzero(run["curve"] >= target)
    return float(run["messages"][above[0]]) if len(above) else np.inf


def _transmissions(tuned: Tuned) -> dict[float, float]:
    """Returns the messages until the moving mean of the score, averaged over seeds, reaches the target, by p; inf =
    never."""
    curves = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["curve"].to_list()), axis=0) for p in (FULL, 0.5, QUARTER)}
    messages = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["messages"].to_list()), axis=0) for p in curves}
    target = REACHED * curves[FULL].max()
    above = {p: np.flatnonzero(curve >= target) for p, curve in curves.items()}
    return {p: float(messages[p][above[p][0]]) if len(above[p]) else np.inf for p in curves}


def _order(tuned: Tuned, _betas: Sequence[float]) -> Statement:
    """Judges P1: transmissions by participation."""
    n = _transmissions(tuned)
    target = REACHED * _score(tuned, NORMEC, FULL, BEST, "best").mean()
    pairs = list(zip(*(tuned[NORMEC, p, BEST].to_dict("records") for p in (QUARTER, FULL))))
    return Statement("P1", f"fewer transmissions to {REACHED} of the best score, the fewer clients take part",
                     outcome(n[QUARTER] < n[0.5] < n[FULL],
                             all(_first(part, target) > _first(full, target) for part, full in pairs)),
                     ", ".join(f"{count:.0f} at p = {p:g}" for p, count in n.items()), key=True)


def _saving(tuned: Tuned, _betas: Sequence[float]) -> Statement:
    """Judges P2: how many transmissions a quarter of the clients saves."""
    n = _transmissions(tuned)
    ratio = n[QUARTER] / n[FULL] if np.isfinite(n[FULL]) else np.nan
    return Statement("P2", "a quarter of the clients needs at most 0.4 of the transmissions", outcome(ratio <= 0.4),
                     f"ratio {ratio:.2f} (paper: 0.27)")


def _feedback(tuned: Tuned, betas: Sequence[float], name: str = "F1", other: str = FEDAVG) -> Statement:
    """Judges F1: error feedback against none, or (an aside) against none as equation 2 is printed."""
    text = "error feedback is ahead of none" + (" as equation 2 is printed" if other == LITERAL else "")
    text += f" at every beta from {min(betas):g}, each at its best gamma"
    if not _has(tuned, NORMEC, FULL, betas) or not _has(tuned, other, FULL, betas):
        return not_run(name, text, "runs with and without error feedback at every beta", key=True)
    wins, losses, texts = [], [], []
    for b in betas:
        for column in ("final", "area"):
            ours, theirs = (_score(tuned, method, FULL, b, column) for method in (NORMEC, other))
            wins.append(beats(ours, theirs))
            losses.append(beats(theirs, ours))
            texts.append(f"beta {b:g} {column} {ours.mean():.4f} : {theirs.mean():.4f}")
    return Statement(name, text, outcome(all(wins), any(losses)), "; ".join(texts), key=other == FEDAVG,
                     aside=other == LITERAL)


def _where_both_converge(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """Judges F1-SMALL: F1 at the betas at which both methods end above the start and near their best score."""
    def converges(method: str, beta: float) -> bool:
        final, best = (_score(tuned, method, FULL, beta, column).mean() for column in ("final", "best"))
        return bool(final > 0 and final >= CONVERGED * best)

    small = [b for b in betas if all(converges(method, b) for method in (NORMEC, FEDAVG))]
    text = f"F1 at every beta at which both keep {CONVERGED:g} of their best score to the end"
    if not small:
        return Statement("F1-SMALL", text, Outcome.FAILS, "both converge at no beta")
    found = _feedback(tuned, small)
    return replace(found, name="F1-SMALL", text=text, key=False)


def _best_of(tuned: Tuned, betas: Sequence[float], method: str, name: str, beta: float, words: str) -> Statement:
    """Judges F2 and F3: at which beta a method ends best."""
    finals = {b: _score(tuned, method, FULL, b, "final").mean() for b in betas}
    return Statement(name, f"{words} is best at beta = {beta:g}", outcome(max(finals, key=finals.__getitem__) == beta),
                     ", ".join(f"{score:.4f} at beta {b:g}" for b, score in finals.items()))


def _on_diagonal(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """Judges F4: the gamma that is best without memory."""
    best = {b: float(tuned[FEDAVG, FULL, b]["gamma"].iloc[0]) for b in betas}
    near = [abs(np.log10(b * gamma / DIAGONAL)) <= 1 + 1e-9 for b, gamma in best.items()]
    return Statement("F4", f"without memory the best gamma has beta gamma = {DIAGONAL:g}, within a step of the grid, "
                     "at every beta", outcome(all(near)),
                     ", ".join(f"{gamma:g} at beta {b:g}" for b, gamma in best.items()))


def _notes(tuned: Tuned) -> list[str]:
    """Returns the tuned step sizes, and on which seeds they were tuned."""
    gammas = ", ".join(f"{method} p {p:g} beta {beta:g}: {runs['gamma'].iloc[0]:g}"
                       for (method, p, beta), runs in sorted(tuned.items()))
    return [f"best gamma on the judged seeds (the rule has none for tuning): {gammas}"]


def _short(tuned: Tuned, betas: Sequence[float]) -> str:
    """Returns the final scores of both methods by beta, for a table; a dash where there are no runs."""
    def final(method: str, beta: float) -> str:
        return f"{_score(tuned, method, FULL, beta, 'final').mean():.3f}" if (method, FULL, beta) in tuned else "-"

    return ", ".join(f"{final(NORMEC, b)} : {final(FEDAVG, b)} (beta {b:g})" for b in betas)


RULES_OF: dict[str, Callable[[Tuned, Sequence[float]], Statement]] = {
    "B1": _best_beta, "B2": _worst_beta, "B3": _per_round, "P1": _order, "P2": _saving, "F1": _feedback,
    "F1-SMALL": _where_both_converge,
    "F2": partial(_best_of, method=NORMEC, name="F2", beta=0.01, words="error feedback"),
    "F3": partial(_best_of, method=FEDAVG, name="F3", beta=0.1, words="none"), "F4": _on_diagonal}
