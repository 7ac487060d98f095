"""Seeds for tuning: they choose among settings, and no figure is of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..io.manifest import MANIFEST, read_manifest, tuning_of
from ..io.run_file import Run


def marked(runs: Sequence[Run]) -> list[Run]:
    """Returns the runs, with a mark at those whose seed the sweep.json next to them names for tuning. If that applies
    to all, none is marked: there are no results to confuse them with."""
    folders = {run.path.parent for run in runs}
    seeds = {folder: tuning_of(read_manifest(folder)) for folder in folders if (folder / MANIFEST).is_file()}
    found = [replace(run, tuning=run.attributes["seed"] in seeds.get(run.path.parent, ())) for run in runs]
    return list(runs) if all(run.tuning for run in found) else found


def skipped(seeds: Iterable[int]) -> list[str]:
    """Returns the note on figures without the seeds for tuning; nothing without such seeds."""
    names = list(map(str, sorted(set(seeds))))
    if not names:
        return []
    return [f"seed {names[0]} is for tuning and left out of these figures" if len(names) == 1 else
            f"seeds {', '.join(names[:-1])} and {names[-1]} are for tuning and left out of these figures"]


def seeds_of(runs: Iterable[Run]) -> list[int]:
    """Returns the seeds for tuning among runs."""
    return sorted({run.attributes["seed"] for run in runs if run.tuning})


def to_choose_by(tuning: Sequence[float], results: Sequence[float]) -> Sequence[float]:
    """Returns the values by which rivals are chosen: those of the seeds for tuning if any rival has one, else those of
    the results."""
    return results if all(map(math.isnan, tuning)) else tuning
