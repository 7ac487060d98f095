"""The command line of jobs/submit."""
from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from difflib import get_close_matches
from pathlib import Path

from .placement import CHECKS, note_of_uneven, placement_of
from .values import UserError, cells, memory, seconds

ROOT = Path(__file__).resolve().parents[2]
SIMULATED_PROGRAM = str(ROOT / "build/simgrid/trilemma")
SIGNAL_BEFORE = 120  # seconds

DESCRIPTION = """\
Renders job scripts and submits them: one run, a sweep as a job array with an analysis job after it, or a scaling study.
Jobs stop with a checkpoint before their time limit, are requeued and resume; so do preempted ones. See
docs/how-to/run-on-a-cluster.md."""

EXAMPLES = """\
examples:
  jobs/submit run jobs/experiments/demo.toml --ranks 11 --nodes 2 --time 01:00:00
  jobs/submit sweep SWEEP.toml --ranks 3 --time 30:00 --max-parallel 8 --then-analyse
  jobs/submit sweep SWEEP.toml --ranks 3 --missing          # only cells that are not done
  jobs/submit sweep SWEEP.toml --ranks 1 --backend local    # the same plan without a batch system
  jobs/submit study jobs/studies/mnist.toml --backend local # the same runs on 1, 2, ... ranks, for times
  jobs/submit study FILE.toml --backend local --platform jobs/platforms/two-sites.xml --ranks 16,32,64  # simulated ones
  jobs/submit ... --dry-run                                 # prints scripts and commands, writes nothing"""


class Parser(argparse.ArgumentParser):
    """Bad options end in one sentence, as all mistakes do; it names the nearest option where one is misspelt."""

    def parse_known_args(self, args=None, namespace=None):
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            known = [name for action in self._actions for name in action.option_strings if name.startswith("--")]
            near = [match for word in unknown if word.startswith("-")
                    for match in get_close_matches(word.partition("=")[0], known, n=1)]
            self.error(f"unrecognized arguments: {' '.join(unknown)}" + (f"; did you mean {near[0]}?" if near else ""))
        for action in self._actions:
            given = getattr(found, action.dest, None)
            if given != action.default and "" in (given if isinstance(given, list) else [given]):
                self.error(f"{'/'.join(action.option_strings) or action.metavar}: an empty value, as from a variable "
                           "that is not set; give a value, or leave the option out")
        return found, unknown

    def error(self, message: str):
        raise UserError(f"{message} (see {self.prog} --help).")


def at_least(least: int):
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)
    return number


def list_of_ranks(text: str) -> list[int]:
    return [at_least(1)(word) for word in text.split(",")]


def positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return number


def add_simulation(parser, required: bool) -> None:
    """The options that name a platform."""
    parser.add_argument("--platform", metavar="FILE.xml", required=required, help="the network, as SimGrid describes "
                        "it; jobs/platforms has some")
    parser.add_argument("--compute-factor", type=positive, metavar="F", help="computing takes F times as long as here "
                        "(default: no time at all, communication only)")


def common_options(of_study: bool = False) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE.toml", help="the experiment, the sweep or the study")
    what = parser.add_argument_group("what to run")
    what.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a setting (repeatable)")
    what.add_argument("--program", metavar="PATH", help="default: build/release/trilemma or, installed, "
                      "PREFIX/bin/trilemma, else trilemma in PATH")
    what.add_argument("--container", metavar="IMAGE", help="run inside this image by `apptainer exec` or singularity "
                      "(default: none)")
    what.add_argument("--modules", default="", metavar="A,B", help="modules that the job loads first (default: none)")
    what.add_argument("--data-dir", metavar="DIR", help="data directory (default: the program's)")
    size = parser.add_argument_group("size")
    if of_study:
        size.add_argument("--ranks", type=list_of_ranks, metavar="LIST", help="such as 1,2,4,8 (default: the file's)")
        size.add_argument("--repetitions", type=at_least(1), metavar="N", help="default: the file's")
    else:
        size.add_argument("--ranks", type=at_least(1), required=True, metavar="N", help="rank 0 is the server")
        size.add_argument("--nodes", type=at_least(1), metavar="N", help="the ranks in blocks as equal as possible, a "
                          "block on each node (default: left to the batch system)")
    size.add_argument("--ranks-per-node", type=at_least(1), metavar="N", help="as many nodes as that takes" +
                      (", and one for fewer ranks" if of_study else "") + " (default: left to the batch system)")
    size.add_argument("--cpus-per-rank", type=at_least(1), default=1, metavar="N",
                      help="cores of a rank (default 1)")
    size.add_argument("--threads-per-core", type=at_least(1), default=1, metavar="N", help="hardware threads of a core "
                      "that ranks may use (default 1: --hint=nomultithread)")
    size.add_argument("--exclusive", choices=["yes", "no"], default="yes" if of_study else "no",
                      help=f"no other job on the nodes (default {'yes' if of_study else 'no'})")
    size.add_argument("--placement-check", choices=CHECKS, default="refuse", help="if the ranks are not placed "
                      "as requested: refuse (default) ends the job, mark runs it and marks the run file")
    size.add_argument("--mem", metavar="SIZE", help="memory per node, such as 8G (default: the batch system's)")
    size.add_argument("--time", metavar="LIMIT", help="wall time: minutes, MM:SS, HH:MM:SS, D-HH:MM:SS "
                      "(default: the batch system's)")
    where = parser.add_argument_group("where")
    where.add_argument("--backend", choices=["slurm", "local", "pbs", "flux"], default="slurm",
                       help="default slurm; pbs and flux are UNTESTED")
    for option in ("partition", "account", "qos", "constraint", "dependency"):
        where.add_argument(f"--{option}", metavar="SPEC", help="as the batch system wants it (default: none)")
    where.add_argument("--launcher", choices=["auto", "srun", "mpirun"], default="auto",
                       help="auto (default): srun where Slurm knows PMIx, else mpirun")
    where.add_argument("--extra", action="append", default=[], metavar="LINE",
                       help="one more line for the head, such as '#SBATCH --exclusive' (repeatable)")
    again = parser.add_argument_group("stopping and resuming")
    again.add_argument("--max-restarts", type=at_least(0), default=20, metavar="N",
                       help="give up after this many (default 20)")
    again.add_argument("--signal-before", type=at_least(0), default=SIGNAL_BEFORE, metavar="SECONDS",
                       help=f"stop with a checkpoint this long before the time limit (default {SIGNAL_BEFORE})")
    again.add_argument("--watchdog", type=at_least(0), default=600, metavar="SECONDS",
                       help="end a run that hangs for this long (default 600; 0: never)")
    names = parser.add_argument_group("names")
    names.add_argument("--name", help="name of the job (default: the file's)")
    names.add_argument("--log-dir", default="logs", metavar="DIR", help="scripts and logs (default logs)")
    names.add_argument("--dry-run", action="store_true", help="print scripts and commands, write and submit nothing")
    return parser


def make_parser() -> Parser:
    keep = argparse.RawDescriptionHelpFormatter
    called = os.path.basename(sys.argv[0])  # trilemma-submit, where it is installed
    parser = Parser(prog="jobs/submit" if called == "submit" else called, description=DESCRIPTION, epilog=EXAMPLES,
                    formatter_class=keep, allow_abbrev=False)
    kinds = parser.add_subparsers(dest="kind", metavar="run|sweep|study", required=True, parser_class=Parser)
    shared = common_options()
    run = kinds.add_parser("run", parents=[shared], help="one experiment", allow_abbrev=False)
    run.add_argument("--output", metavar="RUN.h5", help="run file (default: runs/NAME-TIME-PID.h5); an "
                     "unfinished one is resumed, a complete one is left alone")
    sweep = kinds.add_parser("sweep", parents=[shared], help="a sweep as a job array", allow_abbrev=False)
    sweep.add_argument("--output-dir", metavar="DIR",
                       help="run files of the sweep (default: the program's, runs/sweeps/NAME)")
    sweep.add_argument("--cells-per-task", type=at_least(1), default=1, metavar="N",
                       help="cells of one array task, one after the other (default 1)")
    sweep.add_argument("--max-parallel", type=at_least(1), metavar="N",
                       help="array tasks at once (default: as many as fit; local: 1)")
    sweep.add_argument("--missing", action="store_true", help="only cells that are not done")
    sweep.add_argument("--cells", metavar="LIST", help="only these cells, such as 0,3,5-8 (default: all)")
    sweep.add_argument("--keep-going", action="store_true",
                       help="local: do not stop when cell after cell fails with the same message (default: after 3)")
    sweep.add_argument("--then-analyse", action="store_true",
                       help="after the array a job that draws table and figure into the output directory")
    sweep.add_argument("--analyse-after", choices=["any", "ok"], default="any",
                       help="any (default): when all tasks have ended, well or not, so that what there is gets drawn; "
                       "ok: only when all have ended well, else the analysis job is dropped")
    study = kinds.add_parser("study", parents=[common_options(of_study=True)], allow_abbrev=False,
                             help="one experiment on several numbers of ranks, repeated, for times")
    study.add_argument("--output-dir", metavar="DIR", help="run files of the study (default: runs/studies/NAME); those "
                       "that are complete are not run again")
    simulated = study.add_argument_group("simulated ranks", "with --backend local; see docs/how-to/simulate-ranks.md")
    add_simulation(simulated, required=False)
    simulated.add_argument("--simulated-program", metavar="PATH", default=SIMULATED_PROGRAM,
                           help="default: build/simgrid/trilemma (scripts/build simgrid trilemma)")
    return parser


def find_program(options) -> list[str]:
    """Program as a command, behind the container's where there is one."""
    if options.container:
        tool = shutil.which("apptainer") or shutil.which("singularity")
        if tool is None and not options.dry_run:
            raise UserError("--container needs apptainer or singularity in PATH; load its module first.")
        if "://" not in options.container and not Path(options.container).exists():
            raise UserError(f"--container {options.container}: no such image.")
        return [Path(tool or "apptainer").name, "exec", options.container, options.program or "trilemma"]
    if options.program:
        path = shutil.which(options.program)
        if path is None:
            raise UserError(f"--program {options.program}: there is no such program.")
        return [os.path.abspath(path)]
    built = ROOT / "build/release/trilemma"
    if ROOT.parts[-2:] == ("share", "trilemma"):  # installed
        built = ROOT.parents[1] / "bin/trilemma"
    path = str(built) if os.access(built, os.X_OK) else shutil.which("trilemma")
    if path is None:
        raise UserError(f"{built} is not there; build it with scripts/build, or name another by --program.")
    return [path]


def check_texts(options) -> None:
    """A line break would end a directive's line, and the script would run what follows. --extra is taken as it is."""
    for key, value in vars(options).items():
        option = "FILE.toml" if key == "file" else "--" + key.replace("_", "-")
        for text in value if isinstance(value, list) and key != "extra" else [value]:
            if isinstance(text, str) and re.search(r"[\x00-\x1f\x7f]", text):
                raise UserError(f"{option} {ascii(text)}: a line break or another control character; take it out.")
    if options.backend == "slurm" and re.search(r"[\x00-\x1f\x7f]", os.getcwd()):
        raise UserError(f"{ascii(os.getcwd())}: a working directory with a line break or another control character; "
                        "submit in another.")
    if options.backend == "pbs":  # whose directives know no quotes in these places
        for key in ("partition", "account", "qos", "constraint"):
            if re.search(r"[\s\"']", getattr(options, key) or ""):
                raise UserError(f"--{key} {getattr(options, key)}: blanks and quotes cannot be given to PBS; "
                                "take them out.")


def is_sweep(file: str) -> bool:
    """Whether a file has what only sweeps have: their experiment or axes. Python 3.8 reads no TOML."""
    with open(file, encoding="utf-8", errors="replace") as lines:
        return any(re.match(r"\s*(experiment\s*=|axes\s*\.|\[\s*axes\b|\[\[\s*zip\b)", line) for line in lines)


def check_simulation(options) -> None:
    """Refuses options that do not go together with simulated ranks, or are for these alone."""
    if options.platform is None:
        if options.compute_factor is not None:
            raise UserError("--compute-factor is for simulated ranks; name a --platform.")
        return
    if options.backend != "local":
        raise UserError("--platform simulates all ranks in one process here; add --backend local.")
    for option, default in (("container", None), ("launcher", "auto"), ("ranks_per_node", None),
                            ("cpus_per_rank", 1), ("threads_per_core", 1)):
        if getattr(options, option) != default:
            raise UserError(f"--{option.replace('_', '-')} has no meaning for simulated ranks; leave it out.")


def tell_unused(options) -> None:
    """Says which options only a batch system would have read."""
    unused = ["--" + key.replace("_", "-") for key in ("mem", "time", "partition", "account", "qos", "constraint",
                                                       "extra") if getattr(options, key, None)]
    unused += ["--signal-before"] if options.signal_before != SIGNAL_BEFORE else []
    if options.backend == "local" and unused:
        print(f"submit: note: {', '.join(unused)}: read by batch systems alone, without effect here", file=sys.stderr)


def check(options) -> None:
    """Refuses what can be seen to be wrong before anything is written."""
    check_texts(options)
    if not Path(options.file).is_file():
        raise UserError(f"{options.file}: no such file.")
    if options.kind == "run" and is_sweep(options.file):
        raise UserError(f"{options.file} is a sweep or a study, not an experiment; submit it with jobs/submit sweep or "
                        "jobs/submit study.")
    for setting in options.set:
        if re.match(r"[^=\s]+=", setting) is None:
            raise UserError(f"--set {setting}: expected KEY=VALUE.")
    if options.mem:
        memory(options.mem)
    options.seconds = seconds(options.time) if options.time else None
    if options.seconds is not None and options.seconds <= options.signal_before:
        raise UserError(f"--time {options.time} is {options.seconds} s, and --signal-before {options.signal_before} "
                        "leaves nothing of it; ask for more time (HH:MM:SS), or signal later.")
    options.exclusive = options.exclusive == "yes"
    if options.kind == "study":
        check_simulation(options)
    else:
        options.placement = placement_of(options, options.ranks)
    if options.kind == "sweep" and options.cells is not None:
        cells(options.cells)
        if options.cells_per_task > 1:
            raise UserError("--cells names single cells, --cells-per-task takes several in a row; give one of the two.")
    if options.name is None:
        options.name = Path(options.file).stem
    if re.fullmatch(r"[^/%\\\x00-\x1f]+", options.name) is None:
        raise UserError(f"--name {options.name}: a name without / % \\ and line breaks is needed.")
    options.program_command = find_program(options)
    tell_unused(options)
    if options.kind != "study":
        note_of_uneven(options.placement)


def parse(arguments: list[str]):
    options = make_parser().parse_args(arguments)
    check(options)
    return options
