"""The model of a round on p ranks: computing that is shared, a server that is not, and messages by alpha and beta.

    T(p) = w * clients of the fullest rank + server + d * clients + alpha * steps(p) + beta * bytes(p)

`steps` are latencies one after the other, `bytes` what passes the link of rank 0, both of the star of
docs/explanation/network-model.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .points import Line, MODEL_RANKS, Point
from .timing import SUMS, Timing

MOST_RANKS = 65_536  # to which it is asked where messages take half a round
MOST_ERROR = 0.25  # of a model that is believed


@dataclass(frozen=True)
class Traffic:
    """Messages of a line: clients of p ranks, bytes of the model for one rank, bytes up of one client on another rank
    (or, where sums travel, of one rank)."""

    line: Line
    model_bytes: float
    up_bytes: float

    @property
    def timing(self) -> Timing:
        """Returns any run of the line. All its runs use the same exchange."""
        return self.line.base.timings[0]

    def clients(self, ranks: int) -> int:
        """Returns the number of clients on `ranks` ranks."""
        return (self.line.clients_per_rank or 0) * ranks if self.line.kind == "weak" else self.line.base.clients

    def fullest(self, ranks: int) -> int:
        """Returns the number of clients of the rank with most."""
        hosts = ranks if self.timing.server_hosts or ranks == 1 else ranks - 1
        return -(-self.clients(ranks) // hosts)

    def steps(self, ranks: int) -> int:
        """Returns the latencies of a round: model down, messages up, and the barrier before them."""
        if ranks == 1:
            return 0
        depth = math.ceil(math.log2(ranks))
        return depth + (3 * depth if self.timing.up in SUMS else 1) + depth * self.timing.barrier

    def bytes(self, ranks: int) -> float:
        """Returns the bytes of a round through the link of rank 0."""
        if ranks == 1:
            return 0.0
        up = math.ceil(math.log2(ranks)) * self.up_bytes if self.timing.up in SUMS else \
            self.up_bytes * _remote(self.clients(ranks), ranks, self.timing)
        return (ranks - 1) * self.model_bytes + up


def _remote(clients: int, ranks: int, timing: Timing) -> float:
    """Returns the number of clients that are not on rank 0."""
    return clients * (1 - 1 / ranks) if timing.server_hosts else clients


def traffic_of(line: Line) -> Traffic:
    """Returns the messages of a line, from the bytes that were handed to MPI."""
    first = line.base.timings[0]
    several = [point for point in line.points if point.ranks > 1]
    down = [point.median("mpi_bytes_down") / (point.ranks - 1) for point in several]
    up = [point.median("mpi_bytes_up") / (point.ranks - 1 if first.up in SUMS else
                                 _remote(point.clients, point.ranks, first))
          for point in several]
    return Traffic(line, float(np.median(down or [0.0])), float(np.median(up or [0.0])))


@dataclass(frozen=True)
class Model:
    """Fitted on the ranks of `fitted`, held against those of `checked`."""

    traffic: Traffic
    work: float  # s per client
    server: float  # s
    decode: float  # s per client
    alpha: float  # s
    beta: float  # s per byte
    fitted: tuple[int, ...]
    errors: dict[int, float]  # relative, by ranks that were not fitted

    def messages(self, ranks: int) -> float:
        """Returns the seconds a round for messages and waiting."""
        return self.alpha * self.traffic.steps(ranks) + self.beta * self.traffic.bytes(ranks)

    def seconds(self, ranks: int) -> float:
        """Returns the seconds a round."""
        clients = self.traffic.clients(ranks)
        return self.work * self.traffic.fullest(ranks) + self.server + self.decode * clients + self.messages(ranks)

    @property
    def worst(self) -> tuple[int, float]:
        """Returns the number of ranks with the largest relative error, and that error."""
        return max(self.errors.items(), key=lambda pair: pair[1])

    @property
    def fits(self) -> bool:
        """Returns whether the model is accurate enough."""
        return self.worst[1] <= MOST_ERROR

    @property
    def most_ranks(self) -> int:
        """Ranks up to which the model says anything: in a strong series more than clients have nothing to do."""
        return min(MOST_RANKS, self.traffic.clients(1)) if self.traffic.line.kind == "strong" else MOST_RANKS

    @property
    def half(self) -> int | None:
        """Returns the fewest ranks with which messages and waiting take half a round; None if they never do."""
        return next((ranks for ranks in range(2, self.most_ranks + 1)
                     if 2 * self.messages(ranks) >= self.seconds(ranks)), None)


def fit(line: Line) -> Model | None:
    """Returns the model, fitted on every second number of ranks, from the second on, among those with one placement
    whose times are evidence; None if there are too few."""
    usable = line.sound
    fitted = usable[1::2]
    if len(usable) < MODEL_RANKS or fitted[0].ranks == 1:
        return None
    traffic = traffic_of(line)
    model = Model(traffic, _median(point.median("work") / traffic.fullest(point.ranks) for point in fitted),
                  _median(point.median("server") - point.median("decode") for point in fitted),
                  _median(point.median("decode") / point.clients for point in fitted),
                  *_alpha_beta(traffic, fitted), tuple(point.ranks for point in fitted), {})
    return replace(model, errors={point.ranks: abs(model.seconds(point.ranks) / point.seconds.median - 1)
                                  for point in usable[::2]})


def _median(values: Iterable[float]) -> float:
    """Returns the median of some numbers."""
    return float(np.median(list(values)))


def _alpha_beta(traffic: Traffic, points: Sequence[Point]) -> tuple[float, float]:
    """Returns latency and time per byte with the least squares of relative errors, neither below 0. A single point
    gives only a latency."""
    from scipy.optimize import nnls  # late: it takes long to load

    times = {point.ranks: point.median("messages") + point.median("waiting") for point in points}
    timed = [(ranks, time) for ranks, time in times.items() if time > 0]
    if not timed:
        return 0.0, 0.0
    wanted = np.array([[traffic.steps(ranks) / time, traffic.bytes(ranks) / time] for ranks, time in timed])
    size = np.array([1.0, max(wanted[:, 1].max() / wanted[:, 0].max(), 1e-300)])  # columns of one size: bytes are many
    found, _ = nnls(wanted / size * [1.0, len(timed) > 1], np.ones(len(timed)))
    return tuple((found / size).tolist())


def calibrated(line: Line, point: Point, network: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> float:
    """Returns the seconds a round with messages as on a calibrated network of as many ranks: measured computing of the
    slowest rank and the server, and calibrated_messages()."""
    return point.median("work") + point.median("server") + sum(calibrated_messages(line, point, network))


def calibrated_messages(line: Line, point: Point, network: Mapping[str, tuple[np.ndarray, np.ndarray]]
                        ) -> tuple[float, float, float]:
    """Returns the seconds a round that messages take on a calibrated network of as many ranks: the model down, messages
    or sums up, and the barrier (8 bytes there and back)."""
    traffic = traffic_of(line)

    def call(operation: str, size: float) -> float:
        """Returns the seconds of a call with `size` bytes."""
        sizes, seconds = network[operation]
        return float(np.exp(np.interp(math.log(max(size, sizes[0])), np.log(sizes), np.log(seconds))))

    agree = call("reduce", 8) + call("broadcast", 8)
    down = call("broadcast", traffic.model_bytes)
    if traffic.timing.up in SUMS:
        up = agree + call("reduce", traffic.up_bytes)
    else:
        up = call("gather", traffic.up_bytes * traffic.fullest(point.ranks))
    return down, up, agree * traffic.timing.barrier
