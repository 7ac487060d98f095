"""Disks that are full for a moment, at one write or another: never other bits, never a file that only looks whole."""
import os

import h5py
import numpy as np
import pytest

from conftest import LOGISTIC, call
from extent import ALL
from paused import checkpoints
from test_ranks import assert_same_bits

pytestmark = pytest.mark.skipif("TRILEMMA_DISK_FAULT" not in os.environ,
                                reason="TRILEMMA_DISK_FAULT does not name the library")


# Every write has its turn with scripts/test --all, else some spread over all.
STRIDE = 1 if ALL else 7


def failing_write(number, path):
    """Environment in which one write to files of this kind fails as on a full disk."""
    return {"LD_PRELOAD": os.environ["TRILEMMA_DISK_FAULT"], "TRILEMMA_FAIL_PATH": path,
            "TRILEMMA_FAIL_WRITE": str(number)}


def test_a_write_that_fails_once_never_makes_a_bad_checkpoint(tmp_path):
    """A disk that is full for a moment, at every write of a checkpoint in turn."""
    experiment = tmp_path / "wide.toml"
    experiment.write_text(LOGISTIC.replace("features = 30", "features = 30000").replace("clients = 7", "clients = 2"))
    more = ["--set", "method=soteriafl-svrg", "--set", "privacy.calibration=paper", "--set", "evaluate.every=0", "--quiet"]
    whole = tmp_path / "whole.h5"
    assert call("run", experiment, *more, "--output", whole).code == 0
    failed = 0
    for number in range(1, 60, STRIDE):
        file = tmp_path / f"{number}.h5"
        result = call("run", experiment, *more, "--set", "checkpoint.rounds=3", "--output", file,
                      env=failing_write(number, ".checkpoint.unfinished"))
        if "disk fault" not in result.err:
            break
        if result.code != 0:
            failed += 1
            assert result.code == 3 and "No space left on device" in result.sentence, result.err
            assert not list(tmp_path.glob(f"{number}.h5.checkpoint*"))
            assert call("run", experiment, *more, "--output", file, "--resume").code == 0
        assert_same_bits(whole, file)
    assert failed > 2


OF_THIS_RUN = ("wall_seconds", "content_sha256", "phases/seconds", "phases/peak_memory", "environment/started", "environment/launch", "environment/variables", "starts/environment",
               "time_evidence", "cores_per_rank", "node_cores", "node_ranks", "load_from_others", "waiting_share",
               "steal_share", "timed_rounds")


def contents(path):
    """All data sets and attributes of a run file but those that depend on time and place."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and name not in OF_THIS_RUN:
            values = np.asarray(item[()])
            found[name] = values.tolist() if item.dtype == object else values.tobytes()
        found.update({f"{name}@{key}": str(value) for key, value in item.attrs.items() if key not in OF_THIS_RUN})

    with h5py.File(path) as h5:
        take("", h5)
        h5.visititems(take)
    return found


@pytest.mark.parametrize("kind", ["new", "resumed"])
def test_a_write_that_fails_once_never_makes_a_wrong_run_file(logistic, tmp_path, kind):
    """The run fails with one sentence, or its file holds what an undisturbed run writes."""
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
    failed = tried = 0
    for number in range(1, 1000, STRIDE):
        tried += 1
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
    assert number > 20 and failed > tried / 2
