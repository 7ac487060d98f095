"""Progress on a terminal: one line of its width, and messages on lines of their own."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from conftest import LOGISTIC, PROGRAM, environment

COLUMNS = 60
LONG = LOGISTIC.replace("rounds = 6", "rounds = 100000000").replace("small", "a name that is too long for a narrow line")


class Terminal:
    """The program on a terminal of COLUMNS columns."""

    def __init__(self, *arguments):
        self.end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=other,
                                        stderr=other, env=environment(), start_new_session=True)
        os.close(other)
        self.text = ""

    def read_until(self, done):
        """Reads what is printed until done() is true of it, or the program has ended."""
        limit = time.monotonic() + 300
        while not done(self.text) and time.monotonic() < limit:
            if not select.select([self.end], [], [], 1)[0]:
                continue
            try:
                self.text += os.read(self.end, 65536).decode()
            except OSError:  # the program has ended
                return

    def stop(self):
        """Stops the program as Ctrl-C does; returns its exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.read_until(lambda text: False)
        return self.process.wait(timeout=60)

    def lines(self):
        """The contents that lines of the terminal had, in order."""
        return [part for part in re.split(r"\r\x1b\[K|\r?\n", self.text) if part]


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "long.toml"
    path.write_text(LONG)
    return path


def check(terminal, code):
    assert code == 85, terminal.text
    progress = [line for line in terminal.lines() if "round " in line and not line.startswith("trilemma:")]
    assert progress and all(len(line) < COLUMNS for line in progress), progress
    assert "\n" not in terminal.text[terminal.text.index(progress[0]):terminal.text.rindex(progress[-1])]
    assert [line for line in terminal.lines() if line.startswith("trilemma: stopped by a signal")], terminal.text


def test_a_run_keeps_to_the_line(experiment, tmp_path):
    terminal = Terminal("run", experiment, "--output", tmp_path / "run.h5")
    terminal.read_until(lambda text: text.count("\r\x1b[K") > 1 and " left" in text)
    check(terminal, terminal.stop())


def test_a_sweep_shows_the_cells_that_run(experiment, tmp_path):
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(f'name = "s"\nexperiment = "{experiment.name}"\nseeds = 2\n')
    terminal = Terminal("sweep", sweep, "--all", "--jobs", 2, "--output-dir", tmp_path / "cells")
    terminal.read_until(lambda text: re.search(r"0 of 2 cells; running 2: seed=\d round \d+ of ", text))
    check(terminal, terminal.stop())
