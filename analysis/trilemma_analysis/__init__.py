"""Reads the run files of Trilemma and turns them into tables and figures."""

from __future__ import annotations

import importlib
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from .io.content import ChangedFileWarning
    from .io.errors import RunFileError
    from .io.run_file import IncompleteRunWarning, Run, read_run
    from .model.sweep import Sweep, read_sweep

__all__ = ["ChangedFileWarning", "IncompleteRunWarning", "Run", "RunFileError", "Sweep", "read_run", "read_sweep"]
# Imported when they are used: `trilemma_analysis --help` does not wait for h5py and pandas.
_MODULES = {"ChangedFileWarning": ".io.content", "RunFileError": ".io.errors", "IncompleteRunWarning": ".io.run_file",
            "Run": ".io.run_file", "read_run": ".io.run_file", "Sweep": ".model.sweep", "read_sweep": ".model.sweep"}


def __getattr__(name: str) -> Any:
    """Returns a public name from the module that defines it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    """Returns the public names."""
    return __all__
