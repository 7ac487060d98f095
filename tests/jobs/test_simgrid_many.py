"""The run file of 1,024 simulated ranks: the machine on record and times summarised over the ranks stay small."""
import subprocess
import sys
from pathlib import Path

import h5py

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from conftest import ROOT, environment  # noqa: E402
from test_simgrid import DEMO, needs_simgrid  # noqa: E402

RANKS = 1024
SETTINGS = [f"clients={RANKS}", "data.rows=4096", "data.test_rows=1024", "local.batch=2", "rounds=6",
            "privacy.delta=0.01", "evaluate.every=6", "timing.ranks=summary"]


@needs_simgrid
def test_the_record_of_many_ranks_is_small(tmp_path):
    file = tmp_path / "many.h5"
    command = [ROOT / "jobs/simulate", DEMO, "--platform", ROOT / "jobs/platforms/fat-tree-1024.xml", "--ranks", RANKS,
               *(word for setting in SETTINGS for word in ("--set", setting)), "--output", file]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1500,
                          stdin=subprocess.DEVNULL, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert file.stat().st_size < 10_000_000
    with h5py.File(file) as h5:
        ranks = h5["environment/ranks"]
        assert ranks["host"].shape == ranks["affinity"].shape == (RANKS,)
        assert len(ranks["cpu_value"]) == len(ranks["affinity_value"]) == 1
        assert h5["phases/seconds"].shape[:2] == (7, 1) and h5["phases/largest"].shape == h5["phases/slowest"].shape
        assert h5["phases/slowest"][:].max() < RANKS
        assert (h5["phases/largest"][1:] >= h5["phases/seconds"][1:, 0]).all()
