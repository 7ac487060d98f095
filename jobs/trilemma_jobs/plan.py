"""What is to be run: the program's arguments, the cells and tasks of a sweep, the runs of a study, where results and
logs go."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .idle import note_of_idle
from .options import ROOT
from .values import UserError, cells as read_cells, specification

FINISHED = ("done", "skipped")  # states of cells that need no run


@dataclass
class Plan:
    """One submission; scripts are rendered from it and from the options."""
    options: object
    name: str
    label: str                       # name, time and PID: distinguishes scripts and logs of two submissions
    command: list[str]               # arguments of the program
    output: str                      # run file, or directory of the sweep
    cells: int = 0                   # of a sweep: how many there are
    wanted: list[int] = field(default_factory=list)
    cells_per_task: int = 1
    skipped: int = 0                 # how many other cells were asked for, but need no run; local back-end only
    any_done: bool = False           # whether cells of the sweep are done already; local back-end only
    runs: list[list[str]] = field(default_factory=list)  # of a study: the arguments of the program, run by run
    after: list[str] = field(default_factory=list)  # the command of the job after it, in place of table and figure

    @property
    def tasks(self) -> list[int]:
        """Numbers of the array tasks; task i has the cells from i * cells_per_task on."""
        return sorted({cell // self.cells_per_task for cell in self.wanted})

    @property
    def array(self) -> str:
        return specification(self.tasks)

    @property
    def nothing_missing(self) -> str:
        """The sentence for a sweep without tasks."""
        return f"nothing is missing: all cells wanted of {self.options.file} are done."

    @property
    def is_sweep(self) -> bool:
        return self.command[0] == "sweep"

    @property
    def analysis(self) -> list[str]:
        if self.after:
            return self.after
        directory = Path(self.output)
        return ["env", f"PYTHONPATH={ROOT / 'analysis'}", str(ROOT / "scripts/python"), "-m", "trilemma_analysis",
                "sweep", str(directory), "--csv", str(directory / "table.csv"), "-o", str(directory / "figure.png"),
                "-o", str(directory / "figure.svg")]


def start(options, *arguments: str) -> subprocess.CompletedProcess:
    """The program's answer here, where the job is submitted."""
    return subprocess.run(options.program_command + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, universal_newlines=True, timeout=300)


def check_settings(options) -> None:
    """Refuses here what the program would refuse hours later, when the job starts."""
    try:
        done = start(options, "config", options.file, *settings(options))
        why = " ".join(done.stderr.split()) or f"code {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as error:
        done, why = None, str(error)
    if done is None or done.returncode not in (0, 2):  # its libraries may be there on the compute nodes only
        print(f"submit: note: {options.program_command[-1]} cannot be started here, so the settings are not checked: "
              f"{why}", file=sys.stderr)
    elif done.returncode == 2:
        raise UserError(re.sub("^trilemma: ", "", why))
    else:
        note_of_idle([done.stdout], options.ranks)


def check_idle(options, where: list[str]) -> None:
    """Prints how many ranks have no clients in cells of the sweep. Only axes change the number of clients of a cell."""
    try:
        sweep = json.loads(ask(options, "--list", "--json", *where))
        axes = [axis for axis in ("clients", "server_hosts") if axis in sweep["axes"]]
        sets = [{**sweep["set"], **{axis: cell["values"][axis] for axis in axes if axis in cell["values"]}}
                for cell in sweep["cells"]]
        data = ["--data-dir", options.data_dir] if options.data_dir else []
        told = [start(options, "config", sweep["experiment"], *words_of(settings), *data)
                for settings in {json.dumps(one): one for one in sets}.values()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, subprocess.TimeoutExpired):
        return  # only a note would be missing
    note_of_idle([done.stdout for done in told if done.returncode == 0], options.ranks)


def words_of(settings: dict) -> list[str]:
    """The settings as arguments of the program."""
    def word(value) -> str:
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    return [part for key, value in settings.items() for part in ("--set", f"{key}={word(value)}")]


def ask(options, *arguments: str) -> str:
    """Standard output of `trilemma sweep FILE ...`."""
    try:
        done = start(options, "sweep", options.file, *arguments)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{options.program_command[-1]} could not be asked for the cells: {error}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}."]
        raise UserError(f"{options.program_command[-1]} cannot read {options.file}: {said[-1]}")
    return done.stdout.strip()


def overrides(options) -> list[str]:
    return [word for setting in options.set for word in ("--set", setting)]


def settings(options) -> list[str]:
    """The user's settings and data directory, as the program wants them."""
    return overrides(options) + (["--data-dir", options.data_dir] if options.data_dir else [])


def default_folder(options) -> str:
    """Where the program puts the sweep's run files by default."""
    try:
        return json.loads(ask(options, "--status", "--json", *settings(options)))["folder"]
    except (ValueError, KeyError) as error:
        raise UserError(f"{options.program_command[-1]} does not say where the run files of {options.file} go; name a "
                        "directory by --output-dir.") from error


def states_of_cells(options, where: list[str]) -> list[str]:
    """What has become of every cell so far, in the program's words."""
    try:
        return [cell["state"] for cell in json.loads(ask(options, "--status", "--json", *where))["cells"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{options.program_command[-1]} does not say which cells of {options.file} are done; "
                        "check --program.") from error


def wanted_cells(options, where: list[str], count: int) -> list[int]:
    wanted = list(range(count))
    if options.cells is not None:
        wanted = read_cells(options.cells)
        if wanted and wanted[-1] >= count:
            raise UserError(f"--cells {options.cells}: {options.file} has the cells 0 to {count - 1}.")
    if options.missing:
        missing = set(read_cells(ask(options, "--missing", *where)))
        wanted = [cell for cell in wanted if cell in missing]
    return wanted


def make(options) -> Plan:
    # Submitted in one second by a loop, two plans must not share their files.
    label = f"{options.name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    if options.kind == "run":
        check_settings(options)
        command = ["run", options.file, *settings(options)]
        return Plan(options, options.name, label, command, options.output or f"runs/{label}.h5")
    output = options.output_dir or default_folder(options)
    where = ["--output-dir", output, *settings(options)]
    count = ask(options, "--count", *where)
    if not count.isdecimal():
        raise UserError(f"{options.program_command[-1]} sweep --count said '{count}' instead of a number.")
    wanted = wanted_cells(options, where, int(count))
    check_idle(options, where)
    command = ["sweep", options.file, *where]
    if options.backend != "local":
        return Plan(options, options.name, label, command, output, int(count), wanted, options.cells_per_task)
    states = states_of_cells(options, where)  # asked once, where the program would look again for every cell
    to_run = [cell for cell in wanted if states[cell] not in FINISHED]
    if options.then_analyse and not to_run:
        to_run = wanted[:1]  # skipped by the program, but only after it wrote sweep.json, which the analysis reads
    return Plan(options, options.name, label, command, output, int(count), to_run, skipped=len(wanted) - len(to_run),
                any_done="done" in states)
