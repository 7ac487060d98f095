"""Networks that compute with few bits (problem.quantise = "luq"): the same bits of result on any number of ranks and after
a restart, since coins are addressed by key; refused where single records are bounded."""
import numpy as np

from conftest import call, read

CLOCK = ("--set", "method=favano", "--set", "participation.kind=fixed-size", "--set", "participation.size=3", "--set",
         "local.steps=4", "--set", "rounds=12", "--set", "problem.quantise=luq", "--quiet")


def run(network, file, *words, ranks=None):
    result = call("run", network, "--data-dir", network.parent, "--output", file, *CLOCK, *words, ranks=ranks)
    assert result.code == 0, result.err
    return read(file)


def test_ranks_and_restarts_do_not_show(network, tmp_path):
    model, columns = run(network, tmp_path / "one.h5")
    whole, _ = run(network, tmp_path / "whole.h5", "--set", "problem.quantise=none")
    assert not np.array_equal(model, whole)
    for ranks in (2, 3):
        other, found = run(network, tmp_path / f"{ranks}.h5", ranks=ranks)
        assert np.array_equal(model, other), ranks
        assert np.array_equal(columns["accuracy"], found["accuracy"], equal_nan=True)
    stopped = call("run", network, "--data-dir", tmp_path, "--output", tmp_path / "half.h5", *CLOCK, "--set", "rounds=7", "--set",
                   "checkpoint.at_end=true")
    assert stopped.code == 0, stopped.err
    longer = call("run", tmp_path / "half.h5", "--data-dir", tmp_path, "--rounds-more", 5, "--quiet", ranks=2)
    assert longer.code == 0, longer.err
    assert np.array_equal(model, read(tmp_path / "half.h5")[0])


def test_details_without_few_bits_are_refused(network, tmp_path):
    for detail in ("quantised_bits=4", "quantised_layers=inner"):
        result = call("run", network, "--data-dir", tmp_path, "--output", tmp_path / "x.h5", *CLOCK, "--set",
                      "problem.quantise=none", "--set", f"problem.{detail}")
        assert result.code == 2 and "do not read this key" in result.sentence and "quantise = luq" in result.sentence


def test_bounds_of_records_are_refused(network, tmp_path):
    result = call("run", network, "--data-dir", tmp_path, "--output", tmp_path / "x.h5", "--set", "problem.quantise=luq")
    assert result.code == 2 and "no bound on a single record holds" in result.sentence
    assert not (tmp_path / "x.h5").exists()
