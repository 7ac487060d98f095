"""The same experiment is bit-identical for any number of ranks (design rule; all methods)."""
import numpy as np
import pytest

from conftest import call, read, summary, write_idx


def assert_same_bits(one, other):
    model, columns = read(one)
    other_model, other_columns = read(other)
    assert model.tobytes() == other_model.tobytes()
    assert columns.keys() == other_columns.keys()
    for name in columns:
        assert columns[name].tobytes() == other_columns[name].tobytes(), name


HOSTING = ["--set", "server_hosts=true"]


def test_the_program_on_any_number_of_ranks(logistic, tmp_path, methods):
    """Every method, in one process for each number of ranks: tests/ranks/run_ranks.cpp."""
    assert len(methods) >= 8
    for method in (methods[0], methods[-1]):
        choice = ["--set", f"method={method}", "--quiet"]
        alone = tmp_path / f"{method}.h5"
        assert call("run", logistic, *choice, "--output", alone).code == 0
        for ranks, more in [(1, []), (2, []), (3, []), (4, []), (3, HOSTING)]:
            file = tmp_path / f"{method}-{ranks}{len(more)}.h5"
            result = call("run", logistic, *choice, *more, "--output", file, ranks=ranks)
            assert result.code == 0, result.err
            assert_same_bits(alone, file)


def test_mpi_is_started_on_request(logistic, tmp_path):
    """A process without a launcher does without MPI, unless it is asked for."""
    assert call("run", logistic, "--output", tmp_path / "without.h5").code == 0
    assert call("run", logistic, "--mpi", "--output", tmp_path / "with.h5").code == 0
    assert_same_bits(tmp_path / "without.h5", tmp_path / "with.h5")
    refused = call("run", logistic, "--mpi=false", "--output", tmp_path / "no.h5")
    assert refused.code == 2 and "mpi was given a disallowed" in refused.err


@pytest.mark.parametrize("kind", ["participation.rate=0.3", "participation.size=3"])
def test_partial_participation_on_any_number_of_ranks(logistic, tmp_path, kind):
    """Also on ranks of which a round has no participant at all."""
    name = "poisson" if "rate" in kind else "fixed-size"
    choice = ["--set", "method=ldp-sgd", "--set", f"participation.kind={name}", "--set", kind, "--set", "rounds=12",
              "--quiet"]
    alone = tmp_path / "alone.h5"
    assert call("run", logistic, *choice, "--output", alone).code == 0
    sizes = np.diff(read(alone)[1]["messages"])
    assert (sizes <= 7).all() and (set(sizes) == {3} if name == "fixed-size" else len(set(sizes)) > 1)
    for ranks in (2, 3, 4):
        file = tmp_path / f"{ranks}.h5"
        result = call("run", logistic, *choice, "--output", file, ranks=ranks)
        assert result.code == 0, result.err
        assert_same_bits(alone, file)


@pytest.mark.parametrize("method", ["soteriafl-svrg", "soteriafl-saga"])
def test_network_on_any_number_of_ranks(network, tmp_path, method):
    choice = ["--set", f"method={method}", "--quiet", "--data-dir", tmp_path]
    alone = tmp_path / "alone.h5"
    assert call("run", network, *choice, "--output", alone).code == 0
    for ranks in (2, 4):
        file = tmp_path / f"{ranks}.h5"
        result = call("run", network, *choice, "--output", file, ranks=ranks)
        assert result.code == 0, result.err
        assert_same_bits(alone, file)


@pytest.mark.parametrize("method", ["soteriafl-sgd", "soteriafl-svrg"])
def test_sums_of_what_is_sent_alone(network, tmp_path, method):
    """Images of which most bytes are 0, and enough of them: on any number of ranks, staged, and at 256 bits."""
    write_idx(tmp_path, images=600, zeros=0.8)
    choice = ["--set", f"method={method}", "--set", "local.batch=60", "--set", "numerics=portable", "--quiet",
              "--data-dir", tmp_path]
    alone = tmp_path / "alone.h5"
    assert call("run", network, *choice, "--output", alone).code == 0
    for name, more, ranks, env in [("two", [], 2, {}), ("three", HOSTING, 3, {}),
                                   ("staged", ["--set", "debug.staged=true"], None, {}),
                                   ("narrow", [], None, {"TRILEMMA_VECTOR_BITS": "256"})]:
        file = tmp_path / f"{name}.h5"
        result = call("run", network, *choice, *more, "--output", file, ranks=ranks, env=env)
        assert result.code == 0, result.err
        assert_same_bits(alone, file)


def test_staged_path_gives_the_same_bits(logistic, tmp_path, methods):
    """Every method: tests/ranks/run_ranks.cpp."""
    for method in (methods[0], methods[-1]):
        files = [tmp_path / f"{method}-{staged}.h5" for staged in ("false", "true")]
        for file, staged in zip(files, ("false", "true")):
            call("run", logistic, "--set", f"method={method}", "--set", f"debug.staged={staged}", "--output", file)
        assert_same_bits(*files)


def test_a_restarted_configuration_repeats_the_run(logistic, tmp_path):
    import h5py
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    call("run", logistic, "--set", "method=soteriafl-saga", "--output", first)
    with h5py.File(first) as file:
        (tmp_path / "again.toml").write_bytes(file["config"][()])
    assert call("run", tmp_path / "again.toml", "--output", second).code == 0
    assert_same_bits(first, second)


def test_another_seed_gives_other_bits(logistic, tmp_path):
    one, other = tmp_path / "1.h5", tmp_path / "2.h5"
    call("run", logistic, "--output", one)
    call("run", logistic, "--set", "seed=2", "--output", other)
    assert not np.array_equal(read(one)[0], read(other)[0])
    with pytest.raises(AssertionError):
        assert_same_bits(one, other)


def test_more_ranks_than_clients_warns_and_runs(logistic, tmp_path):
    file, alone = tmp_path / "idle.h5", tmp_path / "alone.h5"
    result = call("run", logistic, "--set", "clients=2", "--output", file, "--quiet", ranks=4)
    assert result.code == 0
    assert "1 ranks stay idle" in result.sentence
    call("run", logistic, "--set", "clients=2", "--output", alone, "--quiet")
    assert_same_bits(alone, file)


def test_traffic_follows_from_the_message_size(logistic, tmp_path):
    """Declared = encoded = handed to MPI: 7 clients, 6 rounds, 4 values of 32 bits up, 31 values down."""
    file = tmp_path / "traffic.h5"
    call("run", logistic, "--output", file, ranks=3)
    found = summary(file)
    real = 32 if read(file)[0].dtype == np.float32 else 64
    assert found["bits_up"] == {"model": 7 * 6 * 4 * 32, "payload": 7 * 6 * 4 * 32, "mpi": 7 * 6 * 4 * 32}
    assert found["bits_down"] == {"model": 7 * 6 * 31 * 32, "payload": 7 * 6 * 31 * real, "mpi": 2 * 6 * 31 * real}
    alone = tmp_path / "alone.h5"
    call("run", logistic, "--output", alone)
    assert summary(alone)["bits_up"]["mpi"] == 0
    packed = tmp_path / "packed.h5"
    call("run", logistic, "--set", "compressor.mask=explicit", "--output", packed, ranks=2)
    # Four 5-bit indices with four values are 148 bits, 19 bytes.
    assert summary(packed)["bits_up"]["payload"] == 7 * 6 * 148
    assert summary(packed)["bits_up"]["mpi"] == 7 * 6 * 19 * 8


def test_local_training_sends_nothing(logistic, tmp_path):
    """Not even through MPI; the clients still learn."""
    file = tmp_path / "x.h5"
    more = ["--set", "method=local", "--set", "partition.held_out=0.3", "--quiet"]
    assert call("run", logistic, *more, "--output", file, ranks=3).code == 0
    found, columns = summary(file), read(file)[1]
    assert found["bits_up"] == found["bits_down"] == {"model": 0, "payload": 0, "mpi": 0}
    assert columns["messages"][-1] == 0 and columns["batch_records"][-1] > 0
    assert columns["objective"][-1] == columns["objective"][0]
    assert columns["client_score_mean"][-1] > columns["client_score_mean"][0]
    assert found["claim"].startswith("holds: neither messages nor models leave a client")
    assert "nothing is released" in call("verify", file).out


@pytest.mark.parametrize("method", ["pmtl", "local", "pp-sgd", "naive-dp-mtl"])
def test_training_losses_of_own_models_on_any_number_of_ranks(logistic, tmp_path, method):
    """From log 2 at the zero start; the file verifies (local training has nothing to verify)."""
    choice = ["--set", f"method={method}", "--set", "partition.held_out=0.3", "--set", "start.scale=0", "--quiet"]
    alone = tmp_path / "alone.h5"
    assert call("run", logistic, *choice, "--output", alone).code == 0
    losses = read(alone)[1]["client_training_loss"]
    assert losses[0] == pytest.approx(np.log(2), abs=1e-6) and np.isfinite(losses).all() and losses[-1] != losses[0]
    assert call("verify", alone).code == (5 if method == "local" else 0)
    for ranks in (1, 2, 3, 4):
        file = tmp_path / f"{ranks}.h5"
        assert call("run", logistic, *choice, "--output", file, ranks=ranks).code == 0
        assert_same_bits(alone, file)


@pytest.mark.parametrize("method, up, down", [("scaffold", 2, 2), ("naive-dp-mtl", 1, 7)])
def test_longer_messages_are_counted(logistic, tmp_path, method, up, down):
    """In models of 31 coordinates: model and control, or the models of all seven clients."""
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", f"method={method}", "--set", "exchange.up=gather", "--output", file,
                ranks=3).code == 0
    found = summary(file)
    real = 8 * read(file)[0].itemsize
    assert found["bits_up"] == {kind: 7 * 6 * up * 31 * 32 for kind in ("model", "payload", "mpi")}
    assert found["bits_down"] == {"model": 7 * 6 * down * 31 * 32, "payload": 7 * 6 * down * 31 * real,
                                  "mpi": 2 * 6 * down * 31 * real}


@pytest.mark.parametrize("method", ["decomfl", "dp-decomfl"])
def test_scalars_travel_instead_of_models(logistic, tmp_path, method):
    """Two steps of three directions: 6 numbers in both directions. Every rank makes the model itself, to the same bits
    as when it is sent."""
    choice = ["--set", f"method={method}", "--set", "local.steps=2", "--set", "local.perturbations=3", "--set",
              "exchange.up=gather", "--set", "evaluate.every=0", "--quiet"]
    models = tmp_path / "models.h5"
    assert call("run", logistic, *choice, "--set", "exchange.down=plain", "--output", models, ranks=2).code == 0
    for ranks in (1, 2, 3, 4):
        file = tmp_path / f"{ranks}.h5"
        assert call("run", logistic, *choice, "--output", file, ranks=ranks).code == 0
        assert call("verify", file).code == (0 if method == "dp-decomfl" else 5)  # 5: there is nothing to verify
        assert (read(file)[0] == read(models)[0]).all()
        found, real = summary(file), 8 * read(file)[0].itemsize
        assert found["bits_up"]["payload"] == 7 * 6 * 6 * 32
        assert found["bits_down"] == {"model": 7 * 6 * 6 * 32, "payload": 7 * 6 * 6 * real,
                                      "mpi": (ranks - 1) * 6 * 6 * real}


@pytest.mark.parametrize("method, receivers", [("fed-alpha-normec", 7), ("dp-fedavg-clip", 2)])
def test_who_works_gets_the_model(logistic, tmp_path, method, receivers):
    """Clients with error memories work on every model; of the others only those that take part."""
    file = tmp_path / "x.h5"
    draw = ["--set", "participation.kind=fixed-size", "--set", "participation.size=2"]
    assert call("run", logistic, "--set", f"method={method}", *draw, "--output", file, "--quiet").code == 0
    model, columns = read(file)[:2]
    assert columns["bits_down_payload"][-1] == 6 * receivers * 8 * model.nbytes
    assert columns["messages"][-1] == 6 * 2


def test_a_process_alone_shares_no_directory(logistic, tmp_path):
    """A directory that all single processes of a user share would fail one of them now and then."""
    folder = tmp_path / "not a folder"
    folder.write_text("a file where MPI would make its session directory")
    result = call("run", logistic, "--quiet", "--output", tmp_path / "x.h5", env={"TMPDIR": str(folder)})
    assert result.code == 0, result.err
