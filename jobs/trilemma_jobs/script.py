"""Job scripts: the templates of jobs/templates with directives and settings filled in."""
from __future__ import annotations

import os
import re
import shlex
import string

from .options import ROOT
from .plan import Plan
from .values import clock

TEMPLATES = ROOT / "jobs/templates"

# A job's shell need not have read what defines `module`. The modules of the submitting shell are not part of the job.
MODULES = """\
set +u  # the scripts of modules expand what is not set
for init in "${MODULESHOME:-}/init/bash" "${LMOD_PKG:-}/init/bash" /usr/share/lmod/lmod/init/bash \\
  /usr/share/modules/init/bash /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do
  ! command -v module >/dev/null && [[ -r $init ]] && source "$init"
done
command -v module >/dev/null ||
  { echo "trilemma job: there is no command 'module' on $(hostname); submit without --modules" >&2; exit 2; }
module purge"""


class Template(string.Template):
    """@{name}, so that the dollars of bash need no care."""
    delimiter = "@"


def quoted(value: str) -> str:
    """A value on a directive's line, which the batch system splits as a shell would."""
    if re.fullmatch(r"[\w@%+=:,./\[\]()&|*!~-]+", value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def file_name(path: str) -> str:
    """Slurm replaces %x in names of files; a percent sign of the user's is doubled."""
    return path.replace("%", "%%")


def extra(options, mark: str) -> list[str]:
    return [line if line.startswith(mark) else f"{mark} {line}" for line in options.extra]


def common_slurm(plan: Plan, name: str, log: str) -> list[str]:
    options = plan.options
    lines = [f"--job-name={quoted(name)}", f"--output={quoted(file_name(f'{options.log_dir}/{plan.label}') + log)}",
             "--open-mode=append"]
    lines += [f"--chdir={quoted(os.getcwd())}"]  # where the names of files hold, wherever the script is submitted
    lines += [f"--{key}={quoted(getattr(options, key))}" for key in ("partition", "account", "qos")
              if getattr(options, key)]
    return lines


def slurm(plan: Plan) -> list[str]:
    options = plan.options
    lines = common_slurm(plan, plan.name, "-%A_%a.log" if plan.is_sweep else "-%j.log")
    lines += options.placement.slurm()
    lines += [f"--{key}={quoted(getattr(options, key))}" for key in ("constraint", "mem", "time")
              if getattr(options, key)]
    lines += [f"--signal=B:USR1@{options.signal_before}"] if options.signal_before else []
    lines += ["--requeue"]
    if plan.is_sweep:
        lines += [f"--array={plan.array}" + (f"%{options.max_parallel}" if options.max_parallel else "")]
    return [f"#SBATCH {line}" for line in lines] + extra(options, "#SBATCH")


def slurm_analysis(plan: Plan) -> list[str]:
    lines = common_slurm(plan, f"{plan.name}-analysis", "-analysis-%j.log")
    return [f"#SBATCH {line}" for line in lines + ["--ntasks=1", "--time=30:00", "--requeue"]]


def pbs(plan: Plan) -> list[str]:
    options = plan.options
    chunk = ""
    if options.mem:  # without a unit Slurm means MB
        chunk += f":mem={options.mem}{'m' if options.mem.isdecimal() else ''}b".lower()
    chunk += f":{options.constraint}" if options.constraint else ""
    lines = [f"-N {re.sub('[^A-Za-z0-9_.-]', '_', plan.name)[:15]}", "-j oe", f"-o {quoted(options.log_dir)}/", "-r y",
             *options.placement.pbs(chunk)]
    lines += [f"-l walltime={clock(options.seconds)}"] if options.seconds else []
    lines += [f"-q {options.partition}"] if options.partition else []
    lines += [f"-A {options.account}"] if options.account else []
    lines += [f"-l qos={options.qos}"] if options.qos else []
    if len(plan.tasks) > 1:  # PBS has no arrays of one, and no lists: the script counts through its tasks
        lines += [f"-J 0-{len(plan.tasks) - 1}" + (f"%{options.max_parallel}" if options.max_parallel else "")]
    return [f"#PBS {line}" for line in lines] + extra(options, "#PBS")


def pbs_analysis(plan: Plan) -> list[str]:
    lines = ["-N analysis", "-j oe", f"-o {quoted(plan.options.log_dir)}/", "-l select=1:ncpus=1"]
    lines += [f"-q {plan.options.partition}"] if plan.options.partition else []
    lines += [f"-A {plan.options.account}"] if plan.options.account else []
    return [f"#PBS {line}" for line in lines]


def flux(plan: Plan) -> list[str]:
    options = plan.options
    lines = [f"--job-name={quoted(plan.name)}", f"--output={quoted(f'{options.log_dir}/{plan.label}')}-{{{{id}}}}.log"]
    lines += options.placement.flux()
    lines += [f"--time-limit={options.seconds}s"] if options.seconds else []
    lines += [f"--queue={quoted(options.partition)}"] if options.partition else []
    lines += [f"--bank={quoted(options.account)}"] if options.account else []
    lines += [f"--requires={quoted(options.constraint)}"] if options.constraint else []
    return [f"#flux: {line}" for line in lines] + extra(options, "#flux:")


def flux_analysis(plan: Plan) -> list[str]:
    name = quoted(f"{plan.options.log_dir}/{plan.label}-analysis")
    return [f"#flux: {line}" for line in (f"--job-name=analysis", f"--output={name}.log", "--nslots=1")]


def none(_: Plan) -> list[str]:
    return []


DIRECTIVES = {"slurm": (slurm, slurm_analysis), "pbs": (pbs, pbs_analysis), "flux": (flux, flux_analysis),
              "local": (none, none)}


def array(words: list[str]) -> str:
    return "(" + " ".join(map(shlex.quote, words)) + ")"


def module_lines(options) -> list[str]:
    names = [name for name in re.split(r"[,\s]+", options.modules) if name]
    if not names:
        return []
    return [MODULES, *(f"module load {shlex.quote(name)} || exit 2" for name in names), "set -u"]


def own_timer(options) -> int:
    """Seconds after which a job signals itself: PBS and Flux send nothing before their limit."""
    if options.backend not in ("pbs", "flux") or not options.seconds or not options.signal_before:
        return 0
    return options.seconds - options.signal_before


def data_directory() -> list[str]:
    """The submitter's, for jobs that do not inherit the environment."""
    folder = os.environ.get("TRILEMMA_DATA_DIR")
    return [f"export TRILEMMA_DATA_DIR={shlex.quote(os.path.abspath(folder))}"] if folder else []


def folder_lines(options) -> list[str]:
    """Back to where the names of files hold, wherever the script is submitted; Slurm has --chdir."""
    return [f"cd {shlex.quote(os.getcwd())} || exit 2"] if options.backend in ("pbs", "flux") else []


def settings(plan: Plan) -> list[str]:
    options = plan.options
    shared = options.backend == "local" and plan.is_sweep and (options.max_parallel or 1) > 1
    lines = [*folder_lines(options), *module_lines(options), f"scheduler={options.backend}",
             f"launcher={options.launcher}", *options.placement.settings(), f"shared_cores={int(shared)}",
             f"export TRILEMMA_PLACEMENT_CHECK={options.placement_check}",
             f"program={array(options.program_command)}", f"command={array(plan.command)}",
             f"output={shlex.quote(plan.output)}"]
    if plan.is_sweep:
        lines += [f"tasks=({' '.join(map(str, plan.tasks))})", f"cells={plan.cells}",
                  f"cells_per_task={plan.cells_per_task}"]
    if plan.runs:
        lines += ["runs=("] + [f"  {shlex.quote(' '.join(map(shlex.quote, run)))}" for run in plan.runs] + [")"]
    return lines + [f"max_restarts={options.max_restarts}",
                    f"export TRILEMMA_WATCHDOG={options.watchdog}", *data_directory(),
                    f"signal_before={0 if options.backend == 'local' else options.signal_before}",
                    f"stop_after={own_timer(options)}"]


def fill(plan: Plan, directives: list[str], lines: list[str]) -> str:
    template = Template((TEMPLATES / f"{plan.options.backend}.sh").read_text(encoding="utf-8"))
    parts = ["study.sh"] if plan.runs else []
    body = "".join((TEMPLATES / part).read_text(encoding="utf-8") for part in (*parts, "launch.sh", "job.sh"))
    head = "\n".join(["# shellcheck disable=SC1090,SC2034,SC2154,SC2317", "set -uo pipefail", *lines])
    return template.substitute(directives="\n".join(directives), settings=head, body=body)


def job(plan: Plan) -> str:
    return fill(plan, DIRECTIVES[plan.options.backend][0](plan), settings(plan))


def analysis(plan: Plan) -> str:
    lines = [*folder_lines(plan.options), *module_lines(plan.options), f"scheduler={plan.options.backend}",
             f"command={array(['analyse', *plan.analysis])}"]
    return fill(plan, DIRECTIVES[plan.options.backend][1](plan), lines)
