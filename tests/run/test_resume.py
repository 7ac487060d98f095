"""Checkpoints: a run that was stopped or killed resumes bit-identically, on any number of ranks."""
import re
import signal
import time

import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from paused import checkpoints, half_way, paused, start, wait_for
from test_ranks import assert_same_bits

STOPPED = 85
SLOW = ["--set", "rounds=4000", "--set", "evaluate.every=100"]


@pytest.mark.parametrize("ranks", [(None, 3), (3, 2)])
def test_the_program_goes_on_to_the_same_bits(logistic, tmp_path, methods, ranks):
    """Every method, in one process for each number of ranks: tests/ranks/run_ranks.cpp."""
    before, after = ranks
    assert len(methods) >= 8
    for method in methods[0 if before is None else 1::8]:
        choice = ["--set", f"method={method}", "--quiet"]
        whole, file = tmp_path / f"{method}.h5", tmp_path / f"{method}-parts.h5"
        assert call("run", logistic, *choice, "--output", whole).code == 0
        # A failing write of round 4's checkpoint ends the run in its middle: round 2's is there.
        blocker = tmp_path / f"{method}-parts.h5.checkpoint-4"
        (blocker / "in the way").mkdir(parents=True)
        every = ["--set", "checkpoint.rounds=2"]
        assert call("run", logistic, *choice, *every, "--output", file, ranks=before).code != 0
        (blocker / "in the way").rmdir()
        blocker.rmdir()
        assert [path.name for path in checkpoints(file)] == [f"{method}-parts.h5.checkpoint-2"]
        result = call("run", logistic, *choice, "--resume", "--output", file, ranks=after)
        assert result.code == 0, result.err
        assert_same_bits(whole, file)
        with h5py.File(file) as h5:
            assert list(h5["starts/round"]) == [0, 2]
            assert list(h5["starts/ranks"]) == [before or 1, after or 1]
            assert h5["environment"].attrs["timed_rounds"] == 6, "rounds of both starts"
            assert h5["phases/seconds"].shape[:2] == (7, max(before or 1, after or 1))
            privacy, expected = dict(h5["privacy"].attrs), dict(h5py.File(whole)["privacy"].attrs)
            for name in ("bound_observed", "drawn_least", "drawn_mean", "drawn_most", "rounds_executed"):
                assert np.array_equal(privacy[name], expected[name], equal_nan=True), name
        assert not checkpoints(file)
        assert summary(file)["restarts"] == [2]
    assert "1, after round 2" in call("show", file).out


@pytest.mark.parametrize("method", ["soteriafl-svrg", "soteriafl-saga"])
def test_the_network_goes_on_to_the_same_bits(network, tmp_path, method):
    choice = ["--set", f"method={method}", "--quiet", "--data-dir", tmp_path, "--set", "rounds=40"]
    whole, file = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert call("run", network, *choice, "--output", whole).code == 0
    half_way("run", network, "--output", file, *choice, "--set", "checkpoint.rounds=7", "--set", "rounds=40", ranks=2)
    assert call("run", network, *choice, "--resume", "--output", file, ranks=3).code == 0
    assert_same_bits(whole, file)


@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM", "SIGINT"])
def test_a_signal_stops_after_a_checkpoint(logistic, tmp_path, name):
    whole, file = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    with paused("run", logistic, *SLOW, "--set", "checkpoint.rounds=100", "--output", file) as process:
        process.send_signal(getattr(signal, name))
        process.release()
        _, err = process.communicate(timeout=300)
    assert process.returncode == STOPPED
    stopped = re.search(r"stopped by a signal after round (\d+)", err)
    assert stopped and "--resume" in err
    assert checkpoints(file)[-1].name == f"parts.h5.checkpoint-{stopped[1]}"
    result = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert result.code == 0 and "resuming after round" in result.err
    assert_same_bits(whole, file)


def test_a_signal_to_the_launcher_stops_all_ranks(logistic, tmp_path):
    whole, file = tmp_path / "whole.h5", tmp_path / "parts.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    with paused("run", logistic, *SLOW, "--set", "checkpoint.rounds=100", "--output", file, ranks=3) as process:
        process.send_signal(signal.SIGUSR1)
        process.release()
        process.communicate(timeout=300)
    assert process.returncode == STOPPED
    assert call("run", logistic, *SLOW, "--output", file, "--resume", ranks=2).code == 0
    assert_same_bits(whole, file)


def test_what_is_complete_is_left_alone(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--output", file).code == 0
    before = file.stat()
    (tmp_path / "x.h5.checkpoint-3").write_bytes(b"left by a crash after the end")
    result = call("run", logistic, "--output", file, "--resume", ranks=2)
    assert not checkpoints(file)
    assert result.code == 0 and "complete already" in result.out
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    other = call("run", logistic, "--output", file, "--resume", "--set", "local.batch=19")
    assert other.code == 2 and "not a run of this experiment" in other.sentence


def test_the_default_name_is_found_again(logistic, tmp_path):
    assert call("run", logistic, cwd=tmp_path).code == 0
    again = call("run", logistic, "--resume", cwd=tmp_path)
    assert again.code == 0 and "complete already" in again.out and "starting over" not in again.err
    other = call("run", logistic, "--resume", "--set", "local.batch=19", cwd=tmp_path)
    assert other.code == 0
    notes = [line for line in other.err.splitlines() if "starting over" in line]
    assert len(notes) == 1 and "neither runs/small-soteriafl-sgd-s1-2.h5 nor a checkpoint" in notes[0]
    assert len(list((tmp_path / "runs").glob("*.h5"))) == 2


def test_an_unfinished_run_comes_before_an_equal_finished_one(logistic, tmp_path):
    for _ in range(3):
        assert call("run", logistic, *SLOW, "--set", "checkpoint.at_end=true", cwd=tmp_path).code == 0
    third = tmp_path / "runs/small-soteriafl-sgd-s1-3.h5"
    third.unlink()
    assert checkpoints(third)
    result = call("run", logistic, *SLOW, "--set", "checkpoint.at_end=true", "--resume", cwd=tmp_path)
    assert result.code == 0 and third.exists(), result.err


def test_without_a_checkpoint_the_run_starts(logistic, tmp_path):
    result = call("run", logistic, "--output", tmp_path / "x.h5", "--resume")
    assert result.code == 0 and "resuming" not in result.err
    assert f"note: {tmp_path / 'x.h5'}: no checkpoint to resume from; starting at round 0" in result.err


@pytest.mark.parametrize("more", [[], ["--resume"]], ids=["again", "resume"])
def test_rounds_without_a_checkpoint_are_said_to_be_made_again(logistic, tmp_path, more):
    file = tmp_path / "x.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=20")
    for path in checkpoints(file):
        path.unlink()
    done = summary(tmp_path / "x.h5.partial")["rounds_done"]
    assert done > 0
    result = call("run", logistic, "--output", file, *SLOW, *more)
    assert result.code == 0, result.err
    assert "x.h5.partial: an unfinished run without a checkpoint" in result.err
    assert f"its {done} rounds are repeated" in result.err


def test_other_settings_are_refused(logistic, tmp_path):
    file = tmp_path / "x.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=20")
    other = call("run", logistic, *SLOW, "--set", "server.rate=0.2", "--output", file, "--resume")
    assert other.code == 2 and "other settings" in other.sentence and str(file) in other.sentence
    fresh = call("run", logistic, *SLOW, "--output", file)
    assert fresh.code == 2 and "add --resume" in fresh.sentence
    # Where and how a run is made may change.
    launch = ["--set", "server_hosts=true", "--set", "timing.enabled=false", "--set", "checkpoint.seconds=0"]
    assert call("run", logistic, *SLOW, *launch, "--output", file, "--resume", ranks=2).code == 0


def padded(content):
    return content + b"\0"


def truncated(content):
    return content[:len(content) // 2]


@pytest.mark.parametrize("damage, more", [(padded, []), (truncated, []), (truncated, ["--set", "data.classes=files"])],
                         ids=["padded", "truncated", "shape"])
def test_changed_data_are_refused(network, tmp_path, damage, more):
    file = tmp_path / "x.h5"
    run = ["run", network, *more, "--data-dir", tmp_path, "--set", "rounds=2000", "--output", file]
    half_way(*run, "--set", "checkpoint.rounds=5")
    for name in ("images.gz", "labels.gz"):
        old = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(damage(old))
        result = call(*run, "--resume")
        assert result.code == 2
        assert f"the data files have changed since ({name}: SHA-256 " in result.sentence, result.sentence
        (tmp_path / name).write_bytes(old)


def test_a_restart_waits_for_the_end_of_its_predecessor(logistic, tmp_path):
    file = tmp_path / "x.h5"
    with paused("run", logistic, *SLOW, "--set", "checkpoint.rounds=100", "--output", file) as first:
        second = start("run", logistic, *SLOW, "--output", file, "--resume")
        time.sleep(1)
        assert second.poll() is None
        first.release()
        assert first.wait(timeout=300) == 0
    out, err = second.communicate(timeout=300)
    assert second.returncode == 0 and "complete already" in out, err
    with h5py.File(file) as h5:
        assert list(h5["starts/round"]) == [0]


@pytest.mark.parametrize("kept", [False, True])
def test_a_restart_while_the_file_gets_its_name(logistic, tmp_path, kept):
    """Its writer holds it for a moment more."""
    file = tmp_path / "x.h5"
    more = ["--set", f"checkpoint.at_end={str(kept).lower()}"]
    with paused("run", logistic, *more, "--output", file, name="x.h5", saved=2 if kept else 1) as first:
        assert file.exists() and bool(checkpoints(file)) == kept
        second = start("run", logistic, *more, "--output", file, "--resume")
        fresh = call("run", logistic, *more, "--output", file)
        assert fresh.code == 2 and "there is a complete run of these settings already" in fresh.sentence
        assert second.poll() is None
        first.release()
        assert first.wait(timeout=300) == 0
    out, err = second.communicate(timeout=300)
    assert second.returncode == 0 and "complete already" in out, err


def test_of_two_restarts_at_once_one_goes_on(logistic, tmp_path):
    """The other waits for it or says that it is there; neither writes into the other's file."""
    whole, file = tmp_path / "whole.h5", tmp_path / "x.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=50")
    both = [start("run", logistic, *SLOW, "--output", file, "--resume") for _ in range(2)]
    said = [process.communicate(timeout=60)[1] for process in both]
    assert 0 in [process.returncode for process in both], said
    for process, err in zip(both, said):
        assert process.returncode == 0 or re.search("another run is writing to it|there is a run file already", err)
    assert_same_bits(whole, file)
    assert sorted(path.name for path in tmp_path.glob("x.h5*")) == ["x.h5"]


def test_only_the_newest_are_kept(logistic, tmp_path):
    file = tmp_path / "x.h5"
    process = start("run", logistic, *SLOW, "--set", "checkpoint.rounds=100", "--set", "checkpoint.keep=3",
                    "--output", file)
    seen = 0
    while process.poll() is None:
        seen = max(seen, len(checkpoints(file)))
    assert process.communicate()[1] is not None and process.returncode == 0
    assert 1 <= seen <= 4  # the oldest goes after the newest has its name
    assert not checkpoints(file)
    with h5py.File(file) as h5:
        assert list(h5["checkpoints/round"]) == list(range(100, 4000, 100))
        assert (h5["checkpoints/bytes"][:] > 0).all() and (h5["checkpoints/seconds"][:] > 0).all()
        names = [name.decode() for name in h5["phases/name"][:]]
        assert h5["phases/seconds"][:, 0, names.index("checkpoint")].sum() > 0


def test_a_secret_run_goes_on_under_its_secret(logistic, tmp_path):
    """The rounds after a checkpoint, made twice, release the same messages: nothing is released twice."""
    file = tmp_path / "x.h5"
    more = [*SLOW, "--set", "privacy.rng=chacha20", "--set", "checkpoint.rounds=300"]
    half_way("run", logistic, "--output", file, *more, saved=2)
    saved = checkpoints(file)[-1]
    assert saved.stat().st_mode & 0o077 == 0
    content, name = saved.read_bytes(), saved.name
    outcomes = []
    for ranks in (None, 3):
        folder = tmp_path / f"again-{ranks}"
        folder.mkdir()
        (folder / name).write_bytes(content)
        assert call("run", logistic, *more, "--resume", "--output", folder / "x.h5", ranks=ranks).code == 0
        outcomes.append(folder / "x.h5")
    assert_same_bits(*outcomes)
    assert read(outcomes[0])[0].any()
