"""Where a real Slurm of two nodes places the ranks that jobs/submit requests: as requested, or not at all."""
import json
import shlex
import shutil
import sys
from pathlib import Path

import h5py
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from extent import only_with_all  # noqa: E402
from slurm_fixture import PROGRAM, cluster, fixture  # noqa: E402, F401

SHORT = ["--set", "rounds=4", "--set", "data.rows=2000", "--output", "a.h5"]
MAPS = [(4, ["--nodes", 2], [0, 0, 1, 1]), (4, ["--ranks-per-node", 2], [0, 0, 1, 1]), (3, ["--nodes", 2], [0, 0, 1]),
        (2, ["--ranks-per-node", 2], [0, 0]), (2, ["--nodes", 2, "--exclusive", "yes"], [0, 1])]


def nodes(path):
    """The node of each rank by the host names, checked against the record, and the request."""
    with h5py.File(path) as file:
        hosts = [line.split()[0] for line in file["environment/hosts"].asstr()[()].splitlines()]
        names = list(dict.fromkeys(hosts))
        return [names.index(host) for host in hosts], file["phases/node"][:].tolist(), dict(file["environment"].attrs)


@pytest.mark.parametrize("launcher", ["srun", pytest.param("mpirun", marks=only_with_all)])
@pytest.mark.parametrize("ranks, arguments, expected", MAPS)
def test_ranks_are_where_they_were_asked_for(fixture, launcher, ranks, arguments, expected):
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    if not fixture.cluster.own_hosts and len(set(expected)) > 1:
        pytest.skip("the nodes of this cluster have one host name")
    job, = fixture.submit("run", "run.toml", *arguments, *SHORT, "--launcher", launcher, ranks=ranks)
    assert fixture.ended(job) == "COMPLETED", fixture.log()
    by_name, recorded, asked = nodes(fixture.folder / "a.h5")
    assert by_name == recorded == expected
    assert asked["nodes_asked"] == len(set(expected)) and asked["ranks_per_node_asked"] == expected.count(0)
    assert asked["placement_as_asked"] == 1


@pytest.mark.parametrize("check, state", [("refuse", "FAILED"), ("mark", "COMPLETED")])
def test_another_placement_is_refused_or_marked(fixture, check, state):
    """Ranks that are distributed cyclically although blocks were requested."""
    if not fixture.cluster.own_hosts:
        pytest.skip("the nodes of this cluster have one host name")
    program = f"{shlex.quote(str(PROGRAM))} run run.toml {shlex.join(SHORT)} --quiet"
    wrap = (f"export TRILEMMA_RANKS=4 TRILEMMA_NODES=2 TRILEMMA_PLACEMENT_CHECK={check}\n"
            f"srun --mpi=pmix --ntasks=4 --nodes=2 --distribution=cyclic {program}")
    done = fixture.cluster.call("sbatch", "--parsable", "-N2", "--ntasks-per-node=2", "-o", "log", "--wrap", wrap,
                             cwd=fixture.folder)
    assert fixture.ended(done.stdout.strip()) == state
    log = (fixture.folder / "log").read_text()
    said = [line for line in log.splitlines() if "asked for" in line]
    assert len(said) == 1 and "4 ranks asked for on 2 nodes (2 + 2)" in said[0] and "not in blocks" in said[0], log
    assert (fixture.folder / "a.h5").exists() == (check == "mark")
    if check == "mark":
        assert nodes(fixture.folder / "a.h5")[2]["placement_as_asked"] == 0


def test_a_study_has_whole_nodes_and_records_the_fullest(fixture):
    if not fixture.cluster.own_hosts:
        pytest.skip("the nodes of this cluster have one host name")
    (fixture.folder / "study.toml").write_text('name = "s"\nexperiment = "run.toml"\nrepetitions = 1\nwarm_up = 1\n'
                                            "[set]\nrounds = 4\ndata.rows = 2000\nserver_hosts = true\n")
    folder = fixture.folder / "runs/studies/s"
    folder.mkdir(parents=True)
    (folder / "network-4.h5").touch()  # a calibration takes seconds, and an existing one is not repeated
    first, second = fixture.submit("study", "study.toml", "--ranks-per-node", 2, ranks="1,4")
    assert fixture.ended(second) == "COMPLETED" and fixture.cluster.state(first) == "COMPLETED", fixture.log()
    runs = {run["ranks"]: run for run in json.loads((folder / "study.json").read_text())["runs"]}
    for ranks, expected in ((1, [0]), (4, [0, 0, 1, 1])):
        file = folder / runs[ranks]["file"]
        assert nodes(file)[1] == expected and nodes(file)[2]["placement_as_asked"] == 1
        assert json.loads(file.with_suffix(".json").read_text())["ranks_here"] == expected.count(0)
        assert runs[ranks]["placement"]["nodes"] == len(set(expected))
        assert fixture.cluster.show(first if ranks == 1 else second)[0]["OverSubscribe"] == "NO"
