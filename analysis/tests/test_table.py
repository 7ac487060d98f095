import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis import RunFileError, read_run
from trilemma_analysis.cli.table import as_csv, as_json, as_text
from trilemma_analysis.model.sizes import prefixed
from trilemma_analysis.plot.captions import NOTHING_LEARNT
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.scales import BASELINE_ID
from trilemma_analysis.stats.final_table import final_figures


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
    row = figures.iloc[1]  # behind gd, which is a method of its own kind
    assert (row.label, row["mode"], row.seeds, row.rounds) == ("cdp-sgd", "private", 3, 2)
    assert (row.objective_final, row.objective_best, row.utility, row.accuracy) == pytest.approx(
        (0.625, 0.5, 0.5, 0.75))
    assert (row.bits_up_model, row.bits_up_payload, row.bits_up_mpi, row.bits_down_model) == (2560, 1280, 1280, 6400)
    # Ten phases of a round, 0 to 8 and 11, are neither evaluation nor recording; on the rank in the middle phase p of
    # round t takes 39 t + 13 + p seconds.
    working = sum(39 * t + 13 + p for t in (1, 2) for p in (*range(9), 11))
    assert (row.wall_seconds, row.rounds_per_second) == pytest.approx((0.5, 2 / working))
    assert row.epsilon_nominal == 5.0 and math.isnan(row.epsilon_accounted) and row.private


def test_last_evaluated_state_counts(figures):
    assert figures.iloc[0].accuracy == 0.875


def test_csv_and_json_hold_full_values(figures):
    assert pd.read_csv(io.StringIO(as_csv(figures)))["objective_final"].tolist() == [0.625, 0.625]
    gd, cdp = json.loads(as_json(figures))
    assert cdp["bits_up_model"] == 2560 and cdp["private"] is True
    assert gd["epsilon_nominal"] is None and gd["private"] is False


def test_text_shows_claims_and_what_all_rows_share_below(figures):
    heading, _, gd, cdp = as_text(figures).splitlines()[:4]
    assert heading.split()[:4] == ["method", "accuracy", "ε", "spent"] and cdp.split()[:3] == ["cdp-sgd", "75.0", "%"]
    assert " yes " in cdp and " NO " in gd
    assert "up/client 128 bit" in as_text(figures) and "2 rounds" in as_text(figures)


def test_one_run_without_claim_makes_its_row_not_private(make_run):
    runs = [read_run(make_run("a.h5")), read_run(make_run("b.h5", seed=2, claim="not a private run: why"))]
    assert not final_figures(runs)["private"].iloc[0]


def test_the_mode_of_a_method_that_is_not_private_is_for_programs(make_run):
    found = final_figures([read_run(make_run(mode="private", claim="not a private run: no noise"))])
    assert found["mode"].tolist() == ["private"] and " private " not in as_text(found, wide=True).splitlines()[2]
    other = final_figures([read_run(make_run("b.h5", mode="private"))])
    assert " private " in as_text(other, wide=True).splitlines()[2]


def test_limits_of_who_started_a_run_do_not_split_its_seeds(make_run):
    runs = [read_run(make_run(f"{seed}.h5", seed=seed, config=f"[watchdog]\nseconds = {limit}\n[server]\nrate = {rate}\n"))
            for seed, limit, rate in ((1, 0, 1), (2, 600, 1), (3, 0, 2))]
    assert final_figures(runs)["seeds"].tolist() == [2, 1]


def test_incomplete_and_diverged_runs_have_a_state(make_run):
    with pytest.warns(UserWarning):
        run = read_run(make_run(complete=np.uint8(0), wall_seconds=0.0))
    lost = read_run(make_run("lost.h5", method="gd", columns={"objective": [1.0, 0.5, 2e3]}))
    _, _, diverged, incomplete, *_ = as_text(final_figures([run, lost])).splitlines()
    assert diverged.split()[:3] == ["gd", "diverged", "1/1"] and incomplete.split()[:2] == ["cdp-sgd", "incomplete"]


@pytest.mark.parametrize(
    "value, text", [(0, "0"), (999, "999"), (999.6, "1 k"), (63360, "63.4 k"), (2.5e9, "2.5 G"), (1e20, "1e+05 P")]
)
def test_prefixes(value, text):
    assert prefixed(value) == text


def test_a_nominal_epsilon_is_not_a_private_run(make_run):
    """A published formula that no accountant has checked must not be shown as privacy."""
    run = read_run(make_run(claim="nominal only: (5, 0.001)-DP by a closed form"))
    figures = final_figures([run])
    assert figures["claim_status"].iloc[0] == "nominal_only" and not figures["private"].iloc[0]
    assert "nominal only" in as_text(figures)


def test_labels_are_short_for_people_and_full_for_programs(make_run):
    configs = ["".join(f"{name} = {number >> bit & 1}\n" for bit, name in enumerate("abcde")) for number in range(32)]
    found = final_figures([read_run(make_run(f"{i}.h5", config=text)) for i, text in enumerate(configs)])
    assert "cdp-sgd (a = 1, b = 1, c = 0, + 2 more)\n" in as_text(found)
    assert "d = 0" not in as_text(found) and "cdp-sgd (a = 1, b = 1, c = 0, d = 0, e = 0)" in as_csv(found)


def test_bits_per_client_are_columns(make_run):
    """1280 bits of payload from 10 clients, which all took part in both rounds; then from some of them only."""
    full, part = (final_figures([read_run(make_run(columns={"messages": [0, 10, count]}))]) for count in (20, 17))
    columns = ["bits_up_per_client", "bits_up_largest_client", "bits_down_per_client"]
    assert full.iloc[0][columns].tolist() == [128, 128, 320]
    assert part.iloc[0]["bits_up_per_client"] == 128 and math.isnan(part.iloc[0]["bits_up_largest_client"])
    assert "largest client" in as_text(full, wide=True) and "largest client" not in as_text(part, wide=True)


def test_utility_is_called_what_it_is(figures):
    text = as_text(figures)
    assert "utility" not in text and "mean |grad f|²" in text
    assert "mean |grad f|²: squared norm of the gradient of the objective f, mean over the evaluated states\n" in text


def test_the_best_constant_model_has_a_column_and_a_word(make_run):
    runs = [read_run(make_run(f"{method}.h5", method=method, baseline_score=0.75,
                              columns={"accuracy": [0.5, 0.6, accuracy]}))
            for method, accuracy in (("gd", 0.8), ("ldp-sgd", 0.75))]
    text = as_text(final_figures(runs))
    assert "best constant model 75.0 %" in text
    assert "no better than the best constant model (test accuracy 75.0 %): ldp-sgd\n" in text
    assert "best constant" not in as_text(final_figures([read_run(make_run("old.h5"))]))


def test_errors_are_better_below_the_best_constant_model(make_run):
    nothing = [math.nan] * 3
    runs = [read_run(make_run(f"{i}.h5", method=f"m{i}", baseline_score=2.0,
                              columns={"accuracy": nothing, "test_error": [3.0, 2.5, error]}))
            for i, error in enumerate((1.5, 2.5))]
    text = as_text(final_figures(runs))
    assert "no better than the best constant model (test error 2): m1" in text
    head, _, first, *_ = text.splitlines()
    assert "test error" in head and "accuracy" not in head and " 1.5 " in f"{first} "


def test_errors_are_what_is_drawn_where_targets_are_real(make_run):
    columns = {"accuracy": [math.nan] * 3, "test_error": [3.0, 2.5, 1.5]}
    figure = draw_curves([read_run(make_run(method="gd", baseline_score=2.0, columns=columns))])
    labels = [" ".join(axes.get_ylabel().split()) for axes in figure.axes]
    assert "test error (root mean square, lower is better)" in labels and not any("accuracy" in each for each in labels)
    drawn = figure.axes[labels.index("test error (root mean square, lower is better)")]
    assert any(line.get_gid() == BASELINE_ID for line in drawn.get_lines())
    worse = draw_curves([read_run(make_run("b.h5", method="gd", baseline_score=1.0, columns=columns))])
    assert NOTHING_LEARNT in worse.get_label()


@pytest.fixture
def grid(make_run):
    """Two methods at two rates and two thresholds, whose accuracies are 0.1, 0.2, ..., 0.8."""
    return [read_run(make_run(f"{i}.h5", method=method, wall_seconds=1.0 + i,
                              columns={"accuracy": [0, 0, 0.1 * (i + 1)]},
                              config=f"[server]\nrate = {rate}\n[bound]\nthreshold = {threshold}\n"))
            for i, (method, rate, threshold) in enumerate(
                (method, rate, threshold) for method in ("gd", "ldp-sgd") for rate in (1, 2) for threshold in (3, 4))]


def test_best_of_keeps_the_best_over_some_settings(grid):
    def kept(*over):
        return final_figures(grid, over)["accuracy"].round(3).tolist()
    assert kept("rate", "threshold") == [0.4, 0.8] and kept("server.rate") == [0.3, 0.4, 0.7, 0.8]
    text = as_text(final_figures(grid, ["rate", "threshold"]))
    assert " ".join(text.split()).count("of 8 combinations 2 are shown: the best over server.rate, bound.threshold by "
                                        "test accuracy, chosen on the seeds that are shown") == 1
    assert "not of choosing the best of the 8 with a claim" in " ".join(text.split())
    with pytest.raises(RunFileError, match="'step' is not a setting in which the runs differ; use one of method, "):
        kept("step")


def test_rows_are_sorted_best_first(grid):
    assert final_figures(grid, sort="accuracy")["accuracy"].round(1).tolist() == [x / 10 for x in range(8, 0, -1)]
    assert final_figures(grid[::-1], sort="wall_seconds")["wall_seconds"].tolist() == [float(x) for x in range(1, 9)]
    assert final_figures(grid[::-1], sort="method")["method"].tolist() == 4 * ["gd"] + 4 * ["ldp-sgd"]
    with pytest.raises(RunFileError, match="--sort nix: the table has no such column; use one of label, "):
        final_figures(grid, sort="nix")


def test_slow_rounds_have_digits(make_run):
    seconds = np.zeros((3, 3, 13))
    seconds[1:, :, 1], seconds[:, :, 9] = 0.375, 100.0  # local work, and evaluation, which belongs to no round
    assert as_text(final_figures([read_run(make_run(seconds=seconds))]), wide=True).splitlines()[2].endswith("  2.67")
