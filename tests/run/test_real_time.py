"""Asynchronous methods in real time: every contact is recorded, and replaying them gives the same bits."""
import signal

import h5py
import numpy as np
import pytest

from conftest import call, read
from extent import only_with_all
from paused import checkpoints, paused, start, wait_for

METHODS = ["favano", "quafl", "fedbuff", "fedavg-timed", "asyncsgd", "fedasync", "fedcompass"]
REAL = ["--quiet", "--set", "clock.time=real", "--set", "rounds=40", "--set", "evaluate.every=9", "--set",
        "local.rate=0.1"]
SOME = ["--set", "participation.kind=fixed-size", "--set", "participation.size=3"]


def settings(method):
    own = {"favano": [*SOME, "--set", "server.alpha=stochastic"], "quafl": SOME, "fedavg-timed": SOME,
           "asyncsgd": ["--set", "server.in_flight=4"]}
    steps = [] if method == "asyncsgd" else ["--set", "local.steps=4"]
    return ["--set", f"method={method}", *REAL, *steps, *own.get(method, [])]


def replayed(file):
    """The final model of the replay, which the program itself has compared too."""
    result = call("replay", file, "--quiet")
    assert result.code == 0, result.err
    assert "the same final model and the same columns of rank 0, to the bit" in result.out
    return read(file.with_name(file.stem + "-replay.h5"))


# Every method, and every number of ranks: not all pairs, which are slow.
@pytest.mark.parametrize("method, ranks", [*((method, 3) for method in METHODS), ("favano", 2), ("favano", 4),
                                           ("fedbuff", 2), ("asyncsgd", 4), ("fedcompass", 2), ("fedcompass", 4)])
def test_replay_gives_the_same_bits(logistic, tmp_path, method, ranks):
    file = tmp_path / "real.h5"
    slow = ["--set", f"clock.slowdown=[1,{ranks}]"] if ranks > 2 else []
    result = call("run", logistic, *settings(method), *slow, "--output", file, ranks=ranks)
    assert result.code == 0, result.err
    model, rows = read(file)
    again, columns = replayed(file)
    assert model.tobytes() == again.tobytes()
    assert np.any(model != h5py.File(file)["model/start"][:])
    for name in ("contacts", "local_steps", "staleness", "staleness_most", "messages", "bits_up_payload", "accuracy",
                 "bits_down_payload", "bits_down_model"):
        assert np.array_equal(rows[name], columns[name], equal_nan=True), name
    # What clients count belongs to the last server step before all ranks meet, as they do for an evaluation.
    for name in ("batch_records", "not_finite"):
        assert list(rows[name][[*range(0, 40, 9), 40]]) == list(columns[name][[*range(0, 40, 9), 40]]), name
        assert all(rows[name] <= columns[name]), name
    assert all(np.isfinite(rows["drift"][[9, 18, 27, 36]])) or method == "asyncsgd"
    if method != "quafl":  # whose clients have models of their own
        assert all(np.isnan(columns["model_drift"]))
    assert list(rows["round"]) == list(range(41))
    assert np.all(np.diff(rows["real_time"]) > 0)
    assert np.allclose(columns["simulated_time"][1:], rows["real_time"][1:])
    with h5py.File(file.with_name("real-replay.h5")) as replay:
        assert replay["rounds/simulated_time"].attrs["units"] == "s"


def test_contacts_are_what_the_columns_say(logistic, tmp_path):
    file = tmp_path / "real.h5"
    assert call("run", logistic, *settings("favano"), "--output", file, ranks=3).code == 0
    _, rows = read(file)
    with h5py.File(file) as h5:
        contacts = {name: column[:].astype(float if column.dtype.kind == "f" else int) for name, column in h5["contacts"].items()}
        assert {column.attrs["units"] for column in h5["contacts"].values()} == {"round", "1", "step", "s"}
    per_round = np.bincount(contacts["round"], minlength=41)
    assert list(per_round) == [0] + [3] * 40
    assert list(np.cumsum(per_round)) == list(rows["contacts"])
    assert contacts["local_steps"].sum() == rows["local_steps"][-1]
    assert contacts["local_steps"].max() <= 4
    assert np.all(contacts["start"] < contacts["round"])
    # A client's pieces of work are numbered, and the model of each is that after its contact before.
    for client in range(7):
        own = contacts["client"] == client
        assert list(contacts["number"][own]) == list(range(own.sum()))
        assert list(contacts["start"][own]) == [0, *contacts["round"][own][:-1]]
    # Without a step alpha does not matter; else, stochastic, 1 / (share of contacts with a step, so far, times steps).
    none = contacts["local_steps"] == 0
    assert np.all(contacts["factor"][none] == 1)
    first = ~none & (contacts["number"] == 0)
    assert np.allclose(contacts["factor"][first], 1 / contacts["local_steps"][first])


def test_clients_of_fedbuff_may_go_on_from_the_new_model(logistic, tmp_path):
    file = tmp_path / "real.h5"
    result = call("run", logistic, *settings("fedbuff"), "--set", "clock.restart=renewed", "--set", "server.buffer=3",
                  "--output", file, ranks=3)
    assert result.code == 0, result.err
    model, _ = read(file)
    with h5py.File(file) as h5:
        client, start, rounds = (h5[f"contacts/{name}"][:].astype(int) for name in ("client", "start", "round"))
    for one in range(7):
        own = client == one
        assert list(start[own]) == [0, *rounds[own]][:own.sum()]
    assert replayed(file)[0].tobytes() == model.tobytes()


def test_a_slow_rank_holds_up_those_who_wait_for_it(logistic, tmp_path):
    """FedAvg takes its steps with the slow rank; FAVANO interrupts it, whose clients have done less."""
    for method, waiting in ("favano", ["--set", "clock.waiting_seconds=0.001"]), ("fedavg-timed", []):
        file = tmp_path / f"{method}.h5"
        result = call("run", logistic, *settings(method), "--set", "clock.slowdown=[1,1000]", *waiting, "--output",
                      file, ranks=3)
        assert result.code == 0, result.err
        with h5py.File(file) as h5:
            steps, client = h5["contacts/local_steps"][:], h5["contacts/client"][:]
        if method == "fedavg-timed":
            assert np.all(steps == 4)
        else:
            assert steps[client >= 4].mean() < steps[client < 4].mean()


def test_clients_of_fedcompass_come_in_groups(logistic, tmp_path):
    """Contacts are conserved, and clients of a fast and a slow rank come together after different numbers of steps."""
    file = tmp_path / "real.h5"
    choice = [*settings("fedcompass"), "--set", "local.steps=40", "--set", "server.least_steps=1", "--set",
              "server.patience=3", "--set", "clock.slowdown=[1,3]", "--set", "rounds=120"]
    assert call("run", logistic, *choice, "--output", file, ranks=3).code == 0
    model, rows = read(file)
    with h5py.File(file) as h5:
        client, number, start, rounds, steps, weight = (
            h5[f"contacts/{name}"][:] for name in ("client", "number", "start", "round", "local_steps", "weight"))
    # How many numbers occur in between depends on the speed of the ranks.
    assert steps.min() == 1 and steps.max() == 40
    for one in range(7):
        own = client == one
        assert list(number[own]) == list(range(own.sum()))
        assert list(start[own]) == [0, *rounds[own][:-1]]  # from the model after its last contact
        assert steps[own][0] == 1
    assert len(client) == rows["contacts"][-1] and steps.sum() == rows["local_steps"][-1]
    assert np.allclose(weight, (1.0 + rounds - 1 - start) ** -0.5)
    sizes = np.bincount(rounds.astype(int))[1:]
    assert sizes.max() >= 3 and sizes.min() >= 1
    assert replayed(file)[0].tobytes() == model.tobytes()


def test_fedavg_in_real_time_is_that_of_the_simulated_clock(logistic, tmp_path):
    """Its jobs are numbered by server step on both, so that minibatches are the same."""
    models = []
    for name, time, ranks in ("real", "real", 3), ("simulated", "simulated", 1):
        file = tmp_path / f"{name}.h5"
        result = call("run", logistic, *settings("fedavg-timed"), "--set", f"clock.time={time}", "--output", file, ranks=ranks)
        assert result.code == 0, result.err
        models.append(read(file)[0].tobytes())
    assert models[0] == models[1]


@pytest.mark.parametrize("method", ["favano", *(pytest.param(name, marks=only_with_all) for name in ("fedbuff", "quafl", "fedcompass"))])
def test_a_stopped_run_goes_on_and_replays(logistic, tmp_path, method):
    file = tmp_path / "real.h5"
    choice = [*settings(method), "--set", "rounds=4000", "--set", "evaluate.every=200", "--set", "checkpoint.rounds=200"]
    process = start("run", logistic, *choice, "--output", file, ranks=3)
    wait_for(lambda: checkpoints(file) or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    result = call("run", logistic, *choice, "--resume", "--output", file, ranks=4)
    assert result.code == 0, result.err
    model, rows = read(file)
    assert len(rows["round"]) == 4001 and np.all(np.diff(rows["real_time"]) > 0)
    assert replayed(file)[0].tobytes() == model.tobytes()


def test_what_is_refused(logistic, tmp_path):
    def refusal(*arguments, ranks=None):
        result = call(*arguments, ranks=ranks)
        assert result.code != 0
        return result.sentence

    file = tmp_path / "x.h5"
    run = ["run", logistic, *settings("favano"), "--output", file]
    assert "mpirun -n 2 or more" in refusal(*run)
    assert "exchange.up" in refusal(*run, "--set", "exchange.up=reduce", ranks=2)
    assert "exchange.down" in refusal(*run, "--set", "exchange.down=direct", "--set", "downlink.kind=natural", ranks=2)
    assert "clock.slowdown" in refusal(*run, "--set", "clock.slowdown=[0]", ranks=2)
    assert call("run", logistic, "--set", "method=favano", "--set", "rounds=3", "--quiet", "--output", file).code == 0
    assert "records no contacts" in refusal("replay", file)
    assert "not a run file" in refusal("replay", logistic) or "experiment" in refusal("replay", logistic)


def test_a_replay_that_ends_elsewhere_fails(logistic, tmp_path):
    file = tmp_path / "real.h5"
    assert call("run", logistic, *settings("fedbuff"), "--output", file, ranks=2).code == 0
    with h5py.File(file, "r+") as h5:
        h5["contacts/factor"][5] = 0.5
    assert "has changed" in call("replay", file).sentence
    with h5py.File(file, "r+") as h5:
        del h5.attrs["content_sha256"]
    result = call("replay", file)
    assert result.code != 0 and "do not lead to the model of the run that is replayed" in result.err
