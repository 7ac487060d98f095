"""Models of one's own (problem.kind = "plugin"): in C, and in Python where the program was built with it."""
import importlib.util
import json
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import MODEL, PROGRAM, ROOT, call, read, write_idx

PYTHON = (PROGRAM.parent / "libtrilemma_python.so").exists()
EXPERIMENT = """
method = "fedavg"
rounds = 6
clients = 5
[data]
source = "idx"
images = "images.gz"
labels = "labels.gz"
test_images = "images.gz"
test_labels = "labels.gz"
[problem]
kind = "plugin"
library = "{library}"
[local]
solver = "sgd"
batch = 15
steps = 3
rate = 0.1
"""
# Softmax in NumPy, with faults from call FROM of gradient() on.
NUMPY = '''
import numpy as np

FAULT, FROM = {fault!r}, {first}

class Model:
    name = "softmax in NumPy"
    calls = 0

    def __init__(self, features, classes):
        self.shape = (classes, features + 1)
        self.parameters = classes * (features + 1) + (1 if FAULT == "lie" else 0)

    def start(self, seed):
        return 0.01 * np.random.default_rng(seed).normal(size=self.parameters)

    def scores(self, x, records):
        w = x[:self.shape[0] * self.shape[1]].reshape(self.shape)
        return records @ w[:, :-1].T + w[:, -1]

    def gradient(self, x, records, labels):
        Model.calls += 1
        scores = self.scores(x, records)
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        loss = -np.log(p[np.arange(len(labels)), labels]).sum()
        p[np.arange(len(labels)), labels] -= 1
        gradient = np.concatenate([p.T @ records, p.sum(axis=0)[:, None]], axis=1)
        if Model.calls >= FROM:
            if FAULT == "raise":
                raise ValueError("no more gradients")
            if FAULT == "nan":
                gradient[0, 0] = np.nan
            if FAULT == "none":
                return None
            if FAULT == "integers":
                return loss, gradient.astype(int)
            if FAULT == "crash":
                import ctypes
                ctypes.string_at(0)
        return loss, gradient

    def predict(self, x, records):
        return self.scores(x, records).argmax(axis=1)
'''


@pytest.fixture
def own(tmp_path):
    """Writes images and an experiment with a library; returns its path."""
    write_idx(tmp_path)

    def write(library):
        file = tmp_path / "own.toml"
        file.write_text(EXPERIMENT.format(library=library))
        return file
    return write


def numpy_model(folder, fault="", first=0):
    (folder / "model.py").write_text(NUMPY.format(fault=fault, first=first))
    return "model.py"


def run(file, output, *settings, ranks=None, resume=False):
    words = [word for setting in settings for word in ("--set", setting)]
    return call("run", file, "--data-dir", file.parent, "--output", output, "--quiet", *words,
                *(["--resume"] if resume else []), ranks=ranks)


def good(file, output, *settings, **how):
    result = run(file, output, *settings, **how)
    assert result.code == 0, result.err
    return output


LIBRARIES = [pytest.param("C", id="C"),
             pytest.param("Python", id="Python", marks=pytest.mark.skipif(not PYTHON, reason="no models in Python"))]


@pytest.mark.parametrize("language", LIBRARIES)
def test_trains_like_softmax_with_the_same_bits_on_any_number_of_ranks(own, tmp_path, language):
    file = own(MODEL if language == "C" else numpy_model(tmp_path))
    alone = good(file, tmp_path / "alone.h5")
    for ranks in (1, 2, 3):
        other = good(file, tmp_path / f"{ranks}.h5", ranks=ranks)
        assert read(alone)[0].tobytes() == read(other)[0].tobytes()
    with h5py.File(alone) as content:
        objective = content["rounds/objective"][:]
        accuracy = content["rounds/accuracy"][-1]
        assert content.attrs["own_model_name"].startswith("softmax")
        assert len(content.attrs["own_model_sha256"]) == 64
        assert all(content.attrs[f"own_model_{name}"] == 1 for name in ("repeats", "adds_up", "separates"))
        start = content["model/start"][:]
    assert objective[-1] < 0.9 * objective[0] and accuracy > 0.5 and (start != 0).any()


@pytest.mark.parametrize("language", LIBRARIES)
def test_is_the_softmax_of_the_program(own, tmp_path, language):
    file = own(MODEL if language == "C" else numpy_model(tmp_path))
    start = ("start.law=normal", "start.scale=0.05", "data.scaling=none")
    ours = good(file, tmp_path / "ours.h5", *start)
    file.write_text("".join(line for line in file.read_text().splitlines(True) if not line.startswith("library"))
                    .replace('"plugin"', '"softmax"'))
    theirs = good(file, tmp_path / "theirs.h5", *start)
    # NumPy's weights and biases of a class follow each other, so that the starts differ.
    tolerance = 1e-5 if language == "C" else 0.05
    with h5py.File(ours) as one, h5py.File(theirs) as other:
        assert np.allclose(one["rounds/objective"][:], other["rounds/objective"][:], rtol=tolerance)
        assert np.allclose(one["rounds/test_loss"][:], other["rounds/test_loss"][:], rtol=tolerance)
        if language == "C":
            assert np.allclose(one["model/final"][:], other["model/final"][:], atol=1e-5)
            assert np.array_equal(one["rounds/accuracy"][:], other["rounds/accuracy"][:])


@pytest.mark.parametrize("language", LIBRARIES)
def test_resumes_and_refuses_another_model(own, tmp_path, language):
    if language == "C":
        (tmp_path / "model.so").write_bytes(Path(MODEL).read_bytes())
    model = tmp_path / ("model.so" if language == "C" else numpy_model(tmp_path))
    file = own(model.name)
    whole = good(file, tmp_path / "whole.h5")
    half = tmp_path / "half.h5"
    blocker = tmp_path / "half.h5.checkpoint-4"  # ends the run there
    (blocker / "in the way").mkdir(parents=True)
    assert run(file, half, "checkpoint.rounds=2").code != 0
    (blocker / "in the way").rmdir()
    blocker.rmdir()
    with open(model, "ab") as stream:  # a byte that does nothing
        stream.write(b"\n")
    refused = run(file, half, resume=True)
    assert refused.code == 2 and model.name in refused.err
    model.write_bytes(model.read_bytes()[:-1])
    good(file, half, resume=True, ranks=2)
    assert read(half)[0].tobytes() == read(whole)[0].tobytes()


FAULTS = {"sentence": "gradient() failed: the licence has expired", "nan": "gradient() returned nan as number",
          "overrun": "gradient() wrote outside of its array", "crash": "gradient() crashed: it used memory",
          "exit": "gradient() called exit(), which ends the rank; results"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_fault_ends_the_job_with_a_sentence_and_loses_nothing(own, tmp_path, fault, ranks):
    file = own(MODEL)
    output = tmp_path / "run.h5"
    calls = 80 if ranks is None else 40
    result = run(file, output, f"problem.options={fault} {calls}", "checkpoint.rounds=1", ranks=ranks)
    assert result.code == 3, result.err
    assert [line for line in result.err.splitlines() if FAULTS[fault] in line and line.startswith("trilemma: ")]
    assert f"in {output}.partial" in result.err
    assert (tmp_path / "run.h5.partial").exists()
    assert list(tmp_path.glob("run.h5.checkpoint-*"))
    shown = call("show", tmp_path / "run.h5.partial")
    assert shown.code == 0 and "of 6" in shown.out


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
@pytest.mark.parametrize("fault,sentence", [
    ("raise", "model.py: gradient() failed: model.py, line 31: ValueError: no more gradients"),
    ("nan", "model.py: gradient() returned nan as number 0 of"),
    ("none", "model.py: gradient() failed: returned NoneType, expected (loss, gradient)"),
    ("integers", "model.py: gradient() failed: returned numbers of type int64 as the gradient"),
    ("crash", "model.py: gradient() crashed: it used memory")])
def test_faults_in_python(own, tmp_path, fault, sentence):
    result = run(own(numpy_model(tmp_path, fault, 80)), tmp_path / "run.h5")
    assert result.code == 3 and sentence in result.err
    assert "Traceback" not in result.err
    assert (tmp_path / "run.h5.partial").exists()


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
@pytest.mark.parametrize("text,sentence", [
    ("class Modell: pass\n", "the file has no class Model"),
    ("class Model:\n    def __init__(self, f, c): pass\n", "the class Model has no parameters"),
    ("import nowhere_to_be_found\n", "model.py, line 1: ModuleNotFoundError"),
    ("def f(:\n", "model.py, line 1: SyntaxError"),
    (NUMPY.format(fault="lie", first=0), "gradient() failed: returned 111 numbers as the gradient, expected 112")])
def test_refuses_files_that_are_no_model(own, tmp_path, text, sentence):
    (tmp_path / "model.py").write_text(text)
    result = run(own("model.py"), tmp_path / "run.h5")
    assert result.code == 2 and sentence in result.err
    assert not (tmp_path / "run.h5").exists()


def test_a_bound_of_records_refuses_a_model_that_mixes_them(own, tmp_path):
    private = ("method=dp-sgd", "bound.threshold=0.5", "privacy.epsilon=4", "privacy.delta=1e-4", "server.rate=0.1")
    file = own(MODEL)
    mixed = run(file, tmp_path / "mixed.h5", "problem.options=mix", *private)
    assert mixed.code == 2 and "the gradient of a record depends on the records processed with it" in mixed.err
    output = good(file, tmp_path / "good.h5", *private)
    with h5py.File(output) as content:
        assert content.attrs["claim_status"] == "holds"
        assert "whatever libtrilemma_test_model.so does with records other than" in content.attrs["claim"]
    verified = call("verify", output, "--data-dir", tmp_path)
    assert verified.code == 0, verified.out + verified.err
    assert "whatever libtrilemma_test_model.so does" in " ".join((verified.out + verified.err).split())
    strict = run(file, tmp_path / "strict.h5", *private, "privacy.strict=true", "data.scaling=none", "data.features=36",
                 "data.classes=3")
    assert strict.code == 2 and "runs code of your own" in strict.err


def test_a_note_names_a_broken_promise(own, tmp_path):
    result = call("run", own(MODEL), "--data-dir", tmp_path, "--output", tmp_path / "run.h5", "--set",
                  "problem.options=drift")
    assert result.code == 0 and "the same call gives different results" in result.err


def test_check_model_answers_and_exits_with_4(own, tmp_path):
    file = own(MODEL)
    answer = call("check-model", file, "--data-dir", tmp_path, "--json", ranks=3)
    found = json.loads(answer.out)
    assert answer.code == 0 and found["holds"] and found["ranks"] == 3 and found["agree"]
    broken = call("check-model", file, "--data-dir", tmp_path, "--json", "--set", "problem.options=slope")
    found = json.loads(broken.out)
    assert broken.code == 4 and not found["follows_slope"] and not found["holds"]
    other = call("check-model", file, "--data-dir", tmp_path, "--set", "problem.kind=softmax")
    assert other.code == 2


def test_the_example_in_c_is_least_squares(tmp_path):
    compiled = subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I",
                               ROOT / "src/problem/plugin", ROOT / "jobs/models/linear.c", "-o", tmp_path / "linear.so"],
                              capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert len((ROOT / "jobs/models/linear.c").read_text().splitlines()) <= 70
    rng = np.random.default_rng(2)
    x = rng.normal(1, 1, (300, 4))
    y = x @ [1.0, -2.0, 0.5, 1.5] + 0.1 * rng.normal(size=300)
    rows = "".join(",".join(f"{value:.6g}" for value in row) + "\n" for row in np.column_stack([x, y]))
    (tmp_path / "table.csv").write_text("a,b,c,d,y\n" + rows)
    file = tmp_path / "linear.toml"
    file.write_text('method = "fedavg"\nrounds = 8\nclients = 3\n[data]\nsource = "csv"\ntrain = "table.csv"\n'
                    'target = "y"\nuser = ""\nbias = false\n[problem]\nkind = "plugin"\nlibrary = "linear.so"\n'
                    '[local]\nsolver = "sgd"\nbatch = 10\nsteps = 5\nrate = 0.05\n')
    own = good(file, tmp_path / "own.h5")
    built_in = tmp_path / "built-in.toml"
    built_in.write_text(file.read_text().replace("bias = false", "bias = true")
                        .replace('kind = "plugin"\nlibrary = "linear.so"', 'kind = "linear"'))
    twin = good(built_in, tmp_path / "twin.h5")
    with h5py.File(own) as ours, h5py.File(twin) as theirs:
        assert np.allclose(ours["model/final"][:], theirs["model/final"][:], atol=1e-5)
        assert np.allclose(ours["rounds/objective"][:], theirs["rounds/objective"][:], rtol=1e-5)


@pytest.mark.skipif(not PYTHON or importlib.util.find_spec("torch") is None, reason="no models in PyTorch")
def test_the_example_in_pytorch_checks_and_learns(tmp_path):
    assert len((ROOT / "jobs/models/lenet.py").read_text().splitlines()) <= 60
    write_idx(tmp_path, side=28)
    file = tmp_path / "lenet.toml"
    file.write_text(EXPERIMENT.format(library=ROOT / "jobs/models/lenet.py"))
    answer = call("check-model", file, "--data-dir", tmp_path, "--json")
    assert answer.code == 0, answer.out + answer.err
    output = good(file, tmp_path / "run.h5", "rounds=4", ranks=3)
    with h5py.File(output) as content:
        objective = content["rounds/objective"][:]
    assert objective[-1] < objective[0]
