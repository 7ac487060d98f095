"""Labels that are not classes: the labels that occur must not decide the numbers of all others under privacy.strict."""
import json
import struct

import h5py
import numpy as np
import pytest

from conftest import call
from test_strict_pairs import differing

EXPERIMENT = """
method = "ldp-sgd"
clients = 2
rounds = 2
[data]
{data}
[partition]
kind = "contiguous"
[problem]
{problem}
[local]
batch = 5
[privacy]
sigma = 0.5
delta = 1e-3
"""
STRICT = ["--set", "privacy.strict=true", "--set", "privacy.relation=replace_one"]
RECORDS = 40


def write_idx(folder, labels, pixels):
    (folder / "images").write_bytes(struct.pack(">4I", 0x803, len(labels), 2, 2) + pixels.tobytes())
    (folder / "labels").write_bytes(struct.pack(">2I", 0x801, len(labels)) + bytes(int(label) for label in labels))


def write_leaf(folder, labels, pixels):
    users = {"a": slice(0, RECORDS // 2), "b": slice(RECORDS // 2, RECORDS)}
    (folder / "d.json").write_text(json.dumps({
        "users": list(users), "num_samples": [RECORDS // 2] * 2,
        "user_data": {user: {"x": (pixels[rows] / 255).tolist(), "y": [int(label) for label in labels[rows]]}
                      for user, rows in users.items()}}))


def write_arrays(folder, labels, pixels):
    np.savez(folder / "d.npz", X=pixels.astype(np.float32), y=labels)


def write_libsvm(folder, labels, pixels):
    (folder / "d.svm").write_text("".join(
        f"{label} " + " ".join(f"{i + 1}:{value / 255:.4f}" for i, value in enumerate(row)) + "\n"
        for label, row in zip(labels, pixels)))


def write_csv(folder, labels, pixels):
    rows = [f"{','.join(map(str, row / 255))},{label}" for label, row in zip(labels, pixels)]
    (folder / "d.csv").write_text("\n".join(["a,b,c,d,label", *rows]) + "\n")


SHAPE = 'features = 4\nclasses = 3\n'
NONE = 'scaling = "none"\n'
SOURCES = {
    "idx": (write_idx, 'source = "idx"\nimages = "images"\nlabels = "labels"\n' + SHAPE + NONE),
    "leaf": (write_leaf, 'source = "leaf"\ntrain = ["d.json"]\n' + SHAPE),
    "arrays": (write_arrays, 'source = "arrays"\ntrain = "d.npz"\n' + SHAPE + NONE),
    "libsvm": (write_libsvm, 'source = "libsvm"\ntrain = "d.svm"\nindex_from = 1\nbias = false\n' + SHAPE + NONE),
    "csv": (write_csv, 'source = "csv"\ntrain = "d.csv"\ntarget = "label"\nbias = false\n' + SHAPE + NONE),
}
OF_DATA = {"model/final", "rounds/accuracy", "rounds/test_error", "rounds/test_loss"}


def labels_of(present):
    """The first label in every place but the last, where it is replaced by a rare one."""
    return np.array([present[i % 2] for i in range(RECORDS - 1)] + [present[-1]])


@pytest.fixture
def write(tmp_path):
    """An experiment on records with these labels."""
    def make(source, labels, problem='kind = "softmax"'):
        writer, data = SOURCES[source]
        writer(tmp_path, labels, np.random.default_rng(5).integers(1, 255, (RECORDS, 4)).astype(np.uint8))
        (tmp_path / "e.toml").write_text(EXPERIMENT.format(data=data, problem=problem))
        return tmp_path / "e.toml"
    return make


def run(file, name, *more):
    return call("run", file, "--data-dir", file.parent, "--quiet", *more, "--output", file.parent / name)


@pytest.mark.parametrize("source", SOURCES)
def test_one_record_does_not_renumber_the_labels_of_the_others(write, source):
    """Labels 1 to 3, the last in one record only: without it the labels would be classes as they are."""
    file = write(source, labels_of([1, 2, 3]))
    told = run(file, "x.h5", *STRICT)
    assert told.code == 2 and not (file.parent / "x.h5").exists(), told.err
    for words in ("labels 1", "became classes 0 to 2", "privacy.strict forbids it", "data.class_labels"):
        assert words in told.sentence
    stated = run(file, "stated.h5", *STRICT, "--set", "data.class_labels=[3, 1, 2]")
    assert stated.code == 0, stated.err
    with h5py.File(file.parent / "stated.h5") as h5:
        assert "labels" not in h5.attrs["claim"] and len(h5["privacy"].attrs["preprocessing"]) == 0
    assert call("verify", file.parent / "stated.h5").code == 0


@pytest.mark.parametrize("source", SOURCES)
def test_stated_labels_do_not_depend_on_which_occur(write, source):
    """A neighbour without the rare label starts and releases the same kind of file; its labels have the same numbers."""
    more = [*STRICT, "--set", "data.class_labels=[1, 2, 3]", "--set", "partition.kind=shuffled"]
    for name, last in (("one.h5", 3), ("other.h5", 2)):
        labels = labels_of([1, 2, 3])
        labels[-1] = last
        made = run(write(source, labels), name, *more)
        assert made.code == 0, made.err
    folder = write(source, labels).parent
    assert differing(folder / "one.h5", folder / "other.h5", OF_DATA) == []


@pytest.mark.parametrize("source", SOURCES)
def test_labels_that_are_classes_are_taken_as_they_are(write, source):
    made = run(write(source, labels_of([0, 1, 2])), "x.h5", *STRICT)
    assert made.code == 0, made.err


@pytest.mark.parametrize("source", SOURCES)
def test_a_claim_names_the_numbers_of_labels_and_stating_them_changes_no_bit(write, source):
    file = write(source, labels_of([1, 2, 3]))
    assert run(file, "found.h5").code == 0
    assert run(file, "stated.h5", "--set", "data.class_labels=['1', '2', '3']").code == 0
    with h5py.File(file.parent / "found.h5") as found, h5py.File(file.parent / "stated.h5") as stated:
        assert "the numbers of the labels that occur" in found.attrs["claim"]
        assert "data.class_labels" in "; ".join(found["privacy"].attrs["preprocessing"])
        assert "numbers of the labels" not in stated.attrs["claim"]
        assert "class_labels = []" in found["config"][()].decode()
        assert found["model/final"][:].tobytes() == stated["model/final"][:].tobytes()
    assert call("verify", file.parent / "found.h5").code == 0


@pytest.mark.parametrize("source", SOURCES)
def test_other_labels_than_the_stated_are_refused(write, source):
    told = run(write(source, labels_of([1, 2, 7])), "x.h5", "--set", "data.class_labels=[1, 2, 3]")
    assert told.code == 2 and "7" in told.sentence and "class" in told.sentence, told.err


@pytest.mark.parametrize("found, accepted", [([-1, 1], True), ([0, 1], False), ([1, 2], False)])
def test_two_classes_of_libsvm(write, found, accepted):
    """One record with another label could flip the signs of the rest."""
    file = write("libsvm", labels_of(found), 'kind = "logistic"')
    two = [*STRICT, "--set", "data.classes=2", "--set", "data.bias=true"]
    told = run(file, "x.h5", *two)
    assert (told.code == 0) == accepted, told.err
    if not accepted:
        assert "privacy.strict forbids it" in told.sentence
        assert run(file, "x.h5", *two, "--set", f"data.class_labels={found}").code == 0


def test_words_must_be_listed(write):
    for source in ("csv", "arrays"):
        file = write(source, labels_of(["cat", "dog", "owl"]))
        told = run(file, f"{source}.h5", *STRICT)
        assert told.code == 2 and "labels cat, dog, owl became classes 0 to 2" in told.sentence, told.err
        made = run(file, f"{source}.h5", *STRICT, "--set", "data.class_labels=['dog', 'cat', 'owl']")
        assert made.code == 0, made.err


def test_the_first_index_must_be_given(write):
    file = write("libsvm", labels_of([0, 1, 2]))
    told = run(file, "x.h5", *STRICT, "--set", "data.index_from=auto")
    assert told.code == 2 and "data.index_from" in told.sentence and "privacy.strict forbids it" in told.sentence, told.err


@pytest.mark.parametrize("stated, part", [
    ("[1, 2]", "2 labels, but data.classes = 3"), ("[1, 2, 2]", "listed twice"), ("[1]", "at least two"),
    ("[1, 2, 1.5]", "whole numbers"), ("['1', '2', 'x']", "not a number"), ("['1', '2', '02']", "listed twice"),
    ("['1', '2', '2.5']", "not a whole number"),
])
def test_mistakes_in_the_list_are_refused(write, stated, part):
    told = run(write("idx", labels_of([1, 2, 3])), "x.h5", "--set", f"data.class_labels={stated}")
    assert told.code == 2 and "data.class_labels" in told.sentence and part in told.sentence, told.err
