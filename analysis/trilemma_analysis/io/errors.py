"""The error of the package."""

from __future__ import annotations


class RunFileError(Exception):
    """A run file cannot be used; the text is one sentence for the user."""
