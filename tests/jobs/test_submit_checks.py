"""What jobs/submit reports before a job is in the queue: ranks without work, jobs that cannot start, modules."""
import os
import subprocess

import pytest

from submit_fixture import fixture, script_of, sentence  # noqa: F401

NOTE = "submit: note: 127 of 128 ranks host clients, and there are 10: 117 of the ranks stay idle; 11 are enough\n"


# --- Ranks without work ----------------------------------------------------------------------------

@pytest.mark.parametrize("kind", ["run", "sweep"])
def test_idle_ranks_are_told_before_the_queue(fixture, kind):
    for file in ("run.toml", "sweep.toml"):
        with open(fixture.folder / file, "a") as lines:
            lines.write("clients = 10\n")
    for ranks, note in ((128, NOTE), (11, ""), (3, "")):
        done = fixture(kind, "--ranks", str(ranks), "--dry-run", backend="slurm")
        assert done.returncode == 0 and done.stderr == note, done.stderr


def test_ranks_of_the_server_host_clients_where_they_are_told_to(fixture):
    settings = ["--set", "clients=4", "--set", "server_hosts=true"]
    assert fixture("run", "--ranks", "4", *settings, "--dry-run", backend="slurm").stderr == ""
    said = fixture("run", "--ranks", "5", *settings, "--dry-run", backend="slurm").stderr
    assert "5 of 5 ranks host clients, and there are 4: 1 of the ranks stay idle; 4 are enough" in said


def test_cells_of_a_sweep_may_have_fewer_clients_than_others(fixture):
    with open(fixture.folder / "sweep.toml", "a") as lines:
        lines.write("cell_clients = [20, 6, 30]\n")
    said = fixture("sweep", "--ranks", "11", "--dry-run", backend="slurm").stderr
    assert "10 of 11 ranks host clients, and there are 6 in some of the cells: 4 of the ranks stay idle" in said


# --- Jobs that cannot start ------------------------------------------------------------------------

PARTITIONS = "PartitionName=long Default=NO MaxTime=2-00:00:00\nPartitionName=batch Default=YES MaxTime=01:00:00"
SBATCH = ('echo "$*" >>tried; [[ $* != *--test-only* ]] || {{ echo "allocation failure: {}" >&2; exit {}; }}; echo 17')


def test_a_job_that_cannot_start_is_told_at_once(fixture):
    fixture.tool("sbatch", SBATCH.format("Requested node configuration is not available", 1))
    done = fixture("run", "--ranks", "64", backend="slurm")
    assert done.returncode == 0 and "submitted: 17" in done.stdout
    assert done.stderr == (
        "submit: note: job 17 cannot start under the current nodes and limits (Requested node configuration is not "
        "available); it waits until they change; scancel 17 cancels it\n")
    tests = [line for line in (fixture.folder / "tried").read_text().splitlines() if "--test-only" in line]
    assert len(tests) == 1 and tests[0].endswith(".sh")


@pytest.mark.parametrize("arguments, limited", [
    (["--time", "2:00:00"], True), (["--time", "1:00:00"], False), ([], False),
    (["--time", "2:00:00", "--partition", "long"], False), (["--time", "3-0", "--partition", "long"], True)])
def test_a_time_beyond_the_partition_is_told(fixture, arguments, limited):
    fixture.tool("sbatch", SBATCH.format("Job 9 to start", 0))
    fixture.tool("scontrol", f"[[ $2 != partition ]] || echo '{PARTITIONS}'")
    done = fixture("run", *arguments, backend="slurm")
    assert done.returncode == 0 and ("of the partition); it waits" in done.stderr) == limited


def test_what_sbatch_refuses_is_one_sentence(fixture):
    fixture.tool("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1")
    assert sentence(fixture("run", backend="slurm")).endswith("refused the job: sbatch: error: invalid partition")


# --- Modules ---------------------------------------------------------------------------------------

def start(fixture, **env):
    text = script_of(fixture("run", "--modules", "gcc,openmpi", "--dry-run", backend="slurm").stdout)
    (fixture.folder / "job.sh").write_text(text)
    fixture.tool("scontrol", "")
    fixture.tool("hostname", "echo here")
    fixture.tool("srun", "[[ $1 != --mpi=list ]] || echo pmix")
    env = {key: value for key, value in fixture.env.items() if not key.startswith(("MODULE", "LMOD", "BASH_"))} | env
    return subprocess.run(["bash", str(fixture.folder / "job.sh")], cwd=fixture.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(env, SLURM_JOB_ID="9"), universal_newlines=True,
                          timeout=60)


def test_a_job_finds_the_modules_and_takes_its_own_alone(fixture):
    init = fixture.folder / "modules/init"
    init.mkdir(parents=True)
    (init / "bash").write_text('module() { echo "module $* $not_set"; }\n')
    done = start(fixture, MODULESHOME=str(fixture.folder / "modules"))
    assert done.returncode == 0, done.stdout
    assert [line.split() for line in done.stdout.splitlines()[:3]] == [
        ["module", "purge"], ["module", "load", "gcc"], ["module", "load", "openmpi"]]


@pytest.mark.skipif(any(map(os.path.exists, ("/usr/share/modules/init/bash", "/usr/share/lmod/lmod/init/bash",
                                             "/etc/profile.d/lmod.sh", "/etc/profile.d/modules.sh"))),
                    reason="this machine has modules")
def test_a_job_without_modules_says_so(fixture):
    done = start(fixture)
    assert done.returncode == 2
    assert done.stdout == "trilemma job: there is no command 'module' on here; submit without --modules\n"
