"""Energy of the phases, from a made-up node that uses one watt: its counter is the uptime of the machine."""
import json
import os

import h5py
import numpy as np
import pytest

from conftest import call


@pytest.fixture
def counted(tmp_path):
    """The environment of a machine with a counter of the node."""
    counters = tmp_path / "root/sys/cray/pm_counters"
    counters.mkdir(parents=True)
    (counters / "energy").symlink_to("/proc/uptime")
    return {"TRILEMMA_ENERGY_ROOT": str(tmp_path / "root")}


def run(logistic, file, env, *options, ranks=None):
    """A run of about a second."""
    return call("run", logistic, "--output", file, "--set", "rounds=20000", "--set", "evaluate.every=5000", *options,
                ranks=ranks, env=env)


def nodes(file):
    """The counters of the nodes of a run."""
    with h5py.File(file) as h5:
        group = h5["environment/nodes"]
        return [group["energy_value"].asstr()[index] for index in group["energy"][:]]


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_energy_is_that_of_the_node(logistic, tmp_path, counted, ranks):
    """Ranks of one node do not count it twice, and phases have it in proportion to their times."""
    file = tmp_path / "a.h5"
    assert run(logistic, file, counted, ranks=ranks).code == 0
    assert nodes(file) == ["pm_counters"]
    with h5py.File(file) as h5:
        joules, seconds, wall = h5["phases/joules"], h5["phases/seconds"][:], h5.attrs["wall_seconds"]
        assert joules.attrs["units"] == "J" and joules.shape == (20001, seconds.shape[2])
        joules = joules[:]
    step = 0.01  # of the counter
    assert 0 < joules.sum() <= wall + step
    took = seconds.sum(axis=1)
    assert np.array_equal(joules > 0, (took > 0) & (joules.sum(axis=1, keepdims=True) > 0))
    busy = took[-1] > 0  # the last row is of one delivery: one number of joules for a second
    watts = joules[-1, busy] / took[-1, busy]
    assert np.allclose(watts, watts[0], rtol=1e-9)
    shown = json.loads(call("show", file, "--json").out)
    assert sum(shown["joules_per_phase"].values()) == pytest.approx(joules[1:].sum())
    assert 0 < shown["joules_rounds"] < joules.sum()
    assert "energy" in call("show", file).out
    assert call("verify", file).code == 0


def test_what_is_not_counted_is_not_zero(logistic, tmp_path):
    """No data set, null and no line."""
    file, empty = tmp_path / "a.h5", tmp_path / "empty"
    empty.mkdir()
    env = {"TRILEMMA_ENERGY_ROOT": str(empty)}
    assert call("run", logistic, "--output", file, env=env).code == 0
    assert nodes(file) == ["not available"]
    with h5py.File(file) as h5:
        assert "joules" not in h5["phases"]
    shown = json.loads(call("show", file, "--json").out)
    assert shown["joules_rounds"] is None and set(shown["joules_per_phase"].values()) == {None}
    assert "energy" not in call("show", file).out


def test_a_start_without_counters_leaves_no_numbers(logistic, tmp_path, counted):
    """A run that goes on without counters has rows without energy, and no sum."""
    file, none = tmp_path / "a.h5", {"TRILEMMA_ENERGY_ROOT": os.devnull}
    more = ("--set", "checkpoint.at_end=true")
    assert call("run", logistic, "--output", file, *more, env=counted).code == 0
    assert call("run", file, "--rounds-more", "4", env=none).code == 0
    with h5py.File(file) as h5:
        joules = h5["phases/joules"][:]
    assert np.isfinite(joules[:7]).all() and np.isnan(joules[7:]).all() and len(joules) == 11
    assert json.loads(call("show", file, "--json").out)["joules_rounds"] is None
    assert call("verify", file).code == 0


def test_without_times_there_is_no_energy(logistic, tmp_path, counted):
    """It could not be divided, and it is as telling as times are."""
    file = tmp_path / "a.h5"
    assert call("run", logistic, "--output", file, "--set", "timing.enabled=false", env=counted).code == 0
    with h5py.File(file) as h5:
        assert "joules" not in h5["phases"]
