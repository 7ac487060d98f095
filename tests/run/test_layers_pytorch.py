"""Networks of listed layers against PyTorch in double precision: losses, gradients and models of gradient descent, of
the float program and of the double one, whichever is tested."""
import json

import h5py
import numpy as np
import pytest

from conftest import call
from layer_lists import OTHERS, PRESETS

try:
    import torch
    torch.set_num_threads(1)  # another thread would wait for the core of another test
except ImportError:
    torch = None

# Records, steps and rate: where steps are long, they amplify the rounding of float; large networks take long in double.
CASES = {"mlp": (24, 10, 0.01), "lenet5": (24, 10, 0.01), "cnn-femnist": (2, 2, 0.01), "resnet20": (8, 10, 0.0003),
         "resnet18": (1, 2, 0.001), "transformer-tiny": (40, 10, 0.02), "others": (24, 10, 0.01)}


def images(folder, records):
    """Random images in CIFAR-10's format: settings, the values that the program sees, by planes, and labels."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (records, 3073), np.uint8)
    rows[:, 0] = rng.integers(0, 10, records)
    rows.tofile(folder / "images.bin")
    pixels = rows[:, 1:] / 255.0
    return (["data.source=cifar", "data.train=images.bin", "data.test=images.bin"],
            ((pixels - pixels.mean()) / pixels.std()).reshape(-1, 3, 32, 32), rows[:, 0])


def texts(folder, records):
    """Texts of 12 bytes in two classes, which differ in the order of letters: settings, bytes and classes."""
    rng = np.random.default_rng(2)
    tokens = rng.permuted(np.tile(np.frombuffer(b"aaaabbbbcccc", np.uint8), (records, 1)), axis=1)
    labels = (tokens[:, 0] < tokens[:, -1]).astype(np.uint8)
    np.save(folder / "texts.npy", tokens)
    np.save(folder / "labels.npy", labels)
    return ["data.source=arrays", "data.train=texts.npy", "data.labels=labels.npy"], tokens.astype(np.int64), labels


def torch_model(layers, classes):
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


def descend(layers, records, labels, start, steps, rate):
    """PyTorch's loss and the norm of its gradient before each step and after the last one, and its final model."""
    values, classes = torch.from_numpy(records), torch.from_numpy(labels.astype(np.int64))
    forward = torch_model(layers, 2 if records.dtype == np.int64 else 10)
    x = torch.from_numpy(start.astype(np.float64)).requires_grad_()
    losses, norms = [], []
    for step in range(steps + 1):
        loss = torch.nn.functional.cross_entropy(forward(values, x), classes)
        gradient, = torch.autograd.grad(loss, x)
        losses.append(loss.item())
        norms.append(gradient.norm().item())
        if step < steps:
            x = (x - rate * gradient).detach().requires_grad_()
    return losses, norms, x.detach().numpy()


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("preset", CASES)
def test_steps_as_in_pytorch(tmp_path, preset):
    count, steps, rate = CASES[preset]
    settings, records, labels = (texts if preset == "transformer-tiny" else images)(tmp_path, count)
    layers = PRESETS.get(preset, OTHERS)
    (tmp_path / "steps.toml").write_text(f"""
method = "gd"
clients = 1
rounds = {steps}
[problem]
layers = {json.dumps(preset if preset in PRESETS else layers)}
[server]
rate = {rate}
[wire]
value = "float64"
[checkpoint]
seconds = 0
""")
    done = call("run", tmp_path / "steps.toml", "--data-dir", tmp_path, "--quiet", "--output", tmp_path / "run.h5",
                *(word for setting in settings for word in ("--set", setting)))
    assert done.code == 0, done.err
    with h5py.File(tmp_path / "run.h5") as content:
        start, final = content["model/start"][:], content["model/final"][:]
        objective, norms = content["rounds/objective"][:], np.sqrt(content["rounds/gradient_norm_squared"][:])
    records = records.reshape(count, -1) if preset == "mlp" else records
    losses, theirs, x = descend(layers, records, labels, start, steps, rate)
    way, off = np.linalg.norm(x - start), np.linalg.norm(final - x)
    if final.dtype == np.float64:
        np.testing.assert_allclose(objective, losses, rtol=1e-10)
        np.testing.assert_allclose(norms, theirs, rtol=1e-10)
        assert off < 1e-10 * way
    else:
        # At the start both have the same model. Later models are rounded in each step, by up to half a unit in the last
        # place of each parameter, and ReLUs and pools that this switches alter the gradient by more than that.
        np.testing.assert_allclose([objective[0], norms[0]], [losses[0], theirs[0]], rtol=1e-5)
        np.testing.assert_allclose(objective, losses, rtol=1e-5)
        assert off < 1e-4 * way + np.finfo(np.float32).eps * np.sqrt(steps) * np.linalg.norm(start)
