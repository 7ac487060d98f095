"""The machine on record: what the launcher, the user and the MPI library set, for every rank and node."""
import os

import h5py
import pytest

from conftest import call

SET = {"OMPI_MCA_coll_tuned_bcast_algorithm": "1", "OMP_NUM_THREADS": "1", "SLURM_JWT": "secret"}


def lines(group, name):
    """The texts of a data set."""
    return group[name].asstr()[:].tolist()


def column(group, name):
    """A column of texts: the value of each rank or node."""
    values = lines(group, name + "_value")
    return [values[index] for index in group[name][:]]


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_record_has_what_was_set(logistic, tmp_path, ranks):
    file = tmp_path / "a.h5"
    assert call("run", logistic, "--output", file, ranks=ranks, env=SET).code == 0
    with h5py.File(file) as h5:
        environment = h5["environment"]
        of_ranks, of_nodes = environment["ranks"], environment["nodes"]
        variables = lines(environment, "variables")
        assert {f"{name}={value}" for name, value in SET.items() if name != "SLURM_JWT"} <= set(variables)
        assert "secret" not in str(variables) + environment["slurm"].asstr()[()]
        assert "OPENBLAS_NUM_THREADS=1" in variables and of_ranks["blas_threads"][:].tolist() == [1] * (ranks or 1)
        assert column(of_ranks, "host") == [os.uname().nodename] * (ranks or 1)
        assert column(of_nodes, "kernel") == [f"{os.uname().sysname} {os.uname().release}"]
        assert of_nodes["memory"][0] > 1e8 and of_nodes["processors"][0] >= 1
        assert column(of_ranks, "other_variables") == [""] * (ranks or 1)
        assert (of_ranks["threads"][:] >= 1).all() and not (of_ranks["frequency"][:] == 0).any()
        assert environment["dirty"].asstr()[()] in ("yes", "no", "not available")
        changed = lines(environment, "mpi_variables")
        assert changed == ["not available"] if ranks is None else "coll_tuned_bcast_algorithm=1" in changed
    assert call("verify", file).code == 0


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_the_affinity_is_the_one_obtained(logistic, tmp_path):
    file, one = tmp_path / "a.h5", max(os.sched_getaffinity(0))
    assert call("run", logistic, "--output", file, preexec_fn=lambda: os.sched_setaffinity(0, {one})).code == 0
    with h5py.File(file) as h5:
        assert column(h5["environment/ranks"], "affinity") == [str(one)]


def test_times_summarised_over_the_ranks(logistic, tmp_path):
    """Mean, maximum and its rank; show, verify and predict read them."""
    file = tmp_path / "a.h5"
    assert call("run", logistic, "--set", "timing.ranks=summary", "--output", file, ranks=2).code == 0
    with h5py.File(file) as h5:
        mean, largest, slowest = (h5[f"phases/{name}"][:] for name in ("seconds", "largest", "slowest"))
        local = h5["phases/name"].asstr()[:].tolist().index("local")
    assert mean.shape == (7, 1, largest.shape[1]) and slowest.shape == largest.shape == (7, mean.shape[2])
    assert set(slowest.flat) <= {0, 1} and (largest >= mean[:, 0]).all() and (2 * mean[:, 0] >= largest).all()
    assert (slowest[1:, local] == 1).all()  # rank 0 hosts no clients
    shown = call("show", file)
    assert shown.code == 0 and "maxima of rounds" in shown.out and "slowest rank" not in shown.out
    assert call("predict", file, "--latency", "1ms", "--bandwidth", "1Gbit").code == 0
    assert call("verify", file).code == 0


def test_a_resumed_run_keeps_its_summary(logistic, tmp_path):
    file = tmp_path / "a.h5"
    more = ("--set", "timing.ranks=summary", "--set", "checkpoint.at_end=true", "--output", file)
    assert call("run", logistic, *more, ranks=2).code == 0
    assert call("run", file, "--rounds-more", "3", ranks=2).code == 0
    with h5py.File(file) as h5:
        assert len(h5["phases/seconds"]) == len(h5["phases/largest"]) == len(h5["phases/slowest"]) == 10
