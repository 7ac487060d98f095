#!/usr/bin/env python3
"""Random faults in runs of several kinds for a given time; whatever survives must have the bits of an undisturbed run.

    tests/faults/soak.py --program build/release/trilemma --seconds 900 --seed 1

Kinds of run: synchronous, on the simulated clock, in real time; 1 to 3 ranks, drawn for every start. Faults, at random
moments: SIGKILL, SIGSTOP, SIGTERM, SIGINT or SIGUSR1 of a rank or of the launcher, a full disk (where a tmpfs can be
mounted), a limit on the size of files. After each of them no process may be left within two minutes, no checkpoint may
be lost, and the run is resumed. After one to three faults it is left in peace. Synchronous runs and those on the
simulated clock must end with the model and the columns of the undisturbed run, to the bit; a run in real time with a
whole file that `trilemma replay` accepts.
"""
import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import h5py

BOUND = 120  # seconds until a job counts as one that never ends
DISK, BALLAST = "200m", 200 << 20
DATA = """
[data]
source = "synthetic"
rows = 2100
test_rows = 301
features = 30
nonzeros = 5
[checkpoint]
seconds = 0.1
[watchdog]
seconds = 3
[start]
scale = 0.2
[evaluate]
every = 500
"""
PRIVATE = ("[local]\nbatch = 50\n[bound]\nthreshold = 0.5\n[privacy]\nsigma = 0.05\ndelta = 1e-3\n"
           "[compressor]\nk = 4\n[server]\nrate = 0.05\n")
STEPS = "[local]\nsteps = 5\nrate = 0.05\n"
TIMED = STEPS + '[participation]\nkind = "fixed-size"\nsize = 3\n'
CASES = {  # what a run is: head, tables, rounds
    "synchronous soteriafl-saga": ('method = "soteriafl-saga"\n', PRIVATE, 8000),
    "synchronous scaffold": ('method = "scaffold"\n', "[local]\nsteps = 3\nrate = 0.05\n", 6000),
    "synchronous dp-fedavg-clip": ('method = "dp-fedavg-clip"\n', "[local]\nsteps = 3\nrate = 0.05\n[bound]\n"
                                   "threshold = 0.5\n[privacy]\nsigma = 0.05\ndelta = 1e-3\n", 6000),
    "simulated clock favano": ('method = "favano"\n', TIMED, 6000),
    "simulated clock fedbuff": ('method = "fedbuff"\n', STEPS, 6000),
    "real time favano": ('method = "favano"\nclock.time = "real"\n', TIMED, 3000),
    "real time fedbuff": ('method = "fedbuff"\nclock.time = "real"\n', STEPS, 3000),
}
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "terminate": signal.SIGTERM, "interrupt": signal.SIGINT,
           "ask": signal.SIGUSR1}
TO_LAUNCHER = ("kill", "terminate", "interrupt", "ask")


class Job:
    """One experiment in a folder of its own."""

    def __init__(self, program, folder, name):
        head, tables, rounds = CASES[name]
        self.program, self.name, self.is_real = program, name, name.startswith("real time")
        self.folder = folder / name.replace(" ", "-")
        self.folder.mkdir()
        self.experiment, self.file = self.folder / "soak.toml", self.folder / "soak.h5"
        self.experiment.write_text(f'name = "soak"\nrounds = {rounds}\nclients = 7\n{head}{tables}{DATA}')
        self.reference, self.seconds = None, 0.0

    def start(self, ranks, in_peace=False):
        launcher = [] if ranks == 1 else ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca", "mpi_yield_when_idle",
                                          "1"]
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OPENBLAS_NUM_THREADS="1",
                   OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader")
        more = ["--set", "watchdog.seconds=0"] if in_peace else []
        return subprocess.Popen([*launcher, self.program, "run", self.experiment, "--output", self.file, "--resume",
                                 "--quiet", *more], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def ranks(self):
        """Process ids of the program's ranks."""
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = entry.read_bytes().decode(errors="replace").split("\0")
                if words[0] == str(self.program) and str(self.file) in words:
                    found.append(int(entry.parent.name))
        return sorted(found)

    def newest(self):
        """Round of the newest checkpoint, -1 without one."""
        return max((int(path.name.rsplit("-", 1)[1]) for path in self.folder.glob("soak.h5.checkpoint-*")), default=-1)

    def outcome(self):
        with h5py.File(self.file) as h5:
            assert h5.attrs["complete"] == 1
            return {"model": h5["model/final"][:].tobytes()} | {
                name: column[:].tobytes() for name, column in h5["rounds"].items()}

    def finish(self, ranks):
        """The rest of the run, in peace."""
        process = self.start(ranks, in_peace=True)
        _, said = process.communicate(timeout=5 * BOUND)
        assert process.returncode == 0, f"{self.name}: {said}"

    def prepare(self):
        """The undisturbed run."""
        begin = time.monotonic()
        self.finish(2 if self.is_real else 1)
        self.seconds = time.monotonic() - begin
        self.reference = None if self.is_real else self.outcome()
        self.file.unlink()

    def judge(self):
        """Says why the finished run is not as it must be; empty where it is."""
        if self.newest() >= 0:
            return "checkpoints are left"
        left = [path.name for path in self.folder.iterdir() if path not in (self.experiment, self.file)]
        if left:
            return f"files are left: {left}"
        outcome = self.outcome()
        if not self.is_real:
            different = [name for name in self.reference if outcome.get(name) != self.reference[name]]
            return f"other bits in {different}" if different or outcome.keys() != self.reference.keys() else ""
        again = self.folder / "again.h5"
        done = subprocess.run([self.program, "replay", self.file, "--output", again, "--quiet"], capture_output=True,
                              text=True, timeout=5 * BOUND)
        again.unlink(missing_ok=True)
        return "" if done.returncode == 0 else f"replay: {done.stderr.strip()}"


def strike(job, process, kind, ranks, rng):
    """Does the harm; returns what was done and what must be undone after the end."""
    if kind == "full disk":
        ballast = job.folder / "ballast"
        with contextlib.suppress(OSError):
            ballast.write_bytes(bytes(BALLAST))
        return kind, lambda: ballast.unlink(missing_ok=True)
    found = job.ranks()
    if kind == "file size limit" and found:  # of rank 0, while the run file grows
        partial = job.folder / "soak.h5.partial"
        size = partial.stat().st_size if partial.exists() else 4096
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(found[0], resource.RLIMIT_FSIZE, (size, size))
        return kind, lambda: None
    kind = "kill" if kind == "file size limit" else kind
    # A stopped process that is alone cannot notice it, nor can anybody before its ranks are there.
    if kind == "stop" and (ranks == 1 or len(found) < ranks):
        kind = "kill"
    to_launcher = not found or (kind in TO_LAUNCHER and rng.random() < 0.5)
    number = rng.randrange(len(found)) if not to_launcher else -1
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid if to_launcher else found[number], SIGNALS[kind])
    return f"{kind} {'launcher' if to_launcher else f'rank {number}'}", lambda: None


def settle(job, process, what):
    """Waits until all processes are gone; returns the exit code and what was said."""
    end = time.monotonic() + BOUND
    try:
        _, said = process.communicate(timeout=BOUND)
    except subprocess.TimeoutExpired:
        if job.file.exists():  # stopped in its last moments, when nothing waited for it any longer
            for pid in job.ranks():
                os.kill(pid, signal.SIGCONT)
            _, said = process.communicate(timeout=BOUND)
            return process.returncode, said
        left = [process.pid, *job.ranks()]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()
        raise AssertionError(f"{job.name}, {what}: no end within {BOUND} s; left were {left}") from None
    while job.ranks():
        assert time.monotonic() < end, f"{job.name}, {what}: ranks {job.ranks()} are left"
        time.sleep(0.05)
    return process.returncode, said


def trial(job, kinds, rng, faults):
    """A run with one to three faults and then in peace; counts the faults, returns why the run is wrong."""
    for _ in range(rng.randint(1, 3)):
        ranks = rng.randint(2, 3) if job.is_real else rng.randint(1, 3)
        kind = rng.choice(kinds)
        process = job.start(ranks)
        time.sleep(rng.uniform(0.0, job.seconds + 1))
        at = job.newest()
        what, undo = strike(job, process, kind, ranks, rng)
        try:
            code, said = settle(job, process, what)
        finally:
            undo()
        faults[what] += 1
        print(f"    {what:20s} {ranks} ranks, checkpoint {at:5d}, code {code:4d}", flush=True)
        assert "damaged" not in said, said
        if job.file.exists():
            break
        assert job.newest() >= at, f"{job.name}, {what}: checkpoint {at} was lost"
    job.finish(rng.randint(2, 3) if job.is_real else rng.randint(1, 3))
    return job.judge()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--seconds", type=float, default=900, help="no run begins later")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    faults, runs, wrong = Counter(), Counter(), []
    with tempfile.TemporaryDirectory(prefix="trilemma-soak-") as name:
        folder = Path(name).resolve()
        disk = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder],
                              capture_output=True).returncode == 0
        try:
            kinds = [*SIGNALS, "stop", "file size limit", *(["full disk"] if disk else [])]
            print(f"seed {options.seed}; full disk {'included' if disk else 'LEFT OUT: cannot mount a tmpfs'}",
                  flush=True)
            jobs = [Job(options.program, folder, case) for case in CASES]
            for job in jobs:
                job.prepare()
            end = time.monotonic() + options.seconds
            while time.monotonic() < end:
                job = rng.choice(jobs)
                why = trial(job, kinds, rng, faults)
                runs[job.name] += 1
                print(f"{sum(runs.values()):4d} {job.name}: {why or 'same'}", flush=True)
                wrong += [f"{job.name}: {why}"] if why else []
                job.file.unlink()
        finally:
            if disk:
                subprocess.run(["umount", folder], check=True)
    print("faults: " + ", ".join(f"{what} {count}" for what, count in sorted(faults.items())))
    print("runs: " + ", ".join(f"{what} {count}" for what, count in sorted(runs.items())))
    print(f"{sum(runs.values())} runs, {sum(faults.values())} faults, {sum(runs.values()) - len(wrong)} same")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
