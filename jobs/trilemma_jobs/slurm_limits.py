"""Whether Slurm could start a job under the current nodes and limits: a job that it accepts may wait forever."""
from __future__ import annotations

import re
import shutil
import subprocess

from .values import UserError, clock, seconds


def obstacles(options, script: str) -> list[str]:
    """Why the job `script` would wait until something changes, in Slurm's words; empty if it can start."""
    tried = _said("sbatch", "--test-only", script)
    found = [tried.stderr] if tried is not None and tried.returncode != 0 else []
    found = [re.sub(r"^(sbatch: error: |allocation failure: )", "", line) for text in found
             for line in text.splitlines()[-1:]]
    limit = _time_limit(options.partition)
    if limit is not None and options.seconds is not None and options.seconds > limit:
        found.append(f"--time {options.time} is more than the {clock(limit)} of the partition")
    return found


def sentence(job: str, found: list[str]) -> str:
    """The note about these obstacles."""
    return (f"submit: note: job {job} cannot start under the current nodes and limits ({'; '.join(found)}); it waits "
            f"until they change; scancel {job} cancels it")


def _time_limit(partition: str | None) -> int | None:
    """Seconds that a job in the partition (None: the default one) may take; None if unlimited or not known."""
    told = _said("scontrol", "show", "partition", "--oneliner")
    for line in told.stdout.splitlines() if told is not None else []:
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if fields.get("PartitionName") == partition or (partition is None and fields.get("Default") == "YES"):
            try:
                return seconds(fields.get("MaxTime", "unlimited"))
            except UserError:
                return None
    return None


def _said(*command: str) -> subprocess.CompletedProcess | None:
    if shutil.which(command[0]) is None:
        return None
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              universal_newlines=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
