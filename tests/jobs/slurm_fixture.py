"""What the tests on a real Slurm share: a folder to submit from, ranks that are held, run files that are compared."""
import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from slurm_cluster import Cluster, missing_tools

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRILEMMA_PROGRAM", ROOT / "build/release/trilemma")).resolve()
# Named rather than the others: a running job is also CONFIGURING, SIGNALING, STAGE_OUT ... for a moment.
FINAL = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}
LIMIT = 150  # seconds until a job must have come to its end, on a machine that has other work too

EXPERIMENT = """
name = "slow"
rounds = 300
clients = 4
method = "soteriafl-gd"
[data]
source = "synthetic"
rows = 60000
test_rows = 300
features = 100
nonzeros = 20
[bound]
threshold = 0.5
[privacy]
sigma = 0.01
[compressor]
k = 10
[server]
rate = 0.3
[evaluate]
every = 50
[checkpoint]
seconds = 1
"""


class Fixture:
    """A folder from which jobs are submitted."""

    def __init__(self, folder, cluster):
        self.folder, self.cluster = folder, cluster
        (folder / "run.toml").write_text(EXPERIMENT)

    def submit(self, kind, *arguments, limit="10:00", ranks=3, env=None):
        done = self.cluster.call(ROOT / "jobs/submit", kind, *arguments, "--ranks", ranks, "--time", limit, "--program",
                                 PROGRAM, cwd=self.folder, env=env or {})
        told = re.findall(r"^(?:submitted|analysis): +((?:\d+ ?)+)", done.stdout, re.MULTILINE)
        return [job for jobs in told for job in jobs.split()]

    def ended(self, job, limit=LIMIT):
        """Waits for the end of a job or an array; its state."""
        def over():
            states = {one["JobState"] for one in self.cluster.show(job)}
            return states and states <= FINAL
        try:
            self.cluster.wait(over, limit, f"job {job} has not ended: {self.cluster.show(job)}")
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{self.log()}") from error
        return self.cluster.state(job)

    def log(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("logs/*.log")))

    def restarts(self, job):
        return int(self.cluster.show(job)[0]["Restarts"])

    def wait_for_checkpoint(self, job, output, newer_than=()):
        def there():
            assert self.cluster.state(job) not in ("FAILED", "COMPLETED"), self.log()
            return set(self.checkpoints(output)) - set(newer_than)
        self.cluster.wait(there, LIMIT, "there is no checkpoint")

    def checkpoints(self, output):
        return sorted(path.name for path in self.folder.glob(f"{output}.checkpoint-*"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if missing_tools():
        pytest.skip(f"Slurm is not installed: {' '.join(missing_tools())}")
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not there")
    try:
        running = Cluster(tmp_path_factory.mktemp("cluster")).__enter__()
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"this machine cannot start a Slurm: {error}")
    yield running
    running.stop()


@pytest.fixture
def fixture(tmp_path, cluster):
    yield Fixture(tmp_path, cluster)
    cluster.call("scancel", f"--user={os.geteuid()}", check=False)
    cluster.wait(lambda: cluster.idle() == 2, 60, "the nodes are not idle again")


def read(path):
    with h5py.File(path, "r") as file:
        return file["model/final"][:], {name: column[:] for name, column in file["rounds"].items()}


def same(one, other):
    """Bit for bit, where NaN is NaN."""
    (model, rounds), (other_model, other_rounds) = read(one), read(other)
    assert np.array_equal(model, other_model)
    assert rounds.keys() == other_rounds.keys()
    for name, column in rounds.items():
        equal = np.array_equal(column, other_rounds[name], equal_nan=column.dtype.kind == "f")
        assert equal, f"column {name} differs"


def environment_of(path):
    with h5py.File(path, "r") as file:
        found = {}

        def note(name, thing):
            if isinstance(thing, h5py.Dataset) and thing.shape == ():
                found[name] = thing.asstr()[()] if thing.dtype.kind == "O" else thing[()]
            for key, value in thing.attrs.items():
                found[f"{name}@{key}"] = value
        file.visititems(note)
        return "\n".join(str(value) for value in found.values())


def ranks_of(job):
    """Processes of the program in a job."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/exe") == str(PROGRAM) and \
                    f"SLURM_JOB_ID={job}".encode() in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                found.append(int(entry))
        except OSError:
            pass
    return found


@contextlib.contextmanager
def standing_still(job, may_be_over=False):
    """Holds the ranks of a job, lest a fast machine be done before Slurm has made up its mind."""
    ranks = ranks_of(job)
    assert len(ranks) == 3 or may_be_over and not ranks, f"{len(ranks)} ranks of job {job}"
    for rank in ranks:
        os.kill(rank, signal.SIGSTOP)
    try:
        yield
    finally:
        for rank in ranks:
            try:
                os.kill(rank, signal.SIGCONT)
            except ProcessLookupError:
                pass
