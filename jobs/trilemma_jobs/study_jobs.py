"""Jobs of a scaling study: here one run after the other in random order, elsewhere a job for each number of ranks."""
from __future__ import annotations

import copy
import json
import os
import shutil
import sys
import time
from pathlib import Path

from . import script, simulation, slurm_limits, study as studies
from .batch import NAMES, SUBMIT, dependency, make_folders, shell, submit, write
from .local import INTERRUPTED, Interruption, Task
from .options import ROOT
from .placement import Placement, placement_of
from .plan import Plan, words_of
from .progress import STOPPED, end_of
from .values import UserError, clock, counted
from .writing import write_file

MOST_FAILURES = 3  # one after the other, before a local study ends
CALIBRATION = ["calibrate", "--seconds", "0.1", "--largest", "4MiB", "--quiet"]


def simulator(options) -> list[str]:
    """The command that simulates a run."""
    factor = [f"--compute-factor={options.compute_factor}"] if options.compute_factor is not None else []
    return [str(ROOT / "jobs/simulate"), "--platform", options.platform, "--program", options.simulated_program,
            *factor]


def plan_for(placement: Placement, options, label: str, folder: str, runs: list) -> Plan:
    """The plan of all runs on a given number of ranks."""
    own = copy.copy(options)
    own.ranks, own.placement = placement.ranks, placement
    if options.platform:
        own.launcher, own.program_command = "none", simulator(options)
    return Plan(own, options.name, f"{label}-{placement.ranks}", ["study"], folder, runs=runs)


class Jobs:
    """The runs of a study that are to be made, and the jobs that make them."""

    def __init__(self, study, options):
        self.study, self.options = study, options
        self.folder = Path(options.output_dir or f"runs/studies/{study.name}")
        label = f"{options.name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        self.done = 0
        self.order: list = []  # (ranks, place in the runs of these ranks), calibrations first
        by_ranks: dict = {ranks: [] for ranks in study.ranks}
        for ranks in study.ranks:
            target = self.folder / f"network-{ranks}.h5"
            if ranks > 1 and not options.platform and not target.exists():
                self.add(by_ranks, ranks, [*CALIBRATION, "--output", str(target)])
        data = ["--data-dir", options.data_dir] if options.data_dir else []
        for point, repetition in study.order():
            target = self.folder / studies.file_of(point, repetition)
            if target.exists():
                self.done += 1
                continue
            how = ["--ranks", str(point.ranks)] if options.platform else ["run", "--quiet"]
            words = [*how, study.experiment, *words_of(point.settings), *data, "--overwrite", "--output",
                     str(target)]
            if options.platform:
                simulation.refuse_blanks(words)
            self.add(by_ranks, point.ranks, words)
        self.plans = {ranks: plan_for(study.placements[ranks], options, label, str(self.folder), runs)
                      for ranks, runs in by_ranks.items() if any(run[0] != CALIBRATION[0] for run in runs)}
        self.order = [(ranks, place) for ranks, place in self.order if ranks in self.plans]

    def add(self, by_ranks: dict, ranks: int, run: list) -> None:
        self.order.append((ranks, len(by_ranks[ranks])))
        by_ranks[ranks].append(run)

    def script_of(self, ranks: int) -> Path:
        return Path(self.options.log_dir) / f"{self.plans[ranks].label}.sh"

    def check_folder(self) -> None:
        """Refuses a folder with runs that are not in the plan: they would be skipped without a message."""
        path = self.folder / "study.json"
        try:
            before = json.loads(path.read_text(encoding="utf-8"))["runs"]
            files = {run["file"]: run["ranks"] for run in before}
        except FileNotFoundError:
            return
        except (ValueError, LookupError, TypeError) as error:
            raise UserError(f"{path}: not the plan of a study ({error}); give another --output-dir.") from None
        planned = {run["file"] for run in self.study.manifest()["runs"]}
        others = [ranks for file, ranks in files.items() if file not in planned and (self.folder / file).exists()]
        if others:
            raise UserError(f"{self.folder}: {len(others)} of the runs there are not in this plan (on "
                            f"{', '.join(map(str, sorted(set(others))))} ranks) and would be left out; plan them too, "
                            "or give another --output-dir.")

    def write(self) -> None:
        """The manifest and the scripts; runs of the local back-end need the folder."""
        for ranks, plan in self.plans.items():
            make_folders(plan)
            write(self.script_of(ranks), script.job(plan))
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.study.manifest(), indent=1) + "\n"
        write_file(self.folder / "study.json", text)

    def summary(self) -> str:
        study, runs = self.study, len(self.study.points) * self.study.repetitions
        before = f", {self.done} of them done before" if self.done else ""
        simulated = "simulated " if self.options.platform else ""
        plan = f"{counted(len(study.points), 'point')} x {counted(study.repetitions, 'repetition')}"
        return (f"study {study.name}: {plan} = {counted(runs, 'run')} on "
                f"{', '.join(map(str, study.ranks))} {simulated}rank{'s' * (study.ranks != [1])}{before}")


def run(options) -> int:
    """Submits a study, or runs it here."""
    study = studies.read(options.file, options.ranks, options.repetitions, options.set)
    if options.platform:  # in a folder of their own, separate from measured runs
        simulation.check(options.platform, options.simulated_program, options.compute_factor)
        simulation.refuse_blanks([options.platform, options.simulated_program])
        if options.compute_factor is None and study.ranks[0] == 1:
            raise UserError(f"{study.path}: a round on 1 rank takes no time where computing takes none; leave 1 out of "
                            "ranks, or give a --compute-factor.")
        study.name += f"-{Path(options.platform).stem}"
        study.name += f"-x{options.compute_factor:g}" if options.compute_factor is not None else ""
    study.placements = {ranks: placement_of(options, ranks) for ranks in study.ranks}
    studies.name_points(study, options)
    jobs = Jobs(study, options)
    jobs.check_folder()
    if options.dry_run:
        return dry_run(jobs)
    if options.backend != "local" and shutil.which(SUBMIT[options.backend][0]) is None:
        raise UserError(f"{NAMES[options.backend]}'s {SUBMIT[options.backend][0]} was not found; submit on a login "
                        "node of the cluster, or use --backend local.")
    if options.backend == "local" and options.dependency:
        raise UserError("--dependency needs a batch system; the local back-end starts at once.")
    jobs.write()
    print(jobs.summary(), flush=True)
    if not jobs.plans:
        print(f"nothing is missing: all runs are done.\nresult: {jobs.folder}")
        return 0
    return here(jobs) if options.backend == "local" else elsewhere(jobs)


def commands(jobs: Jobs, ids: list) -> list:
    """Submits one job after the other, each behind the one before it, so that they do not disturb each other; the
    commands. `ids` are those of the jobs so far, and grow."""
    options, found = jobs.options, []
    for ranks in jobs.plans:
        specs = [options.dependency] if options.dependency and not ids else []
        specs += [f"afterany:{ids[-1]}"] if ids else []
        path = str(jobs.script_of(ranks))
        marks = [f"--env=TRILEMMA_SCRIPT={os.path.abspath(path)}"] if options.backend == "flux" else []
        found.append(SUBMIT[options.backend] + dependency(options.backend, specs) + marks + [path])
        if options.dry_run:
            ids.append(f"JOB{len(ids) + 1}")
            continue
        in_the_way = slurm_limits.obstacles(options, path) if options.backend == "slurm" else []
        ids.append(submit(found[-1]))
        if in_the_way:
            print(slurm_limits.sentence(ids[-1], in_the_way), file=sys.stderr)
    return found


def dry_run(jobs: Jobs) -> int:
    print(f"# {jobs.summary()}")
    for ranks, plan in jobs.plans.items():
        print(f"# ---- {jobs.script_of(ranks)}\n{script.job(plan)}")
    print("# ---- commands")
    if jobs.options.backend == "local":
        for ranks, place in jobs.order:
            print(f"TRILEMMA_TASK={place} bash {shell([str(jobs.script_of(ranks))])}")
    else:
        print("\n".join(map(shell, commands(jobs, []))))
    return 0


def elsewhere(jobs: Jobs) -> int:
    if jobs.options.backend in ("pbs", "flux"):
        print(f"submit: note: the {jobs.options.backend} back-end is UNTESTED; read the script first (--dry-run).",
              file=sys.stderr)
    ids: list = []
    commands(jobs, ids)
    print(f"submitted: {' '.join(ids)}, one after the other\nresult:    {jobs.folder}\n"
          f"logs:      {jobs.options.log_dir}/{jobs.options.name}-*.log")
    return 0


def attend(task: Task) -> Task:
    while not task.ended():
        time.sleep(0.02)
    return task


def here(jobs: Jobs) -> int:
    """One run after the other in the order of the plan."""
    interruption = Interruption("stopping the run, which will be started over")
    begun, failed, in_a_row = time.monotonic(), 0, 0
    for number, (ranks, place) in enumerate(jobs.order, 1):
        log = Path(jobs.options.log_dir) / f"{jobs.plans[ranks].label}-{place}.log"
        task = attend(Task(str(jobs.script_of(ranks)), place, log, interruption, 0))
        if interruption.count or task.code == STOPPED:
            print("submit: interrupted; the same command goes on with what is not done.", file=sys.stderr)
            return INTERRUPTED
        now = time.monotonic()
        if task.code == 0:
            in_a_row = 0
        else:
            failed, in_a_row = failed + 1, in_a_row + 1
            said = end_of(log.read_text(encoding="utf-8", errors="replace"), task.code)[0]
            print(f"submit: a run on {counted(ranks, 'rank')} FAILED (see {log}): {said}", file=sys.stderr)
        left = (now - begun) / number * (len(jobs.order) - number)
        what = "calibration" if jobs.plans[ranks].runs[place][0] == CALIBRATION[0] else "run"
        if what == "calibration" and task.code == 0 and not Path(jobs.plans[ranks].runs[place][-1]).exists():
            what = "no calibration (they share cores)"
        print(f"[{number}/{len(jobs.order)}] {what} on {counted(ranks, 'rank')} after {now - task.begun:.1f} s, about "
              f"{clock(left)} left", flush=True)
        if in_a_row >= MOST_FAILURES:
            print(f"submit: stopped since {in_a_row} runs in a row failed; fix the cause and give the command again.",
                  file=sys.stderr)
            break
    if not failed:
        print(f"result: {jobs.folder}")
    return 3 if failed else 0
