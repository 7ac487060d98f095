"""How far the local back-end is with the tasks of a sweep, and whether it makes sense to start more."""
from __future__ import annotations

import re
import time

from .plan import Plan
from .values import clock

STOPPED = 85  # exit code: ended with a checkpoint, to be resumed


class Failures:
    """Watches for tasks that fail one after the other with the same message, as all others will."""

    MOST = 3
    REFUSED = 2  # the program's exit code: wrong settings or files, perhaps those of single cells only

    def __init__(self, keep_going: bool, any_done: bool):
        """any_done: cells of the sweep were done before."""
        self.keep_going, self.in_a_row, self.message, self.code, self.any_done = keep_going, 0, "", 0, any_done

    def note(self, task) -> None:
        """Cells that stopped with a checkpoint are not to be noted."""
        if task.code == 0:
            self.in_a_row, self.any_done = 0, True
            return
        message, self.code = end_of(task.log.read_text(encoding="utf-8", errors="replace"), task.code)
        self.in_a_row = self.in_a_row + 1 if of_any_cell(message) == of_any_cell(self.message) else 1
        self.message = message

    @property
    def enough(self) -> bool:
        is_of_all = self.code != self.REFUSED or not self.any_done
        return not self.keep_going and is_of_all and self.in_a_row >= self.MOST


def of_any_cell(message: str) -> str:
    """The message without the name of the cell's own file, HASH or HASH-rREPETITION."""
    return re.sub(r"\b[0-9a-f]{12}(-r\d+)?\b", "CELL", message)


def end_of(log: str, code: int) -> tuple[str, int]:
    """The program's last sentence in a log, else SimGrid's, else the last line that is not of the job script and tells
    more than a code; and its exit code, which the job script reports, since its own says only that a cell has failed."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    said = [line for line in lines if not re.match(r"trilemma job:|(Execution )?failed with code", line)]
    sentences = re.findall(r"^trilemma: (?!note:|warning:)(.*)$", "\n".join(said), re.MULTILINE)
    sentences = sentences or [line for line in said if re.match(r"\[[^]]*\] \[\w+/(CRITICAL|ERROR)\]", line)]
    reported = re.findall(r"^trilemma job: FAILED cells: .*\(code (\d+)\)$", "\n".join(lines), re.MULTILINE)
    return (sentences or said or [f"code {code}"])[-1], int(reported[-1]) if reported else code


class Progress:
    """How far a sweep is with the cells that were started, and how long it will take."""

    def __init__(self, plan: Plan):
        self.total, self.begun, self.ended = len(plan.tasks), time.monotonic(), 0

    def report(self, task) -> None:
        now = time.monotonic()
        self.ended += 1
        how = {0: "done", STOPPED: "stopped with a checkpoint"}.get(task.code,
                                                                    f"FAILED (code {task.code}, see {task.log})")
        print(f"[{self.ended}/{self.total}] cell {task.number} {how} after {now - task.begun:.1f} s{self.left(now)}",
              flush=True)

    def left(self, now: float) -> str:
        to_do = self.total - self.ended
        return f", about {clock((now - self.begun) / self.ended * to_do)} left" if to_do else ""
