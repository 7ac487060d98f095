"""Runs that wait in their middle, so that what a test does to them never comes too late."""
import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from conftest import PROGRAM, environment, launcher


def start(*arguments, ranks=None, env=None, cwd=None):
    """The program in the background, in a process group of its own."""
    return subprocess.Popen(launcher(ranks) + [str(PROGRAM)] + [str(a) for a in arguments],
                            env=environment(**(env or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, start_new_session=True, cwd=cwd)


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def checkpoints(file):
    found = (path for path in file.parent.glob(f"{file.name}.checkpoint-*") if path.is_file())
    return sorted(found, key=lambda path: int(path.name.rsplit("-", 1)[1]))


def kill(process, more=None):
    """Ends the whole group at once, and process `more`, which a launcher may have given another group."""
    for send, number in ((os.killpg, process.pid), (os.kill, more or process.pid)):
        with contextlib.suppress(ProcessLookupError):
            send(number, signal.SIGKILL)
    process.communicate(timeout=120)


@contextlib.contextmanager
def paused(*arguments, ranks=None, saved=1, name=".checkpoint-", cwd=None):
    """The program in the background, waiting since its `saved`-th checkpoint, or file with `name` in its name, got that.
    `release()` of the process lets it go on; the end of the block kills it. Its `writer` is the process that waits."""
    if "TRILEMMA_DISK_FAULT" not in os.environ:
        pytest.skip("TRILEMMA_DISK_FAULT does not name the library")
    with tempfile.TemporaryDirectory() as folder:
        gate = Path(folder) / "gate"
        process = start(*arguments, ranks=ranks, cwd=cwd, env={"LD_PRELOAD": os.environ["TRILEMMA_DISK_FAULT"],
                        "TRILEMMA_HOLD_NAME": name, "TRILEMMA_HOLD_AT": str(saved),
                        "TRILEMMA_HOLD_FILE": str(gate)})
        wait_for(lambda: gate.exists() or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        process.writer = int(gate.read_text())
        process.release = lambda: gate.unlink(missing_ok=True)
        try:
            yield process
        finally:
            process.release()
            if process.poll() is None:
                kill(process, process.writer)


def half_way(*arguments, ranks=None, saved=1, cwd=None):
    """A run that was killed as soon as it had written `saved` checkpoints."""
    with paused(*arguments, ranks=ranks, saved=saved, cwd=cwd) as process:
        kill(process, process.writer)
