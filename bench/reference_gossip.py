#!/usr/bin/env python3
"""NumPy twin of a round of dsgd on a9a: the yardstick of `compare_gossip`.

Ten nodes on a ring with Metropolis weights 1/3, float64. A node's gradient is vectorised over its minibatch, and the
average over the neighbours is one product with the mixing matrix. Minibatches are drawn with replacement, which is
cheaper than the program's Poisson sampling. Prints one JSON object.
"""
import argparse
import json
import math
import time

import numpy as np
from reference_round import CLIENTS, Logistic


class Gossip:
    """Models of all nodes, one a row: half = x - eta (gradient + noise), x = W half."""

    def __init__(self, problem, args):
        self.problem, self.rng, self.args = problem, np.random.default_rng(0), args
        eye = np.eye(CLIENTS)
        self.mixing = (eye + np.roll(eye, 1, 0) + np.roll(eye, -1, 0)) / 3
        self.models = np.zeros((CLIENTS, problem.dimension))

    def step(self):
        """One round of all nodes."""
        half = np.empty_like(self.models)
        rows = self.rng.integers(self.problem.records, size=(CLIENTS, self.args.batch))
        for i in range(CLIENTS):
            gradient = self.problem.gradient(i, self.models[i], rows[i], self.args.bound)
            if self.args.sigma > 0:
                gradient += self.args.sigma * self.rng.standard_normal(len(gradient))
            half[i] = self.models[i] - self.args.rate * gradient
        self.models = self.mixing @ half


def main():
    """Runs the rounds and prints their time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--bound", type=float, default=math.inf, help="norm bound of a record's gradient")
    parser.add_argument("--sigma", type=float, default=0.0, help="standard deviation of the noise")
    args = parser.parse_args()
    run = Gossip(Logistic(args.data_dir), args)
    start = time.perf_counter()
    for _ in range(args.rounds):
        run.step()
    seconds = (time.perf_counter() - start) / args.rounds
    print(json.dumps({"seconds_per_round": seconds, **run.problem.evaluate(run.models.mean(0))}))


if __name__ == "__main__":
    main()
