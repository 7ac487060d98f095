"""Where a run stands when a budget of bits, epsilon or seconds is used up, or when it has reached a target."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from ..io.forms import epsilon
from ..io.run_file import NOT_PRIVATE, Run
from .clock_rounds import ON_A_CLOCK
from .groups import text_setting
from .metrics import COMPARED
from .phases import JOULES, SECONDS
from .sizes import size
from .uploads import counted_bits, planned_bits, sent_bits

DIRECTIONS = {"up": ("up",), "down": ("down",), "both": ("up", "down")}
DIRECTION_WORDS = {"up": "sent by", "down": "sent to", "both": "sent by and to"}

ROUNDING = 1e-12  # relative: as budget.upload rounds


@dataclass(frozen=True)
class Target:
    """A value of a metric that is to be reached."""

    metric: str
    value: float

    def reached(self, values: pd.Series) -> pd.Series:
        """Returns which values are as good as the target."""
        return values >= self.value if COMPARED[self.metric].higher_is_better else values <= self.value


@dataclass(frozen=True)
class Budget:
    """What a run may spend: payload bits (of one client in the mean, or of all clients together), epsilon, seconds
    without evaluation, time on the simulated clock, joules without evaluation; None is no limit. With a target, what
    was spent until it is reached is the question: "bits", "seconds", "time" or "joules". Bits are those that a run was
    planned with, in expectation over who takes part, or with `sent` those that it has sent."""

    bits: float | None = None
    per_client: bool = True
    direction: str = "up"
    epsilon: float | None = None
    seconds: float | None = None
    target: Target | None = None
    time: float | None = None
    until: str = "bits"
    sent: bool = False
    joules: float | None = None

    @property
    def spending(self) -> str:
        """Returns the column of spent_by() that a target asks for."""
        return "mean" if self.until == "bits" and self.per_client else self.until

    @property
    def who(self) -> str:
        """Returns whose bits count, and which of them."""
        clients = "each client on average" if self.per_client else "all clients together"
        return f"{'really' if self.sent else 'expected to be'} {DIRECTION_WORDS[self.direction]} {clients}"

    def words(self) -> str:
        """Returns the limits in words."""
        limits = [f"{size(self.bits)} ({self.bits:,.0f} bits) {self.who}"] if self.bits is not None else []
        limits += [f"accounted epsilon {self.epsilon:g}"] if self.epsilon is not None else []
        limits += [f"{self.seconds:g} s without evaluation"] if self.seconds is not None else []
        limits += [f"{self.time:g} units of simulated time"] if self.time is not None else []
        limits += [f"{self.joules:g} J without evaluation"] if self.joules is not None else []
        return " and ".join(limits)


@dataclass(frozen=True)
class Standing:
    """A run at the state that counts. `value` is that of the metric, or with a target what was spent until it was
    reached (infinite where it never was); `could` is the last round within the budget, evaluated or not; `made` says
    that all rounds are within it. `bits` of all clients and `mean` of one are those that count (Budget), `sent_mean`
    those of one that crossed, `most` those of the client that sent (got) most, NaN where the file does not tell;
    `planned` says that the file has the expected ones. `time` is simulated."""

    value: float
    round: int
    could: int
    made: bool
    of: int
    bits: float
    mean: float
    sent_mean: float
    planned: bool
    most: float
    epsilon: float
    seconds: float
    time: float
    joules: float


def standing(run: Run, metric: str, budget: Budget) -> Standing | str:
    """Returns the standing of a run at the end of the budget, or why it has no value to compare."""
    spent = spent_by(run, budget.direction, budget.sent)
    known = (spent["round"] > 0) & run.rounds[metric].notna() if metric in run.rounds else spent["round"] < 0
    if not known.any():
        return "no evaluated round with a value of the metric"
    if budget.epsilon is not None and run.released and (run.status == NOT_PRIVATE or spent["epsilon"].isna().all()):
        return "no accounted epsilon (not a private run)"
    timed = budget.seconds is not None or budget.target is not None and budget.until == "seconds"
    if timed and spent["seconds"].isna().all():
        return "no times in the file (privacy.strict, or timing.enabled = false)"
    clocked = budget.time is not None or budget.target is not None and budget.until == "time"
    if clocked and spent["time"].isna().all():
        return "no simulated time (a method without a clock)"
    metered = budget.joules is not None or budget.target is not None and budget.until == "joules"
    if metered and spent["joules"].isna().any():
        return "no energy in the file (the machine does not count it)"
    counted = budget.bits is not None or budget.target is not None and budget.until == "bits"
    if counted and spent["bits"].isna().all():
        return "no bits in the file (privacy.strict)"
    within = _within(spent, budget)
    rows = spent.index[known & within]
    if not len(rows):
        return _beyond(spent.loc[known].iloc[0], budget)
    could = int(spent.loc[within, "round"].max())
    made = bool(within.iloc[-1])
    if budget.target is None:
        return _at(run, spent.loc[rows[-1]], float(run.rounds.loc[rows[-1], metric]), could, made)
    hits = [row for row in rows if budget.target.reached(run.rounds.loc[[row], metric]).item()]
    row = spent.loc[hits[0] if hits else rows[-1]]
    return _at(run, row, float(row[budget.spending]) if hits else math.inf, could, made)


def spent_by(run: Run, direction: str, sent: bool = False) -> pd.DataFrame:
    """Returns what had been spent at every state. Columns are `round`, payload `bits`, `mean` per client, `sent_mean`
    (bits that crossed), `most` per client, whether bits were `planned`, `epsilon`, `seconds`, simulated `time` and
    `joules`. With `sent`, `bits` and `mean` are those that crossed. Values that the file does not have are NaN."""
    crossed = sum(sent_bits(run, way) for way in DIRECTIONS[direction])
    bits = crossed if sent else sum(counted_bits(run, way) for way in DIRECTIONS[direction])
    mean, sent_mean = (each / run.attributes["clients"] for each in (bits, crossed))
    planned = all(planned_bits(run, way) is not None for way in DIRECTIONS[direction])
    epsilon = run.rounds["epsilon"] if run.released else pd.Series(0.0, index=run.rounds.index)
    seconds, time, joules = (run.rounds[name] if name in run.rounds else pd.Series(math.nan, index=run.rounds.index)
                             for name in (SECONDS, ON_A_CLOCK, JOULES))
    if not seconds.iloc[-1] > 0:  # zeros stand in the file for times that privacy.strict or timing.enabled withhold
        seconds = seconds * math.nan
    return pd.DataFrame({"round": run.rounds["round"].astype(int), "bits": bits, "mean": mean, "sent_mean": sent_mean,
                         "planned": planned, "most": sent_mean if alike(run) else math.nan, "epsilon": epsilon,
                         "seconds": seconds, "time": time, "joules": joules})


def alike(run: Run) -> bool:
    """Returns whether all clients have sent equally much: one message per round, or none in local training, and all
    messages of one size. The file has only sums over the clients, so nothing is known of single ones if participation
    is partial or messages differ in size."""
    messages = run.rounds["messages"].iloc[-1]  # NaN where privacy.strict omits them
    return (bool(run.attributes["equal_messages"])
            and messages in (0, run.rounds_done * run.attributes["clients"])
            and text_setting(run, "participation.kind", "full") == "full")


def _within(spent: pd.DataFrame, budget: Budget) -> pd.Series:
    """Returns which rows are within all limits of the budget."""
    within = pd.Series(True, index=spent.index)
    for column, limit in _limits(budget):
        within &= spent[column] <= limit * (1 + ROUNDING)
    return within


def _limits(budget: Budget) -> list[tuple[str, float]]:
    """Returns the limits of the budget, with the columns that they apply to."""
    limits = (("mean" if budget.per_client else "bits", budget.bits), ("epsilon", budget.epsilon),
              ("seconds", budget.seconds), ("time", budget.time), ("joules", budget.joules))
    return [(column, limit) for column, limit in limits if limit is not None]


def _beyond(first: pd.Series, budget: Budget) -> str:
    """Returns why the first evaluated round is beyond the budget."""
    show = {"mean": lambda bits: f"{size(bits)} per client", "bits": size, "seconds": lambda value: f"{value:.3g} s",
            "time": lambda value: f"{value:g} units of time", "joules": lambda value: f"{value:.3g} J",
            "epsilon": lambda value: f"epsilon {epsilon(value)}"}
    over = [show[column](first[column]) for column, limit in _limits(budget)
            if not first[column] <= limit * (1 + ROUNDING)]
    return f"never evaluated within the budget: the first evaluated round after the start, {first['round']:.0f}, has " \
        f"spent {' and '.join(over)}"


def _at(run: Run, row: pd.Series, value: float, could: int, made: bool) -> Standing:
    """Returns the standing of a run at a row of spent_by()."""
    return Standing(value, int(row["round"]), could, made, run.rounds_done, float(row["bits"]), float(row["mean"]),
                    float(row["sent_mean"]), bool(row["planned"]), float(row["most"]), float(row["epsilon"]),
                    float(row["seconds"]), float(row["time"]), float(row["joules"]))
