"""Networks of listed layers: the same bits on any number of ranks and after a restart, and PyTorch's model after ten
steps of gradient descent, where PyTorch is installed."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary

PRESETS = {
    "mlp": ["dense 200", "relu", "dense 200", "relu", "dense"],
    "lenet5": ["conv 6 5", "relu", "maxpool 2", "conv 16 5", "relu", "maxpool 2", "dense 120", "relu", "dense 84", "relu",
               "dense"],
    "cnn-femnist": ["conv 32 5 1 2", "relu", "maxpool 2", "conv 64 5 1 2", "relu", "maxpool 2", "dense 2048", "relu",
                    "dense"],
    "resnet20": ["conv 16 3 1 1", "groupnorm 8", "relu"] + [
        item for channels in (16, 32, 64) for block in range(3)
        for item in ("skip", f"conv {channels} 3 {2 if channels > 16 and block == 0 else 1} 1", "groupnorm 8", "relu",
                     f"conv {channels} 3 1 1", "groupnorm 8", "add", "relu")] + ["globalpool", "dense"],
}
RESNET18 = ["conv 64 3 1 1", "groupnorm 32", "relu"] + [
    item for channels in (64, 128, 256, 512) for stride in (1 if channels == 64 else 2, 1)
    for item in ["skip", f"conv {channels} 3 {stride} 1", "groupnorm 32", "relu", f"conv {channels} 3 1 1", "groupnorm 32",
                 *(["shortcut", f"conv {channels} 1 2", "groupnorm 32"] if stride == 2 else []), "add", "relu"]] + [
    "globalpool", "dense"]
TRANSFORMER = ["embedding 256 64", "positions"] + 2 * [
    "skip", "layernorm", "attention 4", "add", "skip", "layernorm", "conv 256 1", "gelu", "conv 64 1", "add"] + [
    "last", "layernorm", "dense"]
# All other kinds of layers.
OTHERS = ["conv 4 5 2 2", "layernorm", "gelu", "avgpool 2", "conv 6 3", "tanh", "maxpool 3 1", "dense 9", "sigmoid",
          "dense"]


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


def torch_model(torch, layers, classes):
    """Returns forward(x, parameters): the layers as functions of one vector of parameters, in the program's order."""
    functional = torch.nn.functional

    def forward(values, parameters):
        used, skipped, maps = 0, [], values

        def take(*shape):
            nonlocal used
            size = int(np.prod(shape))
            used += size
            return parameters[used - size:used].reshape(shape)

        for number, item in enumerate(layers):
            name, *words = item.split()
            numbers = [int(word) for word in words]
            if name == "conv":
                outputs, size, stride, padding = numbers + [1, 0][len(numbers) - 2:]
                weight = take(size, size, maps.shape[1], outputs).permute(3, 2, 0, 1)
                has_biases = layers[number + 1].split()[0] not in ("groupnorm", "layernorm")
                maps = functional.conv2d(maps, weight, take(outputs) if has_biases else None, stride, padding)
            elif name == "dense":
                vector = maps.permute(0, 2, 3, 1).flatten(1) if maps.ndim == 4 else maps
                units = numbers[0] if numbers else classes
                weight = take(vector.shape[1], units)
                maps = vector @ weight + take(units)
            elif name == "groupnorm":
                maps = functional.group_norm(maps, numbers[0], take(maps.shape[1]), take(maps.shape[1]), 1e-5)
            elif name == "layernorm":
                channels = maps.shape[1]
                pixels = functional.layer_norm(maps.movedim(1, -1), (channels,), take(channels), take(channels), 1e-5)
                maps = pixels.movedim(-1, 1)
            elif name == "embedding":
                maps = take(*numbers)[values].permute(0, 2, 1)[..., None]
            elif name == "positions":
                maps = maps + take(*maps.shape[2:], maps.shape[1]).permute(2, 0, 1)
            elif name == "attention":
                channels = maps.shape[1]
                to_heads, of_heads = take(channels, 3 * channels), take(3 * channels)
                back, of_back = take(channels, channels), take(channels)
                sequence = maps.flatten(2).permute(2, 0, 1)
                later = torch.ones(len(sequence), len(sequence), dtype=torch.bool).triu(1)
                seen, _ = functional.multi_head_attention_forward(
                    sequence, sequence, sequence, channels, numbers[0], to_heads.T, of_heads, None, None, False, 0.0, back.T,
                    of_back, attn_mask=later, need_weights=False)
                maps = seen.permute(1, 2, 0).reshape(maps.shape)
            elif name == "last":
                maps = maps[:, :, -1, -1]
            elif name in ("maxpool", "avgpool"):
                pool = functional.max_pool2d if name == "maxpool" else functional.avg_pool2d
                maps = pool(maps, *numbers)
            elif name == "globalpool":
                maps = maps.mean((2, 3))
            elif name == "skip":
                skipped.append(maps)
            elif name == "shortcut":
                maps, skipped[-1] = skipped[-1], maps
            elif name == "add":
                other = skipped.pop()
                stride, lacking = other.shape[2] // maps.shape[2], maps.shape[1] - other.shape[1]
                maps = maps + functional.pad(other[:, :, ::stride, ::stride],
                                             (0, 0, 0, 0, lacking // 2, lacking - lacking // 2))
            else:
                maps = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "gelu": functional.gelu}[name](maps)
        assert used == len(parameters)
        return maps

    return forward


@pytest.mark.parametrize("preset", [*PRESETS, "others"])
def test_steps_as_in_pytorch(images, tmp_path, preset):
    pytest.importorskip("torch")
    layers = PRESETS.get(preset, OTHERS)
    words = f'"{preset}"' if preset in PRESETS else str(layers).replace("'", '"')
    steps = 2 if preset == "cnn-femnist" else 10  # 6.6 million parameters in double take long
    rate = 0.001 if preset == "resnet20" else 0.01  # long steps amplify the rounding of float
    run(images, tmp_path / "run.h5", "method=gd", f"rounds={steps}", f"server.rate={rate}", f"problem.layers={words}")
    values, labels = values_and_labels(images)
    values = values.reshape(len(values), -1) if preset == "mlp" else values
    expect_steps_of_pytorch(tmp_path / "run.h5", layers, values, labels, 10, rate)


def test_a_step_of_resnet18_as_in_pytorch(images, tmp_path):
    pytest.importorskip("torch")
    few = images.parent / "train.bin"
    few.write_bytes(few.read_bytes()[:2 * 3073])
    run(images, tmp_path / "run.h5", "clients=1", "method=gd", "rounds=1", "server.rate=0.01", "problem.layers=resnet18")
    expect_steps_of_pytorch(tmp_path / "run.h5", RESNET18, *values_and_labels(images), 10, 0.01)


def values_and_labels(images):
    """The training images as the program sees them, by planes, and their labels."""
    records = np.fromfile(images.parent / "train.bin", np.uint8).reshape(-1, 3073)
    pixels = records[:, 1:] / 255.0
    return ((pixels - pixels.mean()) / pixels.std()).reshape(-1, 3, 32, 32), records[:, 0]


def test_steps_of_a_transformer_as_in_pytorch(texts, tmp_path):
    pytest.importorskip("torch")
    run(texts, tmp_path / "run.h5", "method=gd", "rounds=10", "server.rate=0.02")
    tokens, labels = np.load(texts.parent / "texts.npy"), np.load(texts.parent / "labels.npy")
    expect_steps_of_pytorch(tmp_path / "run.h5", TRANSFORMER, tokens.astype(np.int64), labels, 2, 0.02)


def expect_steps_of_pytorch(file, layers, records, classes_of_records, classes, rate):
    """The run took steps of gradient descent at this rate, as many as it has rounds."""
    import torch
    with h5py.File(file) as done:
        start, final = done["model/start"][:], done["model/final"][:]
        objective = done["rounds/objective"][:]
    steps = len(objective) - 1
    values, labels = torch.from_numpy(records), torch.from_numpy(classes_of_records.astype(np.int64))
    forward = torch_model(torch, layers, classes)
    x = torch.from_numpy(start.astype(np.float64)).requires_grad_()
    losses = []
    for step in range(steps + 1):
        loss = torch.nn.functional.cross_entropy(forward(values, x), labels)
        losses.append(loss.item())
        if step < steps:
            gradient, = torch.autograd.grad(loss, x)
            x = (x - rate * gradient).detach().requires_grad_()
    np.testing.assert_allclose(objective, losses, rtol=1e-5)
    moved = np.linalg.norm(x.detach().numpy() - start)
    rounding = np.finfo(final.dtype).eps * np.sqrt(steps) * np.linalg.norm(start)
    assert np.linalg.norm(final - x.detach().numpy()) < 1e-4 * moved + rounding
