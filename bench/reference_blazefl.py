#!/usr/bin/env python3
"""The federated LeNet of BlazeFL's benchmark as a loop in PyTorch, for compare_blazefl: prints its seconds as JSON.

Each of two processes trains half of the clients of a round with one thread and keeps the images in memory, so that
nothing but training takes time. Reading and partitioning the data are not timed.
"""
import argparse
import json
import time

import numpy as np
import torch
from torch import nn
from torch.multiprocessing import Pool

CLIENTS, BATCH, EPOCHS, RATE = 100, 50, 5, 0.1


def lenet():
    return nn.Sequential(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                         nn.Linear(84, 10))


def read_images(path, standard=None):
    """Standardised images and labels, and the mean and the standard deviation: their own, unless given."""
    rows = np.fromfile(path, np.uint8).reshape(-1, 3073)
    images = torch.from_numpy(rows[:, 1:].astype(np.float32).reshape(-1, 3, 32, 32) / 255)
    mean, deviation = standard or (images.mean(), images.std())
    return (images - mean) / deviation, torch.from_numpy(rows[:, 0].astype(np.int64)), (mean, deviation)


def prepare(path, per_client):
    """Every process reads the images once."""
    global IMAGES, LABELS, SHARDS
    torch.set_num_threads(1)
    IMAGES, LABELS, _ = read_images(path)
    order = torch.argsort(LABELS, stable=True)[:2 * CLIENTS * (per_client // 2)].reshape(2 * CLIENTS, -1)
    drawn = order[torch.randperm(2 * CLIENTS, generator=torch.Generator().manual_seed(1))]
    SHARDS = drawn.reshape(CLIENTS, -1)


def train(task):
    """Sum of the models that the clients return."""
    start, clients, steps_per_epoch = task
    total = torch.zeros_like(start)
    model, loss = lenet(), nn.CrossEntropyLoss()
    for client in clients:
        nn.utils.vector_to_parameters(start.clone(), model.parameters())  # parameters become views, which steps change
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
        images, labels = IMAGES[SHARDS[client]], LABELS[SHARDS[client]]
        for _ in range(EPOCHS):
            shuffled = torch.randperm(len(labels))
            for step in range(steps_per_epoch):
                batch = shuffled[step * BATCH:(step + 1) * BATCH]
                optimizer.zero_grad(set_to_none=True)
                loss(model(images[batch]), labels[batch]).backward()
                optimizer.step()
        total += nn.utils.parameters_to_vector(model.parameters()).detach()
    return total


def score(model, images, labels):
    with torch.no_grad():
        return (model(images).argmax(1) == labels).double().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True, help="images in CIFAR-10's binary format")
    parser.add_argument("--test", required=True, help="the same of test images")
    parser.add_argument("--records", type=int, default=500, help="of a client (default: 500)")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--processes", type=int, default=2, help="default: 2")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = lenet()
    *_, standard = read_images(options.train)
    tests, answers, _ = read_images(options.test, standard)
    with Pool(options.processes, prepare, (options.train, options.records)) as pool:
        pool.map(abs, range(options.processes))  # until all have read the images
        begun = time.perf_counter()
        for _ in range(options.rounds):
            start = nn.utils.parameters_to_vector(model.parameters()).detach()
            tasks = [(start, range(first, CLIENTS, options.processes), options.records // BATCH)
                     for first in range(options.processes)]
            nn.utils.vector_to_parameters(sum(pool.map(train, tasks)) / CLIENTS, model.parameters())
            accuracy = score(model, tests, answers)
        print(json.dumps({"seconds": time.perf_counter() - begun, "accuracy": accuracy}))


if __name__ == "__main__":
    main()
