#!/usr/bin/env python3
"""NumPy twin of the SoteriaFL family's round: the yardstick of `compare_rounds`, and a second opinion on results.

One process loops over 10 clients; inside a client everything is vectorised over the minibatch, in float64. As in the
authors' script, minibatches are drawn with replacement and the finished estimator is clipped (regulariser included,
before the noise), unless `--bound record` is given: NOT private at the nominal epsilon. Prints one JSON object.
"""
import argparse
import gzip
import json
import math
import time

import numpy as np

CLIENTS, DELTA = 10, 1e-3
# method: constant c of the noise, sigma^2 = c G^2 T log(1/delta)/(m eps)^2 with the published T
METHODS = {"ldp-sgd": 8, "ldp-svrg": 96, "cdp-sgd": 8, "soteriafl-sgd": 12, "soteriafl-svrg": 96}
# (problem, eps): published T, minibatch of the SGD methods, step sizes in the order of METHODS
PUBLISHED = {
    ("a9a", 1): (25, 10, (1, 1, 0.6, 0.6, 0.6)),
    ("a9a", 5): (100, 51, (1, 1, 0.1, 0.3, 0.3)),
    ("a9a", 10): (150, 103, (1, 1, 0.3, 0.6, 0.6)),
    ("mnist", 1): (150, 128, (1, 1, 0.3, 0.6, 0.3)),
    ("mnist", 4): (300, 128, (1, 1, 0.6, 1, 0.6)),
}


class Logistic:
    """log(1 + exp(-y a.x)) + 0.2 sum_j x_j^2/(1 + x_j^2) on a9a; d = 124: 123 features and a bias, dense rows."""

    def __init__(self, data_dir):
        a, y = self._read(f"{data_dir}/a9a/a9a", 32560)
        # ||A||_2/(2 sqrt(rows)) with the bias column: makes the logistic part 1-smooth.
        scale = math.sqrt(np.linalg.eigvalsh(a.T @ a)[-1] / len(a)) / 2
        order = np.argsort(y, kind="stable")
        self.a, self.y = (a[order] / scale).reshape(CLIENTS, -1, 124), y[order].reshape(CLIENTS, -1)
        test, self.test_y = self._read(f"{data_dir}/a9a/a9a.t", None)
        self.test_a = test / scale
        self.records, self.dimension, self.bound = self.y.shape[1], 124, 0.5

    @staticmethod
    def _read(path, rows):
        """First `rows` rows of a binary LIBSVM file: dense (rows, 124), last column ones, and labels -1/+1 (rows,)."""
        lines = open(path).readlines()[:rows]
        a, y = np.zeros((len(lines), 124)), np.empty(len(lines))
        for i, line in enumerate(lines):
            y[i], *pairs = line.split()
            a[i, [int(pair.split(":")[0]) - 1 for pair in pairs] + [-1]] = 1.0
        return a, y

    def gradient(self, client, x, rows=slice(None), bound=math.inf):
        """Mean gradient (d,) over `rows` of a client; records clipped to `bound`, the regulariser left outside."""
        a, y = self.a[client][rows], self.y[client][rows]
        residual = -y / (1.0 + np.exp(y * (a @ x)))
        if bound < math.inf:
            residual *= np.minimum(1.0, bound / (np.abs(residual) * np.linalg.norm(a, axis=1)))
        return residual @ a / len(y) + 0.4 * x / (1.0 + x * x) ** 2

    def evaluate(self, x):
        """Objective over all records (regulariser included) and share of a9a.t classified correctly."""
        loss = np.mean(np.logaddexp(0.0, -self.y * (self.a @ x))) + 0.2 * np.sum(x * x / (1.0 + x * x))
        return {"objective": loss, "accuracy": np.mean((self.test_a @ x > 0) == (self.test_y > 0))}


class Network:
    """784-64-10 sigmoid network, softmax cross-entropy, on MNIST; d = 50,890: W1 (784 x 64), b1, W2 (64 x 10), b2."""

    def __init__(self, data_dir):
        pixels, labels = self._read(f"{data_dir}/mnist/train")
        test, self.test_y = self._read(f"{data_dir}/mnist/t10k")
        mean, deviation, order = pixels.mean(), pixels.std(), np.argsort(labels, kind="stable")
        self.a = ((pixels[order] - mean) / deviation).reshape(CLIENTS, -1, 784)
        self.y = np.eye(10)[labels[order]].reshape(CLIENTS, -1, 10)
        self.test_a = (test - mean) / deviation
        self.records, self.dimension, self.bound = self.y.shape[1], 784 * 64 + 64 + 64 * 10 + 10, 1.0

    @staticmethod
    def _read(prefix):
        """Images (rows, 784) in [0, 1] and labels (rows,) of the two gzipped IDX files `prefix`-*."""
        files = (gzip.open(f"{prefix}-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1"))
        pixels, labels = (np.frombuffer(file.read(), np.uint8) for file in files)
        return pixels[16:].reshape(-1, 784) / 255.0, labels[8:]

    @staticmethod
    def _forward(x, a):
        """Hidden activations (r, 64), log-probabilities (r, 10) and W2 (64, 10) for inputs a (r, 784)."""
        w1, b1, w2, b2 = np.split(x, np.cumsum((784 * 64, 64, 640)))
        hidden, w2 = 1.0 / (1.0 + np.exp(-(a @ w1.reshape(784, 64) + b1))), w2.reshape(64, 10)
        scores = hidden @ w2 + b2
        scores -= scores.max(axis=1, keepdims=True)
        return hidden, scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)), w2

    def gradient(self, client, x, rows=slice(None), bound=math.inf):
        """Mean gradient (d,) over `rows` of a client, each record's gradient clipped to `bound`."""
        a, y = self.a[client][rows], self.y[client][rows]
        hidden, log_probability, w2 = self._forward(x, a)
        out = np.exp(log_probability) - y
        inner = (out @ w2.T) * hidden * (1.0 - hidden)
        if bound < math.inf:
            # A record's gradient is two outer products (with a 1 for the bias): its norm needs only their factors.
            squared = (inner ** 2).sum(1) * ((a ** 2).sum(1) + 1) + (out ** 2).sum(1) * ((hidden ** 2).sum(1) + 1)
            weights = np.minimum(1.0, bound / np.sqrt(squared))[:, None]
            out, inner = out * weights, inner * weights
        return np.concatenate(((a.T @ inner).ravel(), inner.sum(0), (hidden.T @ out).ravel(), out.sum(0))) / len(y)

    def evaluate(self, x):
        """Objective over all records and share of the test images classified correctly."""
        loss = -np.mean([np.sum(y * self._forward(x, a)[1]) / len(y) for a, y in zip(self.a, self.y)])
        return {"objective": loss, "accuracy": np.mean(self._forward(x, self.test_a)[1].argmax(1) == self.test_y)}


class Run:
    """One run: model x, server shift s, client shifts s_i, SVRG snapshot w and grad f_i(w); CDP-SGD is gamma = 0."""

    def __init__(self, problem, args):
        self.problem, self.rng = problem, np.random.default_rng(args.seed)
        m, d, bound = problem.records, problem.dimension, problem.bound
        self.x = np.loadtxt(args.start) if args.start else self.rng.standard_normal(d) / 5
        published, batch, steps = PUBLISHED[args.problem, args.eps]
        self.rounds, self.eta = args.rounds or published, args.eta or steps[list(METHODS).index(args.method)]
        self.svrg, self.compressed = "svrg" in args.method, not args.method.startswith("ldp")
        self.batch = args.batch or (int(m ** (2 / 3)) // 4 if self.svrg else batch)
        self.sigma = bound * math.sqrt(METHODS[args.method] * published * math.log(1 / DELTA)) / (m * args.eps)
        self.record_bound, self.estimator_bound = (bound, math.inf) if args.bound == "record" else (math.inf, bound)
        self.k, omega = d // 20, d / (d // 20) - 1
        self.gamma = math.sqrt((1 + 2 * omega) / (2 * (1 + omega) ** 3)) if "soteriafl" in args.method else 0.0
        self.shifts, self.server_shift = np.zeros((CLIENTS, d)), np.zeros(d)
        if self.svrg:
            self.w, self.full = self.x, self.full_gradients(self.record_bound)

    def full_gradients(self, bound=math.inf):
        """grad f_i(x) over all records of every client i, a list of 10 (d,)."""
        return [self.problem.gradient(i, self.x, bound=bound) for i in range(CLIENTS)]

    def release(self, i, rows):
        """clip(estimator on minibatch `rows`, G) + N(0, sigma^2 I) of client i, (d,): its message uncompressed."""
        g = self.problem.gradient(i, self.x, rows, self.record_bound)
        if self.svrg:
            g += self.full[i] - self.problem.gradient(i, self.w, rows, self.record_bound)
        g *= min(1.0, self.estimator_bound / np.linalg.norm(g))
        return g + self.sigma * self.rng.standard_normal(len(g))

    def step(self):
        """One round: v_i = C(g_i - s_i); x -= eta (s + mean v_i); s_i += gamma v_i; s += gamma mean v_i; SVRG coin."""
        d, mean = len(self.x), np.zeros(len(self.x))
        for i, rows in enumerate(self.rng.integers(self.problem.records, size=(CLIENTS, self.batch))):
            g = self.release(i, rows)
            if self.compressed:  # rand-k by the faster of two ways
                kept = self.rng.choice(d, self.k, replace=False) if d > 1000 else self.rng.permutation(d)[:self.k]
                values = (d / self.k) * (g[kept] - self.shifts[i, kept])
                self.shifts[i, kept] += self.gamma * values
                mean[kept] += values / CLIENTS
            else:
                mean += g / CLIENTS
        if self.svrg and self.rng.random() < self.batch / self.problem.records:
            self.w, self.full = self.x, self.full_gradients(self.record_bound)
        self.x = self.x - self.eta * (self.server_shift + mean)
        self.server_shift += self.gamma * mean


def main():
    """Runs one method and prints the JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problem", choices=("a9a", "mnist"), required=True)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--eps", type=int, help="published settings: a9a 1, 5 (default), 10; mnist 1, 4 (default)")
    parser.add_argument("--bound", choices=("estimator", "record"), default="estimator", help="what is clipped")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", help="text file with x0; default N(0,1)/5 from the seed")
    for name, kind in (("--rounds", int), ("--batch", int), ("--eta", float)):
        parser.add_argument(name, type=kind, help="default: as published")
    parser.add_argument("--time", action="store_true", help="report seconds per round (update only)")
    parser.add_argument("--evaluate", type=int, nargs="?", const=1, default=0, metavar="N",
                        help="evaluate x^0, x^N, x^2N, ... (default N: 1; slow on mnist)")
    args = parser.parse_args()
    args.eps = args.eps or (5 if args.problem == "a9a" else 4)
    if (args.problem, args.eps) not in PUBLISHED:
        parser.error(f"no published settings for {args.problem} at eps {args.eps}")
    run = Run({"a9a": Logistic, "mnist": Network}[args.problem](args.data_dir), args)
    seconds, squared = [], []
    for t in range(run.rounds + 1):
        if args.evaluate and t % args.evaluate == 0:
            squared.append(np.sum(np.mean(run.full_gradients(), axis=0) ** 2))
        if t < run.rounds:
            start = time.perf_counter()
            run.step()
            seconds.append(time.perf_counter() - start)
    result = vars(args) | {"rounds": run.rounds, "batch": run.batch, "eta": run.eta, "sigma": run.sigma}
    if args.time:
        result["seconds_per_round"] = {"median": np.median(seconds), "mean": np.mean(seconds)}
    if args.evaluate:
        result |= run.problem.evaluate(run.x) | {"grad_norm_sq": squared[-1], "utility": np.mean(squared)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
