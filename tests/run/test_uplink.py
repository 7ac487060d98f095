"""exchange.up = "auto" in whole runs: the choice on record, the same bits, and what the claim says of it."""
import os
import signal
import subprocess

import h5py
import pytest

from conftest import PROGRAM, call, environment, launcher, read, summary
from paused import wait_for

DENSE = ("--set", "method=dp-fedavg-clip", "--set", "server_hosts=true")  # a claim about sums alone
SUMS = "traffic of sums"


def uplink(file):
    """The recorded choice: uplink, reason, and whether the claim lists the traffic of sums."""
    with h5py.File(file) as h5:
        attributes, outside = h5["environment"].attrs, h5["privacy"].attrs["releases_outside"]
        return attributes["uplink"], attributes["uplink_reason"], any(SUMS in line for line in outside)


@pytest.mark.parametrize(("ranks", "expected"), [(None, ("gather", "one_rank", False)),
                                                 (2, ("reduce", "sums_are_fewer", True))])
def test_the_choice_is_on_record(logistic, tmp_path, ranks, expected):
    file = tmp_path / "a.h5"
    assert call("run", logistic, *DENSE, "--output", file, ranks=ranks).code == 0
    assert uplink(file) == expected and summary(file)["uplink"] == expected[0]
    assert f"{expected[0]} (auto:" in call("show", file).out
    assert call("verify", file).code == 0
    with h5py.File(file) as h5:
        attributes = h5["environment"].attrs
        assert attributes["uplink_message_bytes"] * 2 == attributes["uplink_sum_bytes"]


def test_several_nodes_send_a_sum_each(logistic, tmp_path):
    file = tmp_path / "a.h5"
    assert call("run", logistic, *DENSE, "--set", "exchange.ranks_per_node=2", "--output", file, ranks=3).code == 0
    assert uplink(file) == ("hierarchical", "sums_of_nodes", True)


def test_few_messages_are_gathered(logistic, tmp_path):
    file = tmp_path / "a.h5"
    choice = ("--set", "participation.kind=fixed-size", "--set", "participation.size=2")
    assert call("run", logistic, *DENSE, *choice, "--output", file, ranks=3).code == 0
    assert uplink(file) == ("gather", "messages_are_fewer", False)


def test_every_exchange_has_the_same_bits(logistic, tmp_path):
    models = []
    for name in ("auto", "gather", "overlap", "reduce", "hierarchical"):
        file = tmp_path / f"{name}.h5"
        assert call("run", logistic, *DENSE, "--set", f"exchange.up={name}", "--output", file, ranks=2).code == 0
        assert uplink(file)[1] == ("sums_are_fewer" if name == "auto" else "asked_for")
        models.append(read(file)[0].tobytes())
    assert len(set(models)) == 1


def test_a_claim_lists_sums_that_a_longer_run_sends(logistic, tmp_path):
    """Rounds that are added on other ranks choose again."""
    file = tmp_path / "a.h5"
    assert call("run", logistic, *DENSE, "--set", "checkpoint.at_end=true", "--output", file).code == 0
    assert call("run", file, "--rounds-more", "4", ranks=2).code == 0
    assert uplink(file) == ("reduce", "sums_are_fewer", True) and len(read(file)[1]["round"]) == 11
    assert call("verify", file).code == 0


@pytest.mark.parametrize(("first", "then"), [(1, 2), (2, 1)])
def test_a_claim_lists_sums_that_any_start_sends(logistic, tmp_path, first, then):
    """A run that is stopped and resumed on other ranks chooses again."""
    file, gate = tmp_path / "a.h5", tmp_path / "gate"
    choice = [str(word) for word in ("run", logistic, *DENSE, "--set", "rounds=4000", "--set", "evaluate.every=100",
                                     "--set", "checkpoint.rounds=50", "--output", file)]
    # The first checkpoint waits for the gate to go, so that the signal does not come too late.
    env = environment(LD_PRELOAD=os.environ["TRILEMMA_DISK_FAULT"], TRILEMMA_HOLD_NAME=".checkpoint-",
                      TRILEMMA_HOLD_AT="1", TRILEMMA_HOLD_FILE=str(gate))
    with subprocess.Popen([*launcher(first), str(PROGRAM), *choice], env=env, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as running:
        wait_for(lambda: gate.exists() or running.poll() is not None)
        running.send_signal(signal.SIGUSR1)
        gate.unlink()
        running.communicate(timeout=60)
    assert not file.exists()
    assert call(*choice, "--resume", ranks=then).code == 0
    with h5py.File(file) as h5:
        assert h5["starts/ranks"][:].tolist() == [first, then]
    assert uplink(file) == ("reduce", "sums_are_fewer", True)
    assert call("verify", file).code == 0


def test_an_unknown_exchange_cannot_be_checked(logistic, tmp_path):
    file = tmp_path / "a.h5"
    assert call("run", logistic, *DENSE, "--output", file).code == 0
    with h5py.File(file, "r+") as h5:
        h5["environment"].attrs["uplink"] = "pigeon"
        del h5.attrs["content_sha256"]
    result = call("verify", file)
    assert result.code == 5 and "does not know the exchange in /environment@uplink" in result.out
