"""Networks of listed layers: the same bits on any number of ranks and after a restart, bounds of records, memory."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from layer_lists import OTHERS


@pytest.fixture
def images(tmp_path):
    """24 random images in CIFAR-10's format, and the settings that read them."""
    rng = np.random.default_rng(1)
    for name in ("train", "test"):
        rng.integers(0, 256, (24, 3073), np.uint8).tofile(tmp_path / f"{name}.bin")
        records = np.fromfile(tmp_path / f"{name}.bin", np.uint8).reshape(-1, 3073)
        records[:, 0] = rng.integers(0, 10, 24)
        records.tofile(tmp_path / f"{name}.bin")
    path = tmp_path / "images.toml"
    path.write_text("""
clients = 4
rounds = 4
[data]
source = "cifar"
train = "train.bin"
test = "test.bin"
[problem]
kind = "layers"
""")
    return path


@pytest.fixture
def texts(tmp_path):
    """40 texts of 12 bytes in two classes, which differ in the order of letters, and the settings that read them."""
    rng = np.random.default_rng(2)
    tokens = rng.permuted(np.tile(np.frombuffer(b"aaaabbbbcccc", np.uint8), (40, 1)), axis=1)
    labels = tokens[:, 0] < tokens[:, -1]
    np.save(tmp_path / "texts.npy", tokens)
    np.save(tmp_path / "labels.npy", labels.astype(np.uint8))
    path = tmp_path / "texts.toml"
    path.write_text("""
clients = 4
rounds = 4
[data]
source = "arrays"
train = "texts.npy"
labels = "labels.npy"
[problem]
kind = "layers"
layers = "transformer-tiny"
""")
    return path


def run(images, output, *settings, **options):
    words = [word for setting in settings for word in ("--set", setting)]
    done = call("run", images, "--data-dir", images.parent, "--quiet", *words, "--output", output, **options)
    assert done.code == 0, done.err


PRIVATE = ["method=ldp-sgd", "bound.threshold=1", "privacy.sigma=0.1", "local.batch=5", "problem.layers=lenet5"]


def test_colours_of_a_cnn_are_found(images, tmp_path):
    """The file of the run says them, so that the run is that with the number given."""
    for name, words in (("found", []), ("given", ["problem.colours=3"])):
        text = images.read_text().replace('kind = "layers"', 'kind = "cnn"\nchannels = 4')
        images.with_name("cnn.toml").write_text(text)
        run(images.with_name("cnn.toml"), tmp_path / f"{name}.h5", "method=gd", "rounds=1", *words)
    found, given = (summary(tmp_path / f"{name}.h5") for name in ("found", "given"))
    assert found["fingerprint"] == given["fingerprint"] and found["model_sha256"] == given["model_sha256"]
    assert "32x32x3" in found["problem"]


def test_on_any_number_of_ranks(images, tmp_path):
    run(images, tmp_path / "alone.h5", *PRIVATE)
    for ranks in (2, 3, 4):
        run(images, tmp_path / f"{ranks}.h5", *PRIVATE, "server_hosts=true", ranks=ranks)
        one, other = read(tmp_path / "alone.h5"), read(tmp_path / f"{ranks}.h5")
        assert one[0].tobytes() == other[0].tobytes()
        assert all(one[1][name].tobytes() == other[1][name].tobytes() for name in one[1])


def test_a_deep_network_scores_many_images_in_little_memory(images, tmp_path):
    rng = np.random.default_rng(5)
    records = rng.integers(0, 256, (500, 3073), np.uint8)
    records[:, 0] = rng.integers(0, 10, 500)
    records.tofile(tmp_path / "test.bin")
    run(images, tmp_path / "run.h5", "method=fedavg", "local.solver=sgd", "local.batch=2", "rounds=1",
        "problem.layers=resnet20", "evaluate.objective=false")
    with h5py.File(tmp_path / "run.h5") as content:
        # The values of all layers of 500 images are 2 GB.
        assert content["phases/peak_memory"][0] < 2**29
        assert np.isfinite(content["rounds/accuracy"][:]).all()


def test_after_a_restart(images, tmp_path):
    run(images, tmp_path / "whole.h5", *PRIVATE)
    run(images, tmp_path / "parts.h5", *PRIVATE, "rounds=2", "checkpoint.at_end=true")
    done = call("run", tmp_path / "parts.h5", "--rounds-more", 2, "--data-dir", images.parent, "--quiet")
    assert done.code == 0, done.err
    assert read(tmp_path / "whole.h5")[0].tobytes() == read(tmp_path / "parts.h5")[0].tobytes()


@pytest.mark.parametrize("preset", ["resnet20", "others"])
def test_records_stay_below_their_bound(images, tmp_path, preset):
    """Norms from the factors of all kinds of layers; gradients at the start are larger than the bound."""
    layers = str(OTHERS).replace("'", '"') if preset == "others" else preset
    bound = 0.5
    run(images, tmp_path / "run.h5", *PRIVATE[:-1], f"problem.layers={layers}", "rounds=1", f"bound.threshold={bound}")
    assert bound * (1 - 1e-5) < summary(tmp_path / "run.h5")["record_norm_largest"] <= bound * (1 + 1e-6)


def test_a_transformer_with_bounded_records(texts, tmp_path):
    """The same bits on two ranks, and records at their bound."""
    bound = 0.5
    private = [*PRIVATE[:-1], f"bound.threshold={bound}", "data.test=tests.npy", "data.test_labels=labels.npy"]
    np.save(texts.parent / "tests.npy", np.load(texts.parent / "texts.npy")[::-1])
    run(texts, tmp_path / "one.h5", *private)
    run(texts, tmp_path / "two.h5", *private, "server_hosts=true", ranks=2)
    one, two = read(tmp_path / "one.h5"), read(tmp_path / "two.h5")
    assert one[0].tobytes() == two[0].tobytes()
    assert all(one[1][name].tobytes() == two[1][name].tobytes() for name in one[1])
    assert bound * (1 - 1e-5) < summary(tmp_path / "one.h5")["record_norm_largest"] <= bound * (1 + 1e-6)


def test_tokens_of_test_records_are_checked(texts, tmp_path):
    small = ["method=gd", 'problem.layers=["embedding 100 4", "last", "dense"]', "data.test=tests.npy",
             "data.test_labels=labels.npy"]
    tokens = np.load(texts.parent / "texts.npy")  # 97 to 99
    np.save(texts.parent / "tests.npy", tokens)
    run(texts, tmp_path / "run.h5", *small)
    tokens[3, 4] = 100
    np.save(texts.parent / "tests.npy", tokens)
    words = [word for setting in small for word in ("--set", setting)]
    done = call("run", texts, "--data-dir", texts.parent, "--quiet", *words)
    assert done.code != 0 and "feature 100" in done.err and "0 to 99" in done.err


def test_a_transformer_learns_the_order_of_letters(texts, tmp_path):
    run(texts, tmp_path / "run.h5", "method=gd", "rounds=100", "server.rate=0.3")
    with h5py.File(tmp_path / "run.h5") as done:
        objective = done["rounds/objective"][:]
    assert objective[-1] < 0.1 < 0.5 < objective[0]
