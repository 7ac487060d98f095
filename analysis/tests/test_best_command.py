"""The command `best`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import tomllib

import pandas as pd
import pytest

from trilemma_analysis.cli.main import main


def cell(method, seed, accuracies, epsilon=2.0):
    config = f'name = "made"\nmethod = "{method}"\nseed = {seed}\n\n[watchdog]\nseconds = 600.0\n\n[privacy]\n' \
        f'epsilon = {epsilon}\n'
    return {"values": {"method": method, "seed": seed, "privacy.epsilon": epsilon},
            "run": {"config": config, "epsilon_nominal": epsilon,
                    "columns": {"accuracy": [0.1, *accuracies], "epsilon": [0.0, epsilon / 2, epsilon]}}}


@pytest.fixture
def folder(make_sweep):
    """ldp-sgd is best after two rounds, cdp-sgd after one."""
    values = {"ldp-sgd": (0.3, 0.9), "cdp-sgd": (0.5, 0.6)}
    return str(make_sweep([cell(method, seed, both) for seed in (4, 5, 6) for method, both in values.items()]))


def test_files_hold_the_ranking(folder, tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("t.csv", "t.json", "t.toml")]
    assert main(["best", folder, "--no-per-client", "--bits", "160B", "--csv", files[0], "--json", files[1], "--toml", files[2]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["ldp-sgd wins", ""] and " ".join(lines[2:4]) == "test accuracy (higher is better) at the last evaluated round within 160 B (1,280 " \
        "bits) expected to   be sent by all clients together"
    assert lines[-4:] == ["made: 6 of 6 cells done", *files]
    table = pd.read_csv(files[0])
    assert table["method"].tolist() == ["ldp-sgd", "cdp-sgd"] and table["difference"].iloc[1] == pytest.approx(-0.3)
    assert table["bits_up_per_client"].tolist() == [128, 128] and table["round_most"].tolist() == [2, 2]
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["rankings"][0]["unit"] == "record" and content["lower_is_better"] is False
    assert content["rankings"][0]["difference"] is None and content["rankings"][1]["tied"] is False
    assert content["skipped"] == [] and any("each epsilon is that of one run" in note for note in content["notes"])
    winner = (tmp_path / "t.toml").read_text()
    assert winner.startswith("# test accuracy (higher") and "# ldp-sgd wins\n" in winner
    assert tomllib.loads(winner) == {"name": "made", "method": "ldp-sgd", "seed": 4, "privacy": {"epsilon": 2.0}}


def test_the_winner_within_the_budget_is_written(folder, tmp_path):
    path = tmp_path / "t.toml"
    assert main(["best", folder, "--no-per-client", "--bits", "80B", "--toml", str(path)]) == 0
    text = " ".join(path.read_text().split())
    assert 'method = "cdp-sgd"' in text and "It was compared after round 1; the run has 2 rounds" in text


def test_every_ranking_has_its_winner(make_sweep, tmp_path, capsys):
    folder = make_sweep([cell("ldp-sgd", 1, (0.3, 0.9), epsilon) for epsilon in (1.0, 2.0)])
    assert main(["best", str(folder), "--bits", "1MB", "--toml", str(tmp_path / "w.toml")]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [str(tmp_path / "w.toml"), str(tmp_path / "w-2.toml")]
    found = [tomllib.loads((tmp_path / name).read_text())["privacy"]["epsilon"] for name in ("w.toml", "w-2.toml")]
    assert found == [1.0, 2.0]


@pytest.mark.parametrize("options, words", [
    ([], "best of what? Give --bits, --epsilon, --seconds, --time or --joules as a limit, or --target METRIC=VALUE."),
    (["--bits", "1mb"], "'1mb': 'mb' is not a unit, and capitals matter;"),
    (["--target", "accuracy"], "--target accuracy: write METRIC=VALUE, as in accuracy=0.8."),
    (["--target", "size=3"], "'size' is not a metric; use one of utility,"),
    (["--target", "accuracy=0.5", "--metric", "utility"], "--metric utility contradicts --target accuracy=0.5;"),
    (["--target", "accuracy=80"], "test accuracy is a share between 0 and 1; did you mean accuracy=0.8?"),
    (["--bits", "1MB", "--until", "time"], "--until time goes with --target METRIC=VALUE;"),
    (["--target", "accuracy=0.5", "--until", "time", "--no-per-client"], "--no-per-client, --sent and --direction are about bits"),
    (["--bits", "1MB", "--tune-seeds", "a"], "--tune-seeds a: write numbers"),
    (["--bits", "1B", "--no-per-client"], "did you mean --per-client? ldp-sgd: 3 of 3 runs: never evaluated within the budget"),
    (["--bits", "1MB", "--tune-seeds", "4,5,6"], "has no value for any other seed than those for tuning")])
def test_mistakes_are_one_sentence_and_code_2(folder, capsys, options, words):
    assert main(["best", folder, *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and words in captured.err and captured.err.count("\n") == 1


def test_a_sweep_without_finished_cells_is_refused(make_sweep, capsys):
    folder = make_sweep([{"values": {"method": "gd"}, "state": "missing"}], axes=("method",))
    assert main(["best", str(folder), "--bits", "1MB"]) == 2
    assert capsys.readouterr().err.endswith("no cell is done, so there is nothing to compare.\n")


@pytest.mark.parametrize("tune", [[0], {"seeds": 0}, {"seeds": ["a"]}])
def test_seeds_for_tuning_are_a_list_of_numbers(make_sweep, capsys, tune):
    folder = make_sweep([cell("ldp-sgd", 1, (0.3, 0.9))], tune=tune)
    assert main(["best", str(folder), "--bits", "1MB"]) == 2
    assert "'tune' is not an object with a list of 'seeds'" in capsys.readouterr().err
