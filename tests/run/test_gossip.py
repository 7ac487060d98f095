"""Decentralised methods: the same bits on any number of ranks and after a restart, verified claims, bytes of MPI."""
import json

import h5py
import numpy as np
import pytest

from conftest import call, read, summary

EXPERIMENT = """
name = "nodes"
method = "dsgd"
clients = 7
rounds = 12
[data]
rows = 210
test_rows = 50
features = 20
nonzeros = 5
[local]
batch = 6
[gossip]
rate = 0.2
[privacy]
sigma = 0.05
delta = 1e-4
[evaluate]
every = 3
"""
GRAPHS = ("ring", "star", "complete", "erdos-renyi")


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "nodes.toml"
    path.write_text(EXPERIMENT)
    return path


def run(experiment, output, *settings, ranks=None, code=0):
    """The columns and the final model of a run."""
    words = [word for setting in settings for word in ("--set", setting)]
    result = call("run", experiment, "--output", output, "--quiet", *words, ranks=ranks)
    assert result.code == code, result.err
    return read(output) if code == 0 else None


@pytest.mark.parametrize("method", ["porter-dp", "beer", "gradient-tracking", "d2", "deepsqueeze"])
def test_two_channels_on_any_number_of_ranks(experiment, tmp_path, method):
    """Two messages a round, of varying size where the compressor makes them so."""
    compressor = () if method in ("gradient-tracking", "d2") else ("compressor.kind=top-k", "compressor.k=4")
    noise = () if method == "beer" else ("privacy.sigma=0.05",)
    model, columns = run(experiment, tmp_path / "1.h5", f"method={method}", *compressor, *noise)
    assert np.isfinite(model).all() and columns["consensus_error"][-1] > 0
    channels = 1 if method in ("d2", "deepsqueeze") else 2
    assert columns["messages"][-1] == 12 * 7 * channels
    for ranks in (2, 4):
        other, others = run(experiment, tmp_path / f"{ranks}.h5", f"method={method}", *compressor, *noise, ranks=ranks)
        assert (model == other).all()
        for name, values in columns.items():
            np.testing.assert_array_equal(values, others[name], name)
    run(experiment, tmp_path / "half.h5", f"method={method}", "rounds=5", "checkpoint.at_end=true", *compressor, *noise)
    result = call("run", tmp_path / "half.h5", "--rounds-more", "7", "--output", tmp_path / "more.h5", "--quiet", ranks=2)
    assert result.code == 0, result.err
    assert (model == read(tmp_path / "more.h5")[0]).all()
    result = call("verify", tmp_path / "more.h5")
    assert result.code == (5 if method == "beer" else 0), result.out + result.err  # 5: no claim to verify


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_same_bits_on_any_number_of_ranks(experiment, tmp_path, graph):
    model, columns = run(experiment, tmp_path / "1.h5", f"graph.kind={graph}")
    assert np.isfinite(model).all() and columns["consensus_error"][0] == 0
    # On a complete graph all nodes add the same messages with the same weights.
    assert (columns["consensus_error"][-1] > 0) == (graph != "complete")
    for ranks in (2, 3, 4):
        other, others = run(experiment, tmp_path / f"{ranks}.h5", f"graph.kind={graph}", ranks=ranks)
        assert (model == other).all()
        for name, values in columns.items():
            np.testing.assert_array_equal(values, others[name], name)


def test_more_ranks_than_nodes(experiment, tmp_path):
    model, _ = run(experiment, tmp_path / "1.h5", "clients=2")
    other, _ = run(experiment, tmp_path / "4.h5", "clients=2", ranks=4)
    assert (model == other).all()


def test_bytes_between_ranks(experiment, tmp_path):
    """A message goes once to every rank with a neighbour: with a ring of 7 in blocks of 3, 2, 2, twice per rank."""
    import h5py
    run(experiment, tmp_path / "3.h5", ranks=3)
    with h5py.File(tmp_path / "3.h5") as file:
        dimension = int(file.attrs["dimension"])
        assert file["mpi/bits_neighbours"][-1] == 12 * 6 * 32 * dimension
        assert file["mpi/bits_up"][-1] == 0 and file["mpi/bits_down"][-1] == 0


def test_a_restart_in_the_middle(experiment, tmp_path):
    model, columns = run(experiment, tmp_path / "whole.h5")
    run(experiment, tmp_path / "half.h5", "rounds=5", "checkpoint.at_end=true")
    result = call("run", tmp_path / "half.h5", "--rounds-more", "7", "--output", tmp_path / "more.h5", "--quiet",
                  ranks=2)
    assert result.code == 0, result.err
    other, others = read(tmp_path / "more.h5")
    assert (model == other).all()
    np.testing.assert_array_equal(columns["bits_edges_payload"], others["bits_edges_payload"])


def test_extending_without_a_checkpoint_repeats_the_run(experiment, tmp_path):
    model, _ = run(experiment, tmp_path / "whole.h5")
    run(experiment, tmp_path / "half.h5", "rounds=5")
    result = call("run", tmp_path / "half.h5", "--rounds-more", "7", "--output", tmp_path / "more.h5", "--quiet")
    assert result.code == 0, result.err
    assert (model == read(tmp_path / "more.h5")[0]).all()


@pytest.mark.parametrize("method", ["dsgd", "choco-sgd", "d2", "deepsqueeze", "gradient-tracking", "porter-dp", "motef",
                                    "sdm-dsgd", "q-dpsgd-1"])
def test_the_claim_is_verified(experiment, tmp_path, method):
    run(experiment, tmp_path / "run.h5", f"method={method}")
    result = call("verify", tmp_path / "run.h5", "--json")
    assert result.code == 0, result.out + result.err
    assert json.loads(result.out)["verdict"] == "holds"
    shown = summary(tmp_path / "run.h5")
    assert shown["method"] == method and shown["claim_status"] == "holds"
    assert "record of a client added or removed, against whoever sees every message" in shown["claim"]


def test_the_resolved_configuration_repeats_the_run(experiment, tmp_path):
    model, _ = run(experiment, tmp_path / "a.h5", "graph.kind=erdos-renyi")
    config = call("config", experiment, "--set", "graph.kind=erdos-renyi").out
    assert "server_hosts = true" in config
    (tmp_path / "resolved.toml").write_text(config)
    other, _ = run(tmp_path / "resolved.toml", tmp_path / "b.h5")
    assert (model == other).all()


def test_predictions(experiment, tmp_path):
    """A round of the ring on a rank a node: two messages of every node, one after the other."""
    run(experiment, tmp_path / "run.h5")
    result = call("predict", tmp_path / "run.h5", "--latency", "1ms", "--bandwidth", "8Mbit", "--json")
    assert result.code == 0, result.err
    network = json.loads(result.out)["networks"][0]
    found = network["predictions"][0]
    message = found["calls_per_round"][0]["bytes"]
    assert network["ranks"] == 7 and found["down"] == 0
    assert found["up"] / found["rounds"] == pytest.approx(2 * (1e-3 + message * 1e-6))
    gap = summary(tmp_path / "run.h5")["graph_spectral_gap"]
    assert found["seconds_per_e_fold"] == pytest.approx(found["seconds"] / found["rounds"] / -np.log1p(-gap))


def test_refusals(experiment, tmp_path):
    result = call("audit", experiment, "--set", "method=q-dpsgd-1")
    assert result.code == 2 and "in the next one" in result.sentence
    result = call("audit", experiment, "--set", "compressor.kind=rand-k", "--set", "method=porter-dp")
    assert result.code == 2 and "compressor.kind" in result.sentence


@pytest.mark.parametrize("method", ["beer", "porter-gc"])
def test_methods_without_noise_refuse_it(experiment, tmp_path, method):
    """Unless the file's noise is meant for the method of the file; a sigma of 0 says that a run has no privacy."""
    command = ("run", experiment, "--quiet", "--overwrite", "--output", tmp_path / "run.h5", "--set", "rounds=1")
    epsilon = EXPERIMENT.replace("sigma = 0.05", "epsilon = 2.0")
    for text, words, refused in ((EXPERIMENT, (), "privacy.sigma"), (epsilon, (), "privacy.epsilon"),
                                 (epsilon, ("privacy.sigma=0.1",), "privacy.sigma"),
                                 (epsilon, ("privacy.sigma=0", "privacy.epsilon=1"), "privacy.epsilon"),
                                 (epsilon, ("privacy.sigma=0",), None), (EXPERIMENT, ("privacy.sigma=0",), None)):
        experiment.write_text(text.replace("dsgd", method))
        result = call(*command, *(word for setting in words for word in ("--set", setting)))
        assert result.code == (0 if refused is None else 2), (words, result.err)
        assert refused is None or f"{refused} =" in result.err and method in result.err, (words, result.err)
    experiment.write_text(epsilon)
    assert call(*command, "--set", f"method={method}").code == 0


@pytest.mark.parametrize("method", ["porter-dp", "sdm-dsgd"])
def test_an_audit_of_one_node_stays_below_the_claim(experiment, method):
    """The attack reads all messages of a node and finds the gradients in them."""
    result = call("audit", experiment, "--runs", "1500", "--json", "--quiet", "--set", f"method={method}",
                  "--set", "privacy.sigma=0.2", "--set", "rounds=6", "--set", "privacy.delta=1e-2")
    assert result.code == 0, result.out + result.err
    found = json.loads(result.out)
    assert 0.2 * found["epsilon_claimed"] < found["epsilon_lower_bound_empirical"] < found["epsilon_claimed"]
    assert found["influence_observed"] == pytest.approx(found["influence_declared"], rel=1e-2)


def test_a_graph_from_a_file_may_tell_of_the_data(experiment, tmp_path):
    graph = tmp_path / "graph.txt"
    graph.write_text("".join(f"{i} {(i + 1) % 7}\n" for i in range(7)))
    settings = ("graph.kind=file", f"graph.file={graph}")
    run(experiment, tmp_path / "run.h5", *settings)
    assert "the data behind the graph" in summary(tmp_path / "run.h5")["claim"]
    result = call("run", experiment, "--output", tmp_path / "strict.h5", "--quiet", "--set", "privacy.strict=true",
                  *(word for setting in settings for word in ("--set", setting)))
    assert result.code == 2 and "graph.file" in result.err and "privacy.strict" in result.err and not (tmp_path / "strict.h5").exists()


def test_show_counts_the_bytes_between_ranks(experiment, tmp_path):
    _, columns = run(experiment, tmp_path / "run.h5", ranks=3)
    with h5py.File(tmp_path / "run.h5") as file:
        sent = int(file["mpi/bits_neighbours"][-1])
    assert sent > 0 and summary(tmp_path / "run.h5")["bits_up"]["mpi"] == sent
    shown = call("show", tmp_path / "run.h5").out
    assert "to neighbours on other ranks through MPI" in " ".join(shown.split()) and "received per client" not in shown


def test_remedies_name_the_step_sizes_of_nodes(experiment, tmp_path):
    settings = ("method=choco-sgd", "gossip.consensus=1", "compressor.k=1", "rounds=2000", "evaluate.every=50")
    result = call("run", experiment, "--output", tmp_path / "run.h5", "--quiet",
                  *(word for setting in settings for word in ("--set", setting)))
    assert result.code == 3 and "lower gossip.rate or gossip.consensus" in result.err and "server.rate" not in result.err
