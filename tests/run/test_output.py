"""What exists where a run or an audit writes: nothing is lost, no process writes into another's file."""
import hashlib
import os
import pty
import shutil
import signal
import subprocess

import h5py
import pytest

from conftest import PROGRAM, call, environment
from paused import checkpoints, half_way, start
from test_ranks import assert_same_bits
from test_resume import SLOW


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def refuses(path, *arguments, words=()):
    """The command ends with one sentence that names the file, which stays as it is."""
    before = digest(path)
    result = call(*arguments)
    assert result.code == 2 and str(path) in result.sentence, result.err
    for word in words:
        assert word in result.sentence, result.sentence
    assert digest(path) == before
    return result.sentence


def test_a_finished_run_is_replaced_only_on_demand(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--output", file).code == 0
    refuses(file, "run", logistic, "--output", file, words=["complete run of these settings", "--overwrite", "--resume"])
    refuses(file, "run", logistic, "--set", "seed=2", "--set", "server.rate=0.2", "--output", file,
            words=["seed = 1 there, 2 here", "server.rate = 0.3 there, 0.2 here", "--overwrite"])
    assert sorted(path.name for path in tmp_path.glob("x.h5*")) == ["x.h5"]
    assert call("run", logistic, "--set", "seed=2", "--output", file, "--overwrite").code == 0
    with h5py.File(file) as h5:
        assert h5.attrs["seed"] == 2
    assert sorted(path.name for path in tmp_path.glob("x.h5*")) == ["x.h5"]


@pytest.mark.parametrize("more", [[], ["--overwrite"], ["--resume"], ["--resume", "--overwrite"]])
def test_other_files_are_never_replaced(logistic, tmp_path, more):
    data = tmp_path / "mydata.h5"
    with h5py.File(data, "w") as h5:
        h5["x"] = list(range(100))
    refuses(data, "run", logistic, "--output", data, *more, words=["not a run file"])
    with h5py.File(data, "r+") as h5:
        h5.attrs["schema"] = "trilemma-audit"
    refuses(data, "run", logistic, "--output", data, *more, words=["not a run file"])
    data.rename(tmp_path / "y.h5.partial")
    refuses(tmp_path / "y.h5.partial", "run", logistic, "--output", tmp_path / "y.h5", *more, words=["not a run file"])
    assert not (tmp_path / "y.h5").exists()


def test_nothing_is_written_through_a_symbolic_link(logistic, tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("words")
    for name in ("y.h5", "y.h5.partial"):
        (tmp_path / name).symlink_to(precious)
        result = call("run", logistic, "--output", tmp_path / "y.h5", "--overwrite")
        assert result.code == 2 and f"{name}: a symbolic link" in result.sentence, result.err
        (tmp_path / name).unlink()
    # A checkpoint takes the place of a link, and leaves alone what it leads to.
    (tmp_path / "y.h5.checkpoint.unfinished").symlink_to(precious)
    assert call("run", logistic, "--set", "checkpoint.rounds=2", "--output", tmp_path / "y.h5").code == 0
    for name in ("a.h5", "a.h5.partial"):
        (tmp_path / name).symlink_to(precious)
        result = call("audit", logistic, "--runs", "60", "--output", tmp_path / "a.h5", "--overwrite", "--quiet")
        assert result.code == 2 and f"{name}: a symbolic link" in result.sentence, result.err
        (tmp_path / name).unlink()
    assert precious.read_text() == "words"


def test_an_audit_replaces_audits_only(logistic, tmp_path):
    run, audit = tmp_path / "x.h5", tmp_path / "a.h5"
    assert call("run", logistic, "--output", run).code == 0
    command = ["audit", logistic, "--runs", "60", "--quiet", "--output"]
    for more in ([], ["--overwrite"]):
        refuses(run, *command, run, *more, words=["not an audit file"])
    assert call(*command, audit).code == 0
    refuses(audit, *command, audit, words=["an audit file already", "--overwrite"])
    assert call(*command, audit, "--overwrite").code == 0
    assert sorted(path.name for path in tmp_path.glob("*.h5*")) == ["a.h5", "x.h5"]


def test_overwrite_starts_an_unfinished_run_anew(logistic, tmp_path):
    whole, file = tmp_path / "whole.h5", tmp_path / "x.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=50")
    result = call("run", logistic, *SLOW, "--output", file, "--overwrite")
    assert result.code == 0 and "resuming" not in result.err
    assert not checkpoints(file)
    with h5py.File(file) as h5:
        assert list(h5["starts/round"]) == [0]
    assert_same_bits(whole, file)


def test_what_differs_is_said(logistic, tmp_path):
    file = tmp_path / "x.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=20")
    other = [*SLOW, "--set", "seed=2", "--set", "server.rate=0.1", "--set", "start.scale=0.0", "--set", "local.batch=9",
             "--set", "bound.threshold=9", "--set", "compressor.k=9", "--output", file, "--resume"]
    said = call("run", logistic, *other).sentence
    assert "bound.threshold = 0.5 there, 9.0 here" in said and "and 2 more" in said, said
    assert not list(tmp_path.glob("x.h5.extracted*"))


def test_released_rounds_are_not_released_twice(logistic, tmp_path):
    """Without its checkpoint the noise of a secret run cannot be drawn again."""
    file, partial = tmp_path / "x.h5", tmp_path / "x.h5.partial"
    more = [*SLOW, "--set", "privacy.rng=chacha20", "--set", "checkpoint.rounds=300"]
    half_way("run", logistic, "--output", file, *more, saved=2)
    for path in checkpoints(file):
        path.unlink()
    with h5py.File(partial) as h5:
        rounds = len(h5["rounds/round"]) - 1
    assert rounds > 0
    refuses(partial, "run", logistic, *more, "--output", file, "--resume",
            words=[f"{rounds} rounds were released under a secret", "--overwrite"])
    assert call("run", logistic, *more, "--output", file, "--resume", "--overwrite").code == 0


def test_a_finished_run_is_of_its_data(network, tmp_path):
    file = tmp_path / "x.h5"
    run = ["run", network, "--data-dir", tmp_path, "--output", file]
    assert call(*run).code == 0
    sweep = tmp_path / "s.toml"
    sweep.write_text('experiment = "network.toml"\nseeds = [1]\n')
    cell = ["sweep", sweep, "--output-dir", tmp_path / "out", "--data-dir", tmp_path]
    assert call(*cell, "--run", "0").code == 0 and "1 of 1 cells done" in call(*cell).out
    assert "complete already" in call(*run, "--resume").out
    images = tmp_path / "images.gz"
    images.write_bytes(images.read_bytes() + b"\0")
    refuses(file, *run, "--resume", words=["the data files have changed", "images.gz"])
    status = call(*cell)
    assert "0 of 1 cells done" in status.out and "made from other data (images.gz" in status.out
    again = call(*cell, "--run", "0")
    assert again.code == 2 and "the data files have changed" in again.sentence
    # What is not there cannot be compared.
    images.unlink()
    assert "complete already" in call(*run, "--resume").out


def test_numbers_of_another_width_are_not_taken_for_these(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--output", file).code == 0
    with h5py.File(file, "r+") as h5:
        width = h5["environment/real"].asstr()[()]
        h5["environment/real"][()] = {"float32": "float64", "float64": "float32"}[width]
    refuses(file, "run", logistic, "--output", file, "--resume", words=["numbers, this one has " + width])


def test_an_incomplete_file_with_its_last_name_is_not_done(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "server.rate=1e300", "--output", file).code == 3
    (tmp_path / "x.h5.partial").rename(file)
    refuses(file, "run", logistic, "--set", "server.rate=1e300", "--output", file, "--resume", words=["partial run"])


def test_checkpoints_are_private_from_the_start(logistic, tmp_path):
    """A shared library would be needed to look between two calls; the mask of the process tells as much."""
    trace = tmp_path / "trace"
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    command = ["strace", "-f", "-e", "trace=open,openat,creat", "-o", str(trace), str(PROGRAM), "run", str(logistic),
               "--set", "checkpoint.rounds=2", "--output", str(tmp_path / "x.h5")]
    subprocess.run(command, check=True, capture_output=True, env=environment())
    made = [line for line in trace.read_text().splitlines() if "unfinished" in line and "O_CREAT" in line]
    assert made and all("O_EXCL" in line for line in made)


PAIRS = int(os.environ.get("TRILEMMA_PAIRS", "30"))


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_of_two_starts_at_once_one_runs(logistic, tmp_path, more):
    """Never a file that is torn, never two that believe to have written it."""
    whole = tmp_path / "whole.h5"
    assert call("run", logistic, "--output", whole).code == 0
    both_good = 0
    for number in range(PAIRS // 2):
        file = tmp_path / f"{number}.h5"
        pair = [start("run", logistic, "--output", file, "--quiet", *more) for _ in range(2)]
        said = [process.communicate(timeout=60)[1] for process in pair]
        codes = sorted(process.returncode for process in pair)
        assert codes in ([0, 2], [0, 0]), (codes, said)
        # Two may be good only where the second has found the work done.
        assert codes == [0, 2] or more, said
        both_good += codes == [0, 0]
        assert_same_bits(whole, file)
        assert call("show", file).code == 0
        assert sorted(path.name for path in tmp_path.glob(f"{number}.h5*")) == [f"{number}.h5"]
    print(f"{PAIRS // 2} pairs, {both_good} with two good ends")


def test_the_progress_line_is_gone_before_the_next_message(logistic, tmp_path):
    keyboard, screen = pty.openpty()
    process = subprocess.Popen([str(PROGRAM), "run", str(logistic), "--set", "rounds=4000000", "--set",
                                "evaluate.every=100", "--output", str(tmp_path / "x.h5")], stdin=subprocess.DEVNULL,
                               stdout=screen, stderr=screen, env=environment())
    os.close(screen)
    shown = b""
    try:
        while part := os.read(keyboard, 65536):
            shown += part
            if b" left" in shown:
                process.send_signal(signal.SIGTERM)
    except OSError:  # the other end is closed
        pass
    os.close(keyboard)
    assert process.wait(timeout=60) == 85, shown
    line, message = shown.decode().split("trilemma: stopped", 1)
    assert line.endswith("\r\x1b[K") and "\x1b" not in message


@pytest.mark.parametrize("method, words", [("gd", "gd, seed 1"), ("ldp-sgd", "ldp-sgd (mode private), seed 1")])
def test_the_mode_is_shown_where_there_is_privacy(logistic, tmp_path, method, words):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", f"method={method}", "--output", file).code == 0
    assert words in call("show", file).out
