"""Submission to Slurm, PBS and Flux."""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import script, slurm_limits
from .plan import Plan, settings
from .values import UserError
from .writing import write_file

SUBMIT = {"slurm": ["sbatch", "--parsable"], "pbs": ["qsub"], "flux": ["flux", "batch"]}
NAMES = {"slurm": "Slurm", "pbs": "PBS", "flux": "Flux"}
AFTER = {"slurm": {"any": "afterany:", "ok": "afterok:"}, "pbs": {"any": "afterany:", "ok": "afterok:"},
         "flux": {"any": "afterany:", "ok": "afterok:"}}


def dependency(backend: str, specs: list[str]) -> list[str]:
    """Options that make a job wait."""
    if not specs:
        return []
    if backend == "slurm":  # one that can no longer hold would otherwise pend for ever
        return ["--dependency=" + ",".join(specs), "--kill-on-invalid-dep=yes"]
    if backend == "pbs":
        return ["-W", "depend=" + ",".join(specs)]
    return [f"--dependency={spec}" for spec in specs]


def commands(plan: Plan, path: str) -> list[list[str]]:
    """Submit commands of the job: one, or with Flux, which has no arrays, one for each task."""
    options = plan.options
    base = SUBMIT[options.backend] + dependency(options.backend, [options.dependency] if options.dependency else [])
    if options.backend != "flux":
        return [base + [path]]
    base += [f"--env=TRILEMMA_SCRIPT={os.path.abspath(path)}"]
    marks = [[f"--env=TRILEMMA_TASK={task}"] for task in plan.tasks] if plan.is_sweep else [[]]
    return [base + mark + [path] for mark in marks]


def analysis_command(plan: Plan, path: str, ids: list[str]) -> list[str]:
    backend = plan.options.backend
    kind = AFTER[backend][plan.options.analyse_after]
    if backend == "flux":
        specs = [kind + one for one in ids]
    else:
        specs = [kind + ":".join(ids)] if ids else []
    return SUBMIT[backend] + dependency(backend, specs) + [path]


def shell(command: list[str]) -> str:
    return " ".join(map(shlex.quote, command))


def submit(command: list[str]) -> str:
    """Runs a submit command; the job's id."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        said = " ".join(line for line in done.stderr.split("\n") if line) or f"code {done.returncode}"
        raise UserError(f"{command[0]} refused the job: {said}")
    sys.stderr.write(done.stderr)
    return done.stdout.strip().splitlines()[-1].split(";")[0]


def check_array(plan: Plan) -> None:
    """Slurm refuses array tasks from MaxArraySize on, in words that do not help."""
    if shutil.which("scontrol") is None:
        return
    done = subprocess.run(["scontrol", "show", "config"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True)
    limits = [line.split("=")[1].strip() for line in done.stdout.splitlines() if line.startswith("MaxArraySize")]
    if limits and limits[0].isdecimal() and plan.tasks[-1] >= int(limits[0]):
        least = -(-plan.cells // int(limits[0]))
        raise UserError(f"this cluster allows array tasks up to {int(limits[0]) - 1}, and the sweep needs "
                        f"{plan.tasks[-1]}; use --cells-per-task {least} or more.")


def make_folders(plan: Plan) -> None:
    """For scripts and logs, and for the result: a batch system that cannot open its log ends the job in silence."""
    os.makedirs(plan.options.log_dir, exist_ok=True)
    os.makedirs(plan.output if plan.is_sweep else os.path.dirname(plan.output) or ".", exist_ok=True)


def write(path: Path, text: str) -> str:
    write_file(path, text, 0o777)
    return str(path)


def script_path(plan: Plan, suffix: str = "") -> Path:
    """The label is the plan's own: a script in use must not change under the job."""
    return Path(plan.options.log_dir) / f"{plan.label}{suffix}.sh"


def dry_run(plan: Plan) -> None:
    path, analysis = script_path(plan), script_path(plan, "-analysis")
    work = not plan.is_sweep or bool(plan.tasks)
    if work:
        print(f"# ---- {path}\n{script.job(plan)}")
    else:
        print(f"# {plan.nothing_missing}")
    if plan.is_sweep and plan.options.then_analyse:
        print(f"# ---- {analysis}\n{script.analysis(plan)}")
    print("# ---- commands")
    ids = []
    for command in commands(plan, str(path)) if work else []:
        print(shell(command))
        ids.append(f"JOB{len(ids) + 1}")
    if plan.is_sweep and plan.options.then_analyse:
        print(shell(analysis_command(plan, str(analysis), ids)))


def report(plan: Plan, ids: list[str], analysis: str | None) -> None:
    options = plan.options
    jobs = ids + ([analysis] if analysis else [])
    if ids:
        tasks = f", array of {len(plan.tasks)} tasks, {len(plan.wanted)} of {plan.cells} cells" if plan.is_sweep else ""
        print(f"submitted: {' '.join(ids)}{tasks}")
    if analysis:
        print(f"analysis:  {analysis} (table.csv, figure.png and figure.svg in {plan.output})")
    print(f"result:    {plan.output}")
    print(f"logs:      {options.log_dir}/{plan.label}*.log")
    look = {"slurm": f"squeue -j {','.join(jobs)}    scontrol show job {jobs[0]}    scancel {' '.join(jobs)}",
            "pbs": f"qstat -t {' '.join(jobs)}", "flux": "flux jobs -a"}[options.backend]
    print(f"look:      {look}")
    if plan.is_sweep:
        status = [*options.program_command, "sweep", options.file, "--output-dir", plan.output, *settings(options),
                  "--status"]
        print(f"status:    {shell(status)}")


def check_backend(options) -> None:
    """Refuses a batch system that is not here; says where it is untested."""
    tool = SUBMIT[options.backend][0]
    if options.backend in ("pbs", "flux"):
        print(f"submit: note: the {options.backend} back-end is UNTESTED; read the script first (--dry-run).",
              file=sys.stderr)
    if not options.dry_run and shutil.which(tool) is None:
        others = ", ".join(name for name in SUBMIT if name != options.backend)
        raise UserError(f"{NAMES[options.backend]}'s {tool} was not found; submit on a login node of the cluster, or "
                        f"use another --backend (local, {others}).")


def submit_tasks(plan: Plan) -> list[str]:
    """Submits the run, or the cells that are wanted; the ids of the jobs."""
    options = plan.options
    if options.backend == "slurm" and plan.tasks:
        check_array(plan)
    make_folders(plan)
    if plan.is_sweep and not plan.tasks:
        print(plan.nothing_missing)
        return []
    path = write(script_path(plan), script.job(plan))
    in_the_way = slurm_limits.obstacles(options, path) if options.backend == "slurm" else []
    ids = [submit(command) for command in commands(plan, path)]
    if in_the_way:
        print(slurm_limits.sentence(ids[0], in_the_way), file=sys.stderr)
    return ids


def submit_analysis(plan: Plan, ids: list[str]) -> str:
    """Submits what is to be done after the jobs of these ids; its own id."""
    path = write(script_path(plan, "-analysis"), script.analysis(plan))
    return submit(analysis_command(plan, path, ids))


def run(plan: Plan) -> int:
    options = plan.options
    check_backend(options)
    if options.dry_run:
        dry_run(plan)
        return 0
    ids = submit_tasks(plan)
    analysis = submit_analysis(plan, ids) if plan.is_sweep and options.then_analyse else None
    if ids or analysis:
        report(plan, ids, analysis)
    return 0
