"""Rankings within a budget, from sweeps written by hand whose answers can be checked by hand. Every run has three
states: the start, round 1 with 640 bits of payload of 10 clients, and round 2 with 1280."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.best import as_text
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.stats.judgement import Result
from trilemma_analysis.stats.rankings import answer

AXES = ("method", "server.rate", "seed")
CLIENT = {"unit": "client", "view": "V_aggregate", "noise_place": "server"}
ALL = Budget(bits=1e9)


def cell(method, seed, accuracies, rate=1.0, epsilons=(0.0, 1.0, 2.0), columns=None, **run):
    """One run; accuracies are those of rounds 1 and 2."""
    config = f'method = "{method}"\nseed = {seed}\n[server]\nrate = {rate}\n'
    made = {"accuracy": [0.1, *accuracies], "epsilon": list(epsilons)} | (columns or {})
    return {"values": {"method": method, "server.rate": rate, "seed": seed},
            "run": {"config": config, "columns": made, "epsilon_nominal": 2.0, "epsilon": epsilons[-1]} | run}


def ask(make_sweep, cells, budget=ALL, **more):
    return answer([read_sweep(make_sweep(cells, axes=AXES))], budget, "accuracy", **more)


def order(ranking):
    return [entry.setting.method for entry in ranking.entries]


def joined(found):
    return " ".join(as_text(found, []).split())


def test_the_best_wins_and_the_difference_is_by_seed(make_sweep):
    """Seeds scatter by 0.2, but within each of them the methods are 0.1 apart."""
    cells = [cell(method, seed, (0.0, 0.5 + 0.1 * seed - behind))
             for method, behind in (("cdp-sgd", 0.1), ("ldp-sgd", 0.0)) for seed in (1, 2, 3)]
    (ranking,) = (found := ask(make_sweep, cells)).rankings
    winner, other = ranking.entries
    assert (winner.setting.method, winner.over.centre) == ("ldp-sgd", pytest.approx(0.7))
    assert other.over.low < winner.over.centre < other.over.high  # the intervals overlap
    assert other.difference.centre == pytest.approx(-0.1) and other.difference.high < 0 and other.result is Result.BEHIND
    assert "ldp-sgd wins" in joined(found) and "behind" in joined(found)


def test_a_tie_is_called_a_tie(make_sweep):
    cells = [cell("ldp-sgd", seed, (0, value)) for seed, value in ((1, 0.7), (2, 0.8), (3, 0.9))]
    cells += [cell("cdp-sgd", seed, (0, value)) for seed, value in ((1, 0.8), (2, 0.6), (3, 0.9))]
    (ranking,) = (found := ask(make_sweep, cells)).rankings
    # Differences 0.1, -0.2, 0: mean -1/30, standard deviation sqrt(7/300), t = 4.302653.
    half = 4.302653 * math.sqrt(7 / 300 / 3)
    over = ranking.entries[1].difference
    assert (over.low, over.high) == pytest.approx((-1 / 30 - half, -1 / 30 + half))
    assert ranking.entries[1].result is Result.TIED
    assert "tie: ldp-sgd is first, but not significantly better than cdp-sgd" in joined(found)


def test_equal_values_are_called_equal(make_sweep):
    cells = [cell(method, seed, (0, 0.5 + 0.1 * seed)) for method in ("ldp-sgd", "cdp-sgd") for seed in (1, 2, 3)]
    found = ask(make_sweep, cells)
    assert found.rankings[0].entries[1].result is Result.TIED and "equal in every seed" in joined(found)


def test_one_seed_says_nothing_about_differences(make_sweep):
    found = ask(make_sweep, [cell("ldp-sgd", 1, (0, 0.9)), cell("cdp-sgd", 1, (0, 0.2))])
    assert order(found.rankings[0]) == ["ldp-sgd", "cdp-sgd"] and found.rankings[0].entries[1].result is Result.UNKNOWN
    assert "one seed cannot tell which method is first; ldp-sgd has the best mean" in joined(found)


def test_the_last_round_within_the_budget_counts(make_sweep):
    """640 bits are spent after round 1, in which the order is another."""
    cells = [cell(method, seed, values) for seed in (1, 2)
             for method, values in (("ldp-sgd", (0.3, 0.9)), ("cdp-sgd", (0.4, 0.5)))]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    found = {bits: answer([sweep], Budget(per_client=False, bits=bits), "accuracy").rankings[0] for bits in (640, 1279, 1280)}
    assert [order(found[bits])[0] for bits in found] == ["cdp-sgd", "cdp-sgd", "ldp-sgd"]
    assert found[640].entries[0].setting.found[1].round == 1 and found[640].entries[0].over.centre == 0.4
    one = answer([sweep], Budget(bits=64, per_client=True), "accuracy").rankings[0].entries[0].setting.found[1]
    assert (one.round, one.bits, one.mean) == (1, 640, 64)
    down = answer([sweep], Budget(per_client=False, bits=1600, direction="down"), "accuracy").rankings[0].entries[0].setting.found[1]
    assert (down.round, down.bits) == (1, 1600)
    both = answer([sweep], Budget(per_client=False, bits=2240, direction="both"), "accuracy").rankings[0].entries[0].setting.found[1]
    assert (both.round, both.bits) == (1, 2240)


def test_the_largest_client_is_known_where_all_send_alike(make_sweep):
    cells = [cell(method, 1, (0, 0.5), columns={"messages": messages}) for method, messages in
             (("ldp-sgd", [0, 10, 20]), ("cdp-sgd", [0, 9, 20]), ("gd", [0, 9, 17]), ("soteriafl-sgd", [0, 10, 20]))]
    cells[1]["run"]["config"] += '[participation]\nkind = "poisson"\n'
    cells[3]["run"]["compressor"] = "bernoulli, p = 0.1 of 9 coordinates, keyed mask, messages of any size"
    entries = {entry.setting.method: entry.setting.found[1] for entry in ask(make_sweep, cells).rankings[0].entries}
    assert entries["ldp-sgd"].most == entries["ldp-sgd"].mean == 128
    assert all(math.isnan(entries[method].most) for method in ("cdp-sgd", "gd", "soteriafl-sgd"))


def test_runs_outside_of_the_budget_are_left_out_with_a_reason(make_sweep):
    cells = [cell("ldp-sgd", seed, (0, 0.9)) for seed in (1, 2)]
    cells += [cell("gd", seed, (0, 1), columns={"bits_up_payload": [0, 8000, 16000]}) for seed in (1, 2)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    found = answer([sweep], Budget(per_client=False, bits=2000), "accuracy")
    assert [order(ranking) for ranking in found.rankings] == [["ldp-sgd"]]
    assert found.skipped == ("gd: 2 of 2 runs: never evaluated within the budget: the first evaluated round after the "
                              "start, 1, has spent 1 kB",)
    assert found.skipped[0] in joined(found)
    with pytest.raises(RunFileError, match="did you mean --per-client. ldp-sgd: 2 of 2 runs: never evaluated"):
        answer([sweep], Budget(per_client=False, bits=1), "accuracy")
    with pytest.raises(RunFileError, match="no run can be compared: ldp-sgd: 2 of 2 runs: never evaluated"):
        answer([sweep], Budget(bits=1, per_client=True), "accuracy")


def test_every_method_is_taken_at_its_best_setting(make_sweep):
    cells = [cell("ldp-sgd", seed, (0, value), rate) for seed in (1, 2) for rate, value in ((0.1, 0.6), (1.0, 0.8))]
    cells += [cell("cdp-sgd", seed, (0, 0.7)) for seed in (1, 2)]
    first, second = (found := ask(make_sweep, cells)).rankings[0].entries
    assert (first.setting.method, first.label, first.settings) == ("ldp-sgd", ("server.rate = 1",), 2)
    assert (second.label, second.settings) == ((), 1)
    assert "settings were chosen on the seeds that judge them, which flatters" in joined(found)
    assert "not of choosing the best of the 6 with a claim over the same data" in joined(found)


def test_seeds_for_tuning_choose_and_do_not_judge(make_sweep):
    """Seed 0 prefers rate 1, the others rate 0.1."""
    values = {(0, 0.1): 0.5, (0, 1.0): 0.9, (1, 0.1): 0.8, (1, 1.0): 0.6, (2, 0.1): 0.8, (2, 1.0): 0.7}
    cells = [cell("ldp-sgd", seed, (0, value), rate) for (seed, rate), value in values.items()]
    folder = make_sweep(cells, axes=AXES, tune={"seeds": [0]})
    sweep = read_sweep(folder)
    assert sweep.tuning == (0,)
    found = answer([sweep], ALL, "accuracy", sweep.tuning)
    (entry,) = found.rankings[0].entries
    assert (entry.label, entry.seeds, entry.over.centre) == (("server.rate = 1",), (1, 2), pytest.approx(0.65))
    assert "settings were chosen on the seeds for tuning (0) and judged by others" in joined(found)
    (flattered,) = answer([sweep], ALL, "accuracy").rankings[0].entries
    assert flattered.label == ("server.rate = 1",) and flattered.over.centre == pytest.approx(2.2 / 3)


def test_nominal_epsilons_within_a_budget_are_no_open_choice(make_sweep):
    made = [cell("gd", seed, (0, 0.5 + 0.01 * seed * epsilon), epsilons=(0, epsilon / 2, epsilon), epsilon_nominal=epsilon)
            for seed in (1, 2) for epsilon in (0.5, 2.0)]
    for each in made:
        each["values"]["privacy.epsilon"] = each["run"]["epsilon_nominal"]
        each["run"]["config"] += f"[privacy]\nepsilon = {each['run']['epsilon_nominal']}\n"
    sweep = read_sweep(make_sweep(made, axes=("method", "privacy.epsilon", "seed")))
    (entry,) = (found := answer([sweep], Budget(epsilon=2.0), "accuracy")).rankings[0].entries
    assert entry.settings == 2 and entry.rivals == 0 and "as good as the chosen one" not in joined(found)


def test_a_choice_of_settings_that_may_be_chance_is_named(make_sweep):
    values = {1.0: {0: 0.9, 7: 0.9, 1: 0.5}, 0.1: {0: 0.8, 7: 0.85, 1: 0.5}, 0.01: {0: 0.2, 7: 0.2, 1: 0.5}}
    cells = [cell("gd", seed, (0, value), rate) for rate, by_seed in values.items() for seed, value in by_seed.items()]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    found = answer([sweep], ALL, "accuracy", [0, 7])
    assert found.rankings[0].entries[0].rivals == 1
    assert "other settings may be as good as the chosen one: gd (1 of 2)" in joined(found)
    one_seed_tells_nothing = answer([sweep], ALL, "accuracy", [0])
    assert one_seed_tells_nothing.rankings[0].entries[0].rivals == 2


def test_settings_of_one_short_name_are_told_by_their_full_names(make_sweep):
    """Both methods have a rate, but not the same."""
    cells = []
    for method, name in (("gd", "server.rate"), ("fedavg", "local.rate")):
        for value in (0.5, 0.6):
            one = cell(method, 1, (0, value))
            one["values"] = {"method": method, name: value, "seed": 1}
            one["run"]["config"] = f'method = "{method}"\nseed = 1\n{name} = {value}\n'
            cells.append(one)
    sweep = read_sweep(make_sweep(cells, axes=("method", "server.rate", "local.rate", "seed")))
    labels = [entry.label for entry in answer([sweep], ALL, "accuracy").rankings[0].entries]
    assert sorted(labels) == [("local.rate = 0.6",), ("server.rate = 0.6",)]


def test_of_equal_settings_the_first_value_is_taken(make_sweep):
    cells = [cell("gd", seed, (0, 0.5), rate) for rate in (10.0, 3.0, 0.3) for seed in (1, 2)]
    assert ask(make_sweep, cells).rankings[0].entries[0].label == ("server.rate = 0.3",)


def test_settings_with_fewer_seeds_do_not_compete(make_sweep):
    cells = [cell("ldp-sgd", seed, (0, 0.5), 0.1) for seed in (1, 2)] + [cell("ldp-sgd", 1, (0, 0.9), 1.0)]
    found = ask(make_sweep, cells)
    assert found.rankings[0].entries[0].label == ("server.rate = 0.1",)
    assert found.skipped == ("ldp-sgd: 1 of 2 settings, which have fewer than 2 seeds to choose by",)


def test_epsilons_of_other_terms_are_ranked_apart(make_sweep):
    cells = [cell("ldp-sgd", 1, (0, 0.5)), cell("dp-fedavg-clip", 1, (0, 0.9), privacy=CLIENT)]
    found = ask(make_sweep, cells, Budget(epsilon=2))
    assert [order(ranking) for ranking in found.rankings] == [["ldp-sgd"], ["dp-fedavg-clip"]]
    assert found.rankings[0].title == "unit = record; adversary = every message; epsilon for one record, add_remove, " \
        "delta 0.001, against whoever sees every message"
    assert "epsilons of different rankings cannot be compared (unit and adversary differ)" in joined(found)


def test_nominal_epsilons_are_ranked_apart_without_a_budget_of_epsilon(make_sweep):
    cells = [cell("ldp-sgd", 1, (0, 0.5)), cell("cdp-sgd", 1, (0, 0.9), epsilons=(0, 2, 5), epsilon_nominal=5.0)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    assert [ranking.title[:9] for ranking in answer([sweep], ALL, "accuracy").rankings] == ["epsilon 2", "epsilon 5"]
    # Within epsilon 2 the second run is at round 1.
    (ranking,) = answer([sweep], Budget(epsilon=2), "accuracy").rankings
    assert [(entry.setting.method, entry.setting.found[1].round) for entry in ranking.entries] == [
        ("ldp-sgd", 2), ("cdp-sgd", 1)]


def test_only_accounted_epsilons_are_within_a_budget_of_epsilon(make_sweep):
    none = {"epsilons": (math.nan,) * 3, "claim": "not a private run: no noise"}
    cells = [cell("ldp-sgd", 1, (0, 0.5)), cell("gd", 1, (0, 0.9), **none),
             cell("cdp-sgd", 1, (0, 0.9), claim="not a private run: the batches are not random"),
             cell("local", 1, (0, 0.4), epsilons=(math.nan,) * 3, claim="holds: nothing leaves a client",
                  privacy={"dp_claim": "nothing_released"})]
    (ranking,) = (found := ask(make_sweep, cells, Budget(epsilon=2))).rankings
    assert order(ranking) == ["ldp-sgd", "local"]
    assert found.skipped == tuple(f"{method}: 1 of 1 runs: no accounted epsilon (not a private run)"
                                   for method in ("gd", "cdp-sgd"))
    found = answer([read_sweep(found.runs[0].path.parent)], ALL, "accuracy")
    assert [ranking.title.split()[0] for ranking in found.rankings] == ["epsilon", "epsilon", "no", "nothing"]
    assert found.rankings[1].title.startswith("epsilon 2, not a private run, for one record")


def test_other_tasks_are_ranked_apart(make_sweep):
    cells = [cell(method, 1, (0, 0.5)) for method in ("ldp-sgd", "cdp-sgd")]
    cells[1]["run"]["config"] += "[problem]\nlambda = 0.5\n"
    cells[0]["run"]["config"] += "[problem]\nlambda = 0.0\n"
    titles = [ranking.title for ranking in ask(make_sweep, cells).rankings]
    assert [title.split(";")[0] for title in titles] == ["problem.lambda = 0", "problem.lambda = 0.5"]


def test_bits_until_a_target(make_sweep):
    values = {"ldp-sgd": ((0.8, 0.9), (0.5, 0.8)), "cdp-sgd": ((0.8, 0.5), (0.8, 0.9)), "gd": ((0.8, 0.9), (0.1, 0.2))}
    cells = [cell(method, seed, both[seed - 1]) for method, both in values.items() for seed in (1, 2)]
    found = ask(make_sweep, cells, Budget(per_client=False, target=Target("accuracy", 0.8)))
    entries = {entry.setting.method: entry for entry in found.rankings[0].entries}
    assert list(entries) == ["cdp-sgd", "ldp-sgd", "gd"]
    assert [entries[name].over.centre for name in ("cdp-sgd", "ldp-sgd")] == [640, 960]
    assert (entries["gd"].reached, len(entries["gd"].seeds)) == (1, 2)
    assert "reached by 1 of 2 seeds" in joined(found) and found.lower


def test_targets_of_errors_are_reached_from_above(make_sweep):
    cells = [cell("ldp-sgd", 1, (0, 0), columns={"objective": [1.0, 0.4, 0.2]})]
    (ranking,) = ask(make_sweep, cells, Budget(per_client=False, target=Target("objective", 0.4))).rankings
    assert ranking.entries[0].over.centre == 640


def test_seconds_leave_out_evaluation(make_sweep):
    """Local work takes a second per round, evaluation ten."""
    seconds = np.zeros((3, 1, 13))
    seconds[1:, 0, 1], seconds[1:, 0, 9] = 1.0, 10.0
    cells = [cell("ldp-sgd", 1, (0.5, 0.9), seconds=seconds)]
    sweep = read_sweep(make_sweep(cells, axes=AXES))
    for limit, round_ in ((1.5, 1), (2.0, 2)):
        stands = answer([sweep], Budget(seconds=limit), "accuracy").rankings[0].entries[0].setting.found[1]
        assert (stands.round, stands.seconds) == (round_, round_)


def test_seconds_that_are_withheld_are_a_dash(make_sweep):
    """A run file without times (privacy.strict) has zeros in their place."""
    cells = [cell("ldp-sgd", 1, (0.5, 0.9), seconds=np.zeros((3, 1, 13))), cell("cdp-sgd", 1, (0.5, 0.8))]
    found = ask(make_sweep, cells)
    first, second = found.rankings[0].entries
    assert math.isnan(first.setting.found[1].seconds) and second.setting.found[1].seconds > 0
    (spent,) = [block for block in as_text(found, []).split("\n\n") if "seconds" in block.splitlines()[0]]
    without, timed = (line.split() for line in spent.splitlines() if line[:3].strip() in ("1", "2"))
    assert without[:3] == ["1", "ldp-sgd", "2"] and "-" in without and "s" not in without and "s" in timed


def test_runs_without_times_have_no_seconds(make_sweep):
    with pytest.raises(RunFileError, match="no times in the file"):
        ask(make_sweep, [cell("ldp-sgd", 1, (0.5, 0.9), seconds=np.zeros((3, 1, 13)))], Budget(seconds=1))


def test_numbers_of_ranks_are_settings(make_sweep):
    cells = [cell("ldp-sgd", seed, (0, 0.5), ranks=np.int64(ranks)) for seed in (1, 2) for ranks in (1, 3)]
    (entry,) = ask(make_sweep, cells).rankings[0].entries
    assert entry.settings == 2 and entry.label == ("ranks = 1",) and entry.seeds == (1, 2)


def test_one_setting_in_two_sweeps_has_the_seeds_of_both(make_sweep, tmp_path):
    make_sweep([cell("ldp-sgd", 0, (0, 0.5))], axes=AXES)
    (tmp_path / "sweep").rename(tmp_path / "first")
    make_sweep([cell("ldp-sgd", seed, (0, 0.6)) for seed in (1, 2)], axes=AXES)
    sweeps = [read_sweep(tmp_path / name) for name in ("first", "sweep")]
    (entry,) = answer(sweeps, ALL, "accuracy").rankings[0].entries
    assert entry.seeds == (0, 1, 2)
    (entry,) = answer(sweeps, ALL, "accuracy", (0,)).rankings[0].entries
    assert entry.seeds == (1, 2)


@pytest.mark.parametrize(("way", "first"), [("higher", "gd"), ("lower", "ldp-sgd")])
def test_a_metric_that_files_declare_is_ranked_by_its_direction(make_sweep, way, first):
    name = f"margin_{way}"
    cells = [cell(method, 1, (0.1, 0.5), columns={name: [0.0, value, value]}, better={name: way})
             for method, value in (("gd", 3.0), ("ldp-sgd", 2.0))]
    found = answer([read_sweep(make_sweep(cells, axes=AXES))], ALL, name)
    assert order(found.rankings[0])[0] == first
