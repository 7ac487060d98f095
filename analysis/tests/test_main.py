import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from trilemma_analysis.cli.main import main

PACKAGE = Path(__file__).resolve().parents[1]


def test_curves_writes_every_picture_and_prints_its_path(make_run, tmp_path, capsys):
    pictures = [str(tmp_path / "a.png"), str(tmp_path / "a.svg")]
    assert main(["curves", str(make_run()), "-o", pictures[0], "-o", pictures[1]]) == 0
    assert capsys.readouterr().out.split() == pictures
    assert all(Path(picture).stat().st_size > 1000 for picture in pictures)


def test_table_writes_files_beside_the_text(make_run, tmp_path, capsys):
    files = [str(tmp_path / "a.csv"), str(tmp_path / "a.json")]
    assert main(["table", str(make_run()), "--csv", files[0], "--json", files[1]]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-2:] == files and out.splitlines()[0].split()[0] == "method"
    assert Path(files[0]).read_text().startswith("label,name,method,mode")
    assert json.loads(Path(files[1]).read_text())[0]["objective_final"] == 0.625


@pytest.mark.parametrize("command", ["table", "sweep"])
def test_a_run_file_is_no_file_to_write(make_run, make_sweep, capsys, command):
    path = make_run()
    found = str(make_run("b.h5", seed=2)) if command == "table" else \
        str(make_sweep([{"values": {"method": "ldp-sgd", "privacy.epsilon": 1.0, "seed": 1}}]))
    before = path.read_bytes()
    assert main([command, "--csv", str(path), found]) == 2
    error = capsys.readouterr().err
    assert "run.h5: the name of a run file, which nothing here replaces; name the file to write." in error
    assert path.read_bytes() == before


def test_incomplete_run_is_used_with_a_visible_warning(make_run, capsys):
    path = make_run(complete=np.uint8(0), rounds=np.int64(9))
    assert main(["table", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"warning: {path}: incomplete run, 2 of 9 rounds (it was ended from outside or is still " \
        "going on).\n"
    assert "incomplete" in captured.out


@pytest.mark.parametrize("arguments, words", [
    (["best", "x", "--metrik", "accuracy"], '--metrik accuracy; did you mean "--metric"?'),
    (["curves", "x", "-o", "y.png", "--widht=3"], '--widht=3; did you mean "--width"?'),
    (["sweep", "x", "--xyz"], "--xyz; --help lists the options"),
])
def test_a_misspelt_option_gets_the_nearest_one(arguments, words, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    error = capsys.readouterr().err
    assert end.value.code == 2 and error.endswith(f"error: unrecognized arguments: {words}\n"), error
    assert f"trilemma_analysis {arguments[0]}: error" in error


@pytest.mark.parametrize("word, end", [("tabel", '''simulated'); did you mean "table"?\n'''), ("xyz", "simulated')\n")])
def test_a_misspelt_command_gets_the_nearest_one(word, end, capsys):
    with pytest.raises(SystemExit) as ended:
        main([word, "x"])
    error = capsys.readouterr().err
    assert ended.value.code == 2 and f"invalid choice: '{word}' (choose from 'best'" in error and error.endswith(end)


@pytest.mark.parametrize("trouble", ["version", "missing", "truncated", "directory"])
def test_user_errors_are_one_sentence_and_code_2(make_run, tmp_path, capsys, trouble):
    path = make_run(schema_version=np.int64(7 if trouble == "version" else 1))
    if trouble == "missing":
        path.unlink()
    elif trouble == "truncated":
        path.write_bytes(path.read_bytes()[:3000])
    picture = tmp_path / ("absent/a.png" if trouble == "directory" else "a.png")
    assert main(["curves", str(path), "-o", str(picture)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("trilemma_analysis: ")
    assert captured.err.count("\n") == 1 and captured.err.endswith(".\n")
    assert not picture.exists()


def test_runs_as_a_module_without_installation(make_run, tmp_path):
    command = [sys.executable, "-m", "trilemma_analysis", "table", str(make_run()), "--csv", "a.csv"]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE)}
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert (tmp_path / "a.csv").read_text().startswith("label,name,method,mode")


def test_help_waits_for_no_library():
    ask = ("import sys\nfrom trilemma_analysis.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
           "print(sorted({'h5py', 'numpy', 'pandas', 'matplotlib', 'scipy'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", ask], env=os.environ | {"PYTHONPATH": str(PACKAGE)}, capture_output=True,
                          text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and "export" in done.stdout


def test_a_missing_module_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "h5py", None)  # importing it fails
    for name in [name for name in sys.modules if name.startswith("trilemma_analysis.") and not name.startswith(
            ("trilemma_analysis.cli.main", "trilemma_analysis.io.errors"))]:
        monkeypatch.delitem(sys.modules, name)
    assert main(["cost", "runs"]) == 2
    error = capsys.readouterr().err
    assert "has no module 'h5py'" in error and len(error.splitlines()) == 1
