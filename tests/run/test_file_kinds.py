"""A file of another kind than the command takes: one sentence that says what it is and which command takes it."""
import shutil

import pytest

from conftest import call


@pytest.fixture
def files(logistic, tmp_path):
    """An experiment, a sweep over it, a run file and what an unfinished run leaves, by their names."""
    (tmp_path / "many.toml").write_text('experiment = "small.toml"\n[axes]\nseed = [1, 2]\n')
    assert call("run", logistic, "--set", "method=gd", "--output", tmp_path / "x.h5").code == 0
    for name in ("y.h5.partial", "y.h5.checkpoint-4"):
        shutil.copy(tmp_path / "x.h5", tmp_path / name)
    return tmp_path


TO_EXPERIMENTS = ["run", "partition", "config", "audit"]
MISTAKES = [
    *((command, "many.toml", ["a sweep, not an experiment", "`trilemma sweep {} --list`"])
      for command in TO_EXPERIMENTS),
    *((command, "x.h5", ["an HDF5 file, not an experiment", "`trilemma run {} --rounds-more N`"])
      for command in TO_EXPERIMENTS),
    *(("run", f"y.h5.{what}", ["part of an unfinished run", "--resume --output {0[0]}"])
      for what in ("partial", "checkpoint-4")),
    ("sweep", "small.toml", ["an experiment, not a sweep", "`trilemma run {}`"]),
    ("sweep", "x.h5", ["an HDF5 file, not a sweep", "`trilemma show {}`"]),
    *((command, "small.toml", ["an experiment (TOML), not a run file", "`trilemma run {}`"])
      for command in ("show", "verify", "predict")),
    *((command, "many.toml", ["a sweep (TOML), not a run file", "`trilemma sweep {}`"])
      for command in ("show", "verify", "predict")),
]


@pytest.mark.parametrize("command, name, words", MISTAKES, ids=[f"{c} {n}" for c, n, _ in MISTAKES])
def test_the_command_for_it_is_named(files, command, name, words):
    path = files / name
    result = call(command, path)
    assert result.code == 2 and result.sentence.startswith(f"trilemma: {path}: "), result.err
    for word in words:
        assert word.replace("{0[0]}", str(files / "y.h5")).replace("{}", str(path)) in result.sentence, result.sentence


@pytest.mark.parametrize("command", [["show"], ["verify"], ["run", "--rounds-more", 3]], ids=lambda words: words[0])
def test_a_run_that_has_not_ended_is_named_by_its_partial_file(files, command):
    result = call(*command, files / "y.h5")
    assert result.code == 2
    assert f"y.h5: no such file, but there is {files / 'y.h5.partial'}, " in result.sentence
    assert "partial, of a run" not in call(*command, files / "z.h5").sentence


@pytest.mark.parametrize("mistake, word", [("seeds = 3\n", 'did you mean "seed"?'), ("[tune]\nseeds = [1]\n", "tune"),
                                           ("set.rounds = 3\n", "set.rounds")])
def test_an_experiment_with_a_key_of_sweeps_is_one(tmp_path, mistake, word):
    path = tmp_path / "e.toml"
    path.write_text(f'name = "e"\n{mistake}' if mistake.startswith("[") else mistake)
    assert "a sweep, not an experiment" in call("run", path).sentence
    path.write_text('method = "gd"\n' + mistake)
    said = call("run", path).sentence
    assert "sweep" not in said and word in said, said
    assert "an experiment, not a sweep" in call("sweep", path).sentence


def test_a_folder_may_have_the_name_of_a_partial_file(files):
    folder = files / "old.partial"
    folder.mkdir()
    shutil.copy(files / "x.h5", folder / "x.h5")
    said = call("run", folder / "x.h5").sentence
    assert f"`trilemma show {folder}/x.h5`" in said and "unfinished" not in said
    assert "--resume --output y.h5`" in call("run", "y.h5.partial", cwd=files).sentence


def test_more_rounds_are_added_to_run_files_only(files):
    for name, word in (("small.toml", "an experiment (TOML), not a run file"), ("many.toml", "a sweep (TOML)")):
        result = call("run", files / name, "--rounds-more", 3)
        assert result.code == 2 and word in result.sentence


def test_an_experiment_of_a_sweep_is_looked_at_too(files):
    (files / "wrong.toml").write_text('experiment = "x.h5"\nseeds = 2\n')
    result = call("sweep", files / "wrong.toml")
    assert result.code == 2 and "x.h5: an HDF5 file, not an experiment" in result.sentence


def test_one_sentence_from_several_ranks(files):
    result = call("run", files / "many.toml", ranks=2)
    assert result.code == 2 and "a sweep, not an experiment" in result.sentence


def test_garbage_is_called_neither(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("no such thing\n")
    assert "not an HDF5 file" in call("show", path).sentence
    assert "not valid TOML" in call("run", path).sentence


def test_a_folder_is_no_sweep_file(tmp_path):
    assert call("sweep", tmp_path).sentence == \
        f"trilemma: {tmp_path}: a folder; give the sweep file (TOML) that its runs belong to"


def test_several_run_files_are_shown(logistic, tmp_path):
    files = [tmp_path / "one.h5", tmp_path / "two.h5"]
    for file in files:
        assert call("run", logistic, "--output", file, "--quiet").code == 0
    alone = [call("show", file).out for file in files]
    both = call("show", *files)
    assert both.code == 0 and both.out == f"{files[0]}:\n{alone[0]}\n{files[1]}:\n{alone[1]}"
    missing = call("show", files[0], tmp_path / "none.h5", files[1])
    assert missing.code == 2 and missing.sentence.count("none.h5") and all(text in missing.out for text in alone)
    objects = call("show", *files, "--json").out
    assert objects == "".join(call("show", file, "--json").out for file in files)
