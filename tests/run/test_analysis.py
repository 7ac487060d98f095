"""Conformance of the analysis: every command on finished, diverged and stopped runs of every method, of own models in C and
in Python, of listed layers, and of privacy.strict. A command ends with exit code 0 or with the sentence that is true of its
runs, and never calls a file damaged."""
import math
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import PROGRAM, ROOT, call
from extent import tenth

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
pytest.importorskip("scipy")
sys.path.insert(0, str(ROOT / "analysis"))
from trilemma_analysis.cli.main import main  # noqa: E402
from trilemma_analysis.io.run_file import read_run  # noqa: E402
from trilemma_analysis.model.groups import all_settings  # noqa: E402
from trilemma_analysis.model.states import is_lost  # noqa: E402

PYTHON = (PROGRAM.parent / "libtrilemma_python.so").exists()
EXPERIMENT = """
name = "tiny"
clients = 4
rounds = 4
[data]
rows = 80
test_rows = 20
features = 5
nonzeros = 3
[local]
batch = 5
"""
OWN = """
name = "tiny"
method = "fedavg"
clients = 4
rounds = 4
[data]
source = "arrays"
train = "records.npz"
classes = {classes}
[problem]
kind = "plugin"
library = "{library}"
[local]
solver = "sgd"
batch = 5
steps = 2
"""
LAYERS = """
name = "tiny"
method = "fedavg"
clients = 4
rounds = 4
[data]
source = "prototypes"
rows = 40
test_rows = 10
[problem]
kind = "layers"
layers = ["dense"]
[local]
batch = 5
"""
# A model in NumPy: logits are a linear function of the record.
MODEL = '''
import numpy as np

class Model:
    def __init__(self, features, classes):
        self.shape = (classes, features)
        self.parameters = classes * features

    def start(self, seed):
        return 0.01 * np.random.default_rng(seed).normal(size=self.parameters)

    def gradient(self, x, records, labels):
        scores = records @ x.reshape(self.shape).T
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores)
        loss = (np.log(p.sum(axis=1)) - scores[np.arange(len(labels)), labels]).sum()
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(labels)), labels] -= 1
        return loss, (p.T @ records).ravel()

    def predict(self, x, records):
        return np.argmax(records @ x.reshape(self.shape).T, axis=1)
'''
# A run diverges by the first of these that its method reads and with which it comes to its end.
RATES = ("server.rate", "gossip.rate", "local.rate")
DIVERGING = tuple(f"{key}={rate}" for rate in ("1e30", "7e4", "1e3") for key in RATES)
NOISES = ((), ("privacy.epsilon=5", "privacy.delta=1e-3"), ("privacy.sigma=0.1",))  # the first that a method accepts


@dataclass(frozen=True)
class Family:
    """What the runs of a folder have in common: the text of the experiment, and settings."""

    experiment: str
    settings: tuple[str, ...] = ()


# Families other than those of single methods.
OTHERS = {
    "model in C": Family(OWN.format(library="linear.so", classes=0)),
    "model in Python": Family(OWN.format(library="model.py", classes=2)),
    "layers": Family(LAYERS),
    "strict": Family(EXPERIMENT, ("method=ldp-sgd", "privacy.strict=true", "data.scaling=none")),
}


@pytest.fixture(scope="session")
def methods_that_differ(methods, tmp_path_factory):
    """The methods whose files differ in kind: all with a column that others lack (decentralised, asynchronous, personal),
    and of the others one for each status of the claim."""
    folder, found, seen = tmp_path_factory.mktemp("methods"), [], set()
    (folder / "tiny.toml").write_text(EXPERIMENT)
    plain: set[str] = set()
    for method in methods:
        settled(folder / "tiny.toml", folder / f"{method}.h5", (f"method={method}",))
        with h5py.File(folder / f"{method}.h5") as file:
            columns, status = set(file["rounds"]), file.attrs["claim_status"]
        plain = plain or columns  # those of the first method of the table
        if columns != plain or status not in seen:
            found.append(method)
            seen |= {status} if columns == plain else set()
    return found


def made(file, output, settings, code=0):
    """Whether a run ends with this exit code."""
    words = [word for setting in settings for word in ("--set", setting)]
    return call("run", file, "--data-dir", file.parent, *words, "--quiet", "--output", output).code == code


def settled(file, output, settings):
    """Makes a run; returns its settings with the noise that the method needs."""
    return next(found for noise in NOISES if made(file, output, found := (*settings, *noise)))


def runs_of(family, folder):
    """Writes runs of a family: two that are done, one that diverged, and one that was stopped after some rounds."""
    file, runs = folder / "tiny.toml", folder / "runs"
    file.write_text(family.experiment)
    (folder / "model.py").write_text(MODEL)
    records = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    target = records[:, 0] > 0 if "model.py" in family.experiment else records @ np.array([1, 2, 3.0], np.float32)
    np.savez(folder / "records.npz", X=records, y=target.astype(np.uint8 if target.dtype == bool else np.float32))
    runs.mkdir()
    settings = settled(file, runs / "1.h5", family.settings)
    assert made(file, runs / "2.h5", (*settings, "seed=2"))
    assert any(made(file, runs / "diverged.h5", (*settings, rate)) for rate in DIVERGING)
    # A checkpoint that cannot be written ends a run in its middle.
    blocker = runs / "stopped.h5.checkpoint-3"
    (blocker / "in the way").mkdir(parents=True)
    assert made(file, runs / "stopped.h5", (*settings, "seed=3", "checkpoint.rounds=3"), code=3)
    shutil.rmtree(blocker)
    assert sorted(path.name for path in runs.iterdir()) == ["1.h5", "2.h5", "diverged.h5", "stopped.h5.partial"]
    return runs


def rate_of(runs):
    """The axis of the folder: the rate by which one of its runs diverged."""
    done, diverged = (all_settings(read_run(runs / f"{name}.h5").config) for name in ("1", "diverged"))
    return next(key for key in RATES if done.get(key) != diverged.get(key))


def commands(runs, out):
    """Every command of the analysis on the files of a folder, by a name."""
    folder, every = str(runs), [str(path) for path in sorted(runs.iterdir()) if ".h5" in path.name]
    return {
        "table": ["table", folder, "--csv", f"{out}/table.csv"],
        "table of files": ["table", *every],
        "sweep": ["sweep", folder, "--json", f"{out}/sweep.json", "-o", f"{out}/sweep.svg"],
        "sweep of panels": ["sweep", folder, "--panel", "rounds,times", "-o", f"{out}/panels.svg"],
        "best of bits": ["best", folder, "--bits", "1GB", "--json", f"{out}/best.json"],
        "best of epsilon": ["best", folder, "--epsilon", "1e9"],
        "curves": ["curves", *every, "-o", f"{out}/curves.svg"],
        "cost": ["cost", folder, "-o", f"{out}/cost.svg"],
        "report": ["report", folder, "-o", f"{out}/report.html"],
        "verdict": ["verdict", "gos-a9a", folder],
        **{f"export to {to}": ["export", *every, "--to", to, "-o", f"{out}/{to}"]
           for to in ("csv", "json", "mlflow", "tensorboard")},
    }


def views(runs, out, by):
    """The commands with options that regroup what they draw; `by` is an axis of the sweep. They do not depend on the
    method, so that a few families are enough."""
    folder = str(runs)
    return {
        "sweep of ends": ["sweep", folder, "--panel", "end-bits,rounds", "--by", by, "-o", f"{out}/ends.svg"],
        "best by clients": ["best", folder, "--bits", "1GB", "--by", "clients", "-o", f"{out}/by.svg"],
        "report with text": ["report", folder, "--by", "clients", "--text", f"{out}/text.md", "-o", f"{out}/text.html"],
    }


# What a command may refuse: the runs of which that is so, and the sentence. All other commands must succeed.
REFUSALS = {
    "best of epsilon": (lambda run: run.released and not run.private, "no accounted epsilon (not a private run)"),
    "best of bits": (lambda run: False, ""),
    "cost": (lambda run: math.isnan(run.attributes["epsilon_nominal"]), "none of the files has both a nominal epsilon and"),
    "verdict": (lambda run: run.attributes["method"] not in ("beer", "choco-sgd", "d2"), "no run of beer, choco-sgd, dsgd, d2 "),
}


def answered(name, words, run, capsys):
    """Checks a command on runs like `run`: it succeeds where it has no reason to refuse, else it says the reason."""
    applies, sentence = REFUSALS.get(name, (lambda _: False, ""))
    code = main(words)
    told = capsys.readouterr()
    assert "damaged" not in told.err + told.out and "Traceback" not in told.err, (words, told.err)
    said = [line for line in told.err.splitlines() if line.startswith("trilemma_analysis:")]
    if applies(run):
        assert code == 2 and len(said) == 1 and sentence in said[0], (words, code, told.err)
    else:
        assert code == 0 and not said, (words, code, told.err)


def check(name, family, folder, capsys, with_views=False, chosen=list):
    """Checks the `chosen` commands on the runs of a family, perhaps with views; returns how many there were."""
    runs = runs_of(family, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diverged = read_run(runs / "diverged.h5")
    # Strict runs have no objective, and that of methods without a common model stays as it is.
    assert is_lost(diverged) or diverged.evaluated("objective").nunique() < 2
    (folder / "text.md").write_text("# Aim\n\nWhich method is *best*?\n")
    todo = commands(runs, folder) | (views(runs, folder, rate_of(runs)) if with_views else {})
    todo = {command: todo[command] for command in chosen(todo)}
    for command, words in todo.items():
        answered(command, words, read_run(runs / "1.h5"), capsys)
    table = pd.read_csv(folder / "csv/runs.csv")
    assert table["complete"].tolist() == [True, True, True, False] and set(table["method"]) == {
        read_run(runs / "1.h5").attributes["method"]}
    return len(todo)


@pytest.mark.parametrize("name", OTHERS)
def test_every_command_answers_for_own_models_layers_and_strict_runs(name, tmp_path, capsys):
    if name == "model in Python" and not PYTHON:
        pytest.skip("the program was built without Python models (target trilemma_python)")
    if name == "model in C":
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", ROOT / "src/problem/plugin", ROOT / "jobs/models/linear.c", "-o",
                        tmp_path / "linear.so"], check=True)
    check(name, OTHERS[name], tmp_path, capsys, with_views=True,
          chosen=lambda todo: {"export to csv", "table", "report", *tenth(todo, name)})


def test_every_command_answers_for_the_methods(methods_that_differ, tmp_path, capsys):
    assert len(methods_that_differ) >= 20, "decentralised, asynchronous and personal methods"
    count = 0
    for method in methods_that_differ:
        (tmp_path / method).mkdir()
        count += check(method, Family(EXPERIMENT, (f"method={method}",)), tmp_path / method, capsys,
                       chosen=lambda todo: {"export to csv", *tenth(todo, method)})
    print(f"{count} commands on runs of {', '.join(methods_that_differ)}")


SWEEP = """
name = "tasks"
experiment = "tiny.toml"
seeds = 2
[set]
"privacy.delta" = 1e-3
[axes]
"data.label_noise" = [0.0, 0.2]
"method" = ["ldp-sgd", "cdp-sgd", "gd"]
"privacy.epsilon" = [2.0, 5.0]
"""
GAPS = re.compile(r"\b\d+ of 24 cells done, \d+ failed, .*\b1 missing")


def test_every_command_answers_for_a_partial_sweep_of_several_tasks(tmp_path, capsys):
    """Of the cells of the second task one failed and one is missing, and the methods of one epsilon are half done."""
    (tmp_path / "tiny.toml").write_text(EXPERIMENT)
    (tmp_path / "tasks.toml").write_text(SWEEP)
    (tmp_path / "text.md").write_text("# Aim\n")
    runs = tmp_path / "runs"
    done = call("sweep", tmp_path / "tasks.toml", "--all", "--quiet", "--output-dir", runs)
    assert done.code in (0, 3), done.err  # gd refuses an epsilon
    cells = sorted(runs.glob("*.h5"))
    assert len(cells) >= 16
    cells[0].unlink()
    cells[-1].rename(cells[-1].with_suffix(".h5.partial"))
    cells[-2].unlink()
    cells[-2].with_suffix(".failed").write_text("round 2: it broke\n")
    folder = str(runs)
    todo = commands(runs, tmp_path) | views(runs, tmp_path, "method") | {
        "sweep by task": ["sweep", folder, "--by", "data.label_noise", "-o", f"{tmp_path}/task.svg"],
        "sweep of epsilons": ["sweep", folder, "--panel", "epsilon,bits", "-o", f"{tmp_path}/epsilon.svg"],
        "best by epsilon": ["best", folder, "--bits", "1GB", "--by", "privacy.epsilon", "-o", f"{tmp_path}/by.svg"]}
    todo["curves of a folder"] = ["curves", folder, "-o", f"{tmp_path}/all.svg"]
    del todo["verdict"]  # of other methods
    for name, words in todo.items():
        code, told = main(words), capsys.readouterr()
        refused = "what privacy costs is a question on one task" in told.err
        assert (code, refused) == ((2, True) if name == "cost" else (0, False)), (name, told.err)
        if folder not in words or refused or words[0] == "export":
            continue
        # What is printed, and what is written for people: all say which cells have no result.
        written = [Path(word) for word in words if word.endswith((".svg", ".html"))]
        written = [path if path.suffix == ".html" else path.with_suffix(".txt") for path in written]
        said = [path.read_text() for path in written] + ([told.out + told.err] if words[0] != "report" else [])
        assert said and all(GAPS.search(" ".join(text.split())) for text in said), (name, said)
    page = (tmp_path / "report.html").read_text()
    assert "label_noise = 0" in page and "label_noise = 0.2" in page
