"""Numbers nearer to 0 than a 32-bit number can be become 0, and a note says how many."""
import json
import struct

import numpy as np
import pytest

from conftest import call

VALUES = np.ones((20, 3))
VALUES[0, 0], VALUES[4, 1], VALUES[5, 2] = 1e-60, -1e-300, 0.0  # two of them are lost
LABELS = np.arange(20) % 2


def write_idx(folder):
    (folder / "x").write_bytes(struct.pack(">3I", 0xE02, *VALUES.shape) + VALUES.astype(">f8").tobytes())
    (folder / "y").write_bytes(struct.pack(">2I", 0x801, len(LABELS)) + bytes(LABELS.tolist()))
    return 'source = "idx"\nimages = "x"\nlabels = "y"\nscaling = "none"\n', "x: 2 numbers"


def write_arrays(folder):
    np.savez(folder / "d.npz", X=VALUES, y=LABELS)
    return 'source = "arrays"\ntrain = "d.npz"\nscaling = "none"\n', "d.npz:X: 2 numbers"


def write_targets(folder):
    targets = np.ones(20)
    targets[3] = 1e-50
    np.savez(folder / "d.npz", X=np.ones((20, 3)), y=targets)
    return 'source = "arrays"\ntrain = "d.npz"\nclasses = 0\nscaling = "none"\n', "d.npz:y: 1 number"


def write_leaf(folder):
    users = {"a": slice(0, 10), "b": slice(10, 20)}
    (folder / "d.json").write_text(json.dumps({
        "users": list(users), "num_samples": [10, 10],
        "user_data": {user: {"x": VALUES[rows].tolist(), "y": LABELS[rows].tolist()} for user, rows in users.items()}}))
    return 'source = "leaf"\ntrain = ["d.json"]\n', "d.json: 2 numbers"


@pytest.mark.parametrize("write", [write_idx, write_arrays, write_targets, write_leaf])
@pytest.mark.parametrize("ranks", [None, 2])
def test_lost_numbers_are_counted(tmp_path, write, ranks):
    data, words = write(tmp_path)
    problem = "" if "classes = 0" in data else '[problem]\nkind = "softmax"\n'
    (tmp_path / "e.toml").write_text(f'method = "fedavg"\nclients = 2\nrounds = 1\n[data]\n{data}{problem}')
    told = call("run", tmp_path / "e.toml", "--data-dir", tmp_path, "--output", tmp_path / "x.h5", ranks=ranks)
    assert told.code == 0, told.err
    assert told.err.count(f"{words} too small for 32 bits became 0") == 1, told.err
