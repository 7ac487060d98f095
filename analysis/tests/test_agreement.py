"""Twenty random sweeps, of which `table`, `sweep`, `best` and `report` must name the same settings, winner, tie and
constant model."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import write_sweep
from test_best import cell

from trilemma_analysis import read_sweep
from trilemma_analysis.model.budgets import Budget
from trilemma_analysis.plot.page import Sheet
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.report.content import collect
from trilemma_analysis.report.summary import summary as report_summary
from trilemma_analysis.stats.answers import rows, verdict
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.findings import finding
from trilemma_analysis.stats.judgement import LEAST_SEEDS, Result
from trilemma_analysis.stats.rankings import answer
from trilemma_analysis.stats.summary import summary

METHODS = ("ldp-sgd", "cdp-sgd", "soteriafl-sgd", "dp-sgd")
AXES = ("method", "server.rate", "seed")
CONSTANT = 0.6
SWEEPS = 20


def made(number):
    """A random sweep: 2 or 3 methods, the first at two step sizes, on 1 to 4 seeds, with more or less noise."""
    draw = np.random.default_rng(number)
    seeds = range(1, 1 + draw.choice([1, 2, 3, 3, 4]))
    spread = draw.choice([0.002, 0.02, 0.1])
    found = []
    for place, method in enumerate(draw.choice(METHODS, draw.integers(2, 4), replace=False).tolist()):
        for rate in (0.1, 1.0) if place == 0 else (1.0,):
            quality = draw.uniform(0.5, 0.9)
            for seed in seeds:
                value = float(np.clip(draw.normal(quality, spread), 0, 1))
                found.append(cell(method, seed, (0.5, value), rate, baseline_score=CONSTANT,
                                  columns={"bits_up_payload": [0, 640, 1280]}))
    return found, len(seeds)


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory):
    """The sweeps, with their numbers of seeds."""
    found = []
    for number in range(SWEEPS):
        cells, seeds = made(number)
        found.append((read_sweep(write_sweep(tmp_path_factory.mktemp("agreement") / "sweep", cells, axes=AXES)), seeds))
    return found


@pytest.mark.parametrize("number", range(SWEEPS))
def test_all_commands_agree(sweeps, number):
    sweep, seeds = sweeps[number]
    found = answer([sweep], Budget(bits=1e9, per_client=True), "accuracy")
    (ranking,) = found.rankings
    leaders = [entry.method for entry in ranking.entries if entry.result in (Result.FIRST, Result.TIED)]
    is_open = seeds < LEAST_SEEDS
    assert bool(leaders) != is_open

    # The title of the figure of `sweep`.
    title = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"], sheet=Sheet(caption=False))).get_gid()
    assert [("cannot tell" in words) for words in (title, verdict(ranking), finding(found, ranking))] == [is_open] * 3
    if len(leaders) == 1:
        assert title.startswith(f"After 2 rounds, {leaders[0]} leads with ")
        assert verdict(ranking).startswith(leaders[0])
    elif len(leaders) == 2:
        assert title.startswith(f"After 2 rounds, {leaders[0]} and {leaders[1]} are tied at ")
    elif leaders:
        total = len(ranking.entries)
        count = f"all {total}" if len(leaders) == total else f"{len(leaders)} of {total}"
        assert title.startswith(f"After 2 rounds, {count} methods are tied at ")

    # The settings, and the constant model.
    told = {entry.method: entry.setting.values["server.rate"] for entry in ranking.entries}
    tables = {"sweep": summary(sweep, "accuracy", ["rate"]), "table": final_figures(list(sweep.runs.values()), ["rate"])}
    assert {row["method"]: row["server.rate"] for _, row in tables["sweep"].iterrows()} == told
    for name, table in tables.items():
        medians = {entry.method: np.median([entry.setting.found[seed].value for seed in entry.seeds])
                   for entry in ranking.entries}
        assert dict(zip(table["method"], table["accuracy"])) == pytest.approx(medians), name
        assert set(table["baseline_score"]) == {CONSTANT}, name
    assert set(rows(found)["best_constant"]) == {CONSTANT}

    # The report: its answer, and the constant model of each run.
    page = report_summary(collect([sweep], Budget(bits=1e9, per_client=True), "accuracy"))
    assert [(row["method"], row["result"]) for row in page["answer"]["rankings"]] == \
        [(entry.setting.method, entry.result.value) for entry in ranking.entries]
    assert {run["constant"]["accuracy"] for run in page["runs"]} == {CONSTANT}


def test_the_sweeps_have_every_kind_of_answer(sweeps):
    """So that the test above compares leads, ties and open questions."""
    kinds = set()
    for sweep, _ in sweeps:
        entries = answer([sweep], Budget(bits=1e9, per_client=True), "accuracy").rankings[0].entries
        kinds.add(("open" if entries[0].result is Result.BEST_MEAN else
                   "tie" if any(entry.result is Result.TIED for entry in entries) else "lead"))
    assert kinds == {"open", "tie", "lead"} and not math.isnan(CONSTANT)
