"""Files that tables and figures are written into."""

import csv
import errno
import io
import os

import numpy as np
import pandas as pd
import pytest
from trilemma_analysis.cli.options import Parser, add_output, add_tables, write_tables
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.writing import WriteError, cell, csv_of, csv_of_rows, write_output
from trilemma_analysis.plot.page import save


@pytest.fixture
def precious(tmp_path):
    path = tmp_path / "precious"
    path.write_text("untouched")
    return path


def write_table(path):
    write_tables({str(path): lambda: "content"})


def draw(path):
    from matplotlib.figure import Figure
    save(Figure(figsize=(1, 1)), path)


@pytest.mark.parametrize("write", [lambda path: write_output(path, "content"), write_table, draw])
def test_what_is_no_regular_file_is_refused(tmp_path, precious, write):
    file = tmp_path / "x.png"
    for make, words in ((lambda: file.symlink_to(precious), "symbolic link"), (lambda: os.mkfifo(file), "regular file"),
                        (file.mkdir, "regular file")):
        make()
        with pytest.raises(RunFileError, match=words):
            write(file)
        assert precious.read_text() == "untouched"
        file.rmdir() if file.is_dir() else file.unlink()
    write(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious", "x.png"]


def test_the_mode_is_that_of_any_new_file_or_of_the_old_one(tmp_path):
    (tmp_path / "plain").write_text("")
    write_output(tmp_path / "new", "content")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "plain").chmod(0o600)
    write_output(tmp_path / "plain", b"content")
    assert (tmp_path / "plain").stat().st_mode & 0o777 == 0o600


def test_faults_are_data(tmp_path, monkeypatch):
    with pytest.raises(WriteError, match="no such folder; create it") as caught:
        write_output(tmp_path / "none" / "x", "content")
    assert caught.value.errno == errno.ENOENT

    def full(_file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / "x").write_text("old")
    with pytest.raises(WriteError, match="the disk is full; free some space") as caught:
        write_output(tmp_path / "x", "content")
    assert caught.value.errno == errno.ENOSPC
    assert (tmp_path / "x").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("value", ["=cmd|' /C calc'!A0", "+1+2", "-x", "@SUM(A1)", "\tx", "\rx", "-", "="])
def test_cells_that_spreadsheets_would_run(value):
    assert cell(value) == "'" + value


@pytest.mark.parametrize("value", ["x", "a=b", "-1", "+1.5e3", "-inf", "", 1, -1.5, None, True])
def test_other_cells(value):
    assert cell(value) == value


def test_csv_of_a_frame():
    frame = pd.DataFrame({"=name": ["=1+1", "plain", None], "number": [-1.5, np.nan, 2.0], "count": [-1, 2, 3]})
    rows = list(csv.reader(io.StringIO(csv_of(frame))))
    assert rows == [["'=name", "number", "count"], ["'=1+1", "-1.5", "-1"], ["plain", "", "2"], ["", "2.0", "3"]]
    assert list(frame.columns) == ["=name", "number", "count"] and frame["=name"][0] == "=1+1"


def test_csv_of_rows():
    assert csv_of_rows(["a", "@b"], [["=x", -1], [None, 2.5]]) == "a,'@b\n'=x,-1\n,2.5\n"


@pytest.mark.parametrize("words", [["-o", ""], ["--csv", ""], ["--json="], ["-o", "x.png", "--csv", ""]])
def test_empty_values_are_refused(words, capsys):
    parser = Parser(prog="x")
    add_output(parser, required=False)
    add_tables(parser, "rows", "rows")
    with pytest.raises(SystemExit) as caught:
        parser.parse_args(words)
    assert caught.value.code == 2 and "an empty value" in capsys.readouterr().err
    assert parser.parse_args(["--title", ""]).title == ""
