"""PMTL: private multi-task learning against private global models, on other data than the paper's."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from ..model.guarantees import AGAINST
from .private_models import COLUMNS, EPSILONS, Curves, curves_of, states_of
from .rules import Column, Rule, Statement, Verdict, beats, difference, mean_and_error, not_run, not_worse, outcome

TUNED = (0.1, 0.8, 2.0)  # epsilons of the table of finetunings
KINDS = ("vanilla", "mean-regularised", "symmetrised-kl", "ewc")
TOLERANCE = 0.02  # within which FedProx counts as FedAvg
CHANCE = 0.1
VIEWS = {"PMTL": "V_others", "FedAvg": "V_aggregate server"}  # of the methods' claims
SEEDS = 5  # that the rules ask for


def judge_images(states: pd.DataFrame, name: str, statements: tuple[str, ...]) -> Verdict:
    """PMTL-FMNIST-S, PMTL-FEMNIST-T: accuracy of the clients' own models on what they hold out, weighted by its number.
    `statements` are those of the rule."""
    found = curves_of(states)
    rules = {"C1": lambda: _ahead(found, "C1", "FedAvg", 6), "C2": lambda: _strong_privacy(found),
             "FEDPROX": lambda: _same(found), "FEDPROX-C1": lambda: _ahead(found, "FEDPROX-C1", "FedProx", 6),
             "NAIVE": lambda: _naive(found), "L1": lambda: _beyond_local(found),
             "L1-EQUAL": lambda: _at_equal_steps(found), "L2": lambda: _rises(found),
             "L3": lambda: _below_local(found), "T1": lambda: _finetuning(found)}
    return Verdict(name, tuple(rules[each]() for each in statements), tuple(_table(found)), substitute=True,
                   seeds=found.judged_seeds, ours=_short(found))


def judge_parkinsons(states: pd.DataFrame) -> Verdict:
    """PMTL-PARK-S: root mean squared error, mean over users; its sign is turned, so that larger is better."""
    found = curves_of(states, sign=-1)
    statements = (_ahead(found, "C1", "FedAvg", len(EPSILONS)), _strong_privacy(found), _near_non_private(found),
                  _local_level(found), *_additive(found))
    return Verdict("PMTL-PARK-S", statements, tuple(_table(found)), substitute=True, seeds=found.judged_seeds,
                   ours=_short(found))


def _reached(found: Curves, other: str) -> list[float]:
    """The epsilons at which both PMTL and another method have runs."""
    return [e for e in EPSILONS if len(found.at("PMTL", e)) and len(found.at(other, e))]


def _gap(found: Curves, epsilon: float, other: str) -> float:
    """How far PMTL is ahead of another method at an epsilon, in the mean."""
    return float(found.at("PMTL", epsilon).mean() - found.at(other, epsilon).mean())


def _ahead(found: Curves, name: str, other: str, needed: int) -> Statement:
    """A statement that PMTL is ahead of another method at `needed` epsilons."""
    text = f"PMTL is ahead of private {other} at {needed} of {len(EPSILONS)} epsilons, behind at none"
    reached = _reached(found, other)
    if not reached:
        return not_run(name, text, f"runs of PMTL and {other}", key=True)
    wins = [e for e in reached if beats(found.at("PMTL", e), found.at(other, e))]
    losses = [e for e in reached if beats(found.at(other, e), found.at("PMTL", e))]
    return Statement(name, text, outcome(len(wins) >= needed and not losses, bool(losses)),
                     f"ahead at {len(wins)} of {len(reached)}, behind at {len(losses)}; gaps "
                     + ", ".join(f"{_gap(found, e, other):+.3f} at {e:g}" for e in reached), key=True)


def _strong_privacy(found: Curves) -> Statement:
    """C2: the gap at small and at large epsilons."""
    text = "the gap is larger below epsilon 1 than from 1.6 on"
    gaps = {e: _gap(found, e, "FedAvg") for e in _reached(found, "FedAvg")}
    below, above = ([gap for e, gap in gaps.items() if e < 1], [gap for e, gap in gaps.items() if e >= 1.6])
    if not below or not above:
        return not_run("C2", text, "runs of PMTL and FedAvg below epsilon 1 and from 1.6 on")
    small, large = np.mean(below), np.mean(above)
    return Statement("C2", text, outcome(small > large), f"{small:+.3f} against {large:+.3f}")


def _near_non_private(found: Curves) -> Statement:
    """C3: what epsilon 4 costs."""
    text = "at epsilon 4 both are within a twentieth of themselves without privacy"
    pairs = [(found.at(name, 4.0), found.at(name, np.inf)) for name in ("PMTL", "FedAvg")]
    if not all(len(scores) for pair in pairs for scores in pair):
        return not_run("C3", text, "runs of PMTL and FedAvg up to epsilon 4 and without privacy")
    lost = [1 - private.mean() / free.mean() for private, free in pairs]
    return Statement("C3", text, outcome(np.all(np.abs(lost) <= 0.05)), f"off by {lost[0]:+.1%} and {lost[1]:+.1%}")


def _local_level(found: Curves) -> Statement:
    """LOCAL: local training against PMTL."""
    text = "local training is about equal to PMTL or better"
    ours, local = found.at("PMTL", 4.0), found.at("local", 4.0)
    if not len(ours) or not len(local):
        return not_run("LOCAL", text, "runs of PMTL and local training")
    gap = local.mean() - ours.mean()
    return Statement("LOCAL", text, outcome(gap > -0.05 * abs(ours.mean())), f"{gap:+.3f} at epsilon 4")


def _additive(found: Curves) -> tuple[Statement, ...]:
    """PPSGD: PMTL against PP-SGD at its best rates; asides: at the rates of PMTL, and with both finetuned."""
    rates = found.rows.loc[(found.rows["name"] == "PMTL") & (found.rows["tune"] == "none"), "rate"].unique()
    common = {"rate": float(rates[0]), "ratio": 1.0} if len(rates) == 1 else {}
    return (_against_additive(found, "PPSGD", ""),
            replace(_against_additive(found, "PPSGD-COMMON", ", both of its rates those of PMTL", **common), aside=True),
            replace(_against_additive(found, "PPSGD-FINETUNED", ", both finetuned", "vanilla"), aside=True))


def _against_additive(found: Curves, name: str, end: str, tune: str = "none", **fixed: float) -> Statement:
    """A statement that PMTL is ahead of PP-SGD under strong privacy, and level with little."""
    text = f"PMTL is ahead of PP-SGD on average over epsilon < 1, and within 2 % of it at 4{end}"
    pairs = {e: (found.at("PMTL", e, tune), found.at("PP-SGD", e, tune, **fixed)) for e in EPSILONS}
    pairs = {e: pair for e, pair in pairs.items() if all(map(len, pair))}
    gaps = {e: float(difference(ours, theirs).mean()) for e, (ours, theirs) in pairs.items()}
    small = [gap for e, gap in gaps.items() if e < 1]
    if not small or 4.0 not in gaps:
        return not_run(name, text, "runs of PMTL and PP-SGD below epsilon 1 and up to 4")
    last = gaps[4.0] / abs(pairs[4.0][0].mean())
    scores = "; ".join(f"{found.sign * ours.mean():.3f} : {found.sign * theirs.mean():.3f} at {e:g}"
                       for e, (ours, theirs) in pairs.items())
    return Statement(name, text, outcome(np.mean(small) > 0 and abs(last) <= 0.02),
                     f"mean gap {np.mean(small):+.3f}; {last:+.1%} at 4; {scores}")


def _same(found: Curves) -> Statement:
    """FEDPROX: private FedProx against private FedAvg."""
    text = "private FedProx is about private FedAvg"
    reached = [e for e in EPSILONS if len(found.at("FedProx", e)) and len(found.at("FedAvg", e))]
    if not reached:
        return not_run("FEDPROX", text, "runs of FedProx and FedAvg")
    close = 0
    for e in reached:
        mean, error = mean_and_error(difference(found.at("FedProx", e), found.at("FedAvg", e)))
        close += np.isfinite(error) and abs(mean) <= max(TOLERANCE, 2 * error)
    return Statement("FEDPROX", text, outcome(close >= 6), f"within {TOLERANCE} at {close} of {len(reached)}")


def _naive(found: Curves) -> Statement:
    """NAIVE: privacy of all models together."""
    text = "privacy of all models together is next to chance"
    if not all(len(found.at(name, e)) for name in ("naive", "PMTL", "FedAvg") for e in (0.8, 2.0)):
        return not_run("NAIVE", text, "runs of naive, PMTL and FedAvg up to epsilon 0.8", key=True)
    holds, ahead, texts = [], [], []
    for e in (0.8, 2.0):
        ahead.append(any(beats(found.at("naive", e), found.at(name, e)) for name in ("PMTL", "FedAvg")))
        naive, ours, others = (found.at(name, e).mean() for name in ("naive", "PMTL", "FedAvg"))
        holds.append((naive < 0.25 * ours or naive < 3 * CHANCE) and min(ours, others) > 2 * naive)
        texts.append(f"{naive:.3f} against {ours:.3f} and {others:.3f} at {e:g}")
    return Statement("NAIVE", text, outcome(all(holds), all(ahead)), "; ".join(texts), key=True)


def _best_tuned(found: Curves, epsilon: float) -> pd.Series:
    """The scores of PMTL with the kind of finetuning that the tuning seed finds best at an epsilon."""
    kind = found.best_kind("PMTL", epsilon, KINDS)
    return found.at("PMTL", epsilon, kind) if kind else pd.Series(dtype=float)


def _beyond_local(found: Curves) -> Statement:
    """L1: PMTL with finetuning against local training."""
    text = "PMTL with the best finetuning is ahead of local training at epsilon 0.1, 0.8 and 2"
    local = found.at("local", np.nan)
    best = {e: _best_tuned(found, e) for e in TUNED}
    if not len(local) or not all(len(scores) for scores in best.values()):
        return not_run("L1", text, "runs of local training, and of PMTL finetuned", key=True)
    return Statement("L1", text, outcome(all(beats(scores, local) for scores in best.values()),
                                         all(beats(local, scores) for scores in best.values())),
                     ", ".join(f"{scores.mean():.3f} at {e:g}" for e, scores in best.items())
                     + f"; local {local.mean():.3f}", key=True)


def _at_equal_steps(found: Curves) -> Statement:
    """L1-EQUAL: as L1, against local training that has taken as many local steps."""
    text = "L1 against local training after at most as many local steps, those of the finetuning included"
    parts = []
    for e in TUNED:
        best = found.best_kind("PMTL", e, KINDS)
        if best:
            work = found.work_at("PMTL", e, best)
            parts.append((e, work, found.at("PMTL", e, best), found.local_after(work)))
    if len(parts) < len(TUNED) or not all(len(local) for *_, local in parts):
        return not_run("L1-EQUAL", text, "runs of local training, and of PMTL finetuned", aside=True)
    return Statement("L1-EQUAL", text, outcome(all(beats(ours, local) for *_, ours, local in parts),
                                               all(beats(local, ours) for *_, ours, local in parts)),
                     "; ".join(f"{ours.mean():.3f} against {local.mean():.3f} after {work:.0f} steps at {e:g}"
                               for e, work, ours, local in parts), aside=True)


def _rises(found: Curves) -> Statement:
    """L2: PMTL by epsilon."""
    ours = [found.at("PMTL", e) for e in TUNED]
    if not all(map(len, ours)):
        return not_run("L2", "PMTL rises with epsilon", "runs of PMTL up to epsilon 0.1")
    first, second, third = (scores.mean() for scores in ours)
    return Statement("L2", "PMTL rises with epsilon", outcome(first < second < third),
                     ", ".join(f"{scores.mean():.3f} at {e:g}" for e, scores in zip(TUNED, ours, strict=True)))


def _below_local(found: Curves) -> Statement:
    """L3: PMTL with much noise against local training."""
    text = "PMTL at epsilon 0.1 is below local training"
    ours, local = found.at("PMTL", 0.1), found.at("local", np.nan)
    if not len(ours) or not len(local):
        return not_run("L3", text, "runs of local training, and of PMTL up to epsilon 0.1")
    return Statement("L3", text, outcome(ours.mean() < local.mean()), f"{ours.mean():.3f} against {local.mean():.3f}")


def _finetuning(found: Curves) -> Statement:
    """T1: PMTL against FedAvg, both finetuned."""
    text = "finetuning from MTL models is not worse in 9 of 12 cells and better in 6"
    if not all(len(found.at(name, e, kind)) for name in ("PMTL", "FedAvg") for e in TUNED for kind in KINDS):
        return not_run("T1", text, f"runs of PMTL and FedAvg with {', '.join(KINDS)} finetuning", key=True)
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
    return Statement("T1", text, outcome(level >= 9 and ahead >= 6, behind > 6), f"not worse in {level}, better in {ahead} of {cells}; "
                     + ", ".join(texts), key=True)


def _table(found: Curves) -> list[str]:
    """A line of mean scores for each method, for the notes."""
    lines = []
    for name in sorted(found.names):
        scores = {e: found.at(name, e) for e in (*EPSILONS, np.inf)}
        text = ", ".join(f"{found.sign * s.mean():.3f} ({e:g})" for e, s in scores.items() if len(s))
        lines.append(f"{name}, score (epsilon): {text}")
    return lines


def _short(found: Curves) -> str:
    """Mean scores of PMTL and FedAvg at the smallest and the largest epsilon that both reach, with the adversaries of their
    claims, for a table."""
    reached = _reached(found, "FedAvg")
    return "; ".join(", ".join(f"{name} {found.sign * found.at(name, e).mean():.3f} ({AGAINST[view][0]})"
                               for name, view in VIEWS.items()) + f" at epsilon {e:g}"
                     for e in dict.fromkeys((*reached[:1], *reached[-1:])))


IMAGES = COLUMNS | {"score": Column("accuracy of the clients' own models, weighted by their held-out records", "1")}
RULES = (
    Rule("pmtl-fmnist-s", ("PMTL-FMNIST-S",), partial(states_of, column="client_score_weighted"),
         partial(judge_images, name="PMTL-FMNIST-S",
                 statements=("C1", "C2", "FEDPROX", "FEDPROX-C1", "NAIVE", "L1", "L1-EQUAL", "L2", "L3", "T1")),
         IMAGES, "PMTL ahead of FedAvg at all epsilons", chooses=True, seeds=SEEDS),
    Rule("pmtl-femnist-t", ("PMTL-FEMNIST-T",), partial(states_of, column="client_score_weighted"),
         partial(judge_images, name="PMTL-FEMNIST-T", statements=("C1", "C2", "L1", "L1-EQUAL", "L2", "L3", "T1")),
         IMAGES, "PMTL ahead of FedAvg at all epsilons", chooses=True, seeds=SEEDS),
    Rule("pmtl-fmnist-two-s", ("PMTL-FMNIST-TWO-S",), partial(states_of, column="client_score_weighted"),
         partial(judge_images, name="PMTL-FMNIST-TWO-S", statements=("C1", "C2")), IMAGES,
         "PMTL ahead of FedAvg at all epsilons", chooses=True, seeds=SEEDS),
    Rule("pmtl-park-s", ("PMTL-PARK-S",), partial(states_of, column="client_score_mean", sign=-1), judge_parkinsons,
         COLUMNS | {"score": Column("root mean squared error of the clients' own models, mean over clients", "1")},
         "PMTL ahead of FedAvg and below epsilon 1 of PP-SGD", chooses=True, seeds=SEEDS))
