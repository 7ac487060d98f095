"""The nodes of the ranks of a run, and whether the ranks were placed as a job script had requested."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import h5py

from . import checked

MOST_NAMED = 8  # nodes


@dataclass(frozen=True)
class Placement:
    """Node of each rank, counted from 0 in the order of the ranks (empty: not recorded); requested cores per rank and
    threads per core (0: not recorded); whether the ranks were placed as requested (None: nothing was requested)."""

    node: tuple[int, ...] = ()
    cores: int = 0
    threads: int = 0
    as_asked: bool | None = None

    @property
    def key(self) -> tuple[tuple[int, ...], int, int]:
        """Returns the values that distinguish placements."""
        return self.node, self.cores, self.threads

    @property
    def known(self) -> bool:
        """Returns whether the file records the nodes of the ranks."""
        return bool(self.node)

    @property
    def blocks(self) -> list[int]:
        """Ranks on each node."""
        counts = Counter(self.node)
        return [counts[node] for node in sorted(counts)]

    @property
    def most(self) -> int:
        """Ranks on the node with most of them; 0 if not known."""
        return max(self.blocks, default=0)

    @property
    def words(self) -> str:
        """Ranks on each node, such as 6 + 5; empty if not known."""
        blocks = list(map(str, self.blocks))
        shown = blocks[:MOST_NAMED] + ["..."] * (len(blocks) > MOST_NAMED)
        more = [] if list(self.node) == sorted(self.node) else ["not in blocks"]
        more += [f"{self.cores} cores each"] if self.cores > 1 else []
        more += [f"{self.threads} threads a core"] if self.threads > 1 else []
        return ", ".join([" + ".join(shown), *more]) if self.known else ""

    def fits(self, other: Placement) -> bool:
        """Returns whether two placements may be the same. Files of simulated ranks record no placement."""
        return self.key == other.key or not self.known or not other.known


def read_placement(file: h5py.File) -> Placement:
    """Returns the placement that an open run file records."""
    node = checked.array(file, "/phases/node", "an integer", 1).tolist() if checked.has(file, "/phases/node") else []
    if not checked.has(file, "/environment"):
        return Placement(tuple(node))
    group = checked.group(file, "/environment")

    def asked(name: str) -> int | None:
        return checked.attribute(group, name, "an integer") if name in group.attrs else None

    as_asked = asked("placement_as_asked")
    return Placement(tuple(node), asked("cores_per_rank_asked") or 0, asked("threads_per_core_asked") or 0,
                     None if as_asked is None else bool(as_asked))
