"""The command line of the package. Each command is a module of this folder, which is imported only when it is named."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from ..io.errors import RunFileError
from ..io.words import printable
from . import options

# The module of a command has its name, `add(parser)` and `run(options)`.
COMMANDS = {
    "best": "rank methods within a budget, or by what they need until a target",
    "sweep": "table and figure of a sweep",
    "curves": "draw metrics of runs against rounds, bits and time",
    "cost": "draw what privacy costs: a metric against epsilon",
    "table": "print the final figures of runs",
    "export": "write runs in the file formats of other tools",
    "verdict": "judge a reproduction by its rule",
    "network": "draw what runs take on networks",
    "scaling": "judge and draw a scaling study",
    "report": "write one page about a sweep, which needs no network",
    "simulated": "draw the time of a round against simulated ranks",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Executes one command. Returns the exit code, 2 for a mistake of the user."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names may hold letters that the terminal does not know
            stream.reconfigure(errors="backslashreplace")
    try:
        chosen = _parser(next((word for word in arguments if not word.startswith("-")), "")).parse_args(arguments)
        _module(chosen.command).run(chosen)
        sys.stdout.flush()
    except RunFileError as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        return _complain(f"this Python ({sys.executable}) has no module '{error.name}'; scripts/python finds one that "
                         "has, and scripts/install-deps installs what is missing.")
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.filename or 'output'}: {error.strerror}.")
    return 0


def _parser(named: str) -> argparse.ArgumentParser:
    """Returns the parser with the options of the command `named` and only the names of all others."""
    parser = options.Parser(prog="trilemma_analysis", description="Tables and figures from run files.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words)
        if name == named:
            _module(name).add(command)
    return parser


def _module(command: str) -> ModuleType:
    """Returns the module of a command."""
    return importlib.import_module(f".{command}", __package__)


def _complain(sentence: str) -> int:
    """Prints a mistake of the user; returns its exit code."""
    print(printable(f"trilemma_analysis: {sentence}"), file=sys.stderr)
    return 2
