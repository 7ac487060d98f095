"""The checksum of run files: what changed content looks like to the reader, the table and a sweep."""

import hashlib
import struct

import h5py
import numpy as np
import pytest

from trilemma_analysis import ChangedFileWarning, read_run, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.content import CHECKSUM, content_sum


def sealed(path):
    with h5py.File(path, "a") as file:
        file.attrs[CHECKSUM] = content_sum(file)
    return path


def changed(path):
    with h5py.File(sealed(path), "a") as file:
        file["rounds/objective"][1] = 0.25
    return path


def test_by_hand(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.attrs["name"] = "ab"
        file.attrs["seed"] = np.int64(-3)
        file.attrs[CHECKSUM] = "not a part of it"
        file["classes/round"] = np.array([3], np.uint32)
        file["config"] = "c = 1"
        file["model/final"] = np.array([[1.5, 2.5]], np.float32)
        file["model/final"].attrs["units"] = "1"
        file["other"] = [1]
        found = content_sum(file)

    def text(words):
        return struct.pack("<Q", len(words)) + words.encode()

    expected = (text("/@name") + text("text") + text("ab")
                + text("/@seed") + text("integer") + struct.pack("<q", -3)
                + text("/classes/round") + text("natural") + struct.pack("<3Q", 1, 1, 3)
                + text("/config") + text("text") + struct.pack("<Q", 0) + text("c = 1")
                + text("/model/final") + text("floating") + struct.pack("<3Q", 2, 1, 2)
                + text("/model/final@units") + text("text") + text("1") + struct.pack("<2d", 1.5, 2.5))
    assert found == hashlib.sha256(expected).hexdigest()


@pytest.mark.filterwarnings("error")
def test_whole_files_and_files_without_a_checksum_are_read_in_silence(make_run):
    assert not read_run(sealed(make_run("a.h5"))).changed
    assert not read_run(make_run("b.h5")).changed


def test_a_changed_file_is_read_with_a_warning(make_run):
    path = changed(make_run())
    with pytest.warns(ChangedFileWarning, match="run.h5: its content has changed since it was written"):
        assert read_run(path).changed


@pytest.mark.parametrize("command", [("table",), ("curves", "-o", "a.png"), ("cost", "-o", "a.png")])
def test_a_changed_file_is_neither_drawn_nor_listed(make_run, capsys, command):
    assert main([command[0], str(changed(make_run())), *command[1:]]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "run.h5: its content has changed since it was written" in err


def test_changed_files_of_a_folder_are_left_out(make_run, capsys):
    whole = sealed(make_run("whole.h5"))
    changed(make_run("bad.h5"))
    assert main(["table", str(whole.parent)]) == 0
    assert "bad.h5" in (said := capsys.readouterr()).err and "bad" not in said.out


def test_a_sweep_leaves_a_changed_file_out(make_sweep):
    cells = [{"values": {"method": method, "seed": 1}} for method in ("ldp-sgd", "cdp-sgd")]
    folder = make_sweep(cells, axes=("method", "seed"))
    changed(sorted(folder.glob("*.h5"))[0])
    sweep = read_sweep(folder)
    assert len(sweep.runs) == 1
    assert sweep.table["reason"].str.contains("has changed since it was written").sum() == 1
