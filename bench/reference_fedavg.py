#!/usr/bin/env python3
"""NumPy twin of DP-FedAvg on Fashion-MNIST: the local steps of all participants as batched matrix products.

Softmax regression, 3,000 clients of 20 images, 20 full-gradient steps, Poisson participation with rate 0.2, clipping
of the sum of the gradients, noise on the mean, momentum. Prints the seconds of a client-round as JSON. One thread.
"""
import argparse
import gzip
import json
import pathlib
import time

import numpy as np

CLIENTS, RECORDS, CLASSES, STEPS, RATE = 3000, 20, 10, 20, 0.2
BLOCK = 100  # participants that are worked on together: more do not fit the cache


def read_images(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    """Images as float32 rows with a constant feature, and labels."""
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    rows = np.ones((len(pixels), 785), np.float32)
    rows[:, :784] = pixels / np.float32(255)
    return rows, labels


def shards(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Records of each client: five shards of four images of one label."""
    order = np.argsort(labels, kind="stable").reshape(-1, 4)
    return order[rng.permutation(len(order))].reshape(CLIENTS, RECORDS)


def local_sums(x: np.ndarray, images: np.ndarray, targets: np.ndarray, eta: float, l2: float) -> np.ndarray:
    """Sums of the gradients that each participant meets on its way from x."""
    w = np.repeat(x[None], len(images), axis=0)
    total = np.zeros_like(w)
    for _ in range(STEPS):
        logits = images @ w
        logits -= logits.max(axis=2, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=2, keepdims=True)
        logits -= targets
        gradient = images.transpose(0, 2, 1) @ logits / np.float32(RECORDS) + np.float32(l2) * w
        total += gradient
        w -= np.float32(eta) * gradient
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threshold", type=float, default=62.5)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    rows, labels = read_images(options.data_dir / "fashion-mnist")
    client = shards(labels, rng)
    hot = np.eye(CLASSES, dtype=np.float32)
    x = np.zeros((785, CLASSES), np.float32)
    momentum = np.zeros_like(x)
    eta, worked, start = 0.016, 0, time.perf_counter()
    for _ in range(options.rounds):
        drawn = np.flatnonzero(rng.random(CLIENTS) < RATE)
        mean = np.zeros_like(x)
        for first in range(0, len(drawn), BLOCK):
            part = client[drawn[first:first + BLOCK]]
            sums = local_sums(x, rows[part], hot[labels[part]], eta, 1e-4)
            norms = np.sqrt((sums * sums).sum(axis=(1, 2), keepdims=True))
            mean += (sums * np.minimum(1, options.threshold / norms)).sum(axis=0)
        mean = mean / (RATE * CLIENTS) + 0.2 * rng.standard_normal(x.shape, np.float32)
        momentum = 0.8 * momentum + mean
        x = (x - eta * momentum).astype(np.float32)
        worked += len(drawn)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds_per_client_round": seconds / worked, "client_rounds": worked}))


if __name__ == "__main__":
    main()
