"""The run files that a command line names."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from ..io.content import ChangedFileWarning, of_change
from ..io.errors import RunFileError
from ..io.run_file import IncompleteRunWarning, Run, read_run
from ..io.words import printable
from ..model.sweep import gaps_of
from ..model.sweep_files import skipped
from ..model.tuning import marked


def read_runs(files: Sequence[str]) -> list[Run]:
    """Returns the runs of named files and of all run files of named folders, with those for tuning marked. A named file
    must be whole; incomplete files in a folder are skipped with a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IncompleteRunWarning)
        warnings.simplefilter("ignore", ChangedFileWarning)
        runs = [run for file in files for run in (_of_folder(Path(file)) if Path(file).is_dir() else [_whole(file)])]
    for warning in caught:
        print_note(f"warning: {warning.message}")
    return marked(runs)


def gaps_among(files: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Returns sentences on cells without a result in the named folders, whose runs are `runs`."""
    return gaps_of([Path(file) for file in files if Path(file).is_dir()], runs)


def _whole(file: str | Path) -> Run:
    """Returns the run of a file. Refuses a file whose content does not match its checksum."""
    run = read_run(file)
    if run.changed:
        raise RunFileError(of_change(Path(file)))
    return run


def _of_folder(folder: Path) -> list[Run]:
    """Returns the whole runs of a folder. Warns of the damaged ones."""
    files = sorted(path for path in folder.glob("*.h5") if path.is_file())
    runs, damaged = [], []
    for path in files:
        try:
            runs.append(_whole(path))
        except RunFileError as error:
            damaged.append(path.name)
            reason = str(error)
    if not runs:
        raise RunFileError(f"{folder}: none of its {len(files)} run files can be used; the last one: {reason}" if files
                           else f"{folder}: no run files (*.h5) in this folder.")
    for sentence in skipped(folder, damaged, len(files)):
        print_note(f"warning: {sentence}")
    return runs


def print_note(sentence: str) -> None:
    """Prints a sentence on stderr, without control characters."""
    print(printable(sentence), file=sys.stderr)
