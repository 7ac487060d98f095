"""The ledger's bytes are those that the network carried: ranks on hosts of their own, whose links count (scripts/network)."""
import json
import os
import shutil
import subprocess

import h5py
import pytest

from conftest import PROGRAM, ROOT

# A message is 1 MB of float32, so that headers and the control of MPI are small compared with it.
EXPERIMENT = """
name = "network"
method = "fedavg"
rounds = 20
clients = 3
server_hosts = false
[data]
source = "synthetic"
rows = 30
test_rows = 10
features = 262143
nonzeros = 5
[local]
steps = 1
[evaluate]
every = 100
"""


def on_hosts(folder, *words):
    """A run on four hosts: what it has booked and what the links have carried, in bytes."""
    (folder / "x.toml").write_text(EXPERIMENT)
    done = subprocess.run([ROOT / "scripts/network", "--hosts", "4", "--counters", folder / "links.json", "--", PROGRAM, "run",
                           folder / "x.toml", "--output", folder / "x.h5", "--quiet", *words], capture_output=True, text=True,
                          timeout=120)
    if done.returncode == 2 and done.stderr.startswith("network:"):
        pytest.skip(f"this machine cannot make hosts: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    links = json.loads((folder / "links.json").read_text())
    with h5py.File(folder / "x.h5") as h5:
        return {name: int(column[-1]) // 8 for name, column in h5["mpi"].items() if name.startswith("bits")}, links


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"),
                    reason="network namespaces need root and iproute2")
@pytest.mark.parametrize("exchange", ["gather", "reduce"])
def test_the_links_carry_what_is_booked(tmp_path, exchange):
    booked, links = on_hosts(tmp_path, "--set", f"exchange.up={exchange}")
    carried = sum(link["received"] for link in links)
    between = booked.pop("bits_up_between_nodes")  # a part of bits_up
    more = carried / sum(booked.values()) - 1
    print(f"{exchange}: {carried} bytes carried, {100 * more:.2f} % more than booked")
    assert 0 < more < 0.05
    assert booked["bits_up"] >= 3 * 20 * 1_048_576
    assert 0.99 < between / booked["bits_up"] <= 1  # one rank a host
    if exchange == "gather":  # straight to rank 0, next to acknowledgements of what it sends
        assert 0 <= links[0]["received"] / booked["bits_up"] - 1 < 0.25
