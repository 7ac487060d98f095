"""Checkpoints that are damaged, of another kind, or written on a disk that fails: never other bits, never a silent start
from zero."""
import os
import signal

import h5py
import numpy as np
import pytest

from conftest import LOGISTIC, call
from test_ranks import assert_same_bits
from test_resume import SLOW, STOPPED, checkpoints, half_way, start, wait_for


def damage(path, how):
    data = bytearray(path.read_bytes())
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "no checkpoint":
        path.write_bytes(b"some text\n" * 100)
    else:
        with h5py.File(path) as h5:
            at = h5["common"].id.get_chunk_info(0).byte_offset
        data[at + 100] ^= 1
        path.write_bytes(data)


@pytest.mark.parametrize("how", ["truncated", "empty", "no checkpoint", "one bit"])
def test_a_damaged_checkpoint(logistic, tmp_path, how):
    whole, file = tmp_path / "whole.h5", tmp_path / "x.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    half_way(logistic, file, *SLOW, "--set", "checkpoint.rounds=50", "--set", "checkpoint.keep=1")
    saved = checkpoints(file)
    for path in saved[:-1]:
        path.unlink()
    damage(saved[-1], how)
    damaged = saved[-1].read_bytes()
    refused = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert refused.code == 2 and "damaged checkpoint" in refused.sentence and saved[-1].name in refused.sentence
    assert "delete it to start anew" in refused.sentence
    # It is the user's to delete.
    assert checkpoints(file) == [saved[-1]] and saved[-1].read_bytes() == damaged
    # With an older one the run goes on, and says what it left out.
    older = file.with_name(file.name + ".checkpoint-1")
    half_way_older = tmp_path / "y.h5"
    half_way(logistic, half_way_older, *SLOW, "--set", "checkpoint.rounds=50", "--set", "checkpoint.keep=1")
    older_saved = checkpoints(half_way_older)[-1]
    older.write_bytes(older_saved.read_bytes())
    result = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert result.code == 0 and "trying an older one" in result.err
    assert_same_bits(whole, file)
    assert not checkpoints(file)


def test_where_all_are_damaged_the_mend_is_for_all(logistic, tmp_path):
    file = tmp_path / "x.h5"
    half_way(logistic, file, *SLOW, "--set", "checkpoint.rounds=50")
    for path in checkpoints(file):
        path.unlink()
    for round_number in (50, 100):
        file.with_name(f"x.h5.checkpoint-{round_number}").write_bytes(b"nothing")
    refused = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert refused.code == 2
    warning, sentence = refused.err.splitlines()
    assert "x.h5.checkpoint-100: damaged" in warning and "trying an older one" in warning
    assert "x.h5.checkpoint-50: damaged" in sentence and f"delete {file}.checkpoint-* to start anew" in sentence
    fresh = call("run", logistic, *SLOW, "--output", file)
    assert fresh.code == 2 and f"delete {file}.checkpoint-* to start anew" in fresh.sentence
    for path in checkpoints(file):
        path.unlink()
    assert call("run", logistic, *SLOW, "--output", file, "--resume").code == 0


def test_what_was_passed_over_as_damaged_makes_room(logistic, tmp_path):
    """A later damaged checkpoint must not push out those that the run writes now."""
    file = tmp_path / "x.h5"
    half_way(logistic, file, *SLOW, "--set", "checkpoint.rounds=100")
    damaged = file.with_name("x.h5.checkpoint-3900")
    damaged.write_bytes(b"nothing")
    process = start("run", logistic, *SLOW, "--set", "checkpoint.keep=1", "--output", file, "--resume")
    wait_for(lambda: "going on" in process.stderr.readline())
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=30)
    assert process.returncode == STOPPED
    assert not damaged.exists() and len(checkpoints(file)) == 1
    assert call("run", logistic, *SLOW, "--output", file, "--resume").code == 0


def test_a_default_name_with_a_damaged_checkpoint_is_found(logistic, tmp_path):
    whole = tmp_path / "whole.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    folder = tmp_path / "runs"
    file = folder / "small-soteriafl-sgd-private-s1.h5"
    half_way(logistic, file, *SLOW, "--set", "checkpoint.rounds=50")
    file.with_name(file.name + ".checkpoint-3900").write_bytes(b"nothing")
    (folder / f"{file.name}.partial").write_bytes(b"nothing")
    result = call("run", logistic, *SLOW, "--resume", cwd=tmp_path)
    assert result.code == 0 and "going on after round" in result.err
    assert_same_bits(whole, file)
    assert len(list(folder.glob("*.h5"))) == 1


needs_disk_fault = pytest.mark.skipif("TRILEMMA_DISK_FAULT" not in os.environ,
                                      reason="TRILEMMA_DISK_FAULT does not name the library")


def failing_write(number, path):
    """Environment in which one write to files of this kind fails as on a full disk."""
    return {"LD_PRELOAD": os.environ["TRILEMMA_DISK_FAULT"], "TRILEMMA_FAIL_PATH": path,
            "TRILEMMA_FAIL_WRITE": str(number)}


@needs_disk_fault
def test_a_write_that_fails_once_never_makes_a_bad_checkpoint(tmp_path):
    """A disk that is full for a moment, at every write of a checkpoint in turn."""
    experiment = tmp_path / "wide.toml"
    experiment.write_text(LOGISTIC.replace("features = 30", "features = 30000").replace("clients = 7", "clients = 2"))
    more = ["--set", "method=soteriafl-svrg", "--set", "evaluate.every=0", "--quiet"]
    whole = tmp_path / "whole.h5"
    assert call("run", experiment, *more, "--output", whole).code == 0
    failed = 0
    for number in range(1, 60, 3):
        file = tmp_path / f"{number}.h5"
        result = call("run", experiment, *more, "--set", "checkpoint.rounds=3", "--output", file,
                      env=failing_write(number, ".checkpoint.unfinished"))
        if result.code != 0:
            failed += 1
            assert result.code == 3 and "No space left on device" in result.sentence, result.err
            assert not list(tmp_path.glob(f"{number}.h5.checkpoint*"))
            assert call("run", experiment, *more, "--output", file, "--resume").code == 0
        assert_same_bits(whole, file)
    assert failed > 5


OF_THIS_RUN = ("phases/seconds", "environment/started", "environment/launch", "starts/environment")


def contents(path):
    """All data sets and attributes of a run file but those that depend on time and place."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and name not in OF_THIS_RUN:
            values = np.asarray(item[()])
            found[name] = values.tolist() if item.dtype == object else values.tobytes()
        found.update({f"{name}@{key}": str(value) for key, value in item.attrs.items() if key != "wall_seconds"})

    with h5py.File(path) as h5:
        take("", h5)
        h5.visititems(take)
    return found


@needs_disk_fault
@pytest.mark.parametrize("kind", ["new", "resumed"])
def test_a_write_that_fails_once_never_makes_a_wrong_run_file(logistic, tmp_path, kind):
    """Every write in turn: the run fails with one sentence, or its file holds what an undisturbed run writes."""
    file = tmp_path / "x.h5"
    saved = {}
    run = ["run", logistic, "--output", file, "--quiet"]
    if kind == "resumed":
        # Round 4's checkpoint cannot get its name, which ends the run: round 2's is there.
        blocker = tmp_path / "x.h5.checkpoint-4" / "in the way"
        blocker.mkdir(parents=True)
        assert call(*run, "--set", "checkpoint.rounds=2").code != 0
        blocker.rmdir()
        blocker.parent.rmdir()
        saved = {path: path.read_bytes() for path in checkpoints(file)}
        assert saved
        run.append("--resume")
    assert call(*run).code == 0
    expected = contents(file)
    failed = 0
    for number in range(1, 1000):
        file.unlink(missing_ok=True)
        for path, data in saved.items():
            path.write_bytes(data)
        result = call(*run, env=failing_write(number, ".h5.partial"))
        if "disk fault" not in result.err:
            break
        if result.code == 0:
            assert contents(file) == expected, result.err
        else:
            failed += 1
            assert result.code in (1, 2, 3) and "No space left on device" in result.sentence, result.err
            assert not file.exists()
    assert result.code == 0 and contents(file) == expected
    assert number > 20 and failed > number / 2


def test_another_schema_is_refused(logistic, tmp_path):
    file = tmp_path / "x.h5"
    half_way(logistic, file, *SLOW, "--set", "checkpoint.rounds=50")
    for path in checkpoints(file):
        with h5py.File(path, "r+") as h5:
            h5.attrs["schema_version"] = 99
    result = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert result.code == 2 and "schema version 99" in result.sentence
