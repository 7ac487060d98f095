"""Every statement of the PMTL rules on made-up scores, at which it holds and at which it does not."""
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.verdicts import pmtl
from trilemma_analysis.verdicts.private_models import Curves
from trilemma_analysis.verdicts.rules import Outcome

SPREAD = {0: 0.0, 1: -0.01, 2: 0.0, 3: 0.012}  # by seed; 0 tunes
EPSILONS = pmtl.EPSILONS


def curves(scores):
    """`scores`: (name, tuning) to the score by epsilon (inf: without privacy); one state reaches one epsilon."""
    rows = []
    for number, ((name, tune), of) in enumerate(scores.items()):
        for place, (epsilon, score) in enumerate(of.items()):
            for seed, off in SPREAD.items():
                # Neighbouring methods have spreads of their own, so that differences have errors.
                rows.append({"name": name, "tune": tune, "sigma": 0.0 if np.isinf(epsilon) or name == "local" else 0.1,
                             "threshold": 1.0, "pull": 0.1, "rate": 0.1, "ratio": 1.0, "tune_steps": 10.0, "tune_rate": 0.02,
                             "tune_pull": 10.0, "seed": seed, "round": place + 1, "epsilon": epsilon,
                             "work": 20.0 * (place + 1), "score": score + off * (1 if number % 2 else -0.5)})
    return Curves(pd.DataFrame(rows), 1)


def flat(score, *more):
    return {epsilon: score + 1e-6 * i for i, epsilon in enumerate((*EPSILONS, *more))}


def pair(ours, theirs, other="FedAvg"):
    return curves({("PMTL", "none"): ours, (other, "none"): theirs})


@pytest.mark.parametrize(("ours", "theirs", "holds", "reversed_"), [
    (0.7, 0.5, True, False), (0.5, 0.5, False, False), (0.5, 0.7, False, True)])
def test_ahead(ours, theirs, holds, reversed_):
    found = pmtl._ahead(pair(flat(ours), flat(theirs)), "C1", "FedAvg", 6)
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


def test_ahead_needs_the_epsilons():
    few = {e: 0.7 + 1e-6 * e for e in EPSILONS[-5:]}
    assert not pmtl._ahead(pair(few, {e: 0.5 + 1e-6 * e for e in few}), "C1", "FedAvg", 6).holds


@pytest.mark.parametrize(("small", "large", "holds"), [(0.2, 0.1, True), (0.1, 0.2, False)])
def test_the_gap_grows_with_privacy(small, large, holds):
    base = {e: 0.3 + 0.05 * i for i, e in enumerate(EPSILONS)}
    ours = {e: score + (small if e < 1 else large) for e, score in base.items()}
    assert pmtl._strong_privacy(pair(ours, base)).holds is holds


@pytest.mark.parametrize(("lost", "holds"), [(0.02, True), (0.08, False)])
def test_near_training_without_privacy(lost, holds):
    scores = flat(0.5) | {np.inf: 0.5 / (1 - lost)}
    assert pmtl._near_non_private(pair(scores, scores)).holds is holds


@pytest.mark.parametrize(("proximal", "holds"), [(0.51, True), (0.6, False)])
def test_fedprox_is_fedavg(proximal, holds):
    assert pmtl._same(curves({("FedAvg", "none"): flat(0.5), ("FedProx", "none"): flat(proximal)})).holds is holds


@pytest.mark.parametrize(("naive", "holds", "reversed_"), [
    (0.1, True, False), (0.4, False, False), (0.9, False, True)])
def test_naive(naive, holds, reversed_):
    found = pmtl._naive(curves({("PMTL", "none"): flat(0.7), ("FedAvg", "none"): flat(0.6),
                                ("naive", "none"): flat(naive)}))
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


def local(pmtl_scores, tuned, score):
    found = curves({("PMTL", "none"): pmtl_scores, ("PMTL", "vanilla"): tuned, ("local", "none"): {1.0: score}})
    return {each.name: each for each in (pmtl._beyond_local(found), pmtl._rises(found), pmtl._below_local(found))}


def test_local():
    rising = {e: 0.3 + 0.05 * i for i, e in enumerate(EPSILONS)}
    found = local(rising, flat(0.9), 0.8)
    assert found["L1"].holds and found["L2"].holds and found["L3"].holds
    found = local(dict(zip(rising, reversed(rising.values()))), flat(0.7), 0.5)
    assert found["L1"].holds and not found["L2"].holds and not found["L3"].holds
    assert not local(rising, flat(0.8), 0.8)["L1"].holds
    assert local(rising, flat(0.6), 0.8)["L1"].outcome is Outcome.REVERSED


def test_the_tuning_seed_chooses_the_kind_of_finetuning():
    """Judged seeds that like another kind better do not choose it."""
    found = curves({("PMTL", "none"): flat(0.5), ("PMTL", "vanilla"): flat(0.7), ("PMTL", "ewc"): flat(0.69),
                    ("local", "none"): {1.0: 0.8}})
    liked = (found.rows["tune"] == "ewc") & (found.rows["seed"] > 0)
    found.rows.loc[liked, "score"] += 0.3
    assert found.best_kind("PMTL", 0.8, pmtl.KINDS) == "vanilla"
    assert pmtl._beyond_local(found).outcome is Outcome.REVERSED
    assert found.best_kind("PMTL", 0.01, pmtl.KINDS) is None


@pytest.mark.parametrize(("gap", "holds", "reversed_"), [(0.05, True, False), (0.0, False, False), (-0.05, False, True)])
def test_finetuning(gap, holds, reversed_):
    scores = {("PMTL", kind): flat(0.6 + gap) for kind in pmtl.KINDS}
    scores = {key: of for kind in pmtl.KINDS
              for key, of in ((("PMTL", kind), scores["PMTL", kind]), (("FedAvg", kind), flat(0.6)))}
    found = pmtl._finetuning(curves(scores))
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


@pytest.mark.parametrize(("score", "holds"), [(0.6, True), (0.49, True), (0.4, False)])
def test_local_training_is_level(score, holds):
    found = curves({("PMTL", "none"): flat(0.5), ("local", "none"): {1.0: score}})
    assert pmtl._local_level(found).holds is holds


@pytest.mark.parametrize(("small", "last", "holds"), [(0.03, 0.0, True), (-0.03, 0.0, False), (0.03, 0.1, False)])
def test_pp_sgd_needs_weak_privacy(small, last, holds):
    theirs = {e: 0.3 + 0.05 * i for i, e in enumerate(EPSILONS)}
    ours = {e: score + (small if e < 1 else last) for e, score in theirs.items()}
    assert pmtl._additive(pair(ours, theirs, "PP-SGD"))[0].holds is holds


def test_pp_sgd_is_judged_at_its_best_rates():
    found = pair(flat(0.5), flat(0.3), "PP-SGD")
    better = found.rows[found.rows["name"] == "PP-SGD"].assign(ratio=3.0, score=lambda rows: rows["score"] + 0.4)
    found = replace(found, rows=pd.concat([found.rows, better], ignore_index=True))
    best, common, tuned = pmtl._additive(found)
    assert "mean gap -0.2" in best.evidence and "mean gap +0.199" in common.evidence
    assert not best.aside and common.aside and tuned.outcome is Outcome.NOT_RUN


def test_one_pull_serves_all_epsilons():
    """A pull of 1 is best at seven epsilons by a little, a pull of 0.1 at one by much."""
    found = pair(flat(0.5) | {4.0: 0.9}, flat(0.3))
    rows = found.rows[found.rows["name"] == "PMTL"]
    other = rows.assign(pull=1.0, score=rows["score"].where(rows["epsilon"] == 4.0, rows["score"] + 0.03) - 0.3 * (
        rows["epsilon"] == 4.0))
    found = replace(found, rows=pd.concat([found.rows, other], ignore_index=True))
    assert found.at("PMTL", 0.05).mean() == pytest.approx(0.5, abs=0.01)
    assert found.at("PMTL", 0.05, pull=1.0).mean() == pytest.approx(0.53, abs=0.01)


@pytest.mark.parametrize(("local", "expected"), [
    ({0.05: 0.5, 0.1: 0.6, 0.2: 0.9}, Outcome.HOLDS),     # 0.9 after 60 steps, more than PMTL takes at epsilon 0.1
    ({0.05: 0.9, 0.1: 0.91, 0.2: 0.92}, Outcome.REVERSED)])
def test_local_training_after_as_many_steps(local, expected):
    tuned = {0.1: 0.7}
    found = curves({("PMTL", "vanilla"): tuned, ("local", "none"): local})
    rows = found.rows.assign(work=np.where(found.rows["name"] == "PMTL", 50.0, found.rows["work"]))
    assert pmtl._at_equal_steps(replace(found, rows=rows)).outcome is expected
