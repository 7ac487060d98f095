"""Random sweeps, of which `table`, `sweep`, `best` and `report` must name the same settings, winner, tie and constant
model: twenty with `scripts/test --all`, otherwise six."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from conftest import write_sweep
from test_best import cell

from trilemma_analysis import read_sweep
from trilemma_analysis.model.budgets import Budget
from trilemma_analysis.model.groups import all_settings
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
NOISE, EPSILON, RATE = "data.label_noise", "privacy.epsilon", "server.rate"
AXES = (NOISE, "method", EPSILON, RATE, "seed")
# Values of tasks and of epsilons; None stands for a method without privacy.
SHAPES = (((0.0,), (2.0,)), ((0.0, 0.2), (2.0,)), ((0.0,), (2.0, 8.0)), ((0.0, 0.2), (2.0, None)), ((0.0,), (2.0, 8.0, None)))
CONSTANT = 0.6
# Otherwise one for each of SHAPES, and one of a single seed.
NUMBERS = range(20) if os.environ.get("TRILEMMA_ALL_TESTS") == "1" else (0, 1, 2, 3, 4, 11)
BUDGET = Budget(bits=1e9, per_client=True)


def made(number):
    """A random sweep: 2 or 3 methods, the first at two step sizes, on 1 to 4 seeds, with more or less noise, for tasks and
    epsilons of SHAPES; a method without privacy has a name of its own."""
    draw = np.random.default_rng(number)
    seeds = range(1, 1 + draw.choice([1, 2, 3, 3, 4]))
    spread = draw.choice([0.002, 0.02, 0.1])
    methods = draw.choice(METHODS, draw.integers(2, 4), replace=False).tolist()
    tasks, epsilons = SHAPES[number % len(SHAPES)]
    found = []
    for task in tasks:
        for epsilon in epsilons:
            for place, method in enumerate(methods if epsilon else ["gd"]):
                for rate in (0.1, 1.0) if place == 0 else (1.0,):
                    quality = draw.uniform(0.5, 0.9)
                    for seed in seeds:
                        value = float(np.clip(draw.normal(quality, spread), 0, 1))
                        found.append(run_of(method, seed, value, rate, task, epsilon))
    return found, len(seeds)


def run_of(method, seed, value, rate, task, epsilon):
    """A run of a task; without an `epsilon` it claims nothing."""
    spent = (0.0, epsilon / 2, epsilon) if epsilon else (math.nan,) * 3
    more = {"epsilon_nominal": epsilon} if epsilon else {"epsilon_nominal": math.nan, "claim": "not a private run: no noise"}
    found = cell(method, seed, (0.5, value), rate, spent, {"bits_up_payload": [0, 640, 1280]}, baseline_score=CONSTANT, **more)
    found["values"] |= {NOISE: task, EPSILON: epsilon}
    found["run"]["config"] += f"[data]\nlabel_noise = {task}\n" + (f"[privacy]\nepsilon = {epsilon}\n" if epsilon else "")
    return found


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory):
    """The sweeps, with their numbers of seeds."""
    found = []
    for number in NUMBERS:
        cells, seeds = made(number)
        found.append((read_sweep(write_sweep(tmp_path_factory.mktemp("agreement") / "sweep", cells, axes=AXES)), seeds))
    return found


@pytest.mark.parametrize("place", range(len(NUMBERS)))
def test_all_commands_agree(sweeps, place):
    sweep, seeds = sweeps[place]
    found = answer([sweep], BUDGET, "accuracy")
    tasks, epsilons = SHAPES[NUMBERS[place] % len(SHAPES)]
    assert len(found.rankings) == len(tasks) * len(epsilons)
    if len(found.rankings) == 1:
        check_title(sweep, found, seeds)
    is_open = seeds < LEAST_SEEDS
    several = [ranking for ranking in found.rankings if len(ranking.entries) > 1]
    assert {"cannot tell" in words for ranking in several for words in (verdict(ranking), finding(found, ranking))} == {is_open}

    # The settings, and the constant model.
    entries = {place_of(entry.setting.first): entry for ranking in found.rankings for entry in ranking.entries}
    tables = {"sweep": summary(sweep, "accuracy", ["rate"]), "table": final_figures(list(sweep.runs.values()), ["rate"])}
    values = sorted((method, epsilon or 0.0, np.median([entry.setting.found[seed].value for seed in entry.seeds]))
                    for (_, method, epsilon), entry in entries.items())
    for (name, table), column in zip(tables.items(), (EPSILON, "epsilon_nominal")):
        shown = sorted(zip(table["method"], table[column].fillna(0.0), table["accuracy"]))
        assert [row[:2] for row in shown] == [row[:2] for row in values], name
        assert [row[2] for row in shown] == pytest.approx([row[2] for row in values]), name
        assert set(table["baseline_score"]) == {CONSTANT}, name
    assert {(row[NOISE], row["method"], as_key(row[EPSILON])): row[RATE] for _, row in tables["sweep"].iterrows()} == \
        {place: entry.setting.values[RATE] for place, entry in entries.items()}
    assert set(rows(found)["best_constant"]) == {CONSTANT}

    # The report: its answer, and the constant model of each run.
    page = report_summary(collect([sweep], BUDGET, "accuracy"))
    assert [(row["ranking"], row["method"], row["result"]) for row in page["answer"]["rankings"]] == \
        [(place, entry.setting.method, entry.result.value) for place, ranking in enumerate(found.rankings, 1)
         for entry in ranking.entries]
    assert {run["constant"]["accuracy"] for run in page["runs"]} == {CONSTANT}


def place_of(run):
    """Task, method and epsilon of a run."""
    settings = all_settings(run.config)
    return float(settings[NOISE]), str(run.attributes["method"]), as_key(run.attributes["epsilon_nominal"])


def as_key(epsilon):
    """An epsilon that equals itself."""
    return None if math.isnan(epsilon) else float(epsilon)


def check_title(sweep, found, seeds):
    """Compares the title of the figure of `sweep` with the only ranking."""
    (ranking,) = found.rankings
    leaders = [entry.method for entry in ranking.entries if entry.result in (Result.FIRST, Result.TIED)]
    assert bool(leaders) != (seeds < LEAST_SEEDS)
    title = draw_sweep(sweep, Choice(metrics=["accuracy"], panels=["rounds"], sheet=Sheet(caption=False))).get_gid()
    assert ("cannot tell" in title) == (seeds < LEAST_SEEDS)
    if len(leaders) == 1:
        assert title.startswith(f"After 2 rounds, {leaders[0]} leads with ")
        assert verdict(ranking).startswith(leaders[0])
    elif len(leaders) == 2:
        assert title.startswith(f"After 2 rounds, {leaders[0]} and {leaders[1]} are tied at ")
    elif leaders:
        total = len(ranking.entries)
        count = f"all {total}" if len(leaders) == total else f"{len(leaders)} of {total}"
        assert title.startswith(f"After 2 rounds, {count} methods are tied at ")


def test_the_sweeps_have_every_kind_of_answer(sweeps):
    """So that the test above compares leads, ties and open questions."""
    kinds = set()
    for sweep, _ in sweeps:
        entries = answer([sweep], BUDGET, "accuracy").rankings[0].entries
        kinds.add(("open" if entries[0].result is Result.BEST_MEAN else
                   "tie" if any(entry.result is Result.TIED for entry in entries) else "lead"))
    assert kinds == {"open", "tie", "lead"} and not math.isnan(CONSTANT)
