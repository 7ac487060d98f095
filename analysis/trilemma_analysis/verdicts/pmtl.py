"""PMTL: private multi-task learning against private global models, on other data than the paper's."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from ..model.sweep import Sweep
from .private_models import Curves, curves
from .rules import Statement, Verdict, beats, difference, mean_and_error, not_worse

EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 4.0)
TUNED = (0.1, 0.8, 2.0)  # epsilons of the table of finetunings
KINDS = ("vanilla", "mean-regularised", "symmetrised-kl", "ewc")
TOLERANCE = 0.02  # within which FedProx counts as FedAvg
CHANCE = 0.1


def judge_images(sweep: Sweep, name: str) -> Verdict:
    """PMTL-FMNIST-S, PMTL-FEMNIST-T: accuracy of the clients' own models on what they hold out, weighted by its number."""
    found = curves(sweep, "client_score_weighted")
    statements = [_ahead(found, "C1", "FedAvg", 6), _strong_privacy(found)]
    if "FedProx" in found.names:
        statements += [_same(found), _ahead(found, "FEDPROX-C1", "FedProx", 6)]
    if "naive" in found.names:
        statements.append(_naive(found))
    if "local" in found.names:
        statements += _local(found)
    if all(len(found.at(name, e, kind)) for name in ("PMTL", "FedAvg") for e in TUNED for kind in KINDS):
        statements += _finetuning(found)
    return Verdict(name, tuple(statements), tuple(_table(found)), substitute=True,
                   seeds=found.judged_seeds)


def judge_parkinsons(sweep: Sweep) -> Verdict:
    """PMTL-PARK-S: root mean squared error, mean over users; its sign is turned, so that larger is better."""
    found = curves(sweep, "client_score_mean", sign=-1)
    statements = [_ahead(found, "C1", "FedAvg", len(EPSILONS)), _strong_privacy(found), _near_non_private(found)]
    if "local" in found.names:
        statements.append(_local_level(found))
    if "PP-SGD" in found.names:
        statements.append(_additive(found))
    return Verdict("PMTL-PARK-S", tuple(statements), tuple(_table(found)), substitute=True,
                   seeds=found.judged_seeds)


RULES = {"pmtl-fmnist-s": partial(judge_images, name="PMTL-FMNIST-S"),
         "pmtl-femnist-t": partial(judge_images, name="PMTL-FEMNIST-T"), "pmtl-park-s": judge_parkinsons}


def _reached(found: Curves, other: str) -> list[float]:
    """The epsilons at which both PMTL and another method have runs."""
    return [e for e in EPSILONS if len(found.at("PMTL", e)) and len(found.at(other, e))]


def _gap(found: Curves, epsilon: float, other: str) -> float:
    """How far PMTL is ahead of another method at an epsilon, in the mean."""
    return float(found.at("PMTL", epsilon).mean() - found.at(other, epsilon).mean())


def _ahead(found: Curves, name: str, other: str, needed: int) -> Statement:
    """A statement that PMTL is ahead of another method at `needed` epsilons."""
    reached = _reached(found, other)
    wins = [e for e in reached if beats(found.at("PMTL", e), found.at(other, e))]
    losses = [e for e in reached if beats(found.at(other, e), found.at("PMTL", e))]
    return Statement(name, f"PMTL is ahead of private {other} at {needed} of {len(EPSILONS)} epsilons, behind at none",
                     len(wins) >= needed and not losses,
                     f"ahead at {len(wins)} of {len(reached)}, behind at {len(losses)}; gaps "
                     + ", ".join(f"{_gap(found, e, other):+.3f} at {e:g}" for e in reached),
                     key=True, reversed_=bool(losses))


def _strong_privacy(found: Curves) -> Statement:
    """C2: the gap at small and at large epsilons."""
    reached = _reached(found, "FedAvg")
    small = np.mean([_gap(found, e, "FedAvg") for e in reached if e < 1])
    large = np.mean([_gap(found, e, "FedAvg") for e in reached if e >= 1.6])
    return Statement("C2", "the gap is larger below epsilon 1 than from 1.6 on", bool(small > large),
                     f"{small:+.3f} against {large:+.3f}")


def _near_non_private(found: Curves) -> Statement:
    """C3: what epsilon 4 costs."""
    pairs = [(found.at(name, 4.0), found.at(name, np.inf)) for name in ("PMTL", "FedAvg")]
    lost = [1 - private.mean() / free.mean() if len(private) and len(free) else np.nan for private, free in pairs]
    return Statement("C3", "at epsilon 4 both are within a twentieth of themselves without privacy",
                     bool(np.all(np.abs(lost) <= 0.05)), f"off by {lost[0]:+.1%} and {lost[1]:+.1%}")


def _local_level(found: Curves) -> Statement:
    """LOCAL: local training against PMTL."""
    ours = found.at("PMTL", 4.0).mean()
    gap = found.at("local", 4.0).mean() - ours
    return Statement("LOCAL", "local training is about equal to PMTL or better", bool(gap > -0.05 * abs(ours)),
                     f"{gap:+.3f} at epsilon 4")


def _additive(found: Curves) -> Statement:
    """PPSGD: PMTL against PP-SGD."""
    gaps = [_gap(found, e, "PP-SGD") for e in _reached(found, "PP-SGD") if e < 1]
    last = _gap(found, 4.0, "PP-SGD") / abs(found.at("PMTL", 4.0).mean())
    return Statement("PPSGD", "PMTL is ahead of PP-SGD on average over epsilon < 1, and within 2 % of it at 4",
                     bool(np.mean(gaps) > 0 and abs(last) <= 0.02), f"mean gap {np.mean(gaps):+.3f}; {last:+.1%} at 4")


def _same(found: Curves) -> Statement:
    """FEDPROX: private FedProx against private FedAvg."""
    reached = [e for e in EPSILONS if len(found.at("FedProx", e)) and len(found.at("FedAvg", e))]
    close = 0
    for e in reached:
        mean, error = mean_and_error(difference(found.at("FedProx", e), found.at("FedAvg", e)))
        close += np.isfinite(error) and abs(mean) <= max(TOLERANCE, 2 * error)
    return Statement("FEDPROX", "private FedProx is about private FedAvg", close >= 6,
                     f"within {TOLERANCE} at {close} of {len(reached)}")


def _naive(found: Curves) -> Statement:
    """NAIVE: privacy of all models together."""
    holds, ahead, texts = [], [], []
    for e in (0.8, 2.0):
        ahead.append(any(beats(found.at("naive", e), found.at(name, e)) for name in ("PMTL", "FedAvg")))
        naive, ours, others = (found.at(name, e).mean() for name in ("naive", "PMTL", "FedAvg"))
        holds.append((naive < 0.25 * ours or naive < 3 * CHANCE) and min(ours, others) > 2 * naive)
        texts.append(f"{naive:.3f} against {ours:.3f} and {others:.3f} at {e:g}")
    return Statement("NAIVE", "privacy of all models together is next to chance", all(holds), "; ".join(texts), key=True,
                     reversed_=all(ahead))


def _best_tuned(found: Curves, epsilon: float) -> pd.Series:
    """The scores of PMTL with the kind of finetuning that is best at an epsilon."""
    tuned = [scores for kind in KINDS if len(scores := found.at("PMTL", epsilon, kind))]
    return max(tuned, key=np.mean) if tuned else pd.Series(dtype=float)


def _local(found: Curves) -> list[Statement]:
    """L1 to L3: PMTL against local training, by epsilon."""
    local = found.at("local", np.nan)
    ours = {e: found.at("PMTL", e).mean() for e in TUNED}
    rises = ours[0.1] < ours[0.8] < ours[2.0]
    statements = [
        Statement("L2", "PMTL rises with epsilon", bool(rises),
                  ", ".join(f"{score:.3f} at {e:g}" for e, score in ours.items())),
        Statement("L3", "PMTL at epsilon 0.1 is below local training", bool(ours[0.1] < local.mean()),
                  f"{ours[0.1]:.3f} against {local.mean():.3f}")]
    best = {e: _best_tuned(found, e) for e in TUNED}
    if all(len(scores) for scores in best.values()):
        statements.insert(0, Statement(
            "L1", "PMTL with the best finetuning is ahead of local training at epsilon 0.1, 0.8 and 2",
            all(beats(scores, local) for scores in best.values()),
            ", ".join(f"{scores.mean():.3f} at {e:g}" for e, scores in best.items()) + f"; local {local.mean():.3f}",
            key=True, reversed_=all(beats(local, scores) for scores in best.values())))
    return statements


def _finetuning(found: Curves) -> list[Statement]:
    """The statements about PMTL against FedAvg, both finetuned."""
    level = ahead = behind = cells = 0
    texts = []
    for kind in KINDS:
        for e in TUNED:
            ours, theirs = found.at("PMTL", e, kind), found.at("FedAvg", e, kind)
            cells += 1
            level += not_worse(ours, theirs)
            ahead += beats(ours, theirs)
            behind += beats(theirs, ours)
            texts.append(f"{kind} {e:g}: {ours.mean():.3f} / {theirs.mean():.3f}")
    return [Statement("T1", "finetuning from MTL models is not worse in 9 of 12 cells and better in 6",
                      level >= 9 and ahead >= 6, f"not worse in {level}, better in {ahead} of {cells}; "
                      + ", ".join(texts), key=True, reversed_=behind > 6)]


def _table(found: Curves) -> list[str]:
    """A line of mean scores for each method, for the notes."""
    lines = []
    for name in sorted(found.names):
        scores = {e: found.at(name, e) for e in (*EPSILONS, np.inf)}
        text = ", ".join(f"{found.sign * s.mean():.3f} ({e:g})" for e, s in scores.items() if len(s))
        lines.append(f"{name}, score (epsilon): {text}")
    return lines
