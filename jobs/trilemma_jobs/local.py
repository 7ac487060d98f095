"""The local back-end: the same job script, started here, one task after the other or several at once."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import script
from .batch import make_folders, script_path, shell, write
from .plan import Plan
from .progress import STOPPED, Failures, Progress
from .values import UserError
from .writing import open_log

INTERRUPTED = 130


class Interruption:
    """Ctrl-C, TERM and HUP: first asks all tasks to stop with a checkpoint, the second time ends them. `saying` tells
    the user what becomes of them."""

    def __init__(self, saying: str = "stopping with a checkpoint"):
        self.count = 0
        self.saying = saying
        self.children: set[subprocess.Popen] = set()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self.on_signal)

    def on_signal(self, _number, _frame):
        self.count += 1
        if self.count == 1:
            print(f"\nsubmit: {self.saying}; a second signal ends it at once", file=sys.stderr, flush=True)
        for child in list(self.children):
            try:
                if self.count == 1:
                    os.kill(child.pid, signal.SIGUSR1)
                else:  # the child leads its own session: its whole group can be ended
                    os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Task:
    """One run or one cell; started again for as long as it stops with a checkpoint."""

    def __init__(self, path: str, number: int, log: Path | None, interruption: Interruption, most: int):
        self.path, self.number, self.log, self.interruption, self.most = path, number, log, interruption, most
        self.restart, self.child, self.code, self.begun = 0, None, None, time.monotonic()
        self.start()

    def start(self):
        env = dict(os.environ, TRILEMMA_TASK=str(self.number), TRILEMMA_RESTART=str(self.restart))
        out = open_log(self.log) if self.log else None
        try:
            self.child = subprocess.Popen(["bash", self.path], env=env, stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=subprocess.STDOUT if out else None, start_new_session=True)
        finally:
            if out:
                out.close()
        self.interruption.children.add(self.child)

    def ended(self) -> bool:
        code = self.child.poll()
        if code is None:
            return False
        self.interruption.children.discard(self.child)
        if code == STOPPED and not self.interruption.count and self.restart < self.most:
            self.restart += 1
            self.start()
            return False
        self.code = code
        return True


def work_off(plan: Plan, path: str, interruption: Interruption) -> list[Task]:
    """Runs all tasks, at most --max-parallel at once, until too many fail alike; the tasks that were started."""
    options = plan.options
    waiting = list(plan.tasks) if plan.is_sweep else [0]
    running, done = [], []
    width = (options.max_parallel or 1) if plan.is_sweep else 1
    progress, failures = Progress(plan), Failures(plan.is_sweep and options.keep_going, plan.any_done)
    while running or (waiting and not interruption.count):
        while waiting and len(running) < width and not interruption.count:
            number = waiting.pop(0)
            log = Path(options.log_dir) / f"{plan.label}-{number}.log" if plan.is_sweep else None
            running.append(Task(path, number, log, interruption, options.max_restarts))
        for task in [task for task in running if task.ended()]:
            running.remove(task)
            done.append(task)
            if plan.is_sweep:
                progress.report(task)
                if task.code != STOPPED:
                    failures.note(task)
        if waiting and failures.enough:
            print(f"submit: stopped since {failures.in_a_row} cells in a row failed with \"{failures.message}\"; "
                  f"{len(waiting)} cells were not started: fix the cause, or run them with --keep-going.",
                  file=sys.stderr)
            waiting.clear()
        time.sleep(0.02)
    return done


def conclude(plan: Plan, done: list[Task], interrupted: bool) -> int:
    """Says how it went; the exit code."""
    again = "the same command resumes from the checkpoints" + (" (--missing skips what is done)" if plan.is_sweep
                                                               else f" with --output {shell([plan.output])}")
    if interrupted and not (done and not plan.is_sweep and done[0].code == 0):
        print(f"submit: interrupted; {again}.", file=sys.stderr)
        return INTERRUPTED
    if not plan.is_sweep:
        return done[0].code if done[0].code >= 0 else 128 - done[0].code
    stopped = [task.number for task in done if task.code == STOPPED]
    failed = [task.number for task in done if task.code not in (0, STOPPED)]
    if stopped:
        print(f"submit: gave up after {plan.options.max_restarts} restarts: cells "
              f"{', '.join(map(str, sorted(stopped)))}; {again}.", file=sys.stderr)
    if failed:
        print(f"submit: FAILED: cells {', '.join(map(str, sorted(failed)))}; logs: "
              f"{plan.options.log_dir}/{plan.label}-CELL.log.", file=sys.stderr)
    return 3 if failed else STOPPED if stopped else 0


def analyse(plan: Plan, code: int) -> int:
    if plan.options.analyse_after == "ok" and code != 0:
        print("submit: not all cells are done, so no analysis (--analyse-after ok).", file=sys.stderr)
        return code
    result = subprocess.run(plan.analysis).returncode
    if result != 0:
        print(f"submit: the analysis failed (code {result}): {shell(plan.analysis)}", file=sys.stderr)
    return code or result


def run(plan: Plan) -> int:
    options = plan.options
    if options.dependency:
        raise UserError("--dependency needs a batch system; the local back-end starts at once.")
    if options.dry_run:
        if plan.is_sweep and not plan.tasks:
            print(f"# {plan.nothing_missing}\n# ---- commands")
        else:
            print(f"# ---- {script_path(plan)}\n{script.job(plan)}\n# ---- commands")
        for number in plan.tasks if plan.is_sweep else [0]:
            print(f"TRILEMMA_TASK={number} bash {shell([str(script_path(plan))])}")
        if plan.is_sweep and options.then_analyse:
            print(shell(plan.analysis))
        return 0
    make_folders(plan)
    if plan.skipped and plan.tasks:
        print(f"skipped: {plan.skipped} of {plan.skipped + len(plan.tasks)} cells, done before or skipped", flush=True)
    code, interruption = 0, Interruption()
    if plan.is_sweep and not plan.tasks:
        print(plan.nothing_missing)
    else:
        path = write(script_path(plan), script.job(plan))
        code = conclude(plan, work_off(plan, path, interruption), interruption.count > 0)
    if plan.is_sweep and options.then_analyse and not interruption.count:
        code = analyse(plan, code)
    if code == 0:
        print(f"result: {plan.output}")
    return code
