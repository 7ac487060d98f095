"""Outputs: written whole or not at all, never through a link; a full disk and a limit on file sizes are named."""
import os
import re
import resource
import subprocess
from pathlib import Path

import h5py
import pytest

from conftest import PROGRAM, call, environment
from paused import checkpoints, paused

SWEEP = 'experiment = "small.toml"\n[axes]\nseed = [1, 2]\n'
LIMIT = "the limit on the size of a file is reached (File too large)"
FULL = "the disk is full (No space left on device)"


def limited(size):
    """Options of a call with a limit on the size of every file that it writes."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}


@pytest.fixture
def sweep(logistic):
    path = logistic.with_name("sweep.toml")
    path.write_text(SWEEP)
    return path


def cell_name(sweep):
    """The name of cell 0's files, without an ending."""
    return re.search(r"\b[0-9a-f]{12}\b", call("sweep", sweep, "--list").out)[0]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 24 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(folder, leave):
    """Fills the disk but for some bytes."""
    free = os.statvfs(folder)
    (folder / "ballast").write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - leave)))


@pytest.mark.parametrize("size", [100, 4096, 30000])
def test_a_limit_on_the_file_size_refuses_a_run_at_its_start(logistic, tmp_path, size):
    file = tmp_path / "x.h5"
    result = call("run", logistic, "--quiet", "--output", file, **limited(size))
    assert result.code == 2 and LIMIT in result.sentence and "ulimit -f" in result.sentence, result.err
    assert not file.exists() and not list(tmp_path.glob("x.h5*"))


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_limit_on_the_file_size_ends_a_run_with_a_sentence(logistic, tmp_path, ranks):
    """A limit that comes in the middle of the run: MPI libraries need large files at their start."""
    file = tmp_path / "x.h5"
    with paused("run", logistic, "--quiet", "--set", "rounds=8000", "--set", "evaluate.every=0", "--set",
              "checkpoint.rounds=1000", "--output", file, ranks=ranks) as process:
        size = Path(f"{file}.partial").stat().st_size
        resource.prlimit(process.writer, resource.RLIMIT_FSIZE, (size, size))
        process.release()
        _, err = process.communicate(timeout=300)
    said = [line for line in err.splitlines() if line.startswith("trilemma:")]
    assert process.returncode == 3 and len(said) == 1 and LIMIT in said[0], err
    assert not file.exists() and checkpoints(file)
    assert f"{file}.partial" in said[0]
    again = call("run", logistic, "--quiet", "--set", "rounds=8000", "--set", "evaluate.every=0", "--resume",
                 "--output", file)
    assert again.code == 0, again.err


# A long report reaches the disk while it is printed, a short one when the program ends.
@pytest.mark.parametrize("command", [["list"], ["config"], ["config", "--defaults"], ["privacy", "epsilon", "--sigma", "1", "--delta", "1e-5"],
                                     ["--help"]])
def test_standard_output_on_a_full_disk(command):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300,
                              env=environment())
    assert done.returncode == 1 and f"standard output: cannot be written: {FULL}" in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_reason_of_a_refused_cell_goes_through_no_link(sweep, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    name = cell_name(sweep)
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    (folder / f"{name}.h5").write_text("not a run file")
    for make in (lambda path: path.symlink_to(precious), os.mkfifo):
        failed = folder / f"{name}.failed"
        failed.unlink(missing_ok=True)
        make(failed)
        result = call("sweep", sweep, "--run", "0", "--output-dir", folder)
        assert result.code == 2 and "not a run file" in result.sentence, result.err
        assert precious.read_text() == "untouched"
        assert failed.is_file() and not failed.is_symlink() and "not a run file" in failed.read_text()


def test_a_manifest_goes_through_no_link(sweep, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    (folder / "sweep.json").symlink_to(precious)
    assert call("sweep", sweep, "--run", "0", "--output-dir", folder, "--quiet").code == 0
    assert precious.read_text() == "untouched" and not (folder / "sweep.json").is_symlink()


@pytest.mark.parametrize("leave", [6_000_000, 9_000_000])
def test_a_sweep_on_a_full_disk_keeps_the_reason(sweep, small_disk, leave):
    folder = small_disk / "runs"
    folder.mkdir()
    fill(small_disk, leave)
    more = ["--set", "rounds=200000", "--set", "evaluate.every=0", "--set", "checkpoint.seconds=0"]
    result = call("sweep", sweep, "--run", "0", *more, "--output-dir", folder, "--quiet")
    assert result.code in (2, 3) and FULL in result.sentence, result.err
    failed, = folder.glob("*.failed")
    assert FULL in failed.read_text()
    partial, = folder.glob("*.partial")
    with h5py.File(partial) as file:
        assert file.attrs["schema"] == "trilemma-run"
    status = call("sweep", sweep, *more, "--status", "--output-dir", folder)
    assert FULL in status.out and "no reason is known" not in status.out


def test_a_sweep_on_a_disk_that_is_full_from_the_start_says_so(sweep, small_disk):
    folder = small_disk / "runs"
    folder.mkdir()
    assert call("sweep", sweep, "--run", "1", "--output-dir", folder, "--quiet").code == 0
    fill(small_disk, 0)
    result = call("sweep", sweep, "--run", "0", "--output-dir", folder, "--quiet")
    said = [line for line in result.err.splitlines() if line.startswith("trilemma:")]
    assert result.code == 2 and FULL in said[0] and "permission" not in result.err, result.err
    assert "the reason was not written to a file" in said[-1]
    assert not list(folder.glob("*.tmp"))


def test_a_report_goes_through_no_link(logistic, tmp_path):
    precious = tmp_path / "precious.h5"
    precious.write_text("untouched")
    for name in ("x.h5", "x.h5.partial"):
        link = tmp_path / name
        link.symlink_to(precious)
        result = call("audit", logistic, "--runs", "20", "--quiet", "--output", tmp_path / "x.h5")
        assert result.code == 2, result.err
        assert precious.read_text() == "untouched"
        link.unlink()
