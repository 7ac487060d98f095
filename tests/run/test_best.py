"""`trilemma_analysis best` on a sweep of real runs: the winner's TOML repeats the winning run."""
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
    command = [ROOT / "scripts/python", "-m", "trilemma_analysis", "best", folder, "--bits", "400B", "--per-client",
               "--epsilon", "5", "--metric", "objective", "--toml", winner]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "analysis")}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    # Uncompressed messages of 31 numbers are 124 bytes, so that three rounds are within the budget.
    assert "ldp-sgd" in found.stdout and "372 B" in found.stdout
    assert call("config", winner).code == 0
    again = tmp_path / "again.h5"
    assert call("run", winner, "--output", again, "--quiet").code == 0
    with h5py.File(again) as file:
        fingerprint = file.attrs["fingerprint"]
    assert fingerprint in winner.read_text() and (folder / f"{fingerprint[:12]}.h5").exists()
