"""Fixtures of the end-to-end tests: the program, small experiments, runs on several ranks."""
import gzip
import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("TRILEMMA_PROGRAM", ROOT / "build/release/trilemma"))
# A model of one's own, made of tests/support/softmax_model.c.
MODEL = os.environ.get("TRILEMMA_TEST_MODEL", PROGRAM.parent / "tests/libtrilemma_test_model.so")

LOGISTIC = """
name = "small"
rounds = 6
clients = 7
[data]
source = "synthetic"
rows = 700
test_rows = 301
features = 30
nonzeros = 5
[problem]
lambda = 0.2
[local]
batch = 20
[bound]
threshold = 0.5
[privacy]
epsilon = 5.0
delta = 1e-3
[compressor]
k = 4
[server]
rate = 0.3
[start]
scale = 0.2
"""

NETWORK = """
name = "small-network"
rounds = 4
clients = 5
[data]
source = "idx"
images = "images.gz"
labels = "labels.gz"
test_images = "images.gz"
test_labels = "labels.gz"
features = 36
classes = 3
[problem]
kind = "network"
hidden = 5
[local]
batch = 15
[privacy]
sigma = 0.01
[compressor]
divisor = 10
[start]
scale = 0.2
"""


class Result:
    """Exit code and output of one call of the program."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def sentence(self):
        """The program's own line on stderr (mpirun adds others)."""
        lines = [line for line in self.err.splitlines()
                 if line.startswith("trilemma:") and not line.startswith("trilemma: note:")]
        assert len(lines) == 1, f"expected one line of the program, found: {self.err}"
        return lines[0]


def environment(**more):
    # One sentence, one line: COLUMNS decides where the program breaks lines (test_lines.py).
    env = dict(os.environ, COLUMNS="2000", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OPENBLAS_NUM_THREADS="1", **more)
    # The program must not depend on the data of whoever runs the tests.
    env.pop("TRILEMMA_DATA_DIR", None)
    return env


def launcher(ranks):
    return [] if ranks is None else ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca", "mpi_yield_when_idle",
                                     "1", "--mca", "btl_vader_single_copy_mechanism", "none"]


def call(*arguments, ranks=None, env=None, **options):
    """Runs the program, alone or on `ranks` ranks; bounded in time."""
    if ranks is not None and shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    command = launcher(ranks) + [str(PROGRAM)] + [str(a) for a in arguments]
    return Result(subprocess.run(command, capture_output=True, text=True, timeout=500, stdin=subprocess.DEVNULL,
                                 env=environment(**(env or {})), **options))


def read(path):
    """Final model and all columns of /rounds of a run file."""
    with h5py.File(path, "r") as file:
        return file["model/final"][:], {name: column[:] for name, column in file["rounds"].items()}


def summary(path):
    """`trilemma show --json` of a run file."""
    return json.loads(call("show", path, "--json").out)


def write_idx(folder, images=403, side=6, classes=3, seed=3, zeros=0.0):
    """A pair of gzip IDX files with random pixels, a share of them 0; labels follow the mean brightness."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, images).astype(np.uint8)
    pixels = np.clip(rng.normal(40 + 60 * labels[:, None], 40, (images, side * side)), 0, 255).astype(np.uint8)
    pixels *= rng.random(pixels.shape) >= zeros
    with gzip.open(folder / "images.gz", "wb") as file:
        file.write(struct.pack(">4I", 0x803, images, side, side) + pixels.tobytes())
    with gzip.open(folder / "labels.gz", "wb") as file:
        file.write(struct.pack(">2I", 0x801, images) + labels.tobytes())


@pytest.fixture
def logistic(tmp_path):
    """A small logistic experiment on generated data."""
    path = tmp_path / "small.toml"
    path.write_text(LOGISTIC)
    return path


@pytest.fixture
def network(tmp_path):
    """A small network experiment on IDX files in the same folder."""
    write_idx(tmp_path)
    path = tmp_path / "network.toml"
    path.write_text(NETWORK)
    return path


@pytest.fixture(scope="session")
def methods():
    """Names of all methods, from the program's own table."""
    lines = call("list", "methods").out.splitlines()[1:]
    return [line.split()[0] for line in lines]
