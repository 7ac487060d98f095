"""The rule of PMTL-CURVES on made-up curves."""
import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.personal import early_share
from trilemma_analysis.verdicts.rules import Outcome


def curves(*shares, ends=None):
    """A curve from loss 1 for each share of its decrease that it has made after a fifth of 100 rounds; `ends` are the
    losses at the end (default 0)."""
    rows = []
    for number, share in enumerate(shares):
        end = ends[number] if ends else 0.0
        for seed in (1, 2, 3):
            for turn, loss in ((0, 1.0), (20, 1 - share * (1 - end)), (60, 1 - 0.99 * (1 - end)), (100, end)):
                rows.append({"data": "made", "sigma": 0.1 / (number + 1), "threshold": 0.5, "seed": seed, "round": turn,
                             "epsilon": turn * (number + 1) / 100, "loss": loss + 0.01 * (seed - 2)})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("shares", "outcome"), [
    ((0.7, 0.65), Outcome.HOLDS), ((0.7, 0.5), Outcome.FAILS), ((0.5, 0.3), Outcome.REVERSED)])
def test_most_of_the_decrease_comes_early(shares, outcome):
    found = RULES["pmtl-curves"].judge(curves(*shares))
    assert found.statements[0].outcome is outcome
    assert found.seeds == 3 and f"{min(shares):.2f} to {max(shares):.2f}" in found.ours


def test_the_share_is_of_the_last_state_within_a_fifth():
    assert early_share(curves(0.625).query("seed == 2")) == pytest.approx(0.625)


def test_a_loss_that_rises_has_made_nothing_of_its_decrease():
    found = RULES["pmtl-curves"].judge(curves(0.7, ends=[1.5]))
    assert found.statements[0].outcome is Outcome.REVERSED
    assert early_share(curves(0.7, ends=[1.5]).query("seed == 2")) == -np.inf


@pytest.mark.parametrize(("ends", "outcome"), [([0.2, 0.1], Outcome.HOLDS), ([0.1, 0.2], Outcome.FAILS)])
def test_the_largest_epsilon_ends_lowest(ends, outcome):
    found = RULES["pmtl-curves"].judge(curves(0.7, 0.7, ends=ends)).statements[1]
    assert found.outcome is outcome and found.evidence == f"made: 0.1 at epsilon {2 if ends[1] < ends[0] else 1}"


def test_without_private_runs_nothing_is_judged():
    found = RULES["pmtl-curves"].judge(curves().reindex(columns=list(RULES["pmtl-curves"].columns)))
    assert {each.outcome for each in found.statements} == {Outcome.NOT_RUN}
