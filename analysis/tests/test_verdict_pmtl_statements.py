"""Every statement of the PMTL rules on made-up scores, at which it holds and at which it does not."""
import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.rules import Outcome
from trilemma_analysis.verdicts.states import KINDS, StateCells
from trilemma_analysis.verdicts.values import EPSILONS

SPREAD = {0: 0.0, 1: -0.01, 2: 0.0, 3: 0.012}  # by seed; 0 tunes


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
    return pd.DataFrame(rows)


def statement(rows, name, rule="pmtl-fmnist-s"):
    """A statement about rows, whose scores are the better the larger they are."""
    sign = -1 if rule == "pmtl-park-s" else 1
    verdict = RULES[rule].judge(rows.assign(score=sign * rows["score"]))
    return next(each for each in verdict.statements if each.name == name)


def cells(rows):
    """The cells that the statements look at."""
    return StateCells(rows, RULES["pmtl-fmnist-s"].views["main"])


def flat(score, *more):
    return {epsilon: score + 1e-6 * i for i, epsilon in enumerate((*EPSILONS, *more))}


def pair(ours, theirs, other="FedAvg"):
    return curves({("PMTL", "none"): ours, (other, "none"): theirs})


@pytest.mark.parametrize(("ours", "theirs", "holds", "reversed_"), [
    (0.7, 0.5, True, False), (0.5, 0.5, False, False), (0.5, 0.7, False, True)])
def test_ahead(ours, theirs, holds, reversed_):
    found = statement(pair(flat(ours), flat(theirs)), "C1")
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


def test_ahead_needs_the_epsilons():
    few = {e: 0.7 + 1e-6 * e for e in EPSILONS[-5:]}
    assert not statement(pair(few, {e: 0.5 + 1e-6 * e for e in few}), "C1").holds


@pytest.mark.parametrize(("small", "large", "holds"), [(0.2, 0.1, True), (0.1, 0.2, False)])
def test_the_gap_grows_with_privacy(small, large, holds):
    base = {e: 0.3 + 0.05 * i for i, e in enumerate(EPSILONS)}
    ours = {e: score + (small if e < 1 else large) for e, score in base.items()}
    assert statement(pair(ours, base), "C2").holds is holds


@pytest.mark.parametrize(("lost", "holds"), [(0.02, True), (0.08, False)])
def test_near_training_without_privacy(lost, holds):
    scores = flat(0.5) | {np.inf: 0.5 / (1 - lost)}
    assert statement(pair(scores, scores), "C3", "pmtl-park-s").holds is holds


@pytest.mark.parametrize(("proximal", "holds"), [(0.51, True), (0.6, False)])
def test_fedprox_is_fedavg(proximal, holds):
    assert statement(curves({("FedAvg", "none"): flat(0.5), ("FedProx", "none"): flat(proximal)}), "FEDPROX").holds is holds


@pytest.mark.parametrize(("naive", "holds", "reversed_"), [
    (0.1, True, False), (0.4, False, False), (0.9, False, True)])
def test_naive(naive, holds, reversed_):
    found = statement(curves({("PMTL", "none"): flat(0.7), ("FedAvg", "none"): flat(0.6), ("naive", "none"): flat(naive)}),
                      "NAIVE")
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


def local(pmtl_scores, tuned, score):
    found = curves({("PMTL", "none"): pmtl_scores, ("PMTL", "vanilla"): tuned, ("local", "none"): {1.0: score}})
    return {name: statement(found, name) for name in ("L1", "L2", "L3")}


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
    liked = (found["tune"] == "ewc") & (found["seed"] > 0)
    found.loc[liked, "score"] += 0.3
    assert cells(found).best_kind("PMTL", 0.8) == "vanilla"
    assert statement(found, "L1").outcome is Outcome.REVERSED
    assert cells(found).best_kind("PMTL", 0.01) is None


@pytest.mark.parametrize(("gap", "holds", "reversed_"), [(0.05, True, False), (0.0, False, False), (-0.05, False, True)])
def test_finetuning(gap, holds, reversed_):
    scores = {("PMTL", kind): flat(0.6 + gap) for kind in KINDS}
    scores = {key: of for kind in KINDS
              for key, of in ((("PMTL", kind), scores["PMTL", kind]), (("FedAvg", kind), flat(0.6)))}
    found = statement(curves(scores), "T1")
    assert (found.holds, found.outcome is Outcome.REVERSED) == (holds, reversed_)


@pytest.mark.parametrize(("score", "holds"), [(0.6, True), (0.49, True), (0.4, False)])
def test_local_training_is_level(score, holds):
    found = curves({("PMTL", "none"): flat(0.5), ("local", "none"): {1.0: score}})
    assert statement(found, "LOCAL", "pmtl-park-s").holds is holds


@pytest.mark.parametrize(("small", "last", "holds"), [(0.03, 0.0, True), (-0.03, 0.0, False), (0.03, 0.1, False)])
def test_pp_sgd_needs_weak_privacy(small, last, holds):
    theirs = {e: 0.3 + 0.05 * i for i, e in enumerate(EPSILONS)}
    ours = {e: score + (small if e < 1 else last) for e, score in theirs.items()}
    assert statement(pair(ours, theirs, "PP-SGD"), "PPSGD", "pmtl-park-s").holds is holds


def test_pp_sgd_is_judged_at_its_best_rates():
    found = pair(flat(0.5), flat(0.3), "PP-SGD")
    better = found[found["name"] == "PP-SGD"].assign(ratio=3.0, score=lambda rows: rows["score"] + 0.4)
    found = pd.concat([found, better], ignore_index=True)
    best, common, tuned = (statement(found, name, "pmtl-park-s") for name in ("PPSGD", "PPSGD-COMMON", "PPSGD-FINETUNED"))
    assert "mean gap -0.2" in best.evidence and "mean gap +0.199" in common.evidence
    assert not best.aside and common.aside and tuned.outcome is Outcome.NOT_RUN


def test_one_pull_serves_all_epsilons():
    """A pull of 1 is best at seven epsilons by a little, a pull of 0.1 at one by much."""
    found = pair(flat(0.5) | {4.0: 0.9}, flat(0.3))
    rows = found[found["name"] == "PMTL"]
    other = rows.assign(pull=1.0, score=rows["score"].where(rows["epsilon"] == 4.0, rows["score"] + 0.03) - 0.3 * (
        rows["epsilon"] == 4.0))
    found = cells(pd.concat([found, other], ignore_index=True))
    assert found.of(name="PMTL", epsilon=0.05)["score"].mean() == pytest.approx(0.5, abs=0.01)
    assert found.of(name="PMTL", epsilon=0.05, pull=1.0)["score"].mean() == pytest.approx(0.53, abs=0.01)


@pytest.mark.parametrize(("local", "expected"), [
    ({0.05: 0.5, 0.1: 0.6, 0.2: 0.9}, Outcome.HOLDS),     # 0.9 after 60 steps, more than PMTL takes at epsilon 0.1
    ({0.05: 0.9, 0.1: 0.91, 0.2: 0.92}, Outcome.REVERSED)])
def test_local_training_after_as_many_steps(local, expected):
    tuned = {0.1: 0.7}
    found = curves({("PMTL", "vanilla"): tuned, ("local", "none"): local})
    rows = found.assign(work=np.where(found["name"] == "PMTL", 50.0, found["work"]))
    assert statement(rows, "L1-EQUAL").outcome is expected
