"""Decentralised methods on several ranks: exchanges, failures of single nodes, evaluation of single nodes."""
import json
import resource

import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from test_gossip import EXPERIMENT, run

VARYING = ("method=choco-sgd", "compressor.kind=bernoulli", "compressor.p=0.3")


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "nodes.toml"
    path.write_text(EXPERIMENT)
    return path


def sent(path):
    """Bits between ranks at the end of a run."""
    with h5py.File(path) as file:
        return int(file["mpi/bits_neighbours"][-1]), int(file["mpi/bits_up"][-1] + file["mpi/bits_down"][-1])


@pytest.mark.parametrize("settings", [(), VARYING], ids=["equal", "varying"])
@pytest.mark.parametrize("exchange", ["neighbours", "collective", "relay"])
def test_every_exchange_gives_the_bits_of_one_process(experiment, tmp_path, exchange, settings):
    model, columns = run(experiment, tmp_path / "1.h5", *settings)
    for ranks in (1, 2, 3, 4):
        output = tmp_path / f"{ranks}-{exchange}.h5"
        other, others = run(experiment, output, f"exchange.nodes={exchange}", *settings, ranks=ranks)
        assert (model == other).all()
        for name, values in columns.items():
            np.testing.assert_array_equal(values, others[name], name)
        result = call("verify", output, "--json")
        assert json.loads(result.out)["verdict"] == "holds", result.out
        assert sent(output)[1] == 0 and (sent(output)[0] > 0) == (ranks > 1)


@pytest.mark.parametrize("exchange", ["neighbours", "collective", "relay"])
def test_more_ranks_than_nodes(experiment, tmp_path, exchange):
    model, _ = run(experiment, tmp_path / "1.h5", "clients=2")
    other, _ = run(experiment, tmp_path / "4.h5", "clients=2", f"exchange.nodes={exchange}", ranks=4)
    assert (model == other).all()


def test_bytes_of_a_relay(experiment, tmp_path):
    """Of 7 nodes in blocks of 3, 2, 2: four messages to rank 0, and all seven to each of two other ranks."""
    run(experiment, tmp_path / "3.h5", "exchange.nodes=relay", ranks=3)
    with h5py.File(tmp_path / "3.h5") as file:
        assert file["mpi/bits_neighbours"][-1] == 12 * (4 + 2 * 7) * 32 * int(file.attrs["dimension"])


@pytest.mark.parametrize("column", ["rounds/bits_edges_model", "rounds/bits_edges_payload", "mpi/bits_neighbours"])
def test_changed_bits_are_found(experiment, tmp_path, column):
    output = tmp_path / "run.h5"
    run(experiment, output, ranks=2)
    with h5py.File(output, "r+") as file:
        file[column][5:] += 1
    result = call("verify", output, "--json")
    assert result.code != 0
    assert any(found.get("field") == f"/{column}" for found in json.loads(result.out)["differences"]), result.out


def test_the_graph_is_in_the_file(experiment, tmp_path):
    run(experiment, tmp_path / "run.h5", "graph.kind=erdos-renyi", "graph.probability=0.3", "seed=5")
    graph = json.loads(call("graph", "erdos-renyi", 7, "--probability", "0.3", "--seed", "5", "--json").out)
    shown = summary(tmp_path / "run.h5")
    for name, there in {"graph_kind": "kind", "graph_edges": "edges", "graph_degree_least": "degree_least",
                        "graph_degree_most": "degree_most", "graph_degree_mean": "degree_mean",
                        "graph_redraws": "redraws", "graph_least_eigenvalue": "least_eigenvalue",
                        "graph_second_eigenvalue": "second_eigenvalue", "graph_spectral_gap": "spectral_gap"}.items():
        assert shown[name] == graph[there], name
    text = " ".join(call("show", tmp_path / "run.h5").out.split())
    assert "graph erdos-renyi, degree" in text and "evaluated model mean of the nodes" in text
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file.attrs["graph_spectral_gap"] = 0.9
    fields = [found.get("field") for found in json.loads(call("verify", tmp_path / "run.h5", "--json").out)["differences"]]
    assert "graph_spectral_gap" in fields


FAILING = {"infinite": ("method=choco-sgd", "gossip.consensus=1", "compressor.k=1"),
           "refused": ("method=q-dpsgd-1", "compressor.step=1e-7", "gossip.rate=5")}


@pytest.mark.parametrize("settings", FAILING.values(), ids=FAILING.keys())
def test_a_node_that_fails_is_named_alike_on_any_number_of_ranks(experiment, tmp_path, settings):
    found = []
    for ranks in (None, 2, 4):
        output = tmp_path / f"{ranks}.h5"
        words = [word for setting in (*settings, "privacy.sigma=0", "rounds=4000", "evaluate.every=0")
                 for word in ("--set", setting)]
        result = call("run", experiment, "--output", output, "--quiet", *words, ranks=ranks)
        assert result.code == 3, result.err
        assert "node" in result.sentence and "lower" in result.sentence
        with h5py.File(f"{output}.partial") as file:
            found.append((file.attrs["failure"], file["model/final"][:].tobytes(),
                          {name: column[:].tobytes() for name, column in file["rounds"].items()}))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("nodes", ["all", "3"])
def test_single_nodes_are_evaluated(experiment, tmp_path, nodes):
    """The mean of the nodes hides the worst node, except at the common start and on a complete graph."""
    settings = (f"evaluate.nodes={nodes}", "partition.kind=label-sorted", "gossip.rate=1")
    _, columns = run(experiment, tmp_path / "1.h5", *settings)
    rows = ~np.isnan(columns["objective"])
    worst, mean = columns["objective_node_most"][rows], columns["objective"][rows]
    assert (np.isnan(columns["objective_node_most"]) == ~rows).all()
    assert worst[0] == pytest.approx(mean[0], rel=1e-6) and (worst[1:] > mean[1:] * 1.001).all()
    assert (columns["accuracy_node_least"][rows] <= 1).all()
    assert set(columns["objective_node"][rows]) <= set(range(7))
    for ranks in (2, 4):
        _, others = run(experiment, tmp_path / f"{ranks}.h5", *settings, ranks=ranks)
        for name, values in columns.items():
            np.testing.assert_array_equal(values, others[name], name)
    assert json.loads(call("verify", tmp_path / "4.h5", "--json").out)["verdict"] == "holds"
    _, columns = run(experiment, tmp_path / "complete.h5", *settings, "graph.kind=complete")
    np.testing.assert_allclose(columns["objective_node_most"][rows], columns["objective"][rows], rtol=1e-5)


def test_more_nodes_than_there_are(experiment, tmp_path):
    result = call("run", experiment, "--output", tmp_path / "run.h5", "--set", "evaluate.nodes=8")
    assert result.code == 2 and "evaluate.nodes" in result.sentence and "7 nodes" in result.sentence


def test_models_that_do_not_fit_are_refused(experiment, tmp_path):
    """A thousand nodes with a million coordinates each take 16 GB and more, of which a process gets 4 here."""
    words = [word for setting in ("clients=1000", "data.rows=1000", "data.features=1000000", "local.batch=1")
             for word in ("--set", setting)]
    result = call("run", experiment, "--output", tmp_path / "run.h5", *words,
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
    assert result.code == 2 and "1000 nodes on this rank" in result.sentence and "lower clients" in result.sentence
