"""The metrics that tables and figures compare: their names, and which one is shown by default."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..io.errors import RunFileError

if TYPE_CHECKING:
    from ..io.run_file import Run


ANY, POSITIVE, SHARE = (-math.inf, math.inf), (0.0, math.inf), (0.0, 1.0)  # ranges of possible values


@dataclass(frozen=True)
class Metric:
    """A column of the run file as an axis of a figure. learn() takes direction and range from run files; those of this
    module are for files of older programs, and tests/run/test_run_file.py compares them with the program's."""

    name: str
    higher_is_better: bool = False
    of: str = ""
    possible: tuple[float, float] = ANY  # the least and the largest possible value

    @property
    def is_share(self) -> bool:
        """Returns whether all values lie between 0 and 1."""
        return self.possible == SHARE

    @property
    def axis(self) -> str:
        """Returns the label of an axis."""
        return f"{self.name}\n({self.of}{'higher' if self.higher_is_better else 'lower'} is better)"


PERSONAL = "client_score_mean"  # an accuracy; an error, for which it is not compared, where targets are real

METRICS = {
    "utility": Metric("mean squared gradient norm", of="over rounds, ", possible=POSITIVE),
    "objective": Metric("objective f"),
    "accuracy": Metric("test accuracy", higher_is_better=True, possible=SHARE),
    "test_error": Metric("test error", of="root mean square, ", possible=POSITIVE),
    "test_loss": Metric("test loss", possible=POSITIVE),
    "gradient_norm_squared": Metric("squared gradient norm", possible=POSITIVE),
    "consensus_error": Metric("consensus error", of="mean squared distance from the mean, ", possible=POSITIVE),
    "objective_node_most": Metric("objective f at the worst node"),
    "accuracy_node_least": Metric("test accuracy of the worst node", higher_is_better=True, possible=SHARE),
}
NODES = ("consensus_error", "objective_node_most", "accuracy_node_least")  # of methods without a server
AT_WORST_NODE = {"objective_node_most": "objective", "accuracy_node_least": "accuracy"}  # and of the mean model
# What can be compared: the metrics of tables, some that only few runs have, and those that run files declare.
COMPARED = METRICS | {
    "suboptimality": Metric("objective above its minimum"),
    "distance": Metric("distance to the minimiser", possible=POSITIVE),
    PERSONAL: Metric("clients' own test accuracy", higher_is_better=True, of="mean over clients, ",
                     possible=SHARE),
}
SCORES = ("accuracy", "test_error")  # on test records with classes, and with real targets


def heading(metric: str, among: Iterable[str]) -> str:
    """Returns the words that distinguish the panel of a metric `among` others, such as "worst node" and "mean of the
    nodes"."""
    if any(name in AT_WORST_NODE for name in among) and (metric in AT_WORST_NODE or metric in AT_WORST_NODE.values()):
        return "worst node" if metric in AT_WORST_NODE else "mean of the nodes"
    return METRICS[metric].name


def learn(runs: Iterable[Run]) -> None:
    """Makes the metrics that run files declare known to COMPARED, with their directions and ranges, which replace those
    of this module. Raises RunFileError where two files declare opposite ones."""
    found: dict[str, Run] = {}
    for run in runs:
        for name, way in run.better.items():
            first = found.setdefault(name, run)
            if first.better[name] != way:
                raise RunFileError(f"{run.path}: '{name}' is better when {way}, but {first.path} says "
                                   f"{first.better[name]}; compare them apart.")
    for name, run in found.items():
        known = COMPARED.get(name, Metric(name.replace("_", " ")))
        COMPARED[name] = replace(known, higher_is_better=run.better[name] == "higher",
                                 possible=run.possible.get(name, known.possible))
        if name in METRICS:
            METRICS[name] = COMPARED[name]


def choose(finals: Mapping[str, Sequence[float]], otherwise: Sequence[str] = ("utility", "objective")) -> str:
    """Returns the score on test records if there is one, else the first metric of `otherwise`, else of all metrics,
    that has any value. Values close to each other change nothing: a tie is an answer, and another metric is another
    question. `finals` has the final values of each metric, NaN if there is none."""
    return next((name for name in (*SCORES, *otherwise, *METRICS)  # whose last ones are NODES
                 if any(not math.isnan(value) for value in finals.get(name, ()))), otherwise[0])


def best(values: Sequence[float], metric: str) -> int:
    """Returns the index of the best value of a metric. NaN is best only if all values are NaN."""
    sign = -1 if METRICS[metric].higher_is_better else 1
    return min(range(len(values)), key=lambda i: math.inf if math.isnan(values[i]) else sign * values[i])
