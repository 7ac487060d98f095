"""Data that users bring: words, gaps and classes, to the same bits on any number of ranks."""
import json

import h5py
import numpy as np
import pytest

from conftest import call, summary
from test_ranks import assert_same_bits

PRIVATE = ["--set", "method=ldp-sgd", "--set", "privacy.sigma=0.1", "--set", "privacy.delta=1e-3", "--set",
           "local.batch=2"]
STRICT = [*PRIVATE, "--set", "privacy.strict=true", "--set", "data.scaling=none"]

HOMES = """
method = "fedavg"
clients = 4
[data]
source = "csv"
train = "mine/homes.csv"
target = "price"
one_hot = ["town"]
missing = "mean"
test_share = 0.2
"""
LETTERS = """
method = "fedavg"
clients = 4
[data]
source = "libsvm"
train = "mine/letters.svm"
classes = 3
bias = false
test_share = 0.2
[problem]
kind = "softmax"
"""


@pytest.fixture
def own(tmp_path):
    """Files with words and gaps; the experiments next to them."""
    rng = np.random.default_rng(2)
    folder = tmp_path / "mine"
    folder.mkdir()
    lines = ["town,rooms,size,price"]
    for town, rooms, size in zip(rng.choice(["Bern", "Rome", "Oslo"], 60), rng.integers(1, 6, 60), rng.random(60)):
        cell = "NA" if size < 0.1 else f"{100 * size:.1f}"
        lines.append(f"{town},{rooms},{cell},{100 * rooms + 300 * size + 50 * (town == 'Bern'):.1f}")
    (folder / "homes.csv").write_text("\n".join(lines) + "\n")
    lines = [f"{label} {label}:{0.5 + value:.3f} 4:1" for label, value in zip(rng.integers(1, 4, 60), rng.random(60))]
    (folder / "letters.svm").write_text("\n".join(lines) + "\n")
    files = []
    for name, text in (("homes", HOMES), ("letters", LETTERS)):
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(text)
    return files


def run(file, output, *more, ranks=None):
    result = call("run", file, "--data-dir", file.parent, *more, "--output", output, "--quiet", ranks=ranks)
    assert result.code == 0, result.err
    return output


def data_of(file):
    with h5py.File(file) as h5:
        return h5.attrs["data"]


def test_the_examples_run_and_learn(own, tmp_path):
    homes, letters = (run(file, tmp_path / f"{file.stem}.h5") for file in own)
    assert summary(letters)["accuracy_final"] > 0.9
    assert summary(letters)["dimension"] == 5 * 3
    assert summary(homes)["dimension"] == 2 + 3 + 1
    with h5py.File(homes) as h5:
        error = h5["rounds/test_error"][:]
    assert error[-1] < error[0] / 2
    for words in ("from 5 features and a bias, one-hot town, missing values: mean", "in place of missing values",
                  "; a share of 0.2 drawn for tests; 4 clients with 12 records each"):
        assert words in data_of(homes)
    assert "3 classes from 4 features in dense rows" in data_of(letters)
    shown = call("partition", own[0], "--data-dir", tmp_path)
    assert "a share of 0.2 drawn for tests" in shown.out and "48 records for training" in shown.out
    assert "12 records drawn for tests" in shown.out
    shown = call("partition", own[0], "--data-dir", tmp_path, "--json")
    assert json.loads(shown.out)["drawn_for_tests"] == 12


@pytest.mark.parametrize("more", [[], ["--set", "data.missing=drop"]])
def test_the_number_of_ranks_changes_no_bit(own, tmp_path, more):
    for file in own if not more else own[:1]:
        words = [*more, "--set", "rounds=5"]
        alone = run(file, tmp_path / f"{file.stem}-1.h5", *words)
        for ranks in (2, 3, 4):
            assert_same_bits(alone, run(file, tmp_path / f"{file.stem}-{ranks}.h5", *words, ranks=ranks))


def test_the_draw_of_tests_does_not_follow_the_seed_of_the_run(own, tmp_path):
    sums = set()
    for seed in (1, 2):
        with h5py.File(run(own[1], tmp_path / f"{seed}.h5", "--set", f"seed={seed}", "--set", "rounds=1")) as h5:
            sums.add(h5["partition"].attrs["assignment"])
    assert len(sums) == 1


def test_the_claim_names_what_looked_at_all_records(own, tmp_path):
    with h5py.File(run(own[0], tmp_path / "x.h5", *PRIVATE, "--set", "rounds=2")) as h5:
        claim, preprocessing = h5.attrs["claim"], "; ".join(h5["privacy"].attrs["preprocessing"])
    for words in ("feature scaling", "means in place of missing values", "features for the words that occur"):
        assert words in claim
    for key in ("data.scaling", "data.missing", "data.one_hot"):
        assert key in preprocessing


@pytest.mark.parametrize("settings, key", [
    (["data.one_hot=[]", "data.columns=['rooms', 'size']"], "data.missing"),
    (["data.missing=drop", "data.features=5"], "data.one_hot"),
])
def test_what_strict_refuses(own, tmp_path, settings, key):
    words = [word for setting in settings for word in ("--set", setting)]
    told = call("run", own[0], "--data-dir", tmp_path, *STRICT, *words, "--output", tmp_path / "x.h5")
    assert told.code == 2 and key in told.sentence and "privacy.strict forbids" in told.sentence, told.err


def test_strict_keeps_back_how_many_records_are_incomplete(own, tmp_path):
    keys = ["--set", "data.one_hot=[]", "--set", "data.columns=['rooms', 'size']", "--set", "data.missing=drop"]
    open_words = data_of(run(own[0], tmp_path / "a.h5", *PRIVATE, *keys, "--set", "rounds=2"))
    assert "incomplete records left out" in open_words
    file = run(own[0], tmp_path / "b.h5", *STRICT, *keys, "--set", "rounds=2")
    for command in (["partition", own[0], "--data-dir", tmp_path, *STRICT, *keys], ["show", file]):
        shown = call(*command)
        assert shown.code == 0 and "incomplete" not in shown.out and "missing values: drop" in shown.out
    assert "incomplete" not in data_of(file) and "missing values: drop" in data_of(file)
    assert call("verify", file).code == 0


def test_a_run_is_taken_up_by_what_its_file_says(own, tmp_path):
    """The resolved configuration has every key that was read."""
    with h5py.File(run(own[1], tmp_path / "a.h5", "--set", "rounds=2")) as h5:
        config, fingerprint = h5["config"][()].decode(), h5.attrs["fingerprint"]
    assert "classes = 3" in config and "test_share = 0.2" in config and "layout = 'dense'" in config
    again = own[1].with_name("again.toml")
    again.write_text(config)
    with h5py.File(run(again, tmp_path / "b.h5")) as h5:
        assert h5.attrs["fingerprint"] == fingerprint
