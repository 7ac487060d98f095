"""Attacks on the claims of runs whose models are networks of listed layers or models of one's own, through the models
themselves: `trilemma audit` replaces them by records with given gradients."""
import json
import math
import subprocess

import h5py
import numpy as np
import pytest

from conftest import PROGRAM, ROOT, call

THRESHOLD, RECORDS, EPSILON, DELTA, RUNS = 0.05, 8, 1.5, 0.01, 40
EXPERIMENT = f"""
name = "attacked"
method = "dp-gd"
rounds = 1
clients = 1
[bound]
threshold = {THRESHOLD}
[privacy]
relation = "replace_one"
epsilon = {EPSILON}
delta = {DELTA}
[server]
rate = 1
[evaluate]
objective = false
"""
NETWORK = """
[problem]
layers = ["conv 4 3 1 1", "groupnorm 2", "relu", "skip", "conv 4 3 1 1", "groupnorm 2", "relu", "add", "relu", "dense"]
[data]
source = "arrays"
scaling = "none"
train = "images.npy"
"""
LINEAR = """
[problem]
kind = "plugin"
library = "linear.so"
[data]
source = "csv"
scaling = "none"
target = "y"
user = ""
bias = false
"""
# Least squares in NumPy, without record_gradients(): the program calls gradient() with one record at a time.
PYTHON = '''
class Model:
    def __init__(self, features, classes):
        self.parameters = features + 1

    def gradient(self, x, records, targets):
        errors = self.predict(x, records) - targets
        gradient = 0 * x
        gradient[:-1], gradient[-1] = errors @ records, errors.sum()
        return (errors ** 2).sum() / 2, gradient

    def predict(self, x, records):
        return records @ x[:-1] + x[-1]
'''
MODELS = ["layers", "C", pytest.param("Python", marks=pytest.mark.skipif(
    not (PROGRAM.parent / "libtrilemma_python.so").exists(), reason="no models in Python"))]


@pytest.fixture
def attacked(tmp_path):
    """Writes the experiment of a model and two data sets that differ in the first record, whose gradients point in
    opposite directions at the start; returns the file and the settings of both worlds."""
    rng = np.random.default_rng(4)

    def write(model):
        file = tmp_path / "attacked.toml"
        if model == "layers":
            # With two classes the gradients of both labels have one direction and opposite signs.
            np.save(tmp_path / "images.npy", rng.integers(0, 256, (RECORDS, 6, 6), np.uint8))
            for label in (0, 1):
                np.save(tmp_path / f"{label}.npy", np.array([label, 0, 1, 0, 1, 0, 1, 1], np.uint8))
            file.write_text(EXPERIMENT + NETWORK)
            return file, ["data.labels=0.npy", "data.labels=1.npy"]
        # At x = 0 the error of a record is its target with the opposite sign.
        x, y = rng.normal(size=(RECORDS, 3)), rng.normal(size=RECORDS)
        for label in (0, 1):
            y[0] = 2 * label - 1
            rows = "".join(",".join(f"{value:.6g}" for value in row) + "\n" for row in np.column_stack([x, y]))
            (tmp_path / f"{label}.csv").write_text("a,b,c,y\n" + rows)
        file.write_text(EXPERIMENT + (LINEAR if model == "C" else LINEAR.replace(".so", ".py")))
        if model == "C":
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", ROOT / "src/problem/plugin",
                            ROOT / "jobs/models/linear.c", "-o", tmp_path / "linear.so"], check=True)
        else:
            (tmp_path / "linear.py").write_text(PYTHON)
        return file, ["data.train=0.csv", "data.train=1.csv"]
    return write


def released(file):
    """What the server released: the noisy mean of the bounded gradients, by which the model moved."""
    with h5py.File(file) as content:
        return content["model/start"][:].astype(float) - content["model/final"][:]


def without_noise(file, worlds):
    """What the server releases in both worlds without noise."""
    releases = []
    silent = file.with_name("silent.toml")
    silent.write_text(file.read_text().replace(f"epsilon = {EPSILON}", "sigma = 0"))
    for number, world in enumerate(worlds):
        output = file.with_name(f"{number}.h5")
        done = call("run", silent, "--data-dir", file.parent, "--quiet", "--output", output, "--set", world)
        assert done.code == 0, done.err
        releases.append(released(output))
    return releases


def upper_limit(errors, runs, level=0.025):
    """The upper limit of Clopper and Pearson for the rate of errors."""
    low, high = errors / runs, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        seen = sum(math.comb(runs, k) * rate ** k * (1 - rate) ** (runs - k) for k in range(errors + 1))
        low, high = (rate, high) if seen > level else (low, rate)
    return high


@pytest.mark.parametrize("model", MODELS)
def test_a_record_moves_the_release_by_its_bound(attacked, model):
    """The gradients of both records are longer than the bound."""
    one, other = without_noise(*attacked(model))
    assert np.linalg.norm(one - other) == pytest.approx(2 * THRESHOLD / RECORDS, rel=1e-5)


@pytest.mark.parametrize("model", ["layers", "C"])
def test_the_claim_withstands_an_attack_through_the_model(attacked, tmp_path, model):
    """The attack takes the world whose release without noise is nearer. The rates of its errors are a lower bound on
    epsilon with confidence 0.95; without a single error that bound is 2.3."""
    file, worlds = attacked(model)
    one, other = without_noise(file, worlds)
    # A random start would depend on the seed, and with it the gradients.
    with h5py.File(tmp_path / "0.h5") as content:
        np.savetxt(tmp_path / "start.txt", content["model/start"][:])
    file.write_text(file.read_text() + '[start]\nfile = "start.txt"\n')
    (tmp_path / "sweep.toml").write_text(f'experiment = "attacked.toml"\nseeds = {RUNS}\n')
    limits = []
    for number, (world, own) in enumerate(zip(worlds, (one, other))):
        folder = tmp_path / f"runs{number}"
        done = call("sweep", tmp_path / "sweep.toml", "--all", "--quiet", "--data-dir", tmp_path,
                    "--output-dir", folder, "--set", world)
        assert done.code == 0, done.err
        files = list(folder.glob("*.h5"))
        assert len(files) == RUNS
        errors = sum(bool((released(output) - (one + other) / 2) @ (own - (one + other) / 2) < 0) for output in files)
        limits.append(upper_limit(errors, RUNS))
    with h5py.File(files[0]) as content:
        assert content.attrs["claim_status"] == "holds"
        claimed = content["privacy"].attrs["epsilon"]
    seen = max(math.log(max(1 - DELTA - limits[k], 1e-9) / limits[1 - k]) for k in (0, 1))
    assert seen <= claimed <= EPSILON


@pytest.mark.parametrize("model", MODELS)
def test_audit_says_that_it_does_not_call_an_own_model(attacked, model):
    file, worlds = attacked(model)
    done = call("audit", file, "--data-dir", file.parent, "--runs", 300, "--quiet", "--json", "--set", worlds[0])
    found = json.loads(done.out)
    assert done.code == 0 and found["epsilon_lower_bound_empirical"] < found["epsilon_claimed"] <= EPSILON
    assert found["influence_observed"] == pytest.approx(2 * THRESHOLD / RECORDS, rel=1e-5)
    name = {"C": "linear.so", "Python": "linear.py"}.get(model)
    assert name is None or f"{name} is not called" in found["changes"]
    assert ("is not called" in found["changes"]) == (name is not None)
