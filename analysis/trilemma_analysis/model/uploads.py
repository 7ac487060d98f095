"""Bits of payload: those that a run was planned with, those that crossed, and the axis of a figure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ..io.run_file import Run

COUNTS = {"payload": ("bits_up_payload", "exact encoding"), "paper": ("bits_up_model", "the paper's own count"),
          "mpi": ("bits_up_mpi", "handed to MPI"),
          "edges": ("bits_edges_payload", "each message once for each receiver")}
SAME = 1e-9  # relative: what was planned and what was sent are equal


def planned_bits(run: Run, way: str) -> pd.Series | None:
    """Returns the expected payload bits of all clients until each state, over the random participants. Budgets are
    planned with them (docs/reference/sweep-files.md, "The budget of bits"). Returns None if the configuration does not
    determine them, as with messages of different sizes."""
    each = run.attributes.get(f"planned_bits_{way}", math.nan)
    before = run.attributes.get("planned_bits_down_before", math.nan) if way == "down" else 0.0
    if not (math.isfinite(each) and math.isfinite(before)):
        return None
    rounds = run.rounds["round"].astype(float)
    return run.attributes["clients"] * (each * rounds + before * (rounds > 0))


def sent_bits(run: Run, way: str) -> pd.Series:
    """Returns the payload bits of all clients that had crossed at each state; NaN if privacy.strict withholds them."""
    return run.rounds[f"bits_{way}_payload"].astype(float)


def counted_bits(run: Run, way: str) -> pd.Series:
    """Returns the payload bits that are compared: the planned ones if the file has them, else those that crossed."""
    planned = planned_bits(run, way)
    return sent_bits(run, way) if planned is None else planned


def chance_of(runs: Iterable[Run]) -> list[str]:
    """Returns a sentence on an axis of bits if other bits crossed than were planned."""
    shares = []
    for run in runs:
        planned, sent = planned_bits(run, "up"), sent_bits(run, "up").iloc[-1]
        if planned is not None and planned.iloc[-1] > 0 and not math.isnan(sent):
            shares.append(sent / planned.iloc[-1] - 1)
    if not shares or max(map(abs, shares)) <= SAME:
        return []
    return ["bits are those expected over who takes part, by which budgets are planned; by the end runs had sent "
            f"{_more(min(shares))} to {_more(max(shares))}"]


def _more(share: float) -> str:
    """Returns a share as a percentage that is more or less."""
    return f"{abs(share):.2%} {'less' if share < 0 else 'more'}"


@dataclass(frozen=True)
class Upload:
    """Bits that clients have sent: a count of COUNTS, of one client in the mean or of all together."""

    count: str = "payload"
    per_client: bool = True

    @property
    def column(self) -> str:
        """Returns the column of the rounds that counts these bits, of all clients."""
        return COUNTS[self.count][0]

    @property
    def label(self) -> str:
        """Returns the label of the axis."""
        return f"bits {'per client' if self.per_client else 'from all clients'}, {COUNTS[self.count][1]}"

    def of(self, run: Run) -> pd.Series:
        """Returns the bits after each round: of the payload those that are compared, of other counts those that were
        sent. On edges, a method with a server has its payload."""
        # A message to a server has one receiver.
        is_payload = self.count == "payload" or (self.count == "edges" and self.column not in run.rounds)
        bits = counted_bits(run, "up") if is_payload else run.rounds[self.column].astype(float)
        return bits / (run.attributes["clients"] if self.per_client else 1)
