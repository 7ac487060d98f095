"""Times of runs on networks, as `trilemma predict --json` writes them and as they were measured, one row a run and
network."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..io import forms
from ..io.errors import RunFileError
from ..io.run_file import Run, WHOLE_VECTORS
from ..io.words import NO_EVIDENCE
from ..model.phases import MEASURING_PHASES
from ..stats.intervals import Interval, interval

RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1, "bit/s"))
CLOSE = 1.01  # ratio of two bandwidths that are one
ALIKE = 1.1  # ratio of the times of single runs below which none is called faster
ROW = ["method", "compressor"]  # what a row of the figure stands for; its runs differ in the seed


class Verdict(Enum):
    """Whether compression makes the first run faster; the value is how a title begins."""

    PAYS = "The best compression pays"
    COSTS = "Compression does not pay"
    TIED = "The best runs with and without compression are tied"


@dataclass(frozen=True)
class Prediction:
    """A prediction: `times` has a row a run and network (method, compressor, label, compressed, network, bandwidth,
    seconds; NaN where the accuracy is not reached), `networks` the bandwidths in bit/s by name, ascending."""

    times: pd.DataFrame
    networks: dict[str, float]
    accuracy: float | None
    ranks: int
    latency: float
    topology: str
    note: str

    @property
    def until(self) -> str:
        """Returns what the seconds are for."""
        return "of the whole run" if self.accuracy is None else f"to test accuracy {forms.percent(self.accuracy)}"


def read_prediction(path: Path) -> Prediction:
    """Returns the output of `trilemma predict --json`."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RunFileError(f"{path}: not JSON; give the output of `trilemma predict --json`.") from error
    if not isinstance(answer, dict) or not (_are_objects(answer.get("runs")) and _are_objects(answer.get("networks"))):
        raise RunFileError(f"{path}: not a prediction; give the output of `trilemma predict --json`.")
    networks = sorted(answer["networks"], key=lambda network: network["bandwidth"])
    if len({network["ranks"] for network in networks}) > 1:
        raise RunFileError(f"{path}: a prediction for several numbers of ranks, but the figure is about one; predict "
                           "with one of them.")
    rows = [_of_run(run) | {"network": rate(network["bandwidth"]), "bandwidth": network["bandwidth"],
                            "seconds": math.nan if found is None else float(found["seconds"])}
            for network in networks for run, found in zip(answer["runs"], network["predictions"])]
    first = networks[0]
    return Prediction(pd.DataFrame(rows), {rate(network["bandwidth"]): network["bandwidth"] for network in networks},
                      answer.get("accuracy"), first["ranks"], first.get("latency", 0.0), first.get("topology", ""),
                      answer.get("note") or "")


def _are_objects(found: Any) -> bool:
    """Returns whether `found` is a list of objects that is not empty."""
    return isinstance(found, list) and bool(found) and all(isinstance(each, dict) for each in found)


def _of_run(run: dict[str, Any]) -> dict[str, Any]:
    """Returns the columns of a run, from its entry in a prediction or the attributes of its file."""
    return {"method": run["method"], "compressor": run["compressor"], "label": run["compressor_label"],
            "compressed": run["compressor_kind"] != WHOLE_VECTORS}


def measured_times(name: str, runs: Sequence[Run], accuracy: float | None) -> pd.DataFrame:
    """Returns the rows of a prediction for runs that were measured on the network `name`."""
    return pd.DataFrame([_of_run(run.attributes) | {"network": name, "bandwidth": math.nan,
                                                    "seconds": seconds_until(run, accuracy)} for run in runs])


def seconds_until(run: Run, accuracy: float | None) -> float:
    """Returns the seconds of rank 0, for which all others wait, without evaluation and recording: of the whole run, or
    until a test accuracy is first reached; NaN if it is not."""
    counted = [i for i, phase in enumerate(run.phase_names) if phase not in MEASURING_PHASES]
    seconds = np.cumsum(run.phase_seconds[1:, 0, counted].sum(axis=1))
    if accuracy is None:
        return float(seconds[-1])
    reached = np.flatnonzero(run.rounds["accuracy"].to_numpy()[1:] >= accuracy)
    return float(seconds[reached[0]]) if len(reached) else math.nan


def rate(bandwidth: float) -> str:
    """Returns a bandwidth in bit/s with two digits.

    >>> rate(9.96e8)
    '1 Gbit/s'
    """
    rounded = float(f"{bandwidth:.2g}")
    factor, unit = next(((factor, unit) for factor, unit in RATES if rounded >= factor), RATES[-1])
    return f"{rounded / factor:g} {unit}"


@dataclass(frozen=True)
class Row:
    """The runs of one method and compressor: the interval over their seeds by network, measured and predicted."""

    method: str
    label: str
    compressed: bool
    measured: dict[str, Interval]
    predicted: dict[str, Interval]

    @property
    def name(self) -> str:
        """Returns method and compressor with its parameter."""
        return f"{self.method}, {self.label}"

    def on(self, network: str) -> Interval | None:
        """Returns the seconds on a network: measured, else predicted. Returns None if the row has no such run, or one
        of its runs does not reach the accuracy, since a median of the others would be too small."""
        return self.measured.get(network) or self.predicted.get(network)


def rows_of(prediction: Prediction, networks: Sequence[str], measured: Sequence[pd.DataFrame]) -> list[Row]:
    """Returns the rows by their seconds on the slowest network. Rows that do not reach the accuracy are last."""
    predicted = prediction.times[prediction.times.network.isin(networks)]
    made = pd.concat(measured) if measured else predicted.iloc[:0]
    rows = []
    for (method, compressor), runs in prediction.times.groupby(ROW, sort=False):
        of_row = [table[(table.method == method) & (table.compressor == compressor)] for table in (made, predicted)]
        rows.append(Row(method, runs.label.iloc[0], bool(runs.compressed.iloc[0]), *map(_by_network, of_row)))
    last = slowest(rows)
    return sorted(rows, key=lambda row: found.median if last and (found := row.on(last)) else math.inf)


def _by_network(times: pd.DataFrame) -> dict[str, Interval]:
    """Returns the intervals of a row's runs, without networks on which one run does not reach the accuracy."""
    return {name: interval(each.seconds.tolist()) for name, each in times.groupby("network", sort=False)
            if each.seconds.notna().all()}


def slowest(rows: Sequence[Row]) -> str | None:
    """Returns the network on which the slowest run takes longest. Of networks within a factor of 2, a measured one is
    returned."""
    longest: dict[tuple[str, bool], float] = {}
    for row in rows:
        for is_measured, times in ((True, row.measured), (False, row.predicted)):
            for name, found in times.items():
                longest[name, is_measured] = max(found.median, longest.get((name, is_measured), 0.0))
    most = max(longest.values(), default=0.0)
    slow = [(is_measured, seconds, name) for (name, is_measured), seconds in longest.items() if 2 * seconds >= most]
    return max(slow)[2] if slow else None


def answer(rows: Sequence[Row], network: str, doubted: Container[str] = ()) -> str:
    """Returns whether compression pays on a network, from the fastest compressed row and the fastest uncompressed row
    of every method. If only one of the two kinds is there, returns which row is first. Times of `doubted` networks are
    no evidence."""
    there = sorted((row for row in rows if row.on(network)), key=lambda row: row.on(network).median)
    small, whole = ([row for row in there if row.compressed == kind] for kind in (True, False))
    doubt = f" ({NO_EVIDENCE})" if network in doubted else ""
    if not small or not whole:
        return f"Done first ({network}): {there[0].name}, in {forms.seconds(there[0].on(network).median)}{doubt}"
    best, first = small[0].on(network), whole[0].on(network)
    kind = _verdict(best, first)
    others = {row.method: row.on(network).median for row in reversed(whole[:1] if kind is Verdict.TIED else whole)}
    against = " or ".join(f"{forms.seconds(value)} ({method})"
                          for method, value in sorted(others.items(), key=lambda pair: pair[1]))
    of = f", the first of {len(small)}" if len(small) > 1 else ""
    times = f"{forms.seconds(best.median)} ({small[0].name}{of}) against {against} uncompressed"
    return f"{kind.value} on {network}: {times}{doubt}"


def _verdict(small: Interval, whole: Interval) -> Verdict:
    """Returns whether the best run with compression is faster than the best one without. They are tied if their
    intervals overlap, or if single runs are closer than ALIKE."""
    if small.n > 1 < whole.n:
        tied = small.low <= whole.high and whole.low <= small.high
    else:
        tied = max(small.median, whole.median) < ALIKE * min(small.median, whole.median)
    return Verdict.TIED if tied else Verdict.PAYS if small.median < whole.median else Verdict.COSTS


@dataclass(frozen=True)
class Envelope:
    """The best compressed and the best uncompressed seconds by bandwidth, and the bandwidths between which the order
    changes, interpolated; None where it does not change or changes more than once."""

    bandwidths: np.ndarray
    small: np.ndarray
    whole: np.ndarray
    crossing: float | None


def envelope_of(prediction: Prediction) -> Envelope:
    """Returns the content of the panel of bandwidths. It needs compressed and uncompressed runs and two bandwidths."""
    medians = prediction.times.groupby([*ROW, "compressed", "bandwidth"]).seconds.agg(
        lambda values: values.median(skipna=False)).reset_index()
    best = medians.groupby(["compressed", "bandwidth"]).seconds.min().unstack(level="compressed")
    if len(best.columns) < 2 or len(best) < 2 or best.isna().any(axis=None):
        raise RunFileError("--panel bandwidth compares compressed with uncompressed runs over several bandwidths. The "
                           "prediction lacks them, or none of a kind reaches the accuracy; leave the option out.")
    bandwidths, gap = best.index.to_numpy(), np.log(best[True] / best[False]).to_numpy()
    changes = np.flatnonzero(np.diff(gap > 0))
    crossing = None
    if len(changes) == 1:
        i = int(changes[0])
        crossing = float(np.exp(np.interp(0, *zip(*sorted(zip(gap[i:i + 2], np.log(bandwidths[i:i + 2])))))))
    return Envelope(bandwidths, best[True].to_numpy(), best[False].to_numpy(), crossing)
