"""Ranks that are not placed as the job script requested: the program refuses, or marks the run file."""
import h5py
import pytest

from conftest import call


def asked(ranks, nodes=None, check=None):
    """The variables of a job script."""
    found = {"TRILEMMA_RANKS": ranks, "TRILEMMA_NODES": nodes, "TRILEMMA_CORES_PER_RANK": 1,
             "TRILEMMA_THREADS_PER_CORE": 1, "TRILEMMA_PLACEMENT_CHECK": check}
    return {key: str(value) for key, value in found.items() if value is not None}


def recorded(file):
    """The request, and the node of each rank."""
    with h5py.File(file) as h5:
        attributes = {name: value for name, value in h5["environment"].attrs.items() if "asked" in name}
        assert [int(value) for value in attributes.values()] == list(attributes.values())
        return attributes, h5["phases/node"][:].tolist()


def sentence(result):
    lines = [line for line in result.err.splitlines() if line.startswith("trilemma:")]
    assert len(lines) == 1, result.err
    return lines[0]


@pytest.mark.parametrize("ranks", [None, 2])
def test_where_nothing_is_asked_for_the_file_has_what_was_obtained(logistic, tmp_path, ranks):
    file = tmp_path / "a.h5"
    assert call("run", logistic, "--output", file, ranks=ranks).code == 0
    assert recorded(file) == ({}, [0] * (ranks or 1))


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_placement_that_is_obtained_is_recorded(logistic, tmp_path, ranks):
    file, count = tmp_path / "a.h5", ranks or 1
    assert call("run", logistic, "--output", file, ranks=ranks, env=asked(count, 1)).code == 0
    assert recorded(file) == ({"nodes_asked": 1, "ranks_per_node_asked": count, "cores_per_rank_asked": 1,
                               "threads_per_core_asked": 1, "placement_as_asked": 1}, [0] * count)
    assert call("verify", file).code == call("verify", file, env=asked(4, 2)).code  # not a property of files


@pytest.mark.parametrize("command", ["run", "calibrate"])
def test_another_placement_is_refused(logistic, tmp_path, command):
    file = tmp_path / "a.h5"
    words = ["run", logistic] if command == "run" else ["calibrate", "--largest", "64B", "--seconds", "0.01"]
    result = call(*words, "--output", file, ranks=2, env=asked(2, 2))
    assert result.code == 2 and not list(tmp_path.glob("a.h5*"))
    assert "2 ranks asked for on 2 nodes (1 + 1), and the launcher has placed them on 1 node (2: " in sentence(result)
    assert "--placement-check mark" in sentence(result)


def test_another_placement_is_marked_where_that_is_asked_for(logistic, tmp_path):
    file = tmp_path / "a.h5"
    result = call("run", logistic, "--output", file, ranks=2, env=asked(2, 2, "mark"))
    assert result.code == 0
    assert sentence(result).startswith("trilemma: warning: 2 ranks asked for on 2 nodes")
    attributes, node = recorded(file)
    assert attributes["placement_as_asked"] == 0 and attributes["nodes_asked"] == 2 and node == [0, 0]


def test_nodes_that_the_batch_system_chooses_are_not_compared(logistic, tmp_path):
    file = tmp_path / "a.h5"
    assert call("run", logistic, "--output", file, ranks=2, env=asked(2)).code == 0
    attributes, _ = recorded(file)
    assert attributes["nodes_asked"] == 0 and "placement_as_asked" not in attributes


def test_a_rank_that_does_not_know_the_others_is_refused(logistic, tmp_path):
    """As with a launcher of another MPI, where every process is a separate run."""
    result = call("run", logistic, "--output", tmp_path / "a.h5", env=asked(2))
    assert result.code == 2 and "2 ranks asked for, and the launcher has started 1 rank" in sentence(result)


@pytest.mark.parametrize("variable, value", [("RANKS", "two"), ("NODES", "0"), ("NODES", "3"),
                                             ("PLACEMENT_CHECK", "perhaps"), ("CORES_PER_RANK", "-1")])
def test_variables_that_make_no_placement_are_refused(logistic, tmp_path, variable, value):
    result = call("run", logistic, "--output", tmp_path / "a.h5", env=asked(1, 1) | {f"TRILEMMA_{variable}": value})
    assert result.code == 2 and f"TRILEMMA_{variable} = {value}" in sentence(result)
