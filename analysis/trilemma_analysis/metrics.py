"""The metrics that tables and figures compare: their names, and which one is shown where nobody has chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A column of the run file as an axis of a figure."""

    name: str
    higher_is_better: bool = False
    of: str = ""

    @property
    def axis(self) -> str:
        """The label of an axis."""
        return f"{self.name}\n({self.of}{'higher' if self.higher_is_better else 'lower'} is better)"


METRICS = {
    "utility": Metric("mean squared gradient norm", of="over rounds, "),
    "objective": Metric("objective f"),
    "accuracy": Metric("test accuracy", higher_is_better=True),
    "test_error": Metric("test error", of="root mean square, "),
    "test_loss": Metric("test loss"),
    "gradient_norm_squared": Metric("squared gradient norm"),
}
SCORES = ("accuracy", "test_error")  # on test records with classes, and with real targets
ACCURACY_SPREAD = 0.02  # where final accuracies differ by less, accuracy says nothing about what is compared


def choose(finals: Mapping[str, Sequence[float]], otherwise: Sequence[str] = ("utility", "objective")) -> str:
    """Accuracy where it tells final values apart, the error of real targets where they have one, else the first metric
    of `otherwise`, else of all metrics, that has any value. `finals` has the final values of each metric, NaN where there is none."""
    known = {name: [value for value in values if not math.isnan(value)] for name, values in finals.items()}
    accuracies = known.get("accuracy", [])
    if accuracies and max(accuracies) - min(accuracies) > ACCURACY_SPREAD:
        return "accuracy"
    if known.get("test_error"):
        return "test_error"
    return next((name for name in (*otherwise, *METRICS) if known.get(name)), otherwise[0])


def best(values: Sequence[float], metric: str) -> int:
    """The place of the best value of a metric; NaN is never best, unless there is nothing else."""
    sign = -1 if METRICS[metric].higher_is_better else 1
    return min(range(len(values)), key=lambda i: math.inf if math.isnan(values[i]) else sign * values[i])
