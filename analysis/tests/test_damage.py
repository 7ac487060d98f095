"""Files that are damaged or hostile: a sentence and exit code 2, never a traceback or a crash."""

from __future__ import annotations

import functools
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from trilemma_analysis import RunFileError, read_run, read_sweep
from trilemma_analysis.__main__ import main
from trilemma_analysis.cli.main import main
from trilemma_analysis.io import guard
from trilemma_analysis.io.guard import Crash, apart
from trilemma_analysis.verdicts import judge

TESTS = Path(__file__).resolve().parent
# Every copy through the command, in one process that ends with the first traceback or signal.
DRIVER = """
import contextlib, io, json, sys
from pathlib import Path
import damage
from trilemma_analysis.cli.main import main
from trilemma_analysis.io import guard
guard.CPU_SECONDS = 0.5
results = []
for number, path in enumerate(damage.copies(Path(sys.argv[1]), Path(sys.argv[2]), flips=120)):
    if number % int(sys.argv[3]):
        path.unlink()
        continue
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["table", str(path)])
    results.append((path.name, code, out.getvalue(), err.getvalue()))
    path.unlink()
print(json.dumps(results))
"""


# Of 376 copies every tenth, as each takes up to a third of a second; all of them with `scripts/test --all`.
STRIDE = 1 if os.environ.get("TRILEMMA_ALL_TESTS") == "1" else 10


def test_damaged_copies_end_with_a_table_or_a_sentence(make_run, tmp_path):
    source, folder = make_run("whole.h5"), tmp_path / "copies"
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", DRIVER, str(source), str(folder), str(STRIDE)], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}"})
    assert done.returncode == 0 and done.stderr == "", done.stderr[-2000:]
    results = json.loads(done.stdout)
    assert len(results) >= 300 / STRIDE
    for name, code, out, err in results:
        assert code in (0, 2), name
        assert all(letter.isprintable() or letter == "\n" for letter in out + err), name
        if code == 2:
            assert out == "" and err.count("\n") == 1 and err.endswith(".\n") and f"/{name}: " in err, err
    assert sum(code == 2 for _, code, _, _ in results) >= 150 / STRIDE
    assert sum(code == 0 for _, code, _, _ in results) >= 50 / STRIDE


def change(path, *steps):
    with h5py.File(path, "r+") as file:
        for step in steps:
            step(file)
    return path


def refusal(path):
    with pytest.raises(RunFileError) as caught:
        read_run(path)
    assert "\n" not in str(caught.value) and str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


@pytest.mark.parametrize("group, name, value, words", [
    ("/", "seed", np.arange(5000.0), "holds 5000 values in the attribute 'seed' instead of one"),
    ("/", "seed", 1.5, "holds the attribute 'seed' as float64, not as an integer"),
    ("/", "seed", np.uint64(2**63), "holds 9223372036854775808 in the attribute 'seed', more than 63 bits"),
    ("/", "rounds", "two", "holds the attribute 'rounds' as text or references, not as an integer"),
    ("/", "claim", np.int64(1), "holds the attribute 'claim' as int64, not as text"),
    ("/", "delta", h5py.Empty("f8"), "holds 0 values in the attribute 'delta'"),
    ("/", "rounds", np.int64(1), "holds 3 rows in '/rounds/"),
    ("/privacy", "epsilon", np.arange(5000.0), "holds 5000 values in the attribute 'epsilon' of /privacy"),
    ("/privacy", "view", np.float64(1), "holds the attribute 'view' of /privacy as float64, not as text"),
    ("/privacy", "epsilon", -1.0, "holds epsilon = -1 in /privacy"),
])
def test_attributes_of_another_kind_are_named(make_run, group, name, value, words):
    path = change(make_run(), lambda file: file[group].attrs.__delitem__(name),
                  lambda file: file[group].attrs.__setitem__(name, value))
    assert words in refusal(path)


@pytest.mark.parametrize("name, values, words", [
    ("rounds/utility", np.ones((3, 2)), "data set '/rounds/utility' with 2 dimensions instead of 1"),
    ("rounds/utility", 1.0, "data set '/rounds/utility' with 0 dimensions"),
    ("rounds/utility", np.ones(9), "holds 9 rows in '/rounds/utility', more than the 3 of its rounds"),
    ("rounds/utility", np.array([b"a", b"b", b"c"]), "data set '/rounds/utility' as bytes8, not as a number"),
    ("rounds/round", np.array([0, 2, 1]), "numbers in /rounds/round that do not rise from 0 to at most 2"),
    ("rounds/round", np.array([0, 1, 7]), "numbers in /rounds/round that do not rise from 0 to at most 2"),
    ("rounds/bits_up_model", np.array([9, 5, 7], np.uint64), "counts in /rounds/bits_up_model that go down"),
    ("mpi/bits_up", np.array([0, 1, 2**63], np.uint64), "counts in /mpi/bits_up that go down or beyond"),
    ("phases/name", np.arange(13), "data set '/phases/name' as int64, not as text"),
    ("phases/seconds", np.ones((3, 39)), "data set '/phases/seconds' with 2 dimensions instead of 3"),
    ("config", np.array([b"a", b"b"]), "data set '/config' with something else than one text"),
    ("environment", 1.0, "something else than a group of at most 1000 members in '/environment'"),
    ("model", 1.0, "lacks the data set '/model/final'"),
])
def test_data_sets_of_another_kind_are_named(make_run, name, values, words):
    path = change(make_run(), lambda file: file.__delitem__(name), lambda file: file.__setitem__(name, values))
    assert words in refusal(path)


def test_an_extent_without_values_is_refused_before_it_is_read(make_run):
    def extend(file):
        del file["model/final"]
        file.create_dataset("model/final", (10**12,), "f8", chunks=(1000,))
    assert "claims 8000000000000 bytes for data set '/model/final'" in refusal(change(make_run(), extend))


@pytest.mark.parametrize("name", ["privacy", "rounds", "rounds/utility", "config", "environment/compiler",
                                  "phases/name"])
@pytest.mark.parametrize("kind", ["external", "soft"])
def test_links_are_not_followed(make_run, tmp_path, name, kind):
    os.mkfifo(tmp_path / "pipe.h5")  # a reader of the target would wait for ever
    link = h5py.ExternalLink(str(tmp_path / "pipe.h5"), "/x") if kind == "external" else h5py.SoftLink("/elsewhere")
    path = change(make_run(), lambda file: file.__delitem__(name), lambda file: file.__setitem__(name, link))
    assert "has a link to somewhere else in place of the" in refusal(path) and f"'/{name}" in refusal(path)


def test_values_in_other_files_are_not_read(make_run, tmp_path):
    os.mkfifo(tmp_path / "raw")
    layout = h5py.VirtualLayout((3,), "f8")
    layout[:] = h5py.VirtualSource(str(make_run("other.h5")), "rounds/utility", (3,))
    raw = [(str(tmp_path / "raw"), 0, 24)]
    for step in (lambda file: file.create_dataset("rounds/utility", (3,), "f8", external=raw),
                 lambda file: file.create_virtual_dataset("rounds/utility", layout)):
        path = change(make_run(), lambda file: file.__delitem__("rounds/utility"), step)
        assert "keeps the values of the data set '/rounds/utility' in another file" in refusal(path)


def test_texts_of_fixed_and_variable_length_are_the_same(make_run):
    def fix(file):
        for group in ("/", "/privacy"):
            for name, value in list(file[group].attrs.items()):
                if isinstance(value, str):
                    file[group].attrs[name] = np.bytes_(value.encode())
        for name in ("config", "environment/compiler"):
            text = file[name][()]
            del file[name]
            file[name] = np.bytes_(text)
        names = np.array(file["phases/name"][()], "S16")
        del file["phases/name"]
        file["phases/name"] = names
    plain, fixed = read_run(make_run("a.h5", epsilon=1.0)), read_run(change(make_run("b.h5", epsilon=1.0), fix))
    for part in ("attributes", "privacy", "config", "environment", "phase_names"):
        assert repr(getattr(plain, part)) == repr(getattr(fixed, part))  # NaN among them


def test_numbers_of_another_byte_order_are_read(make_run):
    path = change(make_run(), lambda file: file.__delitem__("rounds/utility"),
                  lambda file: file.__setitem__("rounds/utility", np.array([0.9, 0.5, 0.25], ">f4")))
    assert read_run(path).rounds["utility"].tolist() == pytest.approx([0.9, 0.5, 0.25])


def test_control_characters_do_not_reach_the_terminal(make_run, make_sweep, capsys):
    path = make_run("a.h5", method="x\x1b]0;owned\x07", failure="\x1b[2J\n", complete=np.uint8(0))
    other = make_run("b.h5", method="x\x1b]0;owned\x07", config='key = "\\u001b[31m"\n')
    folder = make_sweep([{"values": {"method": "gd"}, "state": "failed", "reason": "\x1b[31mred\x07"}],
                        axes=("method",))
    assert main(["table", str(path), str(other)]) == 0 and main(["sweep", str(folder)]) == 0
    shown = capsys.readouterr()
    assert r"x\x1b]0;owned\x07" in shown.out and r"(\x1b[2J\n)" in shown.err and r"\x1b[31mred\x07" in shown.out
    assert all(letter.isprintable() or letter == "\n" for letter in shown.out + shown.err)


def test_a_dollar_in_a_name_is_a_letter(make_run, tmp_path):
    formula = r"$\frac{$ and $x$"
    path = make_run(name=formula, method=formula, data=formula, claim=f"holds: {formula}",
                    columns={"epsilon": [0.0, 5.0, 5.0]}, epsilon=5.0)
    picture = tmp_path / "a.svg"
    for command in ("curves", "cost"):
        assert main([command, str(path), "-o", str(picture), "-o", str(tmp_path / "a.png")]) == 0
        assert formula in picture.read_text()


@pytest.mark.parametrize("values", [[1.0, math.inf, math.inf], [1.0, -1.0, math.nan], [0.0, 0.0, 0.0],
                                    [1e-300, 1e300, 1.7e308], [5e-324, 0.0, 1.0], [-1e308, 1e308, 1.0]])
def test_strange_numbers_are_drawn_or_refused(make_run, tmp_path, capsys, values):
    path = make_run(columns={name: values for name in ("utility", "objective", "accuracy", "epsilon")}, epsilon=5.0)
    (tmp_path / "folder").mkdir()
    shutil.copy(path, tmp_path / "folder")
    for command in (["curves", str(path)], ["cost", str(path)], ["sweep", str(tmp_path / "folder")]):
        code = main([*command, "--metric", "objective", "-o", str(tmp_path / "a.svg")])
        error = capsys.readouterr().err
        # Nothing is left to draw of a run that is infinite, or ended at more than a thousand times its start; the table of
        # cost has a row for it.
        gone = values[2] > 1000 * abs(values[0]) and (command[0] != "cost" or values[2] > 1e100)
        assert code == (2 if gone else 0), (command[0], error)
        assert code == 0 or error.splitlines()[-1].startswith("trilemma_analysis: "), error
        shown = code == 0 and "values beyond 1e+100 are not drawn" in (tmp_path / "a.svg").read_text()
        assert shown is (code == 0 and command[0] != "cost" and any(abs(value) > 1e100 for value in values))
    assert main(["table", str(path), "--json", str(tmp_path / "b.json")]) == 0
    assert main(["sweep", str(tmp_path / "folder"), "--json", str(tmp_path / "a.json")]) == 0


def broken(path):
    path.write_bytes(path.read_bytes()[:3000])
    return path


def test_a_named_file_must_be_whole_and_a_folder_may_hold_damaged_ones(make_run, tmp_path, capsys):
    whole, damaged = make_run("a.h5"), broken(make_run("b.h5", seed=2))
    assert main(["table", str(whole), str(damaged)]) == 2
    assert capsys.readouterr().err.startswith(f"trilemma_analysis: {damaged}: not a readable HDF5 file")
    experiment = damaged.with_suffix(".toml")
    experiment.write_text('method = "gd"\n')
    assert main(["table", str(experiment)]) == 2
    assert "an experiment or a sweep (TOML), not a run file" in capsys.readouterr().err
    assert main(["table", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert shown.err == f"warning: {tmp_path}: 1 of 2 run files cannot be used and are skipped: b.h5.\n"
    assert "cdp-sgd" in shown.out
    broken(whole)
    assert main(["table", str(tmp_path)]) == 2
    assert "none of its 2 run files can be used" in capsys.readouterr().err


def test_damaged_cells_of_a_sweep_are_counted_and_left_out(make_sweep, capsys):
    folder = make_sweep([{"values": {"method": method, "seed": 1}} for method in ("gd", "ldp-sgd")],
                        axes=("method", "seed"))
    broken(folder / "000000000001.h5")
    assert main(["sweep", str(folder)]) == 0
    shown = capsys.readouterr()
    assert shown.err == f"warning: {folder}: 1 of 2 run files cannot be used and are skipped: 000000000001.h5.\n"
    assert "1 of 2 cells done, 1 failed" in shown.out
    (folder / "sweep.json").unlink()
    assert "1 of 2 run files cannot be used" in read_sweep(folder).notes[1]


@pytest.mark.parametrize("config, words", [
    ('key = "\n', "/config is not TOML"),
    ("[local]\nrate = 'x'\n[bound]\nthreshold = 1\n", "cannot be applied to these runs")])
def test_verdicts_on_strange_runs_are_refused(make_run, tmp_path, config, words):
    for seed in (1, 2):
        make_run(f"{seed}.h5", seed=np.int64(seed), config=config)
    with pytest.raises(RunFileError, match=words):
        judge("nec-a9a", read_sweep(tmp_path))


def spin():
    while True:
        math.sqrt(2.0)


def test_a_crash_of_the_library_is_an_error_of_its_file(make_run, monkeypatch):
    monkeypatch.setattr(guard, "CPU_SECONDS", 0.2)  # before there is a child, which keeps the limit it was born with
    monkeypatch.setattr(guard, "_child", None)
    with pytest.raises(Crash, match="took more than 0.2 s"):
        apart(spin)  # in a new child, so that it is tried once
    for times in range(2):  # of a new child, and of one that has done well before
        with pytest.raises(Crash, match="ended with SIGABRT"):
            apart(os.abort)
        assert apart(os.getpid) != os.getpid()
        assert times or apart(os.getppid) == os.getpid()
    assert read_run(make_run()).rounds_done == 2
    guard._child.end()  # whose limit is not for other tests


def test_the_child_holds_no_file_open(tmp_path):
    with open(tmp_path / "lock", "w") as file:
        apart(os.getpid)
        assert apart(functools.partial(os.path.exists, f"/proc/self/fd/{file.fileno()}")) is False


def test_a_crash_in_the_reader_is_a_sentence(make_run, monkeypatch, capsys):
    monkeypatch.setattr("trilemma_analysis.io.run_file._open", _abort)
    path = make_run()
    assert main(["table", str(path)]) == 2
    assert capsys.readouterr().err == f"trilemma_analysis: {path}: the HDF5 library ended with SIGABRT while reading " \
        "it, so the file is damaged; repeat the run.\n"


def _abort(*_):
    os.abort()
