"""Whether the times of a run are evidence: the judgement that the program recorded, and its reason in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ..io.forms import figure, percent
from ..io.run_file import Run
from ..io.times import TimeRecord
from ..io.words import NO_EVIDENCE, in_rounds

FEW_ROUNDS = 5  # fewer are no evidence (docs/reference/run-file.md)
TOLERANCE = 0.1  # cores that the system itself may use


class Evidence(Enum):
    """Values of the attribute `time_evidence` of /environment."""

    EVIDENCE = "evidence"
    SIMULATED = "simulated"
    NO_TIMES = "no_times"
    FEW_ROUNDS = "few_rounds"
    CORES_SHARED = "cores_shared"
    LOAD_FROM_OTHERS = "load_from_others"
    STEAL = "steal"
    LOAD_UNKNOWN = "load_unknown"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Judgement:
    """The status of the times of a run, a short sentence about it, and why they are no evidence (empty where they
    are)."""

    status: Evidence
    words: str
    reason: str = ""

    @property
    def is_evidence(self) -> bool:
        """Returns whether the times can be compared with those of other runs."""
        return self.status is Evidence.EVIDENCE


def evidence_of(run: Run) -> Judgement:
    """Returns the judgement of a run's times; UNKNOWN for files of programs that recorded none.

    >>> evidence_of(run).words  # doctest: +SKIP
    'unreliable times: others used 1.7 of 2 cores'
    """
    known = {each.value: each for each in Evidence}
    status = Evidence.SIMULATED if run.simulation else known.get(run.times.status, Evidence.UNKNOWN)
    return Judgement(status, _words(status, run.times),
                     "" if status is Evidence.EVIDENCE else _reason(status, run.times))


def with_evidence(runs: Iterable[Run]) -> bool:
    """Returns whether there are runs and the times of all of them are evidence."""
    found = [evidence_of(run).is_evidence for run in runs]
    return bool(found) and all(found)


def doubts(runs: Iterable[Run]) -> list[str]:
    """Returns why times of the runs are no evidence. Each kind of reason has one sentence, with the numbers of the run
    to which it applies most."""
    worst: dict[Evidence, tuple[tuple[float, ...], str]] = {}
    for run in runs:
        found = evidence_of(run)
        if not found.is_evidence:
            amount = tuple(-1.0 if math.isnan(value) else value for value in (
                run.times.load_from_others, run.times.waiting_share, run.times.steal_share))
            worst[found.status] = max(worst.get(found.status, (amount, found.words)), (amount, found.words))
    return [words for _, words in worst.values()]


def _words(status: Evidence, record: TimeRecord) -> str:
    """Returns the sentence of a judgement."""
    if status is Evidence.EVIDENCE:
        return f"evidence of time: {figure(record.cores_per_rank)} cores a rank, {in_rounds(record.timed_rounds)}"
    return f"{NO_EVIDENCE}: {_reason(status, record)}"


def _reason(status: Evidence, record: TimeRecord) -> str:
    """Returns why times are no evidence."""
    if status is Evidence.LOAD_FROM_OTHERS:
        if record.load_from_others + record.node_ranks > record.node_cores + TOLERANCE:
            return f"others used {record.load_from_others:.1f} of {figure(record.node_cores)} cores"
        return f"ranks waited for a core for {percent(record.waiting_share)} of the time"
    return {
        Evidence.SIMULATED: "no time was measured (simulated ranks)",
        Evidence.NO_TIMES: "the file records no times",
        Evidence.FEW_ROUNDS: f"{in_rounds(record.timed_rounds)}, fewer than {FEW_ROUNDS}",
        Evidence.CORES_SHARED: f"ranks share cores ({figure(record.cores_per_rank)} a rank)",
        Evidence.STEAL: f"the hypervisor took {percent(record.steal_share)} of the processor time",
        Evidence.LOAD_UNKNOWN: "the load from others is not known",
    }.get(status, "the file does not record the load of the machine")
