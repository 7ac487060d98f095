import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis import read_run
from trilemma_analysis.table import as_csv, as_json, as_text, final_figures
from trilemma_analysis.sizes import prefixed


@pytest.fixture
def figures(make_run):
    runs = [
        read_run(make_run("a.h5", seed=1, columns={"objective": [1.0, 0.5, 0.625]}, wall_seconds=0.5)),
        read_run(make_run("b.h5", seed=2, columns={"objective": [1.0, 0.7, 0.825]}, wall_seconds=0.25)),
        read_run(make_run("c.h5", seed=3, columns={"objective": [1.0, 0.25, 0.25]}, wall_seconds=1.0)),
        read_run(make_run("d.h5", method="gd", mode="authors", epsilon_nominal=math.nan,
                          columns={"accuracy": [0.5, 0.875, math.nan]},
                          claim="not a private run: no noise")),
    ]
    return final_figures(runs)


def test_numbers_are_medians_over_the_seeds(figures):
    row = figures.iloc[0]
    assert (row.label, row["mode"], row.seeds, row.rounds) == ("cdp-sgd", "private", 3, 2)
    assert (row.objective_final, row.objective_best, row.utility, row.accuracy) == (0.625, 0.5, 0.5, 0.75)
    assert (row.bits_up_model, row.bits_up_payload, row.bits_up_mpi, row.bits_down_model) == (2560, 1280, 1280, 6400)
    assert (row.seconds, row.rounds_per_second) == (0.5, 4.0)
    assert (row.epsilon_nominal, row.accounted_epsilon, row.private) == (5.0, "not computed", True)


def test_last_evaluated_state_counts(figures):
    assert figures.iloc[1].accuracy == 0.875


def test_csv_and_json_hold_full_values(figures):
    assert pd.read_csv(io.StringIO(as_csv(figures)))["objective_final"].tolist() == [0.625, 0.625]
    cdp, gd = json.loads(as_json(figures))
    assert cdp["bits_up_model"] == 2560 and cdp["private"] is True
    assert gd["epsilon_nominal"] is None and gd["private"] is False


def test_text_shows_claims_and_prefixes(figures):
    heading, _, cdp, gd = as_text(figures).splitlines()[:4]
    assert heading.split()[:3] == ["method", "mode", "seeds"]
    assert cdp.split()[:6] == ["cdp-sgd", "private", "3", "2", "0.625", "0.5"]
    assert "2.56 k" in cdp and cdp.endswith("yes")
    assert gd.endswith("NO")


def test_one_run_without_claim_makes_its_row_not_private(make_run):
    runs = [read_run(make_run("a.h5")), read_run(make_run("b.h5", seed=2, claim="not a private run: why"))]
    assert not final_figures(runs)["private"].iloc[0]


def test_incomplete_runs_carry_a_star(make_run):
    with pytest.warns(UserWarning):
        run = read_run(make_run(complete=np.uint8(0), wall_seconds=0.0))
    text = as_text(final_figures([run]))
    assert "2*" in text and "* incomplete run" in text


@pytest.mark.parametrize(
    "value, text", [(0, "0"), (999, "999"), (999.6, "1 k"), (63360, "63.4 k"), (2.5e9, "2.5 G"), (1e20, "1e+05 P")]
)
def test_prefixes(value, text):
    assert prefixed(value) == text


def test_a_nominal_epsilon_is_not_a_private_run(make_run):
    """A published formula that no accountant has checked must not be shown as privacy."""
    run = read_run(make_run(claim="nominal only: (5, 0.001)-DP by a closed form"))
    figures = final_figures([run])
    assert figures["claim"].iloc[0] == "nominal only" and not figures["private"].iloc[0]
    assert "nominal only" in as_text(figures)
