"""Reads the run files of Trilemma and turns them into tables and figures."""

from .reader import IncompleteRunWarning, Run, RunFileError, read_run

__all__ = ["IncompleteRunWarning", "Run", "RunFileError", "read_run"]
