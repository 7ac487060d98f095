"""Reads the run files of Trilemma and turns them into tables and figures."""

from .content import ChangedFileWarning
from .reader import IncompleteRunWarning, Run, RunFileError, read_run
from .sweep import Sweep, read_sweep

__all__ = ["ChangedFileWarning", "IncompleteRunWarning", "Run", "RunFileError", "Sweep", "read_run", "read_sweep"]
