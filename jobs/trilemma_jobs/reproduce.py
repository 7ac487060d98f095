"""One command from an experiment of a paper to its verdict: data, sweeps, judgement; here or with Slurm."""
from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from . import batch, options as submitting, plan as plans, reproductions, script
from .options import ROOT, Parser, at_least
from .values import UserError
from .writing import write_file

DESCRIPTION = """\
Repeats an experiment of one of the five papers: makes the missing runs of its sweeps, judges them by the rule that was
fixed for it, and prints the verdict and its row. Stop it at any time; the same command goes on."""
EPILOG = """\
examples:
  jobs/reproduce --list
  jobs/reproduce NORM-QUAD --jobs 2
  jobs/reproduce NORM-QUAD --seeds 10 --save mine
  jobs/reproduce SOT-A9A-EPS1 --get-data
  jobs/reproduce NORM-FMNIST --backend slurm -- --time 30:00 --partition batch   # options of jobs/submit sweep"""
STOPPED = 85
SAVED_ROWS = ROOT / "docs/results/data"


def run(arguments: list) -> int:
    """What the command line asks for; the exit code."""
    chosen, more = parse(arguments)
    registry = reproductions.read(Path(chosen.file))
    if chosen.list:
        print_list(registry)
        return 0
    experiment = registry.experiment(chosen.id)
    if not experiment.rules:
        raise UserError(sentence_of(experiment))
    source = "Expected" if experiment.paper in registry.beyond else "In the paper"
    print(f"{experiment.id} ({experiment.paper}, {experiment.figure}). {source}: {experiment.expected}")
    rules = [registry.rules[name] for name in experiment.rules]
    sweeps = list(dict.fromkeys(sweep for rule in rules for sweep in rule.sweeps))
    if not chosen.judge:
        chosen.program_command = find_program(chosen)
        bring_data(chosen, rules)
        print_times(rules)
        files = [file_of(sweep, chosen) for sweep in sweeps]
        if chosen.backend == "slurm":
            return submit(chosen, experiment, files, more)
        if code := run_here(chosen, files):
            return code
    return judge(chosen, rules)


def parse(arguments: list) -> tuple:
    """The options, and what stands after `--` for jobs/submit."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    parser = Parser(prog="jobs/reproduce", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", nargs="?", metavar="ID", help="experiment, such as NORM-QUAD")
    parser.add_argument("--list", action="store_true", help="prints all experiments, and ends")
    parser.add_argument("--seeds", type=at_least(1), metavar="N", help="judges the seeds 1 to N (default: those of the "
                        "sweeps; SOT-A9A: at most 10, more are reported separately); runs that exist are kept")
    parser.add_argument("--backend", choices=["local", "slurm"], default="local", help="where (default local); slurm: "
                        "each sweep is an array, and a job after them judges")
    parser.add_argument("--jobs", type=at_least(1), default=1, metavar="N", help="local: runs at once (default 1)")
    parser.add_argument("--save", metavar="DIR", help="writes the rows that the verdict rests on into DIR")
    parser.add_argument("--get-data", action="store_true", help="downloads data sets that are missing (default: names them)")
    parser.add_argument("--judge", action="store_true", help="makes no runs; judges those that exist")
    parser.add_argument("--output-dir", metavar="DIR", default="runs/sweeps", help="the folders of the sweeps are in DIR "
                        "(default runs/sweeps)")
    parser.add_argument("--data-dir", metavar="DIR", help="data directory (default: $TRILEMMA_DATA_DIR, else data/ of the "
                        "repository)")
    parser.add_argument("--program", metavar="PATH", help="default: build/release/trilemma, else trilemma in PATH")
    parser.add_argument("--file", metavar="FILE", default=str(reproductions.FILE), help="another list of experiments; its "
                        "sweeps are in the folder sweeps next to it (default: jobs/reproductions.toml)")
    parser.add_argument("--dry-run", action="store_true", help="prints what would be run or submitted")
    chosen = parser.parse_args(arguments[:place])
    more = arguments[place + 1:]
    chosen.container = None
    if not chosen.list and not chosen.id:
        raise UserError("name an experiment, or use --list.")
    if more and chosen.backend != "slurm":
        raise UserError(f"{more[0]} is for jobs/submit; add --backend slurm.")
    return chosen, more


def print_list(registry) -> None:
    """A line for each experiment."""
    width, room = (max(map(len, texts)) for texts in zip(*((each.id, each.figure)
                                                           for each in registry.experiments.values())))
    for paper, title in registry.papers.items():
        print(f"{paper}: {title}")
        for each in registry.experiments.values():
            if each.paper == paper:
                how = "" if each.rules else f"see {', '.join(each.substitutes)}" if each.substitutes else "not run"
                print(f"  {each.id.ljust(width)}  {each.figure.ljust(room)}  {how}".rstrip())


def sentence_of(experiment) -> str:
    """Why an experiment is not run, and what is there in its place."""
    file = f" {experiment.file} would run it." if experiment.file else ""
    instead = f" In its place: jobs/reproduce {' or '.join(experiment.substitutes)}." if experiment.substitutes else ""
    return f"{experiment.id} cannot be run: {experiment.reason}.{file}{instead}"


def find_program(chosen) -> list:
    """The program as a command; what is only printed needs none."""
    try:
        return submitting.find_program(chosen)
    except UserError:
        if not chosen.dry_run or chosen.program or chosen.backend == "slurm":
            raise
        return ["trilemma"]


def print_times(rules: list) -> None:
    """How long the runs of saved rows took."""
    for rule in rules:
        file = SAVED_ROWS / f"{rule.name}.json"
        if file.is_file():
            saved = json.loads(file.read_text(encoding="utf-8"))
            print(f"{rule.name}: the saved row rests on {saved['runs']} runs of {saved['wall_seconds'] / 60:.0f} min in all, "
                  f"one after another, on {', '.join(saved['machines'])}")


def data_directory(chosen) -> Path:
    """Where the program looks for data."""
    return Path(chosen.data_dir or os.environ.get("TRILEMMA_DATA_DIR") or ROOT / "data").absolute()


def bring_data(chosen, rules: list) -> None:
    """Names the commands that bring missing data, or calls them."""
    folder = data_directory(chosen)
    sets = [name for name in dict.fromkeys(name for rule in rules for name in rule.data)
            if not all((folder / file).is_file() for file in reproductions.files_of(name))]
    derived = [name for name in dict.fromkeys(name for rule in rules for name in rule.derived)
               if not (folder / f"derived/{name}.npz").is_file()]
    commands = [["scripts/get-data", *sets]] if sets else []
    commands += [["scripts/python", "scripts/derive-data", *derived]] if derived else []
    if commands and not chosen.get_data:
        raise UserError(f"{folder} lacks {', '.join(sets + derived)}; run "
                        f"`{' && '.join(map(' '.join, commands))}`, or add --get-data.")
    for command in commands:
        if chosen.dry_run:
            print(" ".join(command))
        elif subprocess.run(command, cwd=ROOT, env=dict(os.environ, TRILEMMA_DATA_DIR=str(folder))).returncode:
            raise UserError(f"`{' '.join(command)}` failed.")


def file_of(sweep: str, chosen) -> str:
    """The file of a sweep, or with --seeds a copy with other seeds."""
    path = Path(chosen.file).parent / f"sweeps/{sweep}.toml"
    if chosen.seeds is None:
        return os.path.relpath(path)
    text = with_seeds(path, path.read_text(encoding="utf-8"), chosen.seeds)
    # A folder of its own: an array that waits in a queue reads its file later, when other seeds may have been asked for.
    copy = Path(chosen.output_dir) / f"seeds-1-to-{chosen.seeds}" / f"{sweep}.toml"
    if not chosen.dry_run:
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_file(copy, text)
    return str(copy)


def with_seeds(path: Path, text: str, count: int) -> str:
    """The text of a sweep with the seeds 1 to `count`. Seed 0, which tunes, stays. Sweeps of seed 0 alone, and of more
    seeds than those of another sweep, remain as they are."""
    before = seeds_of(text)
    wanted = before if before == [0] or min(before) > 1 else [0] * (0 in before) + list(range(1, count + 1))
    text = re.sub(r"(?m)^seeds = (?:\[[^\]]*\]|\d+)", f"seeds = {wanted}", text)
    text = re.sub(r"(?m)^((?:\w+\.)?seed) = \[.*\]$", rf"\1 = {wanted}", text)
    if seeds_of(text) != wanted:
        raise UserError(f"{path}: no line with its seeds, such as `seeds = 3`; leave out --seeds.")
    experiment = os.path.join(path.parent, tomllib.loads(text)["experiment"])
    return re.sub(r"(?m)^experiment = .*$", f'experiment = "{os.path.abspath(experiment)}"', text)


def seeds_of(text: str) -> list:
    """The seeds of a sweep: those of `seeds`, or of a [[zip]] with the key seed."""
    given = tomllib.loads(text)
    zipped = [each["seed"] for each in given.get("zip", []) if "seed" in each]
    found = given.get("seeds", zipped[0] if zipped else [1])
    return found if isinstance(found, list) else list(range(1, found + 1))


def folder_of(sweep: str, chosen) -> str:
    """Where the run files of a sweep are."""
    return os.path.join(chosen.output_dir, sweep)


def run_here(chosen, files: list) -> int:
    """Makes the runs that are missing, sweep after sweep; the exit code."""
    data = ["--data-dir", chosen.data_dir] if chosen.data_dir else []
    for file in files:
        command = [*chosen.program_command, "sweep", file, "--all", "--jobs", str(chosen.jobs), "--output-dir",
                   folder_of(Path(file).stem, chosen), *data]
        if chosen.dry_run:
            print(batch.shell(command))
            continue
        print(f"sweep {Path(file).stem}", flush=True)
        code = returned(command)
        if code == STOPPED:
            print("reproduce: stopped; the same command goes on.", file=sys.stderr)
        elif code:
            print(f"reproduce: the sweep {file} ended with code {code}; fix the cause, the same command goes on.",
                  file=sys.stderr)
        if code:
            return code
    return 0


def returned(command: list) -> int:
    """The exit code of a program that gets Ctrl-C itself: it ends in its own time."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, before)) as running:
            return running.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def judge_commands(chosen, rules: list) -> list:
    """The commands that judge the runs."""
    save = ["--save", chosen.save] if chosen.save else []
    return [[str(ROOT / "scripts/python"), "-m", "trilemma_analysis", "verdict", rule.name,
             *(folder_of(sweep, chosen) for sweep in rule.sweeps), "--row", *save] for rule in rules]


def judge(chosen, rules: list) -> int:
    """Judges the runs by all rules; the exit code."""
    package = os.pathsep.join(filter(None, [str(ROOT / "analysis"), os.environ.get("PYTHONPATH")]))
    for command in judge_commands(chosen, rules):
        if chosen.dry_run:
            print(batch.shell(command))
            continue
        sys.stdout.flush()
        if code := subprocess.run(command, env=dict(os.environ, PYTHONPATH=package)).returncode:
            return code
    return 0


def submit(chosen, experiment, files: list, more: list) -> int:
    """Submits an array for each sweep, and a job that judges when all have ended; the exit code."""
    made = [plans.make(sweep_options(chosen, file, more)) for file in files]
    batch.check_backend(made[0].options)
    last = plan_of_verdict(chosen, experiment, made[-1])
    if chosen.dry_run:
        for each in made:
            batch.dry_run(each)
        path = batch.script_path(last, "-analysis")
        print(f"# ---- {path}\n{script.analysis(last)}\n# ---- commands")
        ids = [f"ARRAY{number}" for number, each in enumerate(made, 1) if each.tasks]
        print(batch.shell(batch.analysis_command(last, str(path), ids)))
        return 0
    ids = []
    for each in made:
        found = batch.submit_tasks(each)
        if found:
            print(f"submitted: {' '.join(found)}, {len(each.wanted)} of {each.cells} cells of {each.output}")
        ids += found
    verdict = batch.submit_analysis(last, ids)
    print(f"verdict:   {verdict}, after them; in {last.options.log_dir}/{last.label}-analysis-{verdict}.log")
    print(f"look:      squeue -j {','.join([*ids, verdict])}")
    return 0


def sweep_options(chosen, file: str, more: list):
    """The options of jobs/submit for a sweep."""
    ranks = [] if "--ranks" in more else ["--ranks", "1"]
    data = ["--data-dir", chosen.data_dir] if chosen.data_dir else []
    program = ["--program", chosen.program] if chosen.program else []
    dry = ["--dry-run"] if chosen.dry_run else []
    return submitting.parse(["sweep", file, *ranks, "--backend", "slurm", "--missing", "--output-dir",
                             folder_of(Path(file).stem, chosen), *data, *program, *dry, *more])


def plan_of_verdict(chosen, experiment, like):
    """The plan of the job that judges, with the options of a sweep's."""
    command = [sys.executable, str(ROOT / "jobs/reproduce"), experiment.id, "--judge", "--output-dir", chosen.output_dir,
               "--file", chosen.file]
    command += ["--save", chosen.save] if chosen.save else []
    command += ["--program", chosen.program] if chosen.program else []
    name = experiment.id.replace("/", "-")
    return plans.Plan(like.options, name, f"{name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}", like.command,
                      like.output, after=command)
