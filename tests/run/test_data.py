"""Data with users of their own, from file to run file: bit-identical on any number of ranks, wherever clients are hosted."""
import hashlib
import json

import h5py
import numpy as np
import pytest

from conftest import call, read
from test_ranks import assert_same_bits

SIZES = [40, 3, 5, 4, 30, 6]  # records of the users
EXPERIMENT = """
name = "users"
method = "pmtl"
rounds = 5
clients = 6
[data]
source = "csv"
train = "train.csv"
target = "y"
user = "who"
drop = []
features = 3
[local]
solver = "personal-gd"
steps = 2
rate = 0.05
[privacy]
sigma = 0.05
delta = 0.1
"""


def write_csv(path, sizes, seed=3):
    rng = np.random.default_rng(seed)
    lines = ["who,a,b,c,y"]
    for user, size in enumerate(sizes):
        for a, b, c, noise in rng.normal(size=(size, 4)):
            lines.append(f"user {user},{a:.6f},{10 * b:.6f},{c:.6f},{100 + 7 * user + 5 * a - b + noise:.6f}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def users(tmp_path):
    write_csv(tmp_path / "train.csv", SIZES)
    path = tmp_path / "users.toml"
    path.write_text(EXPERIMENT)
    return path


def run(users, file, *more, ranks=None):
    result = call("run", users, "--data-dir", users.parent, *more, "--output", file, "--quiet", ranks=ranks)
    assert result.code == 0, result.err
    return file


def partition_of(file):
    with h5py.File(file) as h5:
        group = h5["partition"]
        return dict(group.attrs), group["records"][:].tolist(), group["held_out"][:].tolist()


def test_hosting_by_records_gives_the_same_bits(users, tmp_path):
    held_out = ["--set", "partition.held_out=0.25"]
    alone = run(users, tmp_path / "alone.h5", *held_out)
    assert np.isfinite(read(alone)[1]["client_score_mean"]).all()
    imbalance = {}
    for ranks in (2, 3, 4):
        for hosting in ("clients", "records"):
            file = run(users, tmp_path / f"{ranks}-{hosting}.h5", *held_out, "--set", f"hosting={hosting}", ranks=ranks)
            assert_same_bits(alone, file)
            attributes, records, kept = partition_of(file)
            assert attributes["hosting"] == hosting
            assert (records, kept) == ([30, 3, 4, 3, 23, 5], [10, 0, 1, 1, 7, 1])
            imbalance[ranks, hosting] = attributes["imbalance"]
    # Two hosts: 30 + 3 + 4 and 3 + 23 + 5, or 30 + 3 and 4 + 3 + 23 + 5; the mean is 68 / hosts.
    assert imbalance[3, "clients"] == pytest.approx(37 / 34)
    assert imbalance[3, "records"] == pytest.approx(35 / 34)
    assert imbalance[4, "clients"] == pytest.approx(3 * 33 / 68)
    assert imbalance[4, "records"] == pytest.approx(3 * 30 / 68)


def test_a_run_goes_on_under_another_hosting(users, tmp_path):
    whole = run(users, tmp_path / "whole.h5")
    file = tmp_path / "x.h5"
    blocker = tmp_path / "x.h5.checkpoint-4"  # ends the run in its middle
    (blocker / "in the way").mkdir(parents=True)
    assert call("run", users, "--data-dir", tmp_path, "--set", "checkpoint.rounds=2", "--set", "hosting=records",
                "--output", file, "--quiet", ranks=3).code != 0
    (blocker / "in the way").rmdir()
    run(users, file, "--set", "hosting=clients", "--resume", ranks=4)
    assert_same_bits(whole, file)


def test_the_run_file_tells_who_holds_what(users, tmp_path):
    attributes, records, kept = partition_of(run(users, tmp_path / "x.h5"))
    assert (records, kept) == (SIZES, [])
    ends = np.cumsum([0] + SIZES)
    lines = [" ".join(map(str, range(first, end))) + "\n" for first, end in zip(ends, ends[1:])]
    assert attributes["assignment"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert attributes["kind"] == "natural" and attributes["unassigned"] == 0
    assert [attributes[f"records_{name}"] for name in ("least", "lower", "median", "upper", "most", "mean")] == \
        [3, 4, 5, 30, 40, pytest.approx(88 / 6)]
    assert np.isnan(attributes["labels_mean"])  # real targets
    shown = call("partition", users, "--data-dir", tmp_path, "--ranks", "4", "--set", "hosting=records")
    assert shown.code == 0
    assert attributes["assignment"] in shown.out
    assert "rank 1    clients 0 + 1, 40 records" in shown.out
    assert "imbalance (most / mean) 1.364" in shown.out
    assert "share of the largest label" not in shown.out


def test_partition_tells_of_labels(logistic):
    shown = call("partition", logistic, "--set", "partition.kind=label-sorted")
    assert shown.code == 0
    assert "label-sorted: 7 clients with 100 records each" in shown.out
    for words in ("labels ", "share of the largest label", "distance to all labels"):
        assert words in shown.out
    assert call("partition", logistic, "--ranks", "0").code == 2
    assert call("partition", logistic, "--set", "clients=701").code == 2


def test_common_test_records_with_real_targets_on_any_number_of_ranks(users, tmp_path):
    """Several blocks of test records, whose squared errors are no whole numbers."""
    write_csv(tmp_path / "test.csv", [500, 700, 600], seed=4)
    more = ["--set", "data.test=test.csv", "--set", "data.user=", "--set", "data.drop=who"]
    more += ["--set", "method=fedavg", "--set", "local.solver=gd"]
    alone = run(users, tmp_path / "alone.h5", *more)
    columns = read(alone)[1]
    assert np.isnan(columns["accuracy"]).all()
    with h5py.File(alone) as h5:
        # In the units of the target, from the model at zero: the mean of the training targets.
        train = np.loadtxt(tmp_path / "train.csv", delimiter=",", skiprows=1, usecols=4)
        test = np.loadtxt(tmp_path / "test.csv", delimiter=",", skiprows=1, usecols=4)
    assert columns["test_error"][0] == pytest.approx(np.sqrt(np.mean((test - train.mean()) ** 2)), rel=1e-5)
    for ranks in (2, 3, 4):
        assert_same_bits(alone, run(users, tmp_path / f"{ranks}.h5", *more, ranks=ranks))


def test_leaf_on_any_number_of_ranks(tmp_path):
    rng = np.random.default_rng(5)
    data = {f"w{u}": {"x": rng.random((size, 4)).tolist(), "y": rng.integers(0, 3, size).tolist()}
            for u, size in enumerate([9, 5, 7])}
    (tmp_path / "a.json").write_text(json.dumps(
        {"users": list(data), "num_samples": [len(d["y"]) for d in data.values()], "user_data": data}))
    experiment = tmp_path / "leaf.toml"
    experiment.write_text('method = "fedavg"\nrounds = 3\nclients = 3\n[data]\nsource = "leaf"\ntrain = "a.json"\n'
                          'features = 4\nclasses = 3\n[problem]\nkind = "softmax"\n[partition]\nheld_out = 0.4\n')
    alone = run(experiment, tmp_path / "alone.h5")
    assert_same_bits(alone, run(experiment, tmp_path / "3.h5", ranks=3))
    (tmp_path / "a.json").write_text("{")
    bad = call("run", experiment, "--data-dir", tmp_path, "--output", tmp_path / "x.h5", ranks=3)
    assert bad.code == 2 and "no JSON" in bad.sentence
