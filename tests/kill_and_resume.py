#!/usr/bin/env python3
"""Kills one experiment at random moments, restarts it, and compares what comes out with the uninterrupted run.

    tests/kill_and_resume.py --program build/release/trilemma --kills 50 --seed 1

Every kill takes one of these, on 1 to 4 ranks: SIGKILL or SIGTERM of a random rank, SIGKILL, SIGTERM or SIGUSR1 of the
launcher, a rank that stops (the watchdog must end the job), a full disk (where a tmpfs can be mounted). After each, no
process may be left within two minutes, and the restart must resume from the newest checkpoint that was there. After one to
three kills the run is left in peace; its final model and all columns of /rounds must equal those of the uninterrupted
run bit for bit.
"""
import argparse
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

EXPERIMENT = """
name = "kill"
method = "soteriafl-saga"
rounds = {rounds}
clients = 7
[data]
source = "synthetic"
rows = 7000
test_rows = 301
features = 30
nonzeros = 5
[local]
batch = 100
[bound]
threshold = 0.5
[privacy]
sigma = 0.05
delta = 1e-3
[compressor]
k = 4
[server]
rate = 0.05
[start]
scale = 0.2
[evaluate]
every = 500
[checkpoint]
seconds = 0.1
[watchdog]
seconds = 3
"""
ROUNDS = 15000
SETTLE_SECONDS = 120  # until a job counts as one that never ends, also on a busy machine
STOPPED = 85
DISK = "200m"
BALLAST = 200 << 20


class Bench:
    """One folder in which the experiment is run, killed and run again."""

    def __init__(self, program, folder, disk, rounds):
        self.program, self.folder, self.has_disk = program, folder, disk
        self.longest_wait = 5.0 * rounds / ROUNDS  # s before the blow
        self.experiment, self.file = folder / "kill.toml", folder / "kill.h5"
        self.experiment.write_text(EXPERIMENT.replace("{rounds}", str(rounds)))

    def start(self, ranks, in_peace=False):
        """Starts or resumes the run; in peace the watchdog, which a busy machine may set off, is off."""
        launcher = [] if ranks == 1 else ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca",
                                          "mpi_yield_when_idle", "1"]
        # Ranks of one machine, which need not look for a network.
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OPENBLAS_NUM_THREADS="1",
                   OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader")
        return subprocess.Popen([*launcher, self.program, "run", self.experiment, "--output", self.file, "--resume",
                                 *(["--set", "watchdog.seconds=0"] if in_peace else [])],
                                env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, start_new_session=True)

    def ranks(self):
        """Process ids of the program's ranks in this folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = entry.read_bytes().decode(errors="replace").split("\0")
                if words[0] == str(self.program) and str(self.file) in words:
                    found.append(int(entry.parent.name))
        return sorted(found)

    def newest(self):
        """Round of the newest checkpoint, -1 without one."""
        rounds = [int(path.name.rsplit("-", 1)[1]) for path in self.folder.glob("kill.h5.checkpoint-*")]
        return max(rounds, default=-1)

    def outcome(self):
        with h5py.File(self.file) as h5:
            assert h5.attrs["complete"] == 1
            return {"model": h5["model/final"][:].tobytes()} | {
                name: column[:].tobytes() for name, column in h5["rounds"].items()}


def strike(bench, kind, process, rng):
    """Does the harm; returns what must be done after the end."""
    ranks = bench.ranks()
    if kind == "hang" and not ranks:
        kind = "kill launcher"  # too early: no process is there yet that could notice a stopped launcher
    victim = rng.choice(ranks) if ranks else process.pid
    if kind == "full disk":
        ballast = bench.folder / "ballast"
        with contextlib.suppress(OSError):
            ballast.write_bytes(bytes(BALLAST))
        return lambda: ballast.unlink(missing_ok=True)
    target, number = {"kill rank": (victim, signal.SIGKILL), "terminate rank": (victim, signal.SIGTERM),
                      "hang": (victim, signal.SIGSTOP), "kill launcher": (process.pid, signal.SIGKILL),
                      "terminate launcher": (process.pid, signal.SIGTERM),
                      "ask launcher": (process.pid, signal.SIGUSR1)}[kind]
    with contextlib.suppress(ProcessLookupError):
        os.kill(target, number)
    return lambda: None


def state_of(pid):
    """As /proc tells it: R, S, T (stopped), Z, ..."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return "gone"


def settle(bench, process, kind):
    """Waits for the end of all processes; returns seconds, exit code and what was said."""
    begin = time.monotonic()
    try:
        _, said = process.communicate(timeout=SETTLE_SECONDS)
    except subprocess.TimeoutExpired:
        if kind == "hang" and bench.file.exists():
            # Stopped in its last moments, when all was written and no process waited for it any longer.
            for pid in bench.ranks():
                os.kill(pid, signal.SIGCONT)
            _, said = process.communicate(timeout=SETTLE_SECONDS)
            return 0.0, process.returncode, said
        left = {pid: state_of(pid) for pid in [process.pid, *bench.ranks()]}
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _, said = process.communicate()
        raise AssertionError(f"{kind}: the job did not end within {SETTLE_SECONDS} s; launcher {process.pid}, "
                             f"left are {left}; said: {said}") from None
    while bench.ranks():
        assert time.monotonic() - begin < SETTLE_SECONDS, f"ranks {bench.ranks()} are left"
        time.sleep(0.05)
    return time.monotonic() - begin, process.returncode, said


def check_start(said, expected, must_say=False):
    """The restart resumed from the newest checkpoint that was there."""
    found = re.search(r"resuming after round (\d+)", said)
    assert found or expected < 0 or not must_say, f"did not resume from round {expected}: {said}"
    if expected >= 0 and found:
        assert int(found[1]) >= expected, f"resumed after round {found[1]}, but round {expected} was saved"
    assert "damaged" not in said, said


def trial(bench, rng, kinds, kills, reference):
    """Some kills, then peace; returns what each was and how long its end took."""
    log = []
    for _ in range(kills):
        ranks, kind = rng.randint(1, 4), rng.choice(kinds)
        if ranks == 1 and kind == "hang":
            kind = "kill rank"  # a single process is its own watchdog: stopped, it cannot act
        saved = bench.newest()
        process = bench.start(ranks)
        time.sleep(rng.uniform(0.0, bench.longest_wait))
        at = bench.newest()
        undo = strike(bench, kind, process, rng)
        try:
            seconds, code, said = settle(bench, process, kind)
        finally:
            undo()
        check_start(said, saved)
        if code == 0 or bench.file.exists():
            break  # it was done before the blow
        log.append((kind, ranks, at, code, seconds))
        assert bench.newest() >= at, f"checkpoint {at} was lost"
        assert code != STOPPED or bench.newest() >= 0, "stopped without a checkpoint"
    saved = bench.newest()
    process = bench.start(rng.randint(1, 4), in_peace=True)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    check_start(said, saved, must_say=True)
    outcome = bench.outcome()
    different = [name for name in reference if outcome[name] != reference[name]]
    assert outcome.keys() == reference.keys() and not different, f"other bits in {different}"
    assert bench.newest() == -1, "checkpoints are left"
    bench.file.unlink()
    return log


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="length of the run; the times of the kills follow it")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    kinds = ["kill rank", "terminate rank", "hang", "kill launcher", "terminate launcher", "ask launcher"]
    with tempfile.TemporaryDirectory(prefix="trilemma-kill-") as name:
        folder = Path(name).resolve()
        disk = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder],
                              capture_output=True).returncode == 0
        try:
            kinds += ["full disk"] if disk else []
            print(f"seed {options.seed}; full disk {'included' if disk else 'LEFT OUT: cannot mount a tmpfs'}")
            bench = Bench(options.program, folder, disk, options.rounds)
            process = bench.start(1, in_peace=True)
            assert process.wait(timeout=600) == 0, process.stderr.read()
            reference = bench.outcome()
            bench.file.unlink()
            done, slowest = 0, 0.0
            while done < options.kills:
                for kind, ranks, at, code, seconds in trial(bench, rng, kinds, min(rng.randint(1, 3),
                                                                                  options.kills - done), reference):
                    done, slowest = done + 1, max(slowest, seconds)
                    print(f"{done:3d} {kind:18s} {ranks} ranks, checkpoint {at:6d}, code {code:4d}, "
                          f"over after {seconds:4.1f} s", flush=True)
            print(f"{done} kills, all runs end with the bits of the uninterrupted one; slowest end {slowest:.1f} s")
        finally:
            if disk:
                subprocess.run(["umount", folder], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
