"""Experiments of a few lines: every problem of the program's table learns from its default start, beats the best answer that
ignores the features, records its start, and has the same bits on any number of ranks; starts without a gradient are
refused."""
import h5py
import numpy as np
import pytest
import tomllib

from conftest import MODEL, call, read, summary, write_idx

IDX = """
source = "idx"
images = "images.gz"
labels = "labels.gz"
test_images = "images.gz"
test_labels = "labels.gz"
"""
CSV = 'source = "csv"\ntrain = "table.csv"\ntarget = "y"\nuser = ""\n'
# What follows [data], the settings that choose the problem, the law of its start, and the objective of the best constant
# answer: the entropy of the labels (24 % are positive, or three classes), half the variance of a standardised target, and
# for the mean of four standardised features and a bias that of the start.
PROBLEMS = {
    "logistic": ('source = "synthetic"\n', [], "normal", 0.551),
    "network": (IDX, [], "glorot", np.log(3)),
    "cnn": (IDX, ["problem.kind=cnn", "problem.channels=8", "problem.kernel=3", "problem.padding=1"], "glorot", np.log(3)),
    "layers": (IDX, ["problem.layers=conv 8 3 1 1, relu, maxpool 2, dense"], "glorot", np.log(3)),
    "softmax": (IDX, ["problem.kind=softmax"], "normal", np.log(3)),
    "linear": (CSV, [], "normal", 0.5),
    "mean": (CSV, ["problem.kind=mean"], "normal", 2.5),
    "plugin": (IDX, ["problem.kind=plugin", f"problem.library={MODEL}"], "own", np.log(3)),
}
NETWORKS = {
    "relu": ["problem.activation=relu"],
    "deep": ["problem.hidden=32-16", "problem.activation=tanh"],
    "few-bits": ["problem.activation=relu", "problem.quantise=luq", "local.solver=sgd", "local.batch=20"],
}


def experiment(folder, data):
    """Two lines, and the files that they name."""
    write_idx(folder, side=8)
    rng = np.random.default_rng(2)
    x = rng.normal(1, 1, (300, 4))
    y = x @ [1.0, -2.0, 0.5, 1.5] + 0.1 * rng.normal(size=300)
    rows = "".join(",".join(f"{value:.6g}" for value in row) + "\n" for row in np.column_stack([x, y]))
    (folder / "table.csv").write_text("a,b,c,d,y\n" + rows)
    file = folder / "two-lines.toml"
    file.write_text(f'method = "fedavg"\n[data]\n{data}')
    return file


def run(file, output, settings, ranks=None):
    """Five rounds from the defaults."""
    words = [word for setting in ["rounds=5", *settings] for word in ("--set", setting)]
    result = call("run", file, "--data-dir", file.parent, "--output", output, "--quiet", *words, ranks=ranks)
    assert result.code == 0, result.err
    return output


def test_every_problem_is_tested_here():
    rows = call("list", "problems").out.splitlines()[1:]
    assert {row.split()[0] for row in rows} == set(PROBLEMS)


def learns(file, constant):
    """The start model, which the run has left, and after which it has beaten the best constant answer."""
    with h5py.File(file) as content:
        start, end = content["model/start"][:], content["model/final"][:]
        objective = content["rounds/objective"][:]
        baseline = content.attrs["baseline_score"]
    facts = summary(file)
    assert not np.array_equal(start, end)
    assert objective[-1] < objective[0]
    assert objective[-1] < 0.95 * constant
    if constant == np.log(3):
        assert facts["accuracy_final"] > baseline + 0.1
    return start


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_learns_in_two_lines(tmp_path, name):
    data, settings, law, constant = PROBLEMS[name]
    file = experiment(tmp_path, data)
    start = learns(run(file, tmp_path / "one.h5", settings), constant)
    with h5py.File(tmp_path / "one.h5") as content:
        recorded = tomllib.loads(content["config"].asstr()[()])["start"]
    assert recorded["law"] == law
    assert (start == 0).all() == (law == "normal")
    verified = call("verify", tmp_path / "one.h5", "--data-dir", tmp_path)
    assert "the run makes no claim" in verified.out + verified.err  # and nothing is wrong with the file


@pytest.mark.parametrize("name", NETWORKS)
def test_every_kind_of_network_learns(tmp_path, name):
    learns(run(experiment(tmp_path, IDX), tmp_path / "one.h5", NETWORKS[name]), np.log(3))


@pytest.mark.parametrize("settings", [[], PROBLEMS["cnn"][1], ["start.law=fan-in"]], ids=["network", "cnn", "fan-in"])
def test_same_bits_on_any_number_of_ranks(tmp_path, settings):
    file = experiment(tmp_path, IDX)
    alone = run(file, tmp_path / "alone.h5", ["rounds=2", *settings])
    with h5py.File(alone) as content:
        start = content["model/start"][:]
    for ranks in (1, 2, 3):
        other = run(file, tmp_path / f"{ranks}.h5", ["rounds=2", *settings], ranks=ranks)
        assert read(alone)[0].tobytes() == read(other)[0].tobytes()
        with h5py.File(other) as content:
            assert content["model/start"][:].tobytes() == start.tobytes()


def test_the_seed_decides_the_start(tmp_path):
    file = experiment(tmp_path, IDX)
    starts = []
    for number, seed in enumerate((1, 1, 2)):
        with h5py.File(run(file, tmp_path / f"{number}.h5", ["rounds=1", f"seed={seed}"])) as content:
            starts.append(content["model/start"][:].tobytes())
    assert starts[0] == starts[1] != starts[2]


@pytest.mark.parametrize("kind", ["network", "cnn"])
def test_starts_without_a_gradient_are_refused(tmp_path, kind):
    file = experiment(tmp_path, IDX)
    settings = PROBLEMS[kind][1]
    words = ["--data-dir", tmp_path, "--output", tmp_path / "x.h5"]
    words += [word for setting in settings for word in ("--set", setting)]
    for start in ("scale=0", "law=zero", "law=normal"):
        refused = call("run", file, *words, "--set", f"start.{start}")
        assert refused.code == 2 and "hidden units" in refused.sentence, refused.sentence
    with h5py.File(run(file, tmp_path / "size.h5", ["rounds=1", *settings])) as content:
        size = len(content["model/start"])
    zeros = tmp_path / "zeros.txt"
    for text in ("0\n" * size, "0.5\n" * size):
        zeros.write_text(text)
        refused = call("run", file, *words, "--set", f"start.file={zeros}")
        assert refused.code == 2 and "zeros.txt" in refused.sentence and "hidden layer 1" in refused.sentence
    assert not (tmp_path / "x.h5").exists()
