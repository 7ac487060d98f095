"""The figures of one run: metrics at the last evaluated state, bits, time."""

from __future__ import annotations

import math

import pandas as pd

from ..io.run_file import Run
from .budgets import spent_by
from .clock_rounds import ON_A_CLOCK
from .metrics import NODES
from .phases import SECONDS, with_seconds

COUNTS = ("bits_up_model", "bits_up_payload", "bits_down_model", "bits_down_payload", "bits_up_mpi", "bits_down_mpi")
EDGES = ("bits_edges_model", "bits_edges_payload")  # of decentralised methods
PER_CLIENT = ("bits_up_per_client", "bits_up_largest_client", "bits_down_per_client", "bits_down_largest_client")


def run_figures(run: Run) -> dict[str, float]:
    """Returns the figures of one run. Bits per client are payload bits: the mean over the clients, and those of the
    client with most, if the file has them."""
    seconds = float(run.attributes["wall_seconds"])
    timed = run if SECONDS in run.rounds else with_seconds(run)
    working = float(timed.rounds[SECONDS].iloc[-1])  # without evaluation and recording
    last = run.rounds.iloc[-1]
    return {
        "rounds": run.rounds_done,
        "objective_final": last_known(run.evaluated("objective")),
        "objective_best": run.evaluated("objective").min(),
        "utility": last_known(run.evaluated("utility")),
        "accuracy": last_known(run.evaluated("accuracy")),
        "test_error": last_known(run.evaluated("test_error")),
        "test_loss": last_known(run.evaluated("test_loss")),
        **{name: last_known(run.evaluated(name)) for name in NODES},
        "baseline_score": constant_score(run),
        **{name: float(last[name]) for name in COUNTS},
        **{name: float(last[name]) if name in run.rounds else math.nan for name in EDGES},
        **_per_client(run),
        "simulated_time": float(last[ON_A_CLOCK]) if ON_A_CLOCK in run.rounds else math.nan,
        "wall_seconds": seconds,
        "rounds_per_second": run.rounds_done / working if working > 0 else math.nan,
    }


def _per_client(run: Run) -> dict[str, float]:
    """Returns the payload bits per client at the end, both ways: the mean, and those of the client with most."""
    ends = [spent_by(run, way).iloc[-1] for way in ("up", "down")]
    return dict(zip(PER_CLIENT, (float(end[name]) for end in ends for name in ("sent_mean", "most"))))


def constant_score(run: Run, name: str = "baseline_score") -> float:
    """Returns the score of the best constant model on the records of evaluation, or with "baseline_personal_score" of
    one model for each client; NaN if it is not known."""
    return float(run.attributes.get(name, math.nan))


def last_known(values: pd.Series) -> float:
    """Returns the last value of a metric, NaN without one."""
    return float(values.iloc[-1]) if len(values) else math.nan
