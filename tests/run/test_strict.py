"""privacy.strict: a run file without anything that was made of private records without noise."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from test_resume import checkpoints

UNSCALED = ["--set", "data.scaling=none"]
STRICT = [*UNSCALED, "--set", "privacy.strict=true"]
PUBLIC = {"round", "epsilon", "bits_up_model", "bits_up_payload", "bits_down_model", "bits_down_payload", "messages",
          "accuracy", "test_error", "test_loss"}
CLIENTS = ["--set", "method=dp-fedavg-clip", "--set", "participation.kind=fixed-size", "--set", "participation.size=3"]


def run(experiment, file, *more):
    result = call("run", experiment, *STRICT, *more, "--output", file)
    assert result.code == 0, result.err
    return file


@pytest.mark.parametrize("choice", [[], ["--set", "method=soteriafl-saga"], CLIENTS])
def test_only_what_the_claim_covers_is_recorded(logistic, tmp_path, choice):
    file, usual = run(logistic, tmp_path / "a.h5", *choice), tmp_path / "usual.h5"
    assert call("run", logistic, *choice, *UNSCALED, "--quiet", "--output", usual).code == 0
    with h5py.File(file) as h5, h5py.File(usual) as other:
        assert set(h5["rounds"]) == PUBLIC < set(other["rounds"])
        claim, privacy = h5.attrs["claim"], dict(h5["privacy"].attrs)
        assert "except" not in claim and "recorded metrics" in other.attrs["claim"]
        assert "recorded metrics" not in "; ".join(privacy["releases_outside"]) and "norms" not in "; ".join(privacy["releases_outside"])
        for name in ("drawn_least", "drawn_mean", "drawn_most", "bound_observed"):
            assert np.isnan(privacy[name]), name
        assert h5["partition"].attrs["assignment"] == ""
        for name, value in h5["partition"].attrs.items():
            assert not name.startswith(("labels_", "largest_share_", "distance_")) or np.isnan(value), name
        assert not np.isfinite(h5["phases/seconds"][:]).any() or not h5["phases/seconds"][:].any()
        assert np.isnan(h5.attrs["wall_seconds"]) and other.attrs["wall_seconds"] > 0
        assert "bits_control" not in h5["mpi"] and "bits_control" in other["mpi"]
        assert h5["model/final"][:].tobytes() == other["model/final"][:].tobytes()
    shown = call("show", file)
    assert shown.code == 0 and "except" not in shown.out
    assert "objective at the end  withheld (privacy.strict)\n" in shown.out and "not evaluated" not in shown.out
    assert call("verify", file).code == 0


def test_scores_of_constant_answers_are_released_where_the_tests_are_public(logistic, tmp_path):
    """Held-out records are the clients' own; a separate test set is not."""
    public, private = run(logistic, tmp_path / "a.h5"), run(logistic, tmp_path / "b.h5", "--set", "partition.held_out=0.2")
    with h5py.File(public) as file:
        assert 0.5 <= file.attrs["baseline_score"] <= 1
    with h5py.File(private) as file:
        assert np.isnan(file.attrs["baseline_score"]) and np.isnan(file.attrs["baseline_personal_score"])


def test_training_losses_of_own_models_are_withheld(logistic, tmp_path):
    choice = ["--set", "method=pmtl", "--set", "partition.held_out=0.2"]
    usual = tmp_path / "usual.h5"
    assert call("run", logistic, *choice, *UNSCALED, "--quiet", "--output", usual).code == 0
    with h5py.File(run(logistic, tmp_path / "a.h5", *choice)) as file, h5py.File(usual) as other:
        assert "client_training_loss" not in file["rounds"] and "client_training_loss" in other["rounds"]
        assert "training losses of the clients' own models" in "; ".join(other["privacy"].attrs["releases_outside"])
        assert "training losses" not in "; ".join(file["privacy"].attrs["releases_outside"])


def test_a_strict_run_goes_on(logistic, tmp_path):
    whole, file = run(logistic, tmp_path / "whole.h5"), tmp_path / "parts.h5"
    blocker = tmp_path / "parts.h5.checkpoint-4"
    (blocker / "in the way").mkdir(parents=True)
    assert call("run", logistic, *STRICT, "--set", "checkpoint.rounds=2", "--output", file).code != 0
    (blocker / "in the way").rmdir()
    blocker.rmdir()
    assert checkpoints(file)
    assert call("run", logistic, *STRICT, "--resume", "--output", file).code == 0
    (model, columns), (expected, others) = read(file), read(whole)
    assert model.tobytes() == expected.tobytes() and columns.keys() == others.keys()
    assert all(columns[name].tobytes() == others[name].tobytes() for name in columns)
    assert call("run", logistic, *STRICT, "--resume", "--output", file).code == 0


def test_sums_of_the_data_are_left_out(network, tmp_path):
    again = call("run", network, *STRICT, "--data-dir", tmp_path, "--output", tmp_path / "b.h5")
    assert again.code == 2 and "a training file and a test file" in again.sentence
    network.write_text(network.read_text().replace('"images.gz"\ntest_labels = "labels.gz"', '""'))
    file = run(network, tmp_path / "a.h5", "--data-dir", tmp_path)
    with h5py.File(file) as h5:
        names = h5["environment/data_files"][()].decode().split()
        assert set(names[::2]) == {"not-recorded"} and "images.gz" in names
    again = call("run", network, *STRICT, "--data-dir", tmp_path, "--resume", "--output",
                 file)
    assert again.code == 0, again.err


def test_tests_of_clients_are_left_out(logistic, tmp_path):
    file = run(logistic, tmp_path / "a.h5", "--set", "partition.held_out=0.2")
    with h5py.File(file) as h5:
        assert set(h5["rounds"]) == PUBLIC - {"accuracy", "test_error", "test_loss"}


def test_tests_that_are_drawn_are_left_out(logistic, tmp_path):
    """They are private records too: neither their scores nor those of constant answers are released."""
    lines = [f"{1 if i % 3 else -1} {1 + i % 4}:1" for i in range(400)]
    (tmp_path / "a.svm").write_text("\n".join(lines) + "\n")
    file = tmp_path / "e.toml"
    file.write_text('method = "ldp-sgd"\nclients = 4\nrounds = 3\nlocal.batch = 5\n[data]\nsource = "libsvm"\n'
                    'train = "a.svm"\nfeatures = 4\nindex_from = 1\ntest_share = 0.2\n[privacy]\nsigma = 1\ndelta = 1e-5\n')
    here = ["--data-dir", tmp_path]
    output = run(file, tmp_path / "a.h5", *here)
    with h5py.File(output) as h5:
        assert set(h5["rounds"]) == PUBLIC - {"accuracy", "test_error", "test_loss"}
        assert np.isnan(h5.attrs["baseline_score"]) and "drawn for tests" not in h5.attrs["claim"]
    assert call("verify", output).code == 0
    usual = tmp_path / "b.h5"
    assert call("run", file, *UNSCALED, *here, "--quiet", "--output", usual).code == 0
    with h5py.File(usual) as h5:
        assert "accuracy" in h5["rounds"] and "records drawn for tests (not protected)" in h5.attrs["claim"]
        assert "scores on records drawn for tests" in "; ".join(h5["privacy"].attrs["releases_outside"])
    assert call("verify", usual).code == 0


def test_how_many_take_part_is_left_out_where_that_is_hidden(logistic, tmp_path):
    """Random draws decide who takes part, and the claim relies on them being secret."""
    coins = ["--set", "method=dp-fedavg-clip", "--set", "participation.kind=poisson", "--set", "participation.rate=0.5"]
    file, usual = run(logistic, tmp_path / "a.h5", *coins), tmp_path / "b.h5"
    assert call("run", logistic, *coins, *UNSCALED, "--quiet", "--output", usual).code == 0
    with h5py.File(file) as h5, h5py.File(usual) as other:
        assert set(h5["rounds"]) == {"round", "epsilon", "accuracy", "test_error", "test_loss"}
        assert set(h5["mpi"]) == {"bits_down", "bits_evaluation"}
        assert "numbers of participants" in "; ".join(other["privacy"].attrs["releases_outside"])
        assert h5["model/final"][:].tobytes() == other["model/final"][:].tobytes()
    shown = call("show", file)
    assert "  sent per client       withheld (privacy.strict)" in shown.out, shown.out
    bits = summary(file)
    assert bits["bits_up"] == {"model": None, "payload": None, "mpi": None} and bits["seconds_total"] is None
    assert call("verify", file).code == 0
    told = call("predict", file, "--bandwidth", "1Mbit")
    assert told.code == 2 and "privacy.strict has omitted /rounds/messages" in told.sentence, told.err


def test_the_reason_of_a_failure_is_left_out(logistic, tmp_path):
    """The message names a value computed by a client."""
    words = ["--set", "method=cdp-sgd", "--set", "compressor.kind=grid", "--set", "compressor.step=1e-30"]
    file = tmp_path / "a.h5"
    told = call("run", logistic, *STRICT, *words, "--output", file)
    assert told.code not in (0, 2) and "does not fit" in told.err
    with h5py.File(f"{file}.partial") as h5:
        assert h5.attrs["failure"] == "withheld (privacy.strict); see standard error"


@pytest.mark.parametrize("settings, part", [
    (["partition.kind=dirichlet"], "uses all labels"),
    (["data.scaling=spectral"], "uses all records"),
    (["start.at=optimum", "start.scale=0"], "uses all records"),
    (["evaluate.optimum=true"], "uses all records"),
])
def test_what_strict_refuses(logistic, tmp_path, settings, part):
    words = [word for setting in settings for word in ("--set", setting)]
    result = call("run", logistic, *STRICT, *words, "--output", tmp_path / "a.h5")
    assert result.code == 2 and part in result.sentence and "privacy.strict" in result.sentence, result.err
    assert "as well" not in result.sentence


def test_all_that_strict_refuses_is_named_at_once(logistic, tmp_path):
    words = ["--set", "data.scaling=spectral", "--set", "partition.kind=dirichlet", "--set", "start.at=optimum", "--set", "start.scale=0"]
    result = call("run", logistic, *STRICT, *words, "--output", tmp_path / "a.h5")
    assert result.code == 2 and "data.scaling = 'spectral': uses all records" in result.sentence
    assert result.sentence.endswith(". It also forbids: partition.kind, start.at")
