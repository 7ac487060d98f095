"""What the runs of one setting repeat: whether their seeds change the noise alone, or the partition and the split
too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..io.run_file import Run
from .groups import all_settings
from .origins import files_of

SPLIT = "data.seed"  # of the partition, of the records held out and drawn for tests, and of generated records
OF_A_RUN = "noise, minibatches and participants"
SAME = f"seeds change {OF_A_RUN}; records, partition and split are the same in all seeds, so intervals leave out " \
    "what another split would change"


def what_seeds_change(settings: Iterable[Sequence[Run]]) -> list[str]:
    """Returns the sentence on what varies between the seeds, given the runs of every setting; nothing if no setting has
    several seeds."""
    several = [runs for runs in settings if len({run.attributes["seed"] for run in runs}) > 1]
    split = [runs for runs in several if len({split_of(run) for run in runs}) > 1]
    if not several:
        return []
    if not split:
        return [SAME]
    generated = any(not files_of(run) for runs in split for run in runs)
    also = f"the partition and the split{' and the generated records' if generated else ''} ({SPLIT})"
    if len(split) == len(several):
        return [f"seeds change {OF_A_RUN}, and {also}, so intervals cover them"]
    return [f"seeds change {OF_A_RUN}, and of {len(split)} of {len(several)} settings {also}: intervals of the others "
            "leave out what another split would change"]


def split_of(run: Run) -> str:
    """Returns the setting that chooses a run's split, empty without one."""
    return all_settings(run.config).get(SPLIT, "")
