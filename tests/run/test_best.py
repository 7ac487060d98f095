"""`trilemma_analysis best` on a sweep of real runs: the winner's TOML repeats the winning run."""
import json
import os
import subprocess

import h5py

from conftest import ROOT, call

SWEEP = """
name = "best"
experiment = "small.toml"
seeds = 2
[set]
rounds = 4
[axes]
method = ["ldp-sgd", "soteriafl-sgd"]
server.rate = [0.1, 1.0]
"""


def test_the_winner_can_be_run_again(logistic, tmp_path):
    sweep, folder, winner = tmp_path / "best.toml", tmp_path / "runs", tmp_path / "winner.toml"
    sweep.write_text(SWEEP)
    for index in range(8):
        assert call("sweep", sweep, "--run", index, "--output-dir", folder, "--quiet").code == 0
    command = [ROOT / "scripts/python", "-m", "trilemma_analysis", "best", folder, "--bits", "400B",
               "--epsilon", "5", "--metric", "objective", "--toml", winner]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "analysis")}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    # Uncompressed messages of 31 numbers are 124 bytes, so that three rounds are within the budget.
    assert "ldp-sgd" in found.stdout and "2.98 kbit" in found.stdout
    assert call("config", winner).code == 0
    again = tmp_path / "again.h5"
    assert call("run", winner, "--output", again, "--quiet").code == 0
    with h5py.File(again) as file:
        fingerprint = file.attrs["fingerprint"]
    assert fingerprint in winner.read_text() and (folder / f"{fingerprint[:12]}.h5").exists()

DRAWN = """
name = "drawn"
experiment = "small.toml"
seeds = 4
replicates = "split"
[set]
method = "ldp-sgd"
participation.kind = "poisson"
evaluate.every = 100
wire.value = "float32"
[axes]
budget.upload = ["200B", "400B"]
participation.rate = [0.5, 1.0]
"""


def test_runs_made_for_a_budget_are_judged_at_their_end_by_it(logistic, tmp_path):
    """Messages of 124 bytes: 400 bytes pay for six rounds with half of the clients and for three with all of them.
    Some seeds have sent more than that, and no run was evaluated before its end. The seeds, which have splits of their
    own, are replicates of one task."""
    sweep, folder, table = tmp_path / "drawn.toml", tmp_path / "runs", tmp_path / "best.json"
    sweep.write_text(DRAWN)
    assert call("sweep", sweep, "--all", "--jobs", 1, "--output-dir", folder, "--quiet").code == 0
    sent = {}
    for path in folder.glob("*.h5"):
        with h5py.File(path) as file:
            sent[file.attrs["rounds"], file.attrs["seed"]] = file["rounds/bits_up_payload"][-1] / file.attrs["clients"]
    assert max(sent[6, seed] for seed in (1, 2, 3, 4)) > 3200, "choose seeds of which one sends more than is planned"
    command = [ROOT / "scripts/python", "-m", "trilemma_analysis", "best", folder, "--bits", "400B",
               "--by", "participation.rate", "--metric", "objective", "--json", table]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "analysis")}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    answer = json.loads(table.read_text())
    assert answer["skipped"] == [] and {row["ranking"] for row in answer["rankings"]} == {1}
    for row in answer["rankings"]:
        assert row["settings"] == 2 and row["seeds"] == "1 2 3 4" and row["round_least"] == row["rounds"]
    assert "the generated records (data.seed)" in " ".join(found.stdout.split())
