"""Reads the run files of Trilemma and turns them into tables and figures."""

from .io.content import ChangedFileWarning
from .io.errors import RunFileError
from .io.run_file import IncompleteRunWarning, Run, read_run
from .model.sweep import Sweep, read_sweep

__all__ = ["ChangedFileWarning", "IncompleteRunWarning", "Run", "RunFileError", "Sweep", "read_run", "read_sweep"]
