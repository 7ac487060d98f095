"""The placement that jobs/submit requests from schedulers, launchers and the program, and what it refuses."""
import re
import shutil
import subprocess

import pytest

from submit_fixture import fixture, script_of, sentence  # noqa: F401

# nodes, ranks on each of them, directives of Slurm
MAPS = [(["--ranks", "4", "--nodes", "2"], "2 2", ["--nodes=2", "--ntasks=4", "--ntasks-per-node=2"]),
        (["--ranks", "4", "--ranks-per-node", "2"], "2 2", ["--nodes=2", "--ntasks=4", "--ntasks-per-node=2"]),
        (["--ranks", "4", "--ranks-per-node", "4"], "4", ["--nodes=1", "--ntasks=4", "--ntasks-per-node=4"]),
        (["--ranks", "3", "--ranks-per-node", "1"], "1 1 1", ["--nodes=3", "--ntasks=3", "--ntasks-per-node=1"]),
        (["--ranks", "6", "--nodes", "2", "--ranks-per-node", "3"], "3 3",
         ["--nodes=2", "--ntasks=6", "--ntasks-per-node=3"]),
        (["--ranks", "5", "--nodes", "2"], "3 2", ["--nodes=2", "--ntasks-per-node=3"]),
        (["--ranks", "10", "--nodes", "4"], "3 3 2 2", ["--nodes=4", "--ntasks-per-node=3"]),
        (["--ranks", "4"], "", ["--ntasks=4"])]


def directives(text, *names):
    return re.findall(rf"^#SBATCH (--(?:{'|'.join(names)})(?:=.*)?)$", text, re.MULTILINE)


@pytest.mark.parametrize("kind", ["run", "sweep"])
@pytest.mark.parametrize("arguments, blocks, expected", MAPS)
def test_slurm_is_asked_for_ranks_on_every_node(fixture, kind, arguments, blocks, expected):
    done = fixture(kind, *arguments, "--dry-run", backend="slurm")
    assert done.returncode == 0, done.stderr
    assert directives(done.stdout, "nodes", "ntasks", "ntasks-per-node") == expected
    uneven = len(set(blocks.split())) > 1
    assert (f"are placed {' + '.join(blocks.split())}\n" in done.stderr) == uneven


def test_slurm_is_asked_for_cores_threads_and_whole_nodes(fixture):
    names = ("cpus-per-task", "hint", "exclusive")
    plain = fixture("run", "--ranks", "2", "--dry-run", backend="slurm").stdout
    assert directives(plain, *names) == ["--cpus-per-task=1", "--hint=nomultithread"]
    wide = fixture("run", "--ranks", "2", "--cpus-per-rank", "3", "--threads-per-core", "2", "--exclusive", "yes",
                "--dry-run", backend="slurm").stdout
    assert directives(wide, *names) == ["--cpus-per-task=6", "--exclusive"]


def test_pbs_and_flux_are_asked_for_the_same(fixture):
    arguments = ["run", "--ranks", "10", "--nodes", "4", "--cpus-per-rank", "2", "--exclusive", "yes", "--dry-run"]
    pbs = fixture(*arguments, backend="pbs").stdout
    assert "#PBS -l select=2:ncpus=6:mpiprocs=3+2:ncpus=4:mpiprocs=2\n#PBS -l place=scatter:exclhost\n" in pbs
    flux = fixture(*arguments, backend="flux").stdout
    assert "#flux: --nodes=4\n#flux: --nslots=10\n#flux: --cores-per-slot=2\n#flux: --exclusive\n" in flux


@pytest.mark.parametrize("arguments, said", [
    (["--ranks", "6", "--ranks-per-node", "4"], "--ranks 6 is no multiple of --ranks-per-node 4; give 4 or 8 ranks, or "
     "another --ranks-per-node."),
    (["--ranks", "2", "--ranks-per-node", "4"], "--ranks 2 is no multiple of --ranks-per-node 4; give 4 ranks, or "
     "another --ranks-per-node."),
    (["--ranks", "4", "--nodes", "2", "--ranks-per-node", "4"],
     "--nodes 2 with --ranks-per-node 4 is 8 ranks, and --ranks is 4; change one of the three."),
    (["--ranks", "2", "--nodes", "3"], "--nodes 3 is more than --ranks 2; every node needs a rank."),
])
@pytest.mark.parametrize("backend", ["slurm", "pbs", "flux", "local"])
def test_what_cannot_be_placed_is_refused(fixture, backend, arguments, said):
    for kind in ("run", "sweep"):
        assert sentence(fixture(kind, *arguments, "--dry-run", backend=backend)) == f"submit: {said}"


@pytest.mark.parametrize("arguments", [["--nodes", "2"], ["--ranks-per-node", "2"]])
def test_the_local_back_end_has_one_node(fixture, arguments):
    said = sentence(fixture("run", "--ranks", "4", *arguments, "--dry-run"))
    assert said == (f"submit: {' '.join(arguments)} puts 4 ranks on 2 nodes, and the local back-end has one; leave it "
                    "out, or submit to a batch system.")
    text = fixture("run", "--ranks", "4", "--ranks-per-node", "4", "--dry-run").stdout
    assert "\nranks=4\nnodes=1\n" in text


def add_tools(fixture, *names):
    for name in names:
        if not (fixture.folder / "bin" / name).exists():
            (fixture.folder / "bin" / name).symlink_to(shutil.which(name))


def launched(fixture, *arguments, nproc=64, tasks="", launcher="srun"):
    """The command line of the launcher, in a job with fake Slurm and launcher, and the request to the program."""
    text = script_of(fixture("run", *arguments, "--launcher", launcher, "--dry-run", backend="slurm").stdout)
    (fixture.folder / "job.sh").write_text(text)
    fixture.tool("nproc", f"echo {nproc}")
    fixture.tool("scontrol", "[[ $2 != hostnames ]] || printf '%s\\n' a b c d")
    fixture.tool("mktemp", 'echo "$PWD/hosts"')
    fixture.tool("rm", "")  # so that the list of hosts is not removed
    fixture.tool(launcher, "[[ $1 != --version ]] || { echo 'mpirun (Open MPI) 4.1.4'; exit; }\n"
              'echo "words $*"; env | grep "^TRILEMMA_" | sort')
    add_tools(fixture, "sort", "wc")
    env = dict(fixture.env, SLURM_JOB_ID="9", SLURM_JOB_NODELIST="a,b,c,d", SLURM_TASKS_PER_NODE=tasks,
               SLURM_HOSTFILE="/a/list/of/the/user's")
    out = subprocess.run(["bash", str(fixture.folder / "job.sh")], cwd=fixture.folder, env=env, stdout=subprocess.PIPE,
                         universal_newlines=True, timeout=60).stdout
    words = re.search(r"^words (.*)$", out, re.MULTILINE)[1]
    return words, dict(line.split("=", 1) for line in out.splitlines() if line.startswith("TRILEMMA_"))


def test_srun_gets_even_blocks_by_ranks_per_node(fixture):
    words, asked = launched(fixture, "--ranks", "4", "--nodes", "2", "--cpus-per-rank", "3")
    for option in ("--ntasks=4", "--nodes=2", "--ntasks-per-node=2", "--cpus-per-task=3", "--threads-per-core=1",
                   "--distribution=block:block", "--cpu-bind=cores", "--export=ALL"):
        assert option in words.split()
    assert {key: asked.get(f"TRILEMMA_{key}") for key in ("RANKS", "NODES", "CORES_PER_RANK", "THREADS_PER_CORE",
                                                          "PLACEMENT_CHECK")} == \
        {"RANKS": "4", "NODES": "2", "CORES_PER_RANK": "3", "THREADS_PER_CORE": "1", "PLACEMENT_CHECK": "refuse"}


def test_srun_gets_uneven_blocks_by_a_list_of_hosts(fixture):
    words, _ = launched(fixture, "--ranks", "10", "--nodes", "4", "--threads-per-core", "2")
    assert "--distribution=arbitrary" in words.split() and "--ntasks-per-node" not in words
    assert "--cpus-per-task=2" in words.split() and "--threads-per-core" not in words
    assert (fixture.folder / "hosts").read_text().split() == list("aaabbbccdd")


def test_nothing_is_asked_about_nodes_that_the_scheduler_chooses(fixture):
    words, asked = launched(fixture, "--ranks", "4", "--placement-check", "mark")
    assert "--nodes" not in words and "TRILEMMA_NODES" not in asked
    assert asked["TRILEMMA_RANKS"] == "4" and asked["TRILEMMA_PLACEMENT_CHECK"] == "mark"


@pytest.mark.parametrize("arguments, nproc, expected", [
    (["--ranks", "4", "--nodes", "2", "--cpus-per-rank", "3"], 64, "-n 4 --map-by ppr:2:node:PE=3 --bind-to core "),
    (["--ranks", "4", "--nodes", "2"], 1, "-n 4 --oversubscribe --map-by ppr:2:node --bind-to none "),
    (["--ranks", "10", "--nodes", "4"], 64, "-n 10 --host a:3,b:3,c:2,d:2 --map-by slot:PE=1 --bind-to core "),
    (["--ranks", "4"], 64, "-n 4 --map-by slot:PE=1 --bind-to core "),
])
def test_mpirun_gets_blocks(fixture, arguments, nproc, expected):
    words, _ = launched(fixture, *arguments, nproc=nproc, launcher="mpirun")
    assert words.startswith(expected)
    assert "-x TRILEMMA_RANKS " in words and ("-x TRILEMMA_NODES " in words) == ("--nodes" in arguments)


@pytest.mark.parametrize("tasks, nproc, crowded", [("1,3", 2, True), ("3,1", 2, True), ("1,2(x2)", 2, False),
                                                   ("2(x2)", 1, True), ("1(x4)", 1, False)])
def test_crowding_is_that_of_the_fullest_node(fixture, tasks, nproc, crowded):
    """The node that Slurm lists first may be the emptiest."""
    words, _ = launched(fixture, "--ranks", "4", nproc=nproc, tasks=tasks)
    assert (f"--cpu-bind={'none' if crowded else 'cores'}") in words.split()


@pytest.mark.parametrize("threads, crowded", [("1", True), ("2", False)])
def test_hardware_threads_are_no_cores(fixture, threads, crowded):
    """Two cores of two threads each."""
    fixture.tool("lscpu", "printf '%s\\n' '# CORE,SOCKET' 0,0 1,0 0,0 1,0")
    words, _ = launched(fixture, "--ranks", "3", "--threads-per-core", threads, nproc=4)
    assert f"--cpu-bind={'none' if crowded else 'cores'}" in words.split()
