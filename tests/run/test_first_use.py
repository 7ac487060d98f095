"""What a newcomer meets: clients of unequal size, values that the data tell, and the names of other programs."""
import json
import os
import re
import signal
import subprocess

import h5py
import numpy as np
import pytest

from conftest import PROGRAM, call, environment, read, summary
from test_ranks import assert_same_bits

RECORDS = {"a": [(1, 2)], "b": [(1, 1), (2, 0), (0, 3)]}  # (x, y) by user


def experiment(folder, records=RECORDS, more=""):
    lines = ["who,x,y"] + [f"{who},{x},{y}" for who, rows in records.items() for x, y in rows]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    file = folder / "e.toml"
    file.write_text('method = "fedavg"\nrounds = 1\n[data]\nsource = "csv"\ntrain = "t.csv"\ntarget = "y"\nuser = "who"\n'
                    'scaling = "none"\nbias = false\n[local]\nsteps = 1\n' + more)
    return file


def run(file, output, *words, ranks=None):
    sets = [part for word in words for part in ("--set", word)]
    result = call("run", file, "--data-dir", file.parent, *sets, "--output", output, ranks=ranks)
    assert result.code == 0, result.err
    return result.err


def refusal(file, *words):
    sets = [part for word in words for part in ("--set", word)]
    result = call("run", file, "--data-dir", file.parent, *sets, "--output", file.parent / "x.h5")
    assert result.code == 2, result.err
    return result.err


# One step of size 0.1 from 0 on (w x - y)^2 / 2: a client sends -0.1 mean(x y), which is -0.2 and -0.1/3.
@pytest.mark.parametrize(("weights", "model", "objective"), [
    ("equal", (0.2 + 0.1 / 3) / 2, (2 + 5 / 3) / 2), ("records", (1 * 0.2 + 3 * 0.1 / 3) / 4, (1 * 2 + 3 * 5 / 3) / 4)])
def test_clients_are_weighted_by_their_records(tmp_path, weights, model, objective):
    file, output = experiment(tmp_path), tmp_path / "r.h5"
    told = run(file, output, f"server.weights={weights}", "evaluate.optimum=true")
    assert ("each client counts by its number of records" in told) == (weights == "records")
    with h5py.File(output) as h5:
        assert h5["model/final"][0] == pytest.approx(model, rel=1e-6)
        assert h5["rounds/objective"][0] == pytest.approx(objective, rel=1e-6)
        assert h5["rounds/suboptimality"][-1] >= 0


# The divisor is the sum over the clients that take part: the mean of one client is what it sends.
def test_the_mean_is_over_the_participants(tmp_path):
    file, output = experiment(tmp_path), tmp_path / "r.h5"
    run(file, output, "rounds=6", "server.weights=records", "participation.kind=fixed-size", "participation.size=1")
    with h5py.File(output) as h5:
        model, drawn = h5["model/final"][0], np.diff(h5["rounds/batch_records"][:].astype(int))
    assert set(drawn) == {1, 3}  # both clients take part at some time
    w = 0.0
    for records in drawn:
        x, y = np.array(RECORDS["a" if records == 1 else "b"]).T
        w -= 0.1 * np.mean((w * x - y) * x)
    assert model == pytest.approx(w, rel=1e-5)
    output.unlink()
    run(file, output, "server.weights=records", "participation.kind=poisson", "participation.rate=0.01")
    with h5py.File(output) as h5:
        assert np.isfinite(h5["model/final"][0])


def test_weights_of_equal_records_change_no_bit(logistic, tmp_path):
    for weights in ("equal", "records"):
        assert call("run", logistic, "--set", "method=fedavg", "--set", f"server.weights={weights}", "--output",
                    tmp_path / f"{weights}.h5").code == 0
    equal, records = (summary(tmp_path / f"{weights}.h5") for weights in ("equal", "records"))
    assert equal["model_sha256"] == records["model_sha256"]
    assert equal["objective_final"] == records["objective_final"]


@pytest.mark.parametrize("up", ["gather", "reduce"])
def test_weights_change_no_bit_with_the_ranks(tmp_path, up):
    rng = np.random.default_rng(5)
    records = {f"u{k}": [(x, y) for x, y in rng.normal(size=(3 + 7 * k, 2))] for k in range(5)}
    file = experiment(tmp_path, records)
    files = [tmp_path / f"{ranks}.h5" for ranks in (1, 2, 3, 4)]
    for ranks, output in zip((1, 2, 3, 4), files):
        run(file, output, "server.weights=records", "rounds=4", f"exchange.up={up}", ranks=ranks if ranks > 1 else None)
    for other in files[1:]:
        assert_same_bits(files[0], other)


@pytest.mark.parametrize(("words", "parts"), [
    (["method=dp-fedavg-clip", "privacy.sigma=1"], ["server.weights", "the noise is calibrated for clients of equal weight"]),
    (["method=ldp-sgd", "privacy.sigma=1"], ["the noise is calibrated for clients of equal weight"]),
    (["method=favano"], ["on the clock", "choose equal"]),
    (["method=scaffold"], ["scaffold is defined for clients of equal weight"]),
    (["method=gd"], ["gd is defined for clients of equal weight"])])
def test_weights_that_a_method_does_not_have_are_refused(tmp_path, words, parts):
    told = refusal(experiment(tmp_path), "server.weights=records", *words)
    assert all(part in told for part in parts), told


def test_a_client_with_few_records_takes_all_of_them(tmp_path):
    file, output = experiment(tmp_path), tmp_path / "r.h5"
    told = run(file, output, "local.solver=sgd", "local.batch=3")
    assert "1 of them has fewer than local.batch = 3 and takes all records in each minibatch" in told
    told = run(file, tmp_path / "all.h5", "local.solver=sgd")  # the default, 32
    assert "2 of them have fewer than local.batch = 32" in told
    gd, both = (read_model(tmp_path, file, solver) for solver in ("gd", "sgd"))
    assert gd == both
    assert call("verify", output).code in (0, 5)


def read_model(folder, file, solver):
    output = folder / f"{solver}-model.h5"
    run(file, output, f"local.solver={solver}")
    return summary(output)["model_sha256"]


def test_a_claim_about_records_needs_minibatches_of_one_size(tmp_path, logistic):
    file = experiment(tmp_path)
    private = ["method=ldp-sgd", "privacy.sigma=1", "privacy.delta=1e-3"]
    told = refusal(file, *private, "local.batch=2")
    for part in ("local.batch = 2", "the privacy claim is about minibatches of this size", "client 0, the smallest, has only "
                 "1 record", "set local.batch = 1 or less"):
        assert part in told, told
    run(file, tmp_path / "none.h5", *private[:1], "privacy.sigma=0", "local.batch=2")  # no claim, no need
    # Sizes that are known beforehand lower the default, and nothing else.
    few = ["--set", "method=ldp-sgd", "--set", "data.rows=70"]
    result = call("run", logistic, *few, "--output", tmp_path / "x.h5")
    assert result.code == 2 and "the smallest client has at most 10 of the 70 records" in result.err
    text = logistic.read_text().replace("batch = 20\n", "")
    (tmp_path / "few.toml").write_text(text)
    shown = call("config", tmp_path / "few.toml", *few)
    assert re.search(r"^batch = 10\b", shown.out, re.M), shown.out
    assert call("run", tmp_path / "few.toml", *few, "--output", tmp_path / "few.h5").code == 0


def test_clients_are_the_users_unless_stated(tmp_path):
    file = experiment(tmp_path)
    shown = call("config", file, "--data-dir", tmp_path)
    assert re.search(r"^clients = 2\b", shown.out, re.M), shown.out
    run(file, tmp_path / "r.h5")
    with h5py.File(tmp_path / "r.h5") as h5:
        assert h5.attrs["clients"] == 2 and "clients = 2\n" in h5["config"][()].decode()
    told = refusal(file, "clients=3")
    assert "clients = 3: the data have 2 users" in told and "set clients = 2, or leave it out" in told
    told = refusal(file, "method=ldp-sgd", "privacy.sigma=1", "privacy.delta=1e-3", "local.batch=1", "privacy.strict=true",
                   "data.features=1", "data.classes=0")
    assert "clients = 2" in told and "privacy.strict forbids it" in told
    assert call("run", file, "--data-dir", tmp_path, "--set", "partition.kind=shuffled", "--set", "clients=4",
                "--output", tmp_path / "s.h5").code == 0


def words(rng, count=40):
    """Records of two classes named by words, with two features."""
    lines = ["x,z,kind"]
    for x, z in rng.normal(size=(count, 2)):
        lines.append(f"{x:.4f},{z:.4f},{'yes' if x + 0.3 * z > 0 else 'no'}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def labelled(tmp_path):
    (tmp_path / "w.csv").write_text(words(np.random.default_rng(3)))
    file = tmp_path / "w.toml"
    file.write_text('method = "fedavg"\nrounds = 3\nclients = 4\n[data]\nsource = "csv"\ntrain = "w.csv"\ntarget = "kind"\n'
                    'test_share = 0.25\n[problem]\nkind = "softmax"\n')
    return file


def test_classes_are_the_words_of_the_target_unless_stated(labelled, tmp_path):
    shown = call("config", labelled, "--data-dir", tmp_path)
    assert re.search(r"^classes = 2\b", shown.out, re.M), shown.out
    run(labelled, tmp_path / "r.h5")
    with h5py.File(tmp_path / "r.h5") as h5:
        assert "2 classes" in h5.attrs["data"] and "classes = 2\n" in h5["config"][()].decode()
    assert "2 different labels in column" in refusal(labelled, "data.classes=3")
    shown = call("config", experiment(tmp_path), "--data-dir", tmp_path)
    assert re.search(r"^classes = 0\b", shown.out, re.M), shown.out


def test_logistic_takes_a_table(labelled, tmp_path):
    run(labelled, tmp_path / "r.h5", "problem.kind=logistic", "problem.lambda=0.1", "rounds=20")
    found = summary(tmp_path / "r.h5")
    assert found["dimension"] == 3 and found["accuracy_final"] >= 0.7, found
    run(labelled, tmp_path / "p.h5", "problem.kind=logistic", "method=soteriafl-sgd", "local.batch=5", "privacy.sigma=0.1",
        "privacy.delta=1e-3")
    assert read(tmp_path / "p.h5")[0].size == 3


def test_dense_and_sparse_records_have_one_objective(tmp_path):
    rng = np.random.default_rng(8)
    rows = rng.integers(0, 3, (60, 6)) * 0.5
    text = "".join(f"{'+1' if row[0] > row[1] else '-1'} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v) + "\n"
                   for row in rows)
    (tmp_path / "d.svm").write_text(text)
    file = tmp_path / "d.toml"
    file.write_text('method = "fedavg"\nrounds = 5\nclients = 3\n[data]\nsource = "libsvm"\ntrain = "d.svm"\nfeatures = 6\n'
                    'scaling = "none"\nbias = false\n[problem]\nkind = "logistic"\nlambda = 0.2\n')
    for layout in ("sparse", "dense"):
        run(file, tmp_path / f"{layout}.h5", f"data.layout={layout}")
    sparse, dense = (h5py.File(tmp_path / f"{layout}.h5")["rounds/objective"][:] for layout in ("sparse", "dense"))
    assert dense == pytest.approx(sparse, rel=1e-5) and sparse[-1] < sparse[0]


def test_losses_and_classes_are_recorded(labelled, tmp_path):
    run(labelled, tmp_path / "r.h5", "evaluate.every=2")
    with h5py.File(tmp_path / "r.h5") as h5:
        loss, accuracy = h5["rounds/test_loss"][:], h5["rounds/accuracy"][:]
        assert loss[0] == pytest.approx(np.log(2), rel=1e-6)  # the start is 0
        assert np.isnan(loss[1]) and loss[-1] < loss[0]
        assert h5["classes/round"][:].tolist() == [0, 2, 3]
        by_class = h5["classes/accuracy"][:]
        assert by_class.shape == (3, 2)
        assert by_class[0].tolist() == [1, 0]  # ties go to the first class
        assert by_class.min(axis=1)[-1] <= accuracy[-1] <= by_class.max(axis=1)[-1]
        for name in ("classes/round", "classes/accuracy", "rounds/test_loss"):
            assert h5[name].attrs["units"] and h5[name].attrs["description"]
    shown = call("show", tmp_path / "r.h5").out
    assert "test loss" in shown and "accuracy by class" in shown
    assert json.loads(call("show", tmp_path / "r.h5", "--json").out)["test_loss_final"] == pytest.approx(loss[-1])
    assert call("verify", tmp_path / "r.h5").code in (0, 5)
    assert call("verify", tmp_path / "r.h5", "--rerun", "--data-dir", tmp_path).code == 0


def test_two_biases_are_noted(labelled, tmp_path):
    assert "the model has a bias of its own" in run(labelled, tmp_path / "a.h5")
    assert "bias of its own" not in run(labelled, tmp_path / "b.h5", "data.bias=false")
    assert "bias of its own" not in run(labelled, tmp_path / "c.h5", "problem.kind=logistic")


def test_a_constant_column_is_named(tmp_path):
    file = experiment(tmp_path, {"a": [(1, 2), (1, 3)], "b": [(1, 1)]})
    assert 'feature "x" is the same in all training records' in refusal(file, "data.scaling=standard")


MESSAGES = {
    "local.lr=0.1": "local.lr: unknown key; this program calls it local.rate (clients) or server.rate (server)",
    "learning_rate=0.1": "this program calls it local.rate (clients) or server.rate (server)",
    "local.epochs=2": "set local.unit = 'epoch' and local.steps to the number of epochs",
    "server.optimizer=adam": "there is no choice of optimizers",
    "method=fedadam": "method = 'fedadam': there are no adaptive server optimizers here",
    "method=FedAdam": "there are no adaptive server optimizers here",
    "method=fed-yogi": "there are no adaptive server optimizers here",
    "local.LR=0.1": "this program calls it local.rate (clients) or server.rate (server)",
    "batch-size=3": "this program calls it local.batch",
    "method=fedavgm": "choose fedavg and set server.momentum",
    "fraction_fit=0.1": "participation.rate",
    '"data.rows"=5': "in quotes, it is one name with a dot in it; write data.rows without the quotes",
    "seed=9223372036854775808": "too large; the largest whole number is 2^63 - 1",
    "seed=1e19": "too large; the largest whole number is 2^63 - 1",
    "server.rate=1e-309": "too close to 0 for precise arithmetic",
}


@pytest.mark.parametrize("setting", MESSAGES)
def test_names_of_other_programs(logistic, tmp_path, setting):
    result = call("run", logistic, "--set", setting, "--output", tmp_path / "x.h5")
    assert result.code == 2 and MESSAGES[setting] in result.err.replace('"', "'").replace("'data.rows'", '"data.rows"'), result.err


@pytest.mark.parametrize(("words", "part"), [
    ("epsilon --delta 1e-5 --rate 0.01", "--rate 0.01: without --sampling every unit is in every release; add --sampling poisson"),
    ("epsilon --delta 1e-5 --sampling without-replacement --rate 0.1", "--sampling without-replacement: no theorem covers")])
def test_privacy_speaks_in_its_options(words, part):
    result = call("privacy", *words.split())
    assert result.code == 2 and part in result.err and "unsupported_claim" not in result.err


def test_a_reader_that_leaves_is_no_damage(logistic, tmp_path):
    assert call("run", logistic, "--output", tmp_path / "r.h5").code == 0
    for words in (["show", tmp_path / "r.h5"], ["verify", tmp_path / "r.h5"]):
        reader, pipe = os.pipe()
        os.close(reader)
        found = subprocess.run([PROGRAM, *words], stdout=pipe, stderr=subprocess.PIPE, env=environment(), check=False)
        os.close(pipe)
        assert found.returncode == -signal.SIGPIPE and b"damaged" not in found.stderr, found


def test_a_lost_checksum_is_said(logistic, tmp_path):
    file = tmp_path / "r.h5"
    assert call("run", logistic, "--output", file).code == 0
    assert "CHECKSUM" not in call("show", file).out
    with h5py.File(file, "r+") as h5:
        del h5.attrs["content_sha256"]
    assert "WITHOUT A CHECKSUM" in call("show", file).out
