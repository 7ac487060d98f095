"""Seeds that change the partition and the split: replicates of one task, whose intervals cover the split."""

from __future__ import annotations

import pytest
from test_best import ALL, AXES, cell, joined
from test_budgets import drawn

from trilemma_analysis import read_run, read_sweep
from trilemma_analysis.cli.sweep import summary_text
from trilemma_analysis.model.replicates import SAME
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.stats.answers import rows, winner_toml
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.rankings import answer
from trilemma_analysis.stats.summary import summary

COVERED = "the partition and the split (data.seed), so intervals cover them"
FILES = {"data_files": f"{'a' * 64}  a9a/a9a\n"}
SPLITS = {1: -0.1, 2: 0.0, 3: 0.1}  # what the split adds to every accuracy
NOISE = {1: 0.0, 2: -0.01, 3: 0.01}  # what the seed does


def on_split(method, seed, accuracy, split=None, rate=1.0, **more):
    """A run whose accuracy is that of its seed and of its split, the data being read from a file."""
    split = seed if split is None else split
    made = cell(method, seed, (0.1, accuracy + NOISE.get(seed, 0.0) + SPLITS.get(split, 0.0)), rate,
                environment=FILES, **more)
    made["run"]["config"] += f'[data]\nsource = "libsvm"\nseed = {split}\n'
    made["values"]["data.seed"] = split
    return made


def cells(split=None, **more):
    return [on_split(method, seed, accuracy, split, **more) for seed in SPLITS
            for method, accuracy in (("ldp-sgd", 0.6), ("cdp-sgd", 0.5))]


def swept(make_sweep, made, **more):
    return read_sweep(make_sweep(made, axes=(*AXES, "data.seed"), **more))


def test_splits_in_step_with_the_seeds_are_one_task(make_sweep):
    """The interval covers the split: t_2 / sqrt(3) = 2.484 times the standard deviation of 0.5, 0.59 and 0.71."""
    found = answer([swept(make_sweep, cells())], ALL, "accuracy")
    (ranking,) = found.rankings
    winner, other = ranking.entries
    assert (winner.seeds, winner.over.centre) == ((1, 2, 3), pytest.approx(0.6))
    assert winner.over.high - winner.over.low == pytest.approx(2 * 2.4841 * 0.1054, rel=1e-3)
    assert (other.difference.low, other.difference.high) == pytest.approx((-0.1, -0.1))  # seed by seed, on its split
    assert COVERED in joined(found)


def test_without_them_intervals_are_of_noise(make_sweep):
    found = answer([swept(make_sweep, cells(split=1))], ALL, "accuracy")
    over = found.rankings[0].entries[0].over
    assert over.high - over.low < 0.06 and SAME in joined(found)


def test_data_seeds_across_the_seeds_are_tasks_of_their_own(make_sweep):
    made = [on_split("ldp-sgd", seed, 0.6, split) for seed in (1, 2) for split in (1, 2)]
    found = answer([swept(make_sweep, made)], ALL, "accuracy")
    assert sorted(ranking.title.partition(";")[0] for ranking in found.rankings) == ["data.seed = 1", "data.seed = 2"]


def test_other_data_are_another_task_all_the_same(make_sweep):
    others = [dict(each) for each in cells()]
    for each in others:
        each["run"] = each["run"] | {"environment": {"data_files": f"{'b' * 64}  other/other\n"}}
    found = answer([swept(make_sweep, [*cells(), *others])], ALL, "accuracy")
    assert [len(ranking.entries) for ranking in found.rankings] == [2, 2]
    assert all(entry.seeds == (1, 2, 3) for ranking in found.rankings for entry in ranking.entries)


def test_seeds_for_tuning_have_splits_of_their_own(make_sweep):
    """Rate 0.5 wins on the splits of the seeds for tuning, rate 1 on the others."""
    made = [on_split("ldp-sgd", seed, 0.5 + (0.1 if (rate == 1.0) == (seed < 7) else 0.0), rate=rate)
            for rate in (0.5, 1.0) for seed in (1, 2, 7, 8)]
    found = answer([swept(make_sweep, made, tune={"seeds": [7, 8]})], ALL, "accuracy", (7, 8))
    (ranking,) = found.rankings
    assert (ranking.entries[0].label, ranking.entries[0].seeds) == (("server.rate = 0.5",), (1, 2))
    text = winner_toml(ranking, found)
    assert "(seed 1)" in text and "seed = 1" in text.partition("[data]")[2]


def test_the_constant_model_is_that_of_all_splits(make_sweep):
    made = [on_split("ldp-sgd", seed, 0.6, baseline_score=0.1 * seed) for seed in SPLITS]
    found = answer([swept(make_sweep, made)], ALL, "accuracy")
    assert rows(found)["best_constant"].tolist() == [pytest.approx(0.2)]


def test_tables_and_figures_say_what_the_seeds_change(make_sweep, tmp_path):
    sweep = swept(make_sweep, cells())
    assert "data.seed" not in sweep.axes and len(summary(sweep, "accuracy")) == 2
    assert COVERED in " ".join(summary_text(sweep, "accuracy").split())
    figures = final_figures(list(sweep.runs.values()))
    assert len(figures) == 2 and any(COVERED in note for note in figures.attrs["notes"])
    for figure in (draw_sweep(sweep), draw_curves([read_run(path) for path in sorted(sweep.folder.glob("*.h5"))])):
        assert COVERED in " ".join(figure.get_label().split())
    sweep.folder.rename(tmp_path / "other")
    assert SAME in " ".join(summary_text(swept(make_sweep, cells(split=1)), "accuracy").split())


def test_generated_records_change_too(make_sweep):
    made = cells()
    for each in made:
        each["run"] = {name: value for name, value in each["run"].items() if name != "environment"}
        each["run"]["config"] = each["run"]["config"].replace("libsvm", "synthetic")
    found = answer([swept(make_sweep, made)], ALL, "accuracy")
    assert len(found.rankings) == 1
    assert "the partition and the split and the generated records (data.seed)" in joined(found)


def test_one_seed_leaves_nothing_to_say(make_run):
    assert not any("seeds change" in note for note in final_figures([read_run(make_run())]).attrs["notes"])


def test_figures_of_bits_say_by_how_much_draws_differ(make_sweep):
    made = [drawn("ldp-sgd", seed, (0.4, 0.7), sent) for seed, sent in ((1, 9), (2, 12))]
    figure = draw_sweep(read_sweep(make_sweep(made, axes=AXES)), Choice(panels=["bits"]))
    text = " ".join(figure.get_label().split())
    assert "bits are those expected over who takes part" in text and "10.00% less to 20.00% more" in text
