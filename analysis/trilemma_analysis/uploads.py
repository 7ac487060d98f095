"""The axis of uploaded bits: which count of them, and of whom."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .reader import Run

COUNTS = {"payload": ("bits_up_payload", "exact encoding"), "paper": ("bits_up_model", "the papers' count"),
          "mpi": ("bits_up_mpi", "handed to MPI")}


@dataclass(frozen=True)
class Upload:
    """Bits that clients have sent: a count of COUNTS, of all clients together or of one in the mean."""

    count: str = "payload"
    per_client: bool = False

    @property
    def column(self) -> str:
        """The column of the rounds that counts them, of all clients."""
        return COUNTS[self.count][0]

    @property
    def label(self) -> str:
        """Of the axis."""
        return f"bits {'per client, in the mean' if self.per_client else 'from all clients'} ({COUNTS[self.count][1]})"

    def of(self, run: Run) -> pd.Series:
        """The bits that had been sent after each round."""
        return run.rounds[self.column].astype(float) / (run.attributes["clients"] if self.per_client else 1)
