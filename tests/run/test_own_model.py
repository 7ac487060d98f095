"""Models of one's own (problem.kind = "plugin"): in C, and in Python where the program was built with it."""
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import MODEL, PROGRAM, ROOT, call, environment, read, write_idx

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
            if FAULT == "os._exit":
                import os
                os._exit(0)
            if FAULT == "exit":
                exit()
            if FAULT == "exit of C":
                import ctypes
                ctypes.CDLL(None).exit(0)
            if FAULT == "exit of a thread":
                import os, threading
                threading.Thread(target=os._exit, args=(0,)).start()
                threading.Event().wait()
            if FAULT == "exit of a child" and Model.calls == FROM:
                import os
                if os.fork() == 0:
                    os._exit(7)
                print("exit code of the child:", os.waitstatus_to_exitcode(os.wait()[1]))
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
          "exit": "gradient() called exit(), which ends the rank; results",
          "_exit": "gradient() called _exit(), which ends the rank; results"}


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
    ("crash", "model.py: gradient() crashed: it used memory"),
    ("os._exit", "model.py: gradient() failed: model.py, line 43: the model called os._exit(0), which would end the rank"),
    ("exit", "model.py: gradient() failed: model.py, line 45: the model called exit(), which would end the rank"),
    ("exit of C", "model.py: gradient() called exit(), which ends the rank; results"),
    ("exit of a thread", "a thread of the model called os._exit(0), which ends the rank")])
def test_faults_in_python(own, tmp_path, fault, sentence):
    result = run(own(numpy_model(tmp_path, fault, 80)), tmp_path / "run.h5")
    assert result.code == 3 and sentence in result.err
    assert "Traceback" not in result.err
    assert (tmp_path / "run.h5.partial").exists()


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
def test_processes_that_a_model_starts_may_end(own, tmp_path):
    result = run(own(numpy_model(tmp_path, "exit of a child", 80)), tmp_path / "run.h5")
    assert result.code == 0 and "exit code of the child: 7" in result.err


def alone(folder):
    """A copy of the program in a folder that CMake seems to have made, without a library for models in Python."""
    folder.mkdir()
    shutil.copy2(PROGRAM, folder / "trilemma")
    (folder / "CMakeCache.txt").write_text("")
    return folder / "trilemma"


# What stands in for the library, and what the program says of it.
UNFIT = {"none": (None, "libtrilemma_python.so is not next to the program"),
         "another version": ('const char *trilemma_python_version(void) { return "0.0.7"; }',
                             "libtrilemma_python.so is of trilemma 0.0.7, and this is trilemma "),
         "before versions": ("int nothing;", "libtrilemma_python.so is of another version of the program"),
         "Python is gone": ("", "libtrilemma_python.so cannot be loaded: ")}


@pytest.mark.parametrize("library", UNFIT)
def test_says_which_command_builds_the_library_for_python(own, tmp_path, library):
    program = alone(tmp_path / "build")
    source, sentence = UNFIT[library]
    there = program.parent / "libtrilemma_python.so"
    if source:
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", there], input=source, text=True, check=True)
    elif source is not None:
        there.write_text("no library")
    file = own(numpy_model(tmp_path))
    done = subprocess.run([program, "check-model", file, "--data-dir", tmp_path], capture_output=True, text=True,
                          env=environment())
    assert done.returncode == 2 and sentence in done.stderr
    assert f"cmake --build '{program.parent}' --target trilemma`" in done.stderr
    assert ("cmake -U '*Python3*'" in done.stderr) == (library == "Python is gone")


@pytest.mark.parametrize("language", LIBRARIES)
def test_any_rank_names_the_results_so_far(own, tmp_path, language):
    if language == "C":
        file, words, sentence = own(MODEL), ("problem.options=sentence 40",), "the licence has expired"
    else:
        numpy_model(tmp_path, "raise", 40)
        file, words, sentence = own("model.py"), (), "no more gradients"
    output = tmp_path / "run.h5"
    # Without clients on rank 0, another one fails.
    result = run(file, output, "server_hosts=false", *words, ranks=3)
    (line, *_) = [line for line in result.err.splitlines() if sentence in line]
    assert result.code == 3 and not line.startswith("trilemma: rank 0")
    assert line.endswith(f"; results that rank 0 has written before are in {output}.partial")
    assert call("show", f"{output}.partial").code == 0


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
@pytest.mark.parametrize("text,sentence", [
    ("class Modell: pass\n", "the file has no class Model"),
    ("class Model:\n    def __init__(self, f, c): pass\n", "the class Model has no parameters"),
    ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'; install it for Python 3."),
    ("class Model:\n    parameters = 0\n    gradient = predict = None\n    def __init__(self, f, c): pass\n",
     "the class Model has parameters = 0, expected 1 or more"),
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
    shown = " ".join(call("show", tmp_path / "run.h5").out.split())
    assert "REMARK the same call gives different results; results differ from run to run" in shown


@pytest.mark.parametrize("language", LIBRARIES)
def test_the_refusal_of_a_model_without_parameters_names_the_classes(tmp_path, language):
    (tmp_path / "t.csv").write_text("age,y\n3,0\n4,1\n5,0\n6,1\n")
    if language == "Python":
        numpy_model(tmp_path)
    file = tmp_path / "own.toml"
    file.write_text('method = "fedavg"\nrounds = 1\nclients = 1\n[data]\nsource = "csv"\ntrain = "t.csv"\ntarget = "y"\n'
                    f'[problem]\nkind = "plugin"\nlibrary = "{MODEL if language == "C" else "model.py"}"\n')
    result = run(file, tmp_path / "run.h5")
    assert result.code == 2 and "set data.classes if the targets are labels" in " ".join(result.err.split())


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
    for fault, sentence in (("write-x", "gradient() changed x"), ("write-records", "gradient() changed the features")):
        changed = call("check-model", file, "--data-dir", tmp_path, "--set", f"problem.options={fault}")
        assert changed.code == 2 and sentence in changed.sentence
        started = run(file, tmp_path / "run.h5", f"problem.options={fault}")
        assert started.code == 2 and sentence in started.sentence


def test_check_model_says_what_it_had_no_time_for(own, tmp_path):
    file = own(MODEL)
    short = call("check-model", file, "--data-dir", tmp_path, "--seconds", "0")
    assert short.code == 5, short.err
    assert "not checked: the gradient is the derivative of the loss; the time sufficed for 0 directions of 64" in short.out
    assert "derivative of the loss   yes" not in short.out
    found = json.loads(call("check-model", file, "--data-dir", tmp_path, "--seconds", "0", "--json").out)
    assert not found["holds"] and not found["slopes_complete"] and found["slope_directions"] == 0
    assert found["follows_slope"] is None and found["agree"] is None
    broken = call("check-model", file, "--data-dir", tmp_path, "--seconds", "0", "--set", "problem.options=drift")
    assert broken.code == 4
    slow = call("check-model", file, "--data-dir", tmp_path, "--seconds", "0", "--set", "problem.options=slow")
    assert "the comparison of slopes computes 512 of them" in slow.err
    assert call("check-model", file, "--data-dir", tmp_path, "--seconds", "-1").code == 2


HELPED = "import colorsys\nimport helper\nfrom deep import inner\nSCALE = helper.SCALE\n"


def helped_model(folder):
    """A model with modules of its own, one of them imported by a call."""
    (folder / "helper.py").write_text("SCALE = 1\n")
    (folder / "deep").mkdir(parents=True, exist_ok=True)
    (folder / "deep/__init__.py").write_text("")
    (folder / "deep/inner.py").write_text("SCALE = 1\n")
    (folder / "late.py").write_text("SCALE = 1\n")
    numpy_model(folder)
    text = (folder / "model.py").read_text()
    (folder / "model.py").write_text(HELPED + text.replace("        Model.calls += 1\n",
                                                           "        Model.calls += 1\n        import late\n"))
    return "model.py"


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
def test_records_what_computed_the_results(own, tmp_path):
    file = own(helped_model(tmp_path))
    answer = call("check-model", file, "--data-dir", tmp_path, "--json")
    found = json.loads(answer.out)
    output = good(file, tmp_path / "run.h5", ranks=3)
    with h5py.File(output) as content:
        packages, modules = content.attrs["own_model_packages"], content.attrs["own_model_modules"]
    names = ("deep/__init__.py", "deep/inner.py", "helper.py", "late.py")
    expected = {f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {(tmp_path / name).resolve()}"
                for name in names}
    assert set(modules) == expected and found["modules"] == list(modules)
    assert packages[0].startswith("Python 3.") and packages[1].startswith("numpy ") and len(set(packages)) == len(packages)
    assert found["packages"] == list(packages)
    packages = ", ".join(packages)
    shown = call("show", output).out
    assert f"computed by           {packages}" in shown and "late.py" in shown
    text = call("check-model", file, "--data-dir", tmp_path, "--seconds", "0").out
    assert f"computed by {packages}" in text and "late.py" in text
    in_c = good(own(MODEL), tmp_path / "c.h5")
    with h5py.File(in_c) as content:
        assert all(len(content.attrs[f"own_model_{name}"]) == 0 for name in ("packages", "modules"))


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
@pytest.mark.parametrize("name", ["helper.py", "late.py"])
def test_a_changed_module_ends_a_resume(own, tmp_path, name):
    file = own(helped_model(tmp_path))
    half = tmp_path / "half.h5"
    blocker = tmp_path / "half.h5.checkpoint-4"  # ends the run there
    (blocker / "in the way").mkdir(parents=True)
    assert run(file, half, "checkpoint.rounds=2").code != 0
    (blocker / "in the way").rmdir()
    blocker.rmdir()
    module = tmp_path / name
    module.write_text(module.read_text() + "\n")
    refused = run(file, half, resume=True)
    assert refused.code == 2 and "modules that the model imports have changed since" in refused.sentence
    assert str(module) in refused.sentence
    module.write_text(module.read_text()[:-1])
    good(file, half, resume=True, ranks=2)


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
def test_models_of_one_process_have_modules_of_their_own(own, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        helped_model(tmp_path / folder)
        model = tmp_path / folder / "model.py"
        (tmp_path / folder / "helper.py").write_text(f"SCALE = 1\nPLACE = {folder!r}\n")
        model.write_text(model.read_text().replace('name = "softmax in NumPy"', f"name = helper.PLACE  # {folder}"))
    file = own("one/model.py")
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('name = "both"\nexperiment = "own.toml"\nseeds = 1\n[axes]\n'
                     f'problem.library = ["{tmp_path}/one/model.py", "{tmp_path}/two/model.py"]\n')
    done = call("sweep", sweep, "--all", "--quiet", "--data-dir", tmp_path, "--output-dir", tmp_path / "results")
    assert done.code == 0, done.out + done.err
    seen = {}
    for path in (tmp_path / "results").glob("**/*.h5"):
        with h5py.File(path) as content:
            seen[content.attrs["own_model_name"]] = " ".join(content.attrs["own_model_modules"])
    assert set(seen) == {"one", "two"}
    for folder, other in (("one", "two"), ("two", "one")):
        assert f"/{folder}/helper.py" in seen[folder] and f"/{other}/" not in seen[folder]


@pytest.mark.skipif(not PYTHON, reason="no models in Python")
@pytest.mark.parametrize("how", ["VIRTUAL_ENV", "PATH"])
def test_packages_of_an_active_virtual_environment_are_used(own, tmp_path, how):
    place = tmp_path / "environment"
    python = Path("/usr/bin/python3")
    made = subprocess.run([python, "-m", "venv", "--without-pip", "--system-site-packages", place], capture_output=True,
                          text=True)
    if made.returncode != 0:
        pytest.skip("no virtual environments: " + made.stderr)
    (site,) = place.glob("lib/python3*/site-packages")
    (site / "only_there.py").write_text("NAME = 'of the environment'\n")
    numpy_model(tmp_path)
    model = tmp_path / "model.py"
    model.write_text("import only_there\n" + model.read_text().replace('"softmax in NumPy"', "only_there.NAME"))
    env = {"VIRTUAL_ENV": str(place)} if how == "VIRTUAL_ENV" else {"PATH": f"{place}/bin:{os.environ['PATH']}"}
    answer = call("check-model", own("model.py"), "--data-dir", tmp_path, "--seconds", "0", "--json", env=env)
    found = json.loads(answer.out)
    assert found["name"] == "of the environment" and found["packages"][0].endswith(f" in {place}")
    assert found["modules"] == []


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
