"""Arrays that do not fit the memory of the process are refused in a sentence that names their file."""
import resource

import h5py
import numpy as np
import pytest

from conftest import call

LIMIT = 420_000 * 1024  # bytes, that of `ulimit -v 420000`
EXPERIMENT = """
method = "fedavg"
clients = 2
rounds = 1
[data]
source = "arrays"
train = "{name}"
features = 1000
classes = 2
"""


def refusal(folder, name, *more):
    file = folder / "e.toml"
    file.write_text(EXPERIMENT.format(name=name))
    told = call("run", file, "--data-dir", folder, *more, "--output", folder / "x.h5",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
    assert told.code == 2, told.err
    return told.sentence


@pytest.mark.parametrize("records", [60_000, 120_000])
def test_an_archive_is_refused_before_it_fills_the_memory(tmp_path, records):
    """240 MB fit alone, but not with the rows that are made of them; 480 MB do not even fit alone."""
    np.savez(tmp_path / "d.npz", X=np.zeros((records, 1000), np.float32), y=np.arange(records) % 2)
    told = refusal(tmp_path, "d.npz")
    assert "d.npz: X" in told.replace("d.npz:X", "d.npz: X") and "would take at least 480" in told and "can have 430" in told


def test_small_integers_of_hdf5_are_counted_as_they_are_kept(tmp_path):
    """30 MB become 8 bytes each, twice."""
    with h5py.File(tmp_path / "d.h5", "w") as file:
        file["X"] = np.zeros((30_000, 1000), np.int8)
        file["y"] = np.arange(30_000) % 2
    told = refusal(tmp_path, "d.h5")
    assert "d.h5:X would take at least 480" in told and "damaged" not in told


def test_memory_that_runs_out_names_the_file(tmp_path):
    """The numbers of features and classes are found with the same sentence."""
    np.savez(tmp_path / "d.npz", X=np.zeros((120_000, 1000), np.float32), y=np.arange(120_000) % 2)
    file = tmp_path / "e.toml"
    file.write_text(EXPERIMENT.format(name="d.npz").replace("features = 1000\nclasses = 2\n", ""))
    told = call("config", file, "--data-dir", tmp_path,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
    assert told.code == 2 and "d.npz" in told.sentence and "bad_alloc" not in told.err, told.err
