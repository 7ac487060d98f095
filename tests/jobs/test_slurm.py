"""jobs/submit on a real Slurm of two nodes, which this module starts and stops. Results must have the bits of an
uninterrupted run. Times are limits only: nothing here asserts how long something took."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from extent import only_with_all  # noqa: E402
from slurm_fixture import (EXPERIMENT, LIMIT, PROGRAM, ROOT, cluster, fixture, environment_of, same,  # noqa: E402, F401
                        standing_still)
from tiny_experiment import LIST, SWEEP as TINY  # noqa: E402

SLOW = 12    # seconds that one process needs for a run that is interrupted

SWEEP = """
name = "starts"
experiment = "run.toml"
[set]
rounds = 20
data.rows = 2000
[axes]
start.file = [{files}]
"""


@pytest.fixture(scope="module")
def slow(uninterrupted):
    """Rounds of a run that lasts long enough to be interrupted, on this machine with all its other work."""
    times = []
    for rounds in (20, 620):
        begun = time.monotonic()
        uninterrupted(rounds)
        times.append(time.monotonic() - begun)
    return max(1000, min(20000, int(SLOW * 600 / max(times[1] - times[0], 0.1))))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Run files of one process outside Slurm, by number of rounds."""
    folder, made = tmp_path_factory.mktemp("uninterrupted"), {}
    (folder / "run.toml").write_text(EXPERIMENT)

    def make(rounds):
        if rounds not in made:
            made[rounds] = folder / f"{rounds}.h5"
            subprocess.run([PROGRAM, "run", folder / "run.toml", "--set", f"rounds={rounds}", "--output", made[rounds],
                            "--quiet"], check=True, timeout=300, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
        return made[rounds]
    return make


@pytest.mark.parametrize("launcher", ["srun", *(pytest.param(other, marks=only_with_all) for other in ("mpirun", "auto"))])
def test_run_on_two_nodes(fixture, uninterrupted, launcher):
    if launcher != "srun" and shutil.which("mpirun") is None:
        pytest.skip("mpirun is not installed")
    job, = fixture.submit("run", "run.toml", "--nodes", 2, "--launcher", launcher, "--output", "a.h5")
    assert fixture.ended(job) == "COMPLETED", fixture.log()
    same(fixture.folder / "a.h5", uninterrupted(300))
    assert f"by {'mpirun' if launcher == 'mpirun' else 'srun'}" in fixture.log()
    assert "SLURM_JOB_ID=" in environment_of(fixture.folder / "a.h5")


def test_static_script(fixture, uninterrupted):
    """sbatch jobs/slurm/run.sbatch, from the top of the repository."""
    output = fixture.folder / "a.h5"
    done = fixture.cluster.call("sbatch", "--parsable", f"--output={fixture.folder}/log", "jobs/slurm/run.sbatch",
                             fixture.folder / "run.toml", "--output", output, cwd=ROOT, env={"TRILEMMA": str(PROGRAM)})
    assert fixture.ended(done.stdout.strip()) == "COMPLETED", (fixture.folder / "log").read_text()
    same(output, uninterrupted(300))


def has_sweep():
    return b"--missing" in subprocess.run([PROGRAM, "sweep", "--help"], stdout=subprocess.PIPE).stdout


def test_sweep_with_a_failed_cell(fixture):
    """12 cells, of which one lacks a file; once fixed, --missing submits this one alone. An analysis follows both."""
    if not PROGRAM.exists() or not has_sweep():
        pytest.skip(f"{PROGRAM} has no sweeps")
    starts = [fixture.folder / f"start-{i}.txt" for i in range(12)]
    for i, start in enumerate(starts):
        start.write_text("\n".join([str(0.01 * i)] * 101) + "\n")
    (fixture.folder / "sweep.toml").write_text(SWEEP.format(files=", ".join(f'"{start}"' for start in starts)))
    text = starts[5].read_text()
    starts[5].unlink()
    # The analysis is imitated: it counts the run files that it finds.
    tool = fixture.folder / "python-imitation"
    tool.write_text('#!/bin/sh\n[ "$1" = -c ] || find "$4" -name "*.h5" | wc -l >>counts\n')
    tool.chmod(0o755)
    env = {"TRILEMMA_PYTHON": str(tool)}
    arguments = ["sweep", "sweep.toml", "--output-dir", "out", "--cells-per-task", 2, "--then-analyse"]
    job, analysis = fixture.submit(*arguments, ranks=2, env=env)
    fixture.ended(job)
    assert fixture.ended(analysis) == "COMPLETED", fixture.log()
    states = [one["JobState"] for one in fixture.cluster.show(job)]
    assert sorted(states) == ["COMPLETED"] * 5 + ["FAILED"], fixture.log()
    assert len(re.findall("FAILED cells: ", fixture.log())) == 1
    assert (fixture.folder / "counts").read_text().split() == ["11"]
    starts[5].write_text(text)
    job, analysis = fixture.submit(*arguments, "--missing", ranks=2, env=env)
    assert fixture.ended(analysis) == "COMPLETED", fixture.log()
    assert [one["JobState"] for one in fixture.cluster.show(job)] == ["COMPLETED"]
    assert (fixture.folder / "counts").read_text().split() == ["11", "12"]
    missing = [PROGRAM, "sweep", "sweep.toml", "--output-dir", "out", "--missing"]
    assert fixture.cluster.call(*missing, cwd=fixture.folder).stdout.strip() == ""


@only_with_all
def test_every_task_of_an_array_is_requeued(fixture):
    """One of them has the array's number, by which Slurm means all tasks."""
    (fixture.folder / "sweep.toml").write_text('experiment = "run.toml"\nseeds = 2\n[set]\nrounds = 1000000\n')
    job, = fixture.submit("sweep", "sweep.toml", "--output-dir", "out", ranks=1)
    fixture.cluster.wait(lambda: fixture.log().count("trilemma job: cell ") == 2, LIMIT, "a task has not started")
    fixture.cluster.wait(lambda: fixture.checkpoints("out/*"), LIMIT, "there is no checkpoint")
    fixture.cluster.call("scancel", "--signal=USR1", "--batch", job)
    fixture.cluster.wait(lambda: [one["Restarts"] for one in fixture.cluster.show(job)] == ["1", "1"], LIMIT,
                      "a task was not requeued")


@pytest.mark.parametrize("launcher, preemptions", [("srun", 2), pytest.param("mpirun", 1, marks=only_with_all)])
def test_preempted(fixture, uninterrupted, slow, launcher, preemptions):
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    job, = fixture.submit("run", "run.toml", "--nodes", 2, "--output", "a.h5", "--set", f"rounds={slow}", "--launcher",
                       launcher)
    old = []
    for times in range(1, preemptions + 1):
        fixture.wait_for_checkpoint(job, "a.h5", newer_than=old)
        with standing_still(job):
            urgent = fixture.cluster.call("sbatch", "--parsable", "-p", "urgent", "-N2", "--exclusive", "-o", "/dev/null",
                                       "--wrap", "sleep 1").stdout.strip()
            # The time is reported until the job is requeued, which may be at once.
            fixture.cluster.wait(lambda: fixture.cluster.show(job)[0].get("PreemptTime", "None") != "None"
                              or fixture.restarts(job) == times, LIMIT, "nothing was preempted")
        assert fixture.ended(urgent) == "COMPLETED"
        old = fixture.checkpoints("a.h5")
        assert fixture.restarts(job) == times, fixture.log()
    assert fixture.ended(job) == "COMPLETED", fixture.log()
    same(fixture.folder / "a.h5", uninterrupted(slow))


@only_with_all
@pytest.mark.parametrize("launcher", ["srun", "mpirun"])
def test_time_limit(fixture, uninterrupted, slow, launcher):
    """USR1 comes before the limit of a minute, the job is requeued and goes on."""
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    job, = fixture.submit("run", "run.toml", "--nodes", 2, "--output", "a.h5", "--set", f"rounds={slow}", "--launcher",
                       launcher, "--signal-before", 55, limit="1")
    fixture.wait_for_checkpoint(job, "a.h5")
    # Slurm looks at limits twice a minute, and may signal a minute early: then the ranks have left already.
    with standing_still(job, may_be_over=True):
        fixture.cluster.wait(lambda: "got USR1" in fixture.log(), LIMIT, "no signal came")
    fixture.cluster.wait(lambda: fixture.restarts(job) == 1, LIMIT, "the job was not requeued")
    assert f"requeueing job {job}" in fixture.log() and "stopped by a signal" in fixture.log()
    assert fixture.ended(job) == "COMPLETED", fixture.log()
    assert "resuming after round" in fixture.log()
    same(fixture.folder / "a.h5", uninterrupted(slow))


@only_with_all
def test_gives_up(fixture):
    job, = fixture.submit("run", "run.toml", "--output", "a.h5", "--set", "rounds=1000000", "--signal-before", 50,
                       "--max-restarts", 0, limit="1")
    assert fixture.ended(job) == "FAILED", fixture.log()
    assert fixture.cluster.show(job)[0]["ExitCode"] == "85:0"
    assert "GIVING UP after 0 restarts" in fixture.log()
    assert fixture.checkpoints("a.h5")


def test_cancelled_job_stays_cancelled(fixture, slow):
    job, = fixture.submit("run", "run.toml", "--nodes", 2, "--output", "a.h5", "--set", f"rounds={slow}")
    fixture.wait_for_checkpoint(job, "a.h5")
    fixture.cluster.call("scancel", job)
    assert fixture.ended(job) == "CANCELLED"
    assert fixture.restarts(job) == 0


def test_lost_node(fixture, uninterrupted, slow):
    job, = fixture.submit("run", "run.toml", "--nodes", 2, "--output", "a.h5", "--set", f"rounds={slow}")
    fixture.wait_for_checkpoint(job, "a.h5")
    fixture.cluster.kill_node("node2")
    try:
        fixture.cluster.wait(lambda: fixture.cluster.state(job) != "RUNNING", LIMIT, "the job hangs")
    finally:
        fixture.cluster.start_node("node2")
    assert fixture.ended(job) == "COMPLETED", fixture.log()
    assert fixture.restarts(job) >= 1 and "resuming after round" in fixture.log()
    same(fixture.folder / "a.h5", uninterrupted(slow))


def test_a_study_is_a_job_for_each_number_of_ranks(fixture):
    (fixture.folder / "study.toml").write_text('name = "s"\nexperiment = "run.toml"\nrepetitions = 2\nwarm_up = 2\n'
                                            "[set]\nrounds = 20\ndata.rows = 2000\nserver_hosts = true\n")
    first, second = fixture.submit("study", "study.toml", ranks="1,3")
    assert fixture.ended(second) == "COMPLETED" and fixture.cluster.state(first) == "COMPLETED", fixture.log()
    folder = fixture.folder / "runs/studies/s"
    runs = json.loads((folder / "study.json").read_text())["runs"]
    assert [run["ranks"] for run in runs].count(3) == 2 and all((folder / run["file"]).exists() for run in runs)
    record = json.loads((folder / runs[0]["file"]).with_suffix(".json").read_text())
    assert record["code"] == 0 and record["cores"] >= 1
    assert "nothing is missing" in fixture.cluster.call(ROOT / "jobs/submit", "study", "study.toml", "--ranks", "1,3",
                                                     "--program", PROGRAM, cwd=fixture.folder, env={}).stdout


@only_with_all
def test_reproduce_judges_after_the_array(fixture):
    (fixture.folder / "sweeps").mkdir()
    (fixture.folder / "sweeps/tiny.toml").write_text(TINY.format(root=ROOT))
    (fixture.folder / "list.toml").write_text(LIST.format(data=""))
    done = fixture.cluster.call(ROOT / "jobs/reproduce", "MADE-UP", "--file", "list.toml", "--backend", "slurm", "--program",
                                PROGRAM, "--save", "data", "--", "--time", "10:00", "--cells-per-task", 4, cwd=fixture.folder)
    verdict = re.search(r"^verdict: +(\d+),", done.stdout, re.MULTILINE)[1]
    assert fixture.ended(verdict) == "COMPLETED", fixture.log()
    saved = json.loads((fixture.folder / "data/norm-quad-traj.json").read_text())
    assert saved["runs"] == 12 and "NORM-QUAD-TRAJ: " in fixture.log()
