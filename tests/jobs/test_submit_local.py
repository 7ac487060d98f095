"""Jobs that run: the local back-end, and the job script under an imitated Slurm."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from submit_fixture import ROOT, fixture, script_of  # noqa: F401


# --- The local back-end ----------------------------------------------------------------------------

def test_one_run(fixture):
    done = fixture("run", "--output", "a.h5", "--set", "rounds=2", "--data-dir", "d")
    assert done.returncode == 0, done.stderr
    result = fixture.read("a.h5")
    assert result["sets"] == {"rounds": "2"}
    assert result["environment"]["TRILEMMA_WATCHDOG"] == "600"
    assert "--resume" in result["arguments"] and "d" in result["arguments"]
    assert result["environment"]["TRILEMMA_LAUNCHER"] == "none"
    assert "complete" in fixture("run", "--output", "a.h5").stdout


def test_options_of_batch_systems_are_told(fixture):
    result = fixture("run", "--time", "10", "--partition", "short", "--signal-before", "60", "--extra",
                  "#SBATCH --exclusive")
    assert result.returncode == 0, result.stderr
    assert "note: --time, --partition, --extra, --signal-before: read by batch systems alone, without effect here" \
        in result.stderr
    assert "note:" not in fixture("run").stderr
    refused = fixture("run", "--time", "1")
    assert refused.returncode == 2 and "note:" not in refused.stderr


def test_several_ranks(fixture):
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    done = fixture("run", "--ranks", "3", "--output", "a.h5")
    assert done.returncode == 0, done.stderr
    environment = fixture.read("a.h5")["environment"]
    assert environment["TRILEMMA_LAUNCHER"] == "mpirun"
    few = len(os.sched_getaffinity(0)) < 3
    assert environment["TRILEMMA_BINDING"] == ("none" if few else "core")


def test_goes_on_after_85(fixture):
    done = fixture("run", "--output", "a.h5", "--set", "rounds=7", "--set", "stop_every=3")
    assert done.returncode == 0, done.stderr
    assert fixture.read("a.h5")["from"] == 6
    assert fixture.read("a.h5")["environment"]["TRILEMMA_RESTART"] == "2"


def test_gives_up(fixture):
    done = fixture("run", "--output", "a.h5", "--set", "rounds=9", "--set", "stop_every=3", "--max-restarts", "1")
    assert done.returncode == 85
    assert "GIVING UP after 1 restarts" in done.stderr
    assert (fixture.folder / "a.h5.checkpoint-0006").exists()


def test_failed_run(fixture):
    assert fixture("run", "--set", "fail=3").returncode == 3


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_interruption_leaves_a_checkpoint(fixture, ranks):
    if ranks == "2" and not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    goes = fixture.folder / "goes"
    arguments = ["--output", "a.h5", "--set", "rounds=10000", "--set", "round_seconds=0.02", "--ranks", ranks,
                 "--set", f"says_after_four_rounds={goes}"]
    process = subprocess.Popen(fixture.command("run", *arguments), cwd=fixture.folder, env=fixture.env, stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE, universal_newlines=True)
    end = time.monotonic() + 300
    # Every rank: one that has not yet started would die of the signal.
    while len(list(fixture.folder.glob("goes.*"))) < int(ranks) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "--output a.h5" in err
    assert len(list(fixture.folder.glob("a.h5.checkpoint-*"))) == 1
    assert fixture("run", "--output", "a.h5").returncode == 0
    assert fixture.read("a.h5")["from"] > 3


def test_sweep(fixture):
    done = fixture("sweep", env={"FAKE_FAILS": "1 4"})
    assert done.returncode == 3
    assert re.search(r"FAILED: cells 1, 4;", done.stderr)
    assert re.search(r"\[1/6\] cell 0 done after [\d.]+ s, about [\d:]+ left", done.stdout)
    assert "told to fail" in next(fixture.folder.glob("logs/*-4.log")).read_text()
    files = fixture.folder / "runs/sweeps/fake"
    assert sorted(p.name for p in files.iterdir()) == [f"cell-{i}.h5" for i in (0, 2, 3, 5)]
    done = fixture("sweep", "--missing", "--max-parallel", "2")
    assert done.returncode == 0 and "[2/2]" in done.stdout and len(list(files.iterdir())) == 6
    assert "nothing is missing" in fixture("sweep", "--missing").stdout


def test_cells_that_fail_alike_stop_the_sweep(fixture):
    done = fixture("sweep", "--set", "fail=2")
    assert done.returncode == 3 and done.stdout.count("FAILED") == 3
    assert ('submit: stopped since 3 cells in a row failed with "error: told to fail"; 3 cells were not '
            "started: fix the cause, or run them with --keep-going.\n") in done.stderr
    assert "FAILED: cells 0, 1, 2;" in done.stderr
    done = fixture("sweep", "--set", "fail=2", "--keep-going")
    assert "FAILED: cells 0, 1, 2, 3, 4, 5;" in done.stderr and "not started" not in done.stderr


def test_cells_that_are_refused_do_not_stop_a_sweep_that_works(fixture):
    """Code 2 after a cell that was done: the settings of those cells are wrong, not all of the sweep."""
    arguments = ["sweep", "--set", "fail_code=2"]
    assert "[6/6]" in fixture(*arguments, env={"FAKE_FAILS": "1 2 3"}).stdout
    again = fixture(*arguments, "--output-dir", "other", env={"FAKE_FAILS": "0 1 2"})
    assert "3 cells were not started" in again.stderr
    other = fixture("sweep", "--output-dir", "more", env={"FAKE_FAILS": "1 2 3"})
    assert "2 cells were not started" in other.stderr


def test_refused_cells_do_not_stop_a_sweep_of_which_cells_were_done_before(fixture):
    assert fixture("sweep", "--cells", "5").returncode == 0
    for more in ([], ["--missing"]):
        done = fixture("sweep", "--set", "fail_code=2", *more, env={"FAKE_FAILS": "0 1 2 3 4"})
        assert "[5/5]" in done.stdout and "not started" not in done.stderr


def test_messages_with_the_cells_own_file_are_alike(fixture):
    """As of a full disk. Cells that speak of different files otherwise are not."""
    full = "runs/CELL-r2.h5.partial: no space left on device"
    done = fixture("sweep", "--set", "fail=3", "--set", f"says={full}")
    assert re.search(r"stopped since 3 cells in a row failed with \"runs/[0-9a-f]{12}-r2.h5.partial: no space left "
                     r"on device\"; 3 cells were not started", done.stderr), done.stderr
    done = fixture("sweep", "--set", "fail=3", "--set", "says=data-CELLS.csv: no such file")
    assert "[6/6]" in done.stdout and "not started" not in done.stderr


def test_cells_that_are_done_are_not_started(fixture):
    assert fixture("sweep", "--cells", "1-3").returncode == 0
    done = fixture("sweep", "--set", "skipped=0")
    assert done.returncode == 0 and done.stdout.splitlines()[0] == "skipped: 4 of 6 cells, done before or skipped"
    assert re.findall(r"^\[(\d/\d)\] cell (\d)", done.stdout, re.MULTILINE) == [("1/2", "4"), ("2/2", "5")]
    assert len(list(fixture.folder.glob("logs/*-4.log"))) == 1 and not list(fixture.folder.glob("logs/*-0.log"))
    done = fixture("sweep", "--set", "skipped=0")
    assert done.returncode == 0 and "nothing is missing" in done.stdout and "skipped" not in done.stdout


def test_skipped_cells_do_not_shorten_the_time_left(fixture):
    assert fixture("sweep", "--cells", "0-3").returncode == 0
    done = fixture("sweep", "--set", "round_seconds=0.75")
    left = re.search(r"\[1/2\] cell 4 done after .* s, about 00:00:0(\d) left", done.stdout)
    assert left and int(left[1]) >= 1, done.stdout  # two rounds of 0.75 s


def test_sweep_that_stops_and_goes_on(fixture):
    done = fixture("sweep", "--set", "rounds=4", "--set", "stop_every=3", "--cells", "0-2", "--max-parallel", "3")
    assert done.returncode == 0, done.stderr
    assert fixture.read("runs/sweeps/fake/cell-2.h5")["from"] == 3
    done = fixture("sweep", "--set", "rounds=9", "--set", "stop_every=3", "--cells", "3", "--max-restarts", "0")
    assert done.returncode == 85 and "gave up after 0 restarts: cells 3" in done.stderr


def test_local_analysis(fixture):
    """The analysis package is imitated by the interpreter that scripts/python chooses."""
    fixture.tool("dirname", "p=\"$1\"; echo \"${p%/*}\"")
    note = f"{fixture.folder}/called"
    fixture.tool("python-imitation", f'case $1 in -c) ;; *) echo "$PYTHONPATH $*" >{shlex.quote(note)} ;; esac')
    env = {"TRILEMMA_PYTHON": str(fixture.folder / "bin/python-imitation"), "FAKE_FAILS": "1"}
    done = fixture("sweep", "--then-analyse", "--output-dir", "out", env=env)
    assert done.returncode == 3
    assert Path(note).read_text().strip() == (f"{ROOT}/analysis -m trilemma_analysis sweep out --csv out/table.csv "
                                              "-o out/figure.png -o out/figure.svg")
    Path(note).unlink()
    fixture("sweep", "--then-analyse", "--analyse-after", "ok", "--output-dir", "out", env=env)
    assert not Path(note).exists()
    # Where all cells are done, one is started, as the sweep's file may have changed and sweep.json with it.
    for cells in ([], ["[1/1] cell 0 done"]):
        done = fixture("sweep", "--then-analyse", "--output-dir", "out", env=dict(env, FAKE_FAILS=""))
        assert done.returncode == 0 and all(text in done.stdout for text in cells), done.stdout
    assert Path(note).exists()


# --- The job script under an imitated Slurm --------------------------------------------------------

def job(fixture, *arguments, env=None):
    """Runs a rendered Slurm script as Slurm would; what scontrol was asked for lands in `calls`."""
    path = fixture.folder / "job.sh"
    path.write_text(script_of(fixture(*arguments, "--launcher", "mpirun", "--dry-run", backend="slurm").stdout))
    fixture.tool("scontrol", 'echo "$*" >>calls; [[ $1 == requeue ]] || echo "JobId=9 JobState=${STATE:-RUNNING} X=1"')
    fixture.tool("mpirun", '[[ $1 != --version ]] || exit 0; shift 2; exec "$@"')
    return subprocess.run(["bash", str(path)], cwd=fixture.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(fixture.env, SLURM_JOB_ID="9", SLURM_NTASKS="1", **(env or {})),
                          universal_newlines=True, timeout=60)


def test_job_requeues_itself(fixture):
    stopping = ["run", "--output", "a.h5", "--set", "rounds=9", "--set", "stop_every=2"]
    done = job(fixture, *stopping)
    assert done.returncode == 85
    assert (fixture.folder / "calls").read_text().splitlines() == ["show job --oneliner 9", "requeue 9"]
    done = job(fixture, *stopping, env={"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "0"})
    assert (fixture.folder / "calls").read_text().splitlines()[-2:] == ["show job --oneliner 7_0", "requeue 7_0"]
    (fixture.folder / "calls").unlink()
    done = job(fixture, *stopping, env={"SLURM_RESTART_COUNT": "20"})
    assert done.returncode == 85 and "GIVING UP after 20 restarts" in done.stdout
    assert not (fixture.folder / "calls").exists()


def test_job_leaves_a_cancelled_job_alone(fixture):
    done = job(fixture, "run", "--output", "a.h5", "--set", "stop_every=2", env={"STATE": "COMPLETING"})
    assert done.returncode == 85 and "requeue" not in (fixture.folder / "calls").read_text()
    assert "if it was cancelled, the newest checkpoint is kept" in done.stdout
    assert "submit the same again with --output a.h5\n" in done.stdout
    done = job(fixture, "sweep", "--set", "stop_every=1", env={"STATE": "COMPLETING"})
    assert "submit the same again with --missing\n" in done.stdout


@pytest.mark.parametrize("code, why", [(139, "a segmentation fault"), (205, "mpirun lost the daemon of a node (code 205)")])
def test_crash_at_the_start_is_tried_once_more(fixture, code, why):
    path = fixture.folder / "job.sh"
    path.write_text(script_of(fixture("run", "--launcher", "mpirun", "--dry-run", backend="slurm").stdout))
    fixture.tool("mpirun", f"[[ $1 != --version ]] || exit 0; echo start; exit {code}")
    done = subprocess.run(["bash", str(path)], cwd=fixture.folder, stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(fixture.env, SLURM_JOB_ID="9"), timeout=60)
    assert done.returncode == code and done.stdout.splitlines().count("start") == 2
    assert f"trilemma job: {why} in the first minute; trying once more\n" in done.stdout


def test_other_codes_are_not_tried_again(fixture):
    path = fixture.folder / "job.sh"
    path.write_text(script_of(fixture("run", "--launcher", "mpirun", "--dry-run", backend="slurm").stdout))
    fixture.tool("mpirun", "[[ $1 != --version ]] || exit 0; echo start; exit 3")
    done = subprocess.run(["bash", str(path)], cwd=fixture.folder, stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(fixture.env, SLURM_JOB_ID="9"), timeout=60)
    assert done.returncode == 3 and done.stdout.splitlines().count("start") == 1


def test_a_log_begins_and_ends_with_time_and_place(fixture):
    done = job(fixture, "sweep", "--cells-per-task", "2", env={"SLURM_ARRAY_JOB_ID": "9", "SLURM_ARRAY_TASK_ID": "1",
                                                               "HOSTNAME": "node7"})
    lines = [line for line in done.stdout.splitlines() if line.startswith("trilemma job: ")]
    assert re.fullmatch(r"trilemma job: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ started on \S+, task 1, restart 0", lines[0])
    assert re.fullmatch(r"trilemma job: [\d-]{10}T[\d:]{8}Z ended after \d+ s with code 0", lines[-1])
    assert "started on" not in fixture("run").stdout  # on a terminal


@pytest.mark.parametrize("when, code", [("None", 205), ("2026-01-02T03:04:05", 85)])
def test_launcher_that_falls_to_a_preemption(fixture, when, code):
    path = fixture.folder / "job.sh"
    path.write_text(script_of(fixture("run", "--launcher", "mpirun", "--dry-run", backend="slurm").stdout))
    fixture.tool("scontrol", f'echo "$*" >>calls; echo "JobId=9 JobState=RUNNING PreemptTime={when} X=1"')
    fixture.tool("mpirun", "[[ $1 != --version ]] || exit 0; echo start; exit 205")
    done = subprocess.run(["bash", str(path)], cwd=fixture.folder, stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(fixture.env, SLURM_JOB_ID="9"), timeout=60)
    assert done.returncode == code
    assert ("requeue 9" in (fixture.folder / "calls").read_text()) == (code == 85)
    assert done.stdout.splitlines().count("start") == (1 if code == 85 else 2)  # no second try during the grace time


def test_cells_of_a_task(fixture):
    sweep = ["sweep", "--cells-per-task", "4"]
    done = job(fixture, *sweep, env={"SLURM_ARRAY_TASK_ID": "1", "FAKE_FAILS": "4"})
    assert done.returncode == 3 and "FAILED cells: 4 (code 3)" in done.stdout
    assert [p.name for p in (fixture.folder / "runs/sweeps/fake").iterdir()] == ["cell-5.h5"]
    done = job(fixture, *sweep, "--set", "stop_every=1", env={"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "0"})
    assert done.returncode == 85 and "cell 1" not in done.stdout
    assert "requeue 7_0" in (fixture.folder / "calls").read_text()


@pytest.mark.parametrize("number, mpirun, word", [
    # mpirun may report a rank that it killed itself
    (signal.SIGUSR1, "trap 'sleep 1; exit 137' USR1", "ended with code 137 when the job was to stop"),
    # that of MPICH 4.0 may say that all is well; it ends after bash has noticed the signal, which may else lose the code
    (signal.SIGUSR1, "trap 'sleep 1; exit 0' USR1", "ended with code 0 when the job was to stop"),
    # what the script sends itself 20 s before the time limit, where a round takes longer
    (signal.SIGUSR2, "trap '' USR1", "has not stopped in time"),
])
def test_stops_of_another_kind(fixture, number, mpirun, word):
    path = fixture.folder / "job.sh"
    path.write_text(script_of(fixture("run", "--launcher", "mpirun", "--dry-run", backend="slurm").stdout))
    fixture.tool("scontrol", 'echo "$*" >>calls; [[ $1 == requeue ]] || echo " JobState=RUNNING X"')
    fixture.tool("mpirun", f"[[ $1 != --version ]] || exit 0; {mpirun}; echo up; while :; do sleep 0.1; done")
    process = subprocess.Popen(["bash", str(path)], cwd=fixture.folder, stdout=subprocess.PIPE, universal_newlines=True,
                               env=dict(fixture.env, SLURM_JOB_ID="9"))
    while "up" not in process.stdout.readline():
        pass
    process.send_signal(number)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 85 and word in out
    assert "requeue 9" in (fixture.folder / "calls").read_text()


@pytest.mark.parametrize("log, said", [
    ("trilemma: note: slow\ntrilemma: no such file\nfailed with code 2\n", "no such file"),
    ("[0.1] [smpi_mpi/CRITICAL] Deadlock: all wait\n<4> Rank 0\nExecution failed with code 134.\nfailed with code 134\n",
     "[0.1] [smpi_mpi/CRITICAL] Deadlock: all wait"),
    ("trilemma: no rounds\n[0.1] [smpi_mpi/CRITICAL] Deadlock\n", "no rounds"),
    ("Rank 0 reads [/x/ERROR]\nKilled\n", "Killed"),
    ("mpirun: no slots\ntrilemma job: FAILED\n", "mpirun: no slots"), ("failed with code 7\n", "code 7")])
def test_what_a_log_ends_with(log, said):
    sys.path.insert(0, str(ROOT / "jobs"))
    try:
        from trilemma_jobs.progress import end_of
    finally:
        sys.path.pop(0)
    assert end_of(log, 7)[0] == said
