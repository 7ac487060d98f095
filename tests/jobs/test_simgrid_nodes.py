"""Decentralised methods on simulated ranks, one node each: the bits of one process. TRILEMMA_SIMULATED_NODES sets the
number of nodes, 32 by default."""
import os

import h5py
import pytest

from test_simgrid import DEMO, call, needs_simgrid, read, simulate

NODES = int(os.environ.get("TRILEMMA_SIMULATED_NODES", 32))
ROUNDS = 5
RING = ["method=dsgd", f"clients={NODES}", f"data.rows={8 * NODES}", "local.batch=4", f"rounds={ROUNDS}",
        "gossip.rate=0.5", "evaluate.every=2", "server_hosts=true"]
# Messages in a round. Every node sends to two others; or to rank 0, which sends all messages to every other rank.
MESSAGES = {"neighbours": 2 * NODES, "relay": (NODES - 1) * (NODES + 1)}


@needs_simgrid
@pytest.mark.parametrize("exchange", ["neighbours", "relay"] if NODES <= 64 else ["neighbours"])
def test_the_bits_of_one_process(tmp_path, exchange):
    one, simulated = tmp_path / "one.h5", tmp_path / "simulated.h5"
    words = [word for setting in (*RING, f"exchange.nodes={exchange}") for word in ("--set", setting)]
    assert call("run", DEMO, *words, "--quiet", "--output", one).code == 0
    done = simulate(NODES, *words, "--output", simulated, platform="fat-tree-1024", seconds=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    (model, columns), (its_model, its_columns) = read(one), read(simulated)
    assert model.tobytes() == its_model.tobytes()
    for name in columns:
        assert columns[name].tobytes() == its_columns[name].tobytes(), name
    with h5py.File(simulated) as file:
        assert file["mpi/bits_neighbours"][-1] == ROUNDS * MESSAGES[exchange] * 32 * int(file.attrs["dimension"])


@needs_simgrid
def test_collectives_are_refused(tmp_path):
    done = simulate(4, "--set", "method=dsgd", "--set", "exchange.nodes=collective", "--output", tmp_path / "no.h5")
    assert done.returncode == 2 and "choose neighbours" in done.stdout + done.stderr
