"""NEC: error feedback with smoothed normalisation, on other data than the paper's (figures 1 to 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from .nec_runs import BEST, FEDAVG, LITERAL, NORMEC, Tuned, Variant, columns, has_mode, rows, tune, variants_of
from .rules import Outcome, Rule, Statement, Verdict, beats, not_run, not_worse, outcome

BETAS = (0.001, 0.01, 0.1)
MORE_BETAS = (0.0001, *BETAS)
LARGEST_GAMMA = 0.1  # of the paper's grid, whose other values are smaller
DIAGONAL = 0.001  # beta gamma of the paper's best cells without memory
REACHED = 0.93  # of the best accuracy with full participation
CONVERGED = 0.9  # of its best score that a run keeps
FULL, QUARTER = 1.0, 0.25


def judge(table: pd.DataFrame, name: str, statements: Sequence[str],
          betas: Sequence[float] = BETAS) -> Verdict:
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
    """Which beta is best, and whether error feedback is ahead, in another variant than the judged one."""
    tuned = tune(runs)
    end = f"{variant.rounds}" if variant[2:] == main[2:] else "FULL" if variant.steps == 1 else "EPOCH"
    found = [_best_beta(tuned, betas), _feedback(tuned, betas)]
    return [replace(each, name=f"{each.name}-{end}", text=f"{variant.words()}: {each.text}", key=False, aside=True)
            for each in found if each.outcome is not Outcome.NOT_RUN]


def _score(tuned: Tuned, method: str, p: float, beta: float, column: str) -> np.ndarray:
    """A column of the tuned runs of a cell, one value a seed."""
    return tuned[method, p, beta][column].to_numpy()


def _has(tuned: Tuned, method: str, p: float, betas: Sequence[float]) -> bool:
    """Whether there are runs of a method at all betas."""
    return all((method, p, beta) in tuned for beta in betas)


def _best_beta(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """B1: which beta is best."""
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
    """B2: which beta is worst."""
    full = {beta: _score(tuned, NORMEC, FULL, beta, "best") for beta in betas}
    worst = max(betas)
    return Statement("B2", f"beta = {worst:g} is the worst with full participation",
                     outcome(all(beats(full[b], full[worst]) for b in betas if b != worst)),
                     ", ".join(f"{full[b].mean():.4f} at beta {b:g}" for b in betas))


def _per_round(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """B3: full against partial participation in a round."""
    gaps = {b: _score(tuned, NORMEC, FULL, b, "area") - _score(tuned, NORMEC, QUARTER, b, "area") for b in betas}
    holds = all(not_worse(gap, 0 * gap) for gap in gaps.values())
    return Statement("B3", "per round full participation is not worse (area under the score)", outcome(holds),
                     ", ".join(f"{gap.mean():+.4f} at beta {b:g}" for b, gap in gaps.items()))


def _first(run: dict, target: float) -> float:
    """Messages of one run until its moving mean reaches the target; inf = never."""
    above = np.flatnonzero(run["curve"] >= target)
    return float(run["messages"][above[0]]) if len(above) else np.inf


def _transmissions(tuned: Tuned) -> dict[float, float]:
    """Messages until the moving mean of the score, averaged over seeds, reaches the target, by p; inf = never."""
    curves = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["curve"].to_list()), axis=0) for p in (FULL, 0.5, QUARTER)}
    messages = {p: np.mean(np.stack(tuned[NORMEC, p, BEST]["messages"].to_list()), axis=0) for p in curves}
    target = REACHED * curves[FULL].max()
    above = {p: np.flatnonzero(curve >= target) for p, curve in curves.items()}
    return {p: float(messages[p][above[p][0]]) if len(above[p]) else np.inf for p in curves}


def _order(tuned: Tuned, _betas: Sequence[float]) -> Statement:
    """P1: transmissions by participation."""
    n = _transmissions(tuned)
    target = REACHED * _score(tuned, NORMEC, FULL, BEST, "best").mean()
    pairs = list(zip(*(tuned[NORMEC, p, BEST].to_dict("records") for p in (QUARTER, FULL))))
    return Statement("P1", f"fewer transmissions to {REACHED} of the best score, the fewer clients take part",
                     outcome(n[QUARTER] < n[0.5] < n[FULL],
                             all(_first(part, target) > _first(full, target) for part, full in pairs)),
                     ", ".join(f"{count:.0f} at p = {p:g}" for p, count in n.items()), key=True)


def _saving(tuned: Tuned, _betas: Sequence[float]) -> Statement:
    """P2: how many transmissions a quarter of the clients saves."""
    n = _transmissions(tuned)
    ratio = n[QUARTER] / n[FULL] if np.isfinite(n[FULL]) else np.nan
    return Statement("P2", "a quarter of the clients needs at most 0.4 of the transmissions", outcome(ratio <= 0.4),
                     f"ratio {ratio:.2f} (paper: 0.27)")


def _feedback(tuned: Tuned, betas: Sequence[float], name: str = "F1", other: str = FEDAVG) -> Statement:
    """F1: error feedback against none, or (an aside) against none as equation 2 is printed."""
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
    """F1-SMALL: F1 at the betas at which both methods end above the start and near their best score."""
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
    """F2 and F3: at which beta a method ends best."""
    finals = {b: _score(tuned, method, FULL, b, "final").mean() for b in betas}
    return Statement(name, f"{words} is best at beta = {beta:g}", outcome(max(finals, key=finals.__getitem__) == beta),
                     ", ".join(f"{score:.4f} at beta {b:g}" for b, score in finals.items()))


def _on_diagonal(tuned: Tuned, betas: Sequence[float]) -> Statement:
    """F4: gamma that is best without memory."""
    best = {b: float(tuned[FEDAVG, FULL, b]["gamma"].iloc[0]) for b in betas}
    near = [abs(np.log10(b * gamma / DIAGONAL)) <= 1 + 1e-9 for b, gamma in best.items()]
    return Statement("F4", f"without memory the best gamma has beta gamma = {DIAGONAL:g}, within a step of the grid, "
                     "at every beta", outcome(all(near)),
                     ", ".join(f"{gamma:g} at beta {b:g}" for b, gamma in best.items()))


def _notes(tuned: Tuned) -> list[str]:
    """The tuned step sizes, and on which seeds they were tuned."""
    gammas = ", ".join(f"{method} p {p:g} beta {beta:g}: {runs['gamma'].iloc[0]:g}"
                       for (method, p, beta), runs in sorted(tuned.items()))
    return [f"best gamma on the judged seeds (the rule has none for tuning): {gammas}"]


def _short(tuned: Tuned, betas: Sequence[float]) -> str:
    """Final scores of both methods by beta, for a table; a dash where there are no runs."""
    def final(method: str, beta: float) -> str:
        return f"{_score(tuned, method, FULL, beta, 'final').mean():.3f}" if (method, FULL, beta) in tuned else "-"

    return ", ".join(f"{final(NORMEC, b)} : {final(FEDAVG, b)} (beta {b:g})" for b in betas)


RULES_OF: dict[str, Callable[[Tuned, Sequence[float]], Statement]] = {
    "B1": _best_beta, "B2": _worst_beta, "B3": _per_round, "P1": _order, "P2": _saving, "F1": _feedback,
    "F1-SMALL": _where_both_converge,
    "F2": partial(_best_of, method=NORMEC, name="F2", beta=0.01, words="error feedback"),
    "F3": partial(_best_of, method=FEDAVG, name="F3", beta=0.1, words="none"), "F4": _on_diagonal}


def _accuracy(rounds: pd.DataFrame) -> pd.Series:
    """The column that is the score."""
    return rounds["accuracy"]


def _decrease(rounds: pd.DataFrame) -> pd.Series:
    """Share of the objective's start value that is gone: where one class is rare, accuracy says little."""
    return 1 - rounds["objective"] / rounds["objective"].iloc[0]


def _images(name: str, statements: Sequence[str]) -> Rule:
    """A rule for images, with noise that has its norm in all."""
    return Rule(name, (name.upper(),), partial(rows, score=_accuracy, mode="total_norm"),
                partial(judge, name=name.upper(), statements=statements),
                columns("test accuracy", "1"), "beta = 0.01 best; error feedback ahead; transmissions 1200 : 4500",
                chooses=True, keeps=partial(has_mode, mode="total_norm"))


def _a9a(name: str, experiment: str, statements: Sequence[str], mode: str, betas: Sequence[float]) -> Rule:
    """A rule for a9a, by the meaning of sigma."""
    return Rule(name, (experiment,), partial(rows, score=_decrease, mode=mode),
                partial(judge, name=experiment, statements=statements, betas=betas),
                columns("share of the objective's start value that is gone", "1"),
                "error feedback ahead; fewer transmissions with fewer clients", chooses=True,
                keeps=partial(has_mode, mode=mode))


RULES = (
    _images("nec-fmnist-s", ("B1", "B2", "B3", "P1", "P2", "F1", "F2", "F3", "F4")),
    _images("nec-cifar-s", ("P1", "F1")),
    _images("nec-cifar-resnet-s", ("P1", "F1")),
    _a9a("nec-a9a", "NEC-A9A-S", ("P1", "F1", "F1-SMALL"), "per_coordinate", MORE_BETAS),
    _a9a("nec-a9a-total", "NEC-A9A-S-TOTAL", ("P1", "F1"), "total_norm", BETAS))
