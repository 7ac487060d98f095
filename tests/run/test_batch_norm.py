"""Batch normalisation: steps and scores as in PyTorch, the same bits on any number of ranks and after a restart, and
what is refused."""
import h5py
import numpy as np
import pytest

from conftest import call, read

LAYERS = ["conv 4 3 1 1", "batchnorm", "relu", "maxpool 2", "conv 6 3 1 1", "batchnorm", "tanh", "dense"]
CLIENTS, RECORDS, TESTS, SIDE, CLASSES, TAKEN = 3, 40, 25, 6, 3, 7


@pytest.fixture
def images(tmp_path):
    """Random images in three classes, contiguous blocks of 14, 13 and 13 of which are the clients', and the settings."""
    write(tmp_path, "train", RECORDS)
    write(tmp_path, "test", TESTS)
    path = tmp_path / "images.toml"
    path.write_text(f"""
clients = {CLIENTS}
rounds = 6
method = "fedavg"
[data]
source = "arrays"
train = "train.npy"
labels = "train-labels.npy"
test = "test.npy"
test_labels = "test-labels.npy"
scaling = "none"
[partition]
kind = "contiguous"
[problem]
kind = "layers"
layers = {LAYERS}
statistics_records = {TAKEN}
[local]
solver = "gd"
steps = 1
rate = 0.1
""".replace("'", '"'))
    return path


def write(folder, name, count):
    """Images whose mean brightness depends on the class and on the place in the file."""
    rng = np.random.default_rng(count)
    labels = rng.integers(0, CLASSES, count).astype(np.uint8)
    level = labels[:, None] + np.linspace(0, 3, count)[:, None]
    np.save(folder / f"{name}-labels.npy", labels)
    np.save(folder / f"{name}.npy", (level + rng.normal(0, 2, (count, SIDE * SIDE))).astype(np.float32))


def run(images, output, *settings, **options):
    words = [word for setting in settings for word in ("--set", setting)]
    done = call("run", images, "--data-dir", images.parent, "--quiet", *words, "--output", output, **options)
    assert done.code == 0, done.err


def expect_same(one, other):
    one, other = read(one), read(other)
    assert one[0].tobytes() == other[0].tobytes()
    assert all(one[1][name].tobytes() == other[1][name].tobytes() for name in one[1])


SGD = ["local.solver=sgd", "local.batch=5", "local.steps=3"]
EPOCHS = ["local.solver=sgd", "local.batch=5", "local.steps=2", "local.unit=epoch", "local.sampling=shuffled"]


@pytest.mark.parametrize("more", [[], EPOCHS,
                                  ["partition.held_out=0.3", "data.test=", "data.test_labels=", "finetune.kind=vanilla"],
                                  ["method=pmtl", "privacy.sigma=0", "partition.held_out=0.3", "data.test=",
                                   "data.test_labels=", "local.solver=personal-sgd"],
                                  ["method=favano", "participation.kind=fixed-size", "participation.size=2"]])
def test_on_any_number_of_ranks(images, tmp_path, more):
    run(images, tmp_path / "alone.h5", *SGD, *more)
    for ranks in (2, 3, 4):
        run(images, tmp_path / f"{ranks}.h5", *SGD, *more, ranks=ranks)
        expect_same(tmp_path / "alone.h5", tmp_path / f"{ranks}.h5")


@pytest.mark.parametrize("steps", [SGD, EPOCHS])
def test_after_a_restart(images, tmp_path, steps):
    run(images, tmp_path / "whole.h5", *steps)
    run(images, tmp_path / "parts.h5", *steps, "rounds=2", "checkpoint.at_end=true")
    done = call("run", tmp_path / "parts.h5", "--rounds-more", 4, "--data-dir", images.parent, "--quiet")
    assert done.code == 0, done.err
    expect_same(tmp_path / "whole.h5", tmp_path / "parts.h5")


@pytest.mark.parametrize("settings, parts", [
    (["method=ldp-sgd", "privacy.sigma=0.1"], ["problem.layers", "no bound on a record holds", "groupnorm"]),
    (["method=compressed-gd"], ["problem.layers", "batchnorm", "compressed-gd takes none", "such as fedavg"]),
    ([f"clients={RECORDS}"], ["problem.layers", "batchnorm", "client 0 has only 1", "groupnorm"]),
    (["method=dp-fedavg-clip", "privacy.sigma=0.1"], ["problem.layers", "no bound on a record holds", "groupnorm"]),
    (["method=dp-fedavg-clip", "privacy.epsilon=1", "privacy.delta=1e-5"], ["problem.layers", "no bound on a record holds"]),
    ([*EPOCHS, "local.batch=3"], ["local.batch = 3", "one of the 13 records of client 1", "another local.batch"]),
    ([*EPOCHS, "rounds=1000000000"], ["local.unit", "has 3 minibatches", "2^32"]),
    (["method=asyncsgd", "local.solver=gd", "local.unit=epoch"], ["local.unit", "asks for minibatches", 'local.solver = "sgd"']),
    ([*EPOCHS, "local.solver=gd"], ["local.unit", "asks for minibatches", 'local.solver = "sgd"']),
    ([*EPOCHS, "local.unit=step", "local.solver=gd"], ["local.sampling", "asks for minibatches", 'local.solver = "sgd"']),
    ([*SGD, "local.batch=1"], ["local.batch", "several records", "2 or more"]),
    (["problem.statistics_records=1"], ["problem.statistics_records", "[2, 512]"])])
def test_refusals(images, tmp_path, settings, parts):
    words = [word for setting in settings for word in ("--set", setting)]
    done = call("run", images, "--data-dir", images.parent, *words, "--output", tmp_path / "run.h5")
    assert done.code != 0 and not (tmp_path / "run.h5").exists()
    assert all(part in done.sentence for part in parts), done.err


def test_clips_of_clients_are_allowed_without_noise(images, tmp_path):
    run(images, tmp_path / "run.h5", *SGD, "method=dp-fedavg-clip", "privacy.sigma=0")


class Twin:
    """The same network in PyTorch. Each batch normalisation takes its statistics from the batch and appends them to
    `seen`, or uses those given."""

    def __init__(self, torch):
        self.torch, self.seen = torch, []

    def logits(self, values, x, statistics=None):
        torch, at, self.seen = self.torch, 0, []
        functional = torch.nn.functional

        def take(*shape):
            nonlocal at
            at += int(np.prod(shape))
            return x[at - int(np.prod(shape)):at].reshape(shape)

        def normalise(maps):
            scale, shift = take(maps.shape[1]), take(maps.shape[1])
            mean, square = maps.mean((0, 2, 3)), (maps**2).mean((0, 2, 3))
            self.seen.append((mean.detach(), square.detach()))
            if statistics is None:
                return functional.batch_norm(maps, None, None, scale, shift, True, 0.1, 1e-5)
            mean, square = statistics[len(self.seen) - 1]
            return functional.batch_norm(maps, mean, square - mean**2, scale, shift, False, 0.1, 1e-5)

        def convolve(maps, outputs):
            return functional.conv2d(maps, take(3, 3, maps.shape[1], outputs).permute(3, 2, 0, 1), None, 1, 1)

        maps = torch.max_pool2d(torch.relu(normalise(convolve(values, 4))), 2)
        maps = torch.tanh(normalise(convolve(maps, 6)))
        vector = maps.permute(0, 2, 3, 1).flatten(1)
        return vector @ take(vector.shape[1], CLASSES) + take(CLASSES)


def blocks(records=RECORDS):
    """The rows of the clients."""
    return np.array_split(np.arange(records), CLIENTS)


def records_of(images, name, torch):
    """Values and labels in double."""
    values = np.load(images.parent / f"{name}.npy").astype(np.float64).reshape(-1, 1, SIDE, SIDE)
    return torch.from_numpy(values), torch.from_numpy(np.load(images.parent / f"{name}-labels.npy").astype(np.int64))


def statistics(twin, values, x, rows):
    """Means and mean squares of evenly spaced records, as one batch."""
    twin.logits(values[rows[np.arange(TAKEN) * len(rows) // TAKEN]], x)
    return twin.seen


def test_steps_and_scores_as_in_pytorch(images, tmp_path):
    """A local step of each client on its own batch, and test scores by the mean statistics of the clients."""
    torch = pytest.importorskip("torch")
    run(images, tmp_path / "run.h5")
    twin = Twin(torch)
    values, labels = records_of(images, "train", torch)
    tests, test_labels = records_of(images, "test", torch)
    with h5py.File(tmp_path / "run.h5") as done:
        start, final = (done[f"model/{name}"][:].astype(np.float64) for name in ("start", "final"))
        rounds = {name: done["rounds"][name][:] for name in ("objective", "test_loss", "accuracy")}
    loss_of = torch.nn.functional.cross_entropy
    x = torch.from_numpy(start)
    for step in range(len(rounds["objective"])):
        if step > 0:
            x = sum(x - 0.1 * torch.autograd.functional.jacobian(
                lambda at, rows=rows: loss_of(twin.logits(values[rows], at), labels[rows]), x) for rows in blocks()) / CLIENTS
        losses = [loss_of(twin.logits(values[rows], x), labels[rows]).item() for rows in blocks()]
        assert rounds["objective"][step] == pytest.approx(np.mean(losses), rel=1e-5)
        measured = [statistics(twin, values, x, rows) for rows in blocks()]
        mean = [tuple(sum(one[layer][part] for one in measured) / CLIENTS for part in (0, 1)) for layer in (0, 1)]
        logits = twin.logits(tests, x, mean)
        assert rounds["test_loss"][step] == pytest.approx(loss_of(logits, test_labels).item(), rel=1e-5)
        assert rounds["accuracy"][step] == pytest.approx((logits.argmax(1) == test_labels).double().mean().item())
    moved = np.linalg.norm(x.numpy() - start)
    assert np.linalg.norm(final - x.numpy()) < 1e-5 * moved


def test_models_of_clients_are_scored_by_their_own_statistics(images, tmp_path):
    """Finetuning that hardly moves, so that each client scores the common model, by statistics of its own records."""
    torch = pytest.importorskip("torch")
    write(images.parent, "train", 600)
    run(images, tmp_path / "run.h5", "partition.held_out=0.5", "partition.held_out_by=last", "data.test=", "data.test_labels=",
        "finetune.kind=vanilla", "finetune.rate=1e-30", "rounds=1")
    twin = Twin(torch)
    values, labels = records_of(images, "train", torch)
    with h5py.File(tmp_path / "run.h5") as done:
        x = torch.from_numpy(done["model/final"][:].astype(np.float64))
        found = done["rounds/finetuned_score_mean"][-1]
        common = done["rounds/client_score_mean"][-1]
    scores = []
    for rows in blocks(600):
        held = len(rows) // 2
        own = statistics(twin, values, x, rows[:-held])
        logits = twin.logits(values[rows[-held:]], x, own)
        scores.append((logits.argmax(1) == labels[rows[-held:]]).double().mean().item())
    assert found == pytest.approx(np.mean(scores)) and found != common
