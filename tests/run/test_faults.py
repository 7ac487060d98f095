"""Faults: each ends in a bounded time with one sentence that names the cause, leaves no process behind, keeps the
results, and the restart resumes bit-identically."""
import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import call, read
from extent import only_with_all
from paused import checkpoints, paused, kill, start, wait_for
from test_ranks import assert_same_bits

LONGEST = 300  # seconds until a job counts as one that never ends: a bound for a busy machine, not a measure
LONG = ["--set", "rounds=8000", "--set", "evaluate.every=1000", "--set", "checkpoint.rounds=500", "--quiet"]


def ranks_of(file):
    """Processes of the run that writes `file`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0].endswith("trilemma") and str(file) in words:
            found.append(int(entry.parent.name))
    return sorted(found)


def wait_until_gone(file, seconds=LONGEST):
    wait_for(lambda: not ranks_of(file), seconds)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The uninterrupted run."""
    from conftest import LOGISTIC
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.toml").write_text(LOGISTIC)
    assert call("run", folder / "small.toml", *LONG, "--output", folder / "whole.h5").code == 0
    return folder / "whole.h5"


def finish(experiment, file, whole, ranks=None):
    result = call("run", experiment, *LONG, "--resume", "--output", file, ranks=ranks)
    assert result.code == 0, result.err
    assert_same_bits(whole, file)
    assert not checkpoints(file)


@pytest.mark.parametrize("victim", [0, pytest.param(1, marks=only_with_all), pytest.param("launcher", marks=only_with_all)])
def test_a_killed_rank_ends_the_job(logistic, tmp_path, whole, victim):
    file = tmp_path / "x.h5"
    with paused("run", logistic, *LONG, "--output", file, ranks=3) as process:
        os.kill(process.pid if victim == "launcher" else ranks_of(file)[victim], signal.SIGKILL)
        process.release()
        process.communicate(timeout=LONGEST)
    assert process.returncode != 0
    wait_until_gone(file)
    finish(logistic, file, whole, ranks=2)


@pytest.mark.parametrize("victim", [0, pytest.param(2, marks=only_with_all)])
def test_a_rank_that_hangs_is_noticed(logistic, tmp_path, whole, victim):
    file = tmp_path / "x.h5"
    with paused("run", logistic, *LONG, "--set", "watchdog.seconds=10", "--output", file, ranks=3) as process:
        os.kill(ranks_of(file)[victim], signal.SIGSTOP)
        process.release()
        _, err = process.communicate(timeout=LONGEST)
    assert process.returncode != 0
    said = [line for line in err.splitlines() if line.startswith("trilemma:")]
    # The rank that was stopped goes on to be ended, and may have the time to say so too.
    ranks = [re.match(r"trilemma: rank (\d)", line)[1] for line in said]
    assert 1 <= len(ranks) == len(set(ranks)), err
    assert re.search(r"rank \d: no progress for \S+ s since the end of \"[\w ]+\"", said[0]), err
    assert "watchdog.seconds" in said[0] and "--resume" in said[0]
    wait_until_gone(file)
    finish(logistic, file, whole, ranks=2)


def test_a_rank_that_hangs_before_the_rounds_is_noticed(logistic, tmp_path):
    """Stopped as soon as it exists: while MPI starts or data are made."""
    file = tmp_path / "x.h5"
    process = start("run", logistic, *LONG, "--set", "watchdog.seconds=2", "--output", file, ranks=3)
    wait_for(lambda: len(ranks_of(file)) == 3)
    os.kill(ranks_of(file)[1], signal.SIGSTOP)
    _, err = process.communicate(timeout=LONGEST)
    assert process.returncode != 0 and "no progress" in err
    wait_until_gone(file)


REAL = ["--set", "method=favano", "--set", "clock.time=real", "--set", "local.steps=50", "--set", "local.rate=0.1",
        "--set", "participation.kind=fixed-size", "--set", "participation.size=3", "--set", "rounds=10000000",
        "--set", "evaluate.every=0", "--set", "checkpoint.seconds=0.1", "--set", "watchdog.seconds=10", "--quiet"]


@pytest.mark.parametrize("ranks, victim", [(3, 0), *(pytest.param(*case, marks=only_with_all) for case in ((2, 0), (2, 1), (3, 2)))])
def test_a_rank_that_hangs_in_real_time_is_noticed(logistic, tmp_path, ranks, victim):
    """Workers take local steps without rank 0 too, which must not pass for progress."""
    file = tmp_path / "x.h5"
    process = start("run", logistic, *REAL, "--output", file, ranks=ranks)
    try:
        wait_for(lambda: checkpoints(file) and len(ranks_of(file)) == ranks, LONGEST)
        os.kill(ranks_of(file)[victim], signal.SIGSTOP)
        _, err = process.communicate(timeout=LONGEST)
    finally:
        kill(process)
    assert process.returncode == 3, err
    said = [line for line in err.splitlines() if line.startswith("trilemma:")]
    assert 1 <= len(said) <= ranks and all("no progress for" in line for line in said), err
    if victim == 0:
        assert re.search(r"rank [12]: ", said[0]), err
    wait_until_gone(file)


def test_the_watchdog_leaves_a_healthy_run_alone(logistic, tmp_path, whole):
    file = tmp_path / "x.h5"
    result = call("run", logistic, *LONG, "--set", "watchdog.seconds=60", "--output", file, ranks=2)
    assert result.code == 0, result.err
    assert_same_bits(whole, file)


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_nan_ends_the_run_and_names_its_client(logistic, tmp_path, ranks):
    """Steps so large that the model overflows; evaluations, which would notice it too, are far away."""
    file = tmp_path / "x.h5"
    wild = ["--set", "rounds=500", "--set", "evaluate.every=0", "--set", "server.rate=1e308", "--output", file]
    first = call("run", logistic, *wild, "--set", "checkpoint.rounds=1", ranks=ranks)
    assert first.code == 3
    found = re.search(r"round (\d+): the message of client (\d+) holds a NaN or an infinite value", first.sentence)
    assert found and int(found[1]) > 1 and f"{file}.partial" in first.sentence
    assert len(checkpoints(file)) == min(2, int(found[1]) - 1)
    # What went wrong goes wrong again, at the same place.
    again = call("run", logistic, *wild, "--resume")
    assert again.code == 3 and found[0] in again.err


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_full_disk_ends_the_run_and_loses_nothing(logistic, small_disk, whole, ranks):
    file = small_disk / "x.h5"
    ballast = small_disk / "ballast"
    with paused("run", logistic, *LONG, "--output", file, ranks=ranks) as process:
        with contextlib.suppress(OSError):  # as much as there is room for
            ballast.write_bytes(bytes(64 << 20))
        process.release()
        _, err = process.communicate(timeout=LONGEST)
    assert process.returncode != 0
    said = [line for line in err.splitlines() if line.startswith("trilemma:")]
    assert len(said) == 1 and "No space left on device" in said[0], err
    assert checkpoints(file)
    wait_until_gone(file)
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    ballast.unlink()
    finish(logistic, file, whole, ranks=2)
