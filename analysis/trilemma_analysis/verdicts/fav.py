"""FAV-MNIST: table 2 of the paper, FAVANO and its rivals on the simulated clock."""

from __future__ import annotations

from functools import partial

import pandas as pd

from ..io.errors import RunFileError
from .fav_runs import COLUMNS, FAVANO, FEDAVG, FEDBUFF, IID, METHODS, MOST_FAST, MOST_SLOW, NAMES, QUAFL, ROWS, Scores
from .fav_runs import row_of, runs_of, scores_of
from .rules import Rule, Statement, Verdict, beats, marks, not_worse, outcome

# Accuracy in percent: mean, standard deviation, and how far from the mean counts as met.
PAPER = {
    IID: {FEDAVG: (93.4, 0.3, 2), QUAFL: (92.3, 0.9, 2), FEDBUFF: (96.0, 0.1, 2), FAVANO: (95.1, 0.1, 2)},
    MOST_FAST: {FEDAVG: (38.7, 7.7, 10), QUAFL: (40.7, 6.7, 10), FEDBUFF: (85.1, 3.2, 5), FAVANO: (88.9, 0.9, 5)},
    MOST_SLOW: {FEDAVG: (44.8, 6.9, 10), QUAFL: (45.5, 4.0, 10), FEDBUFF: (67.3, 5.5, 5), FAVANO: (87.3, 2.3, 5)},
}
NUMBERS_NEEDED = 9
# The statements about orders of methods, and the columns that they need.
TEXTS = {
    "I1": "IID: FedBuff is level with FAVANO or ahead by at most 2 points",
    "I2": "IID: FAVANO is ahead of FedAvg and QuAFL",
    "M1": "2/3 fast: FAVANO is ahead of FedBuff and FedBuff of QuAFL and FedAvg by 20; FAVANO reaches 84.9",
    "M2": "1/9 fast: FAVANO is ahead of FedBuff by 8 points or more and FedBuff of QuAFL and FedAvg by 10; FAVANO reaches "
          "82.3",
    "M3": "from 2/3 to 1/9 fast FAVANO loses at most 5 points, and FedBuff twice as much or more",
    "M4": "FAVANO's standard deviation is below FedBuff's in both columns",
    "M5": "FedAvg and QuAFL differ by at most 10 points in both columns",
}
NEEDED = {"I1": (IID,), "I2": (IID,), "M1": (MOST_FAST,), "M2": (MOST_SLOW,),
          **dict.fromkeys(("M3", "M4", "M5"), (MOST_FAST, MOST_SLOW))}
KEYS, ASIDES = ("M1", "M2"), ("M4", "M5")
# What the paper leaves open: what speed means, the law of a step's time, the unit of K.
READING = ("time", "geometric", "step")


def table_2(runs: pd.DataFrame, preset: str) -> Verdict:
    """Table 2 with FedBuff and QuAFL as they are published ("plain"), or with the rate factors and the clock of the
    published simulators ("code")."""
    # What speed means concerns methods with interrupts alone; the others are the same in every reading of it.
    speeds = [speed for speed in dict.fromkeys(runs["speed"]) if speed]
    runs = pd.concat([runs[runs["speed"] != ""], *(runs[runs["speed"] == ""].assign(speed=speed) for speed in speeds)],
                     ignore_index=True)
    readings = {reading: rows for reading, rows in runs.groupby(["speed", "law", "unit"])
                if set(rows["method"]) == set(METHODS)}
    if READING not in readings:
        raise RunFileError(f"no run reads the paper as {', '.join(READING)}; name the sweeps of docs/results/verdicts.md.")
    main = readings.pop(READING)
    scores = scores_of(main, preset)
    statements = _orderings(scores)
    notes = [row_of(f"FedBuff and QuAFL {name}, FAVANO {alpha}: {column}", main, name, alpha, column)
             for column in COLUMNS for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    notes += [f"paper: {column}: " + ", ".join(f"{NAMES[m]} {row[m][0]} +- {row[m][1]}" for m in METHODS)
              for column, row in PAPER.items()]
    other = "code" if preset == "plain" else "plain"
    notes.append(f"with the preset {other}: " + marks(_orderings(scores_of(main, other))))
    for reading, rows in readings.items():
        for name in ("plain", "code"):
            seeds = rows.loc[rows["method"] == FAVANO, "seed"].nunique()
            notes.append(f"read as {', '.join(reading)}, preset {name} ({seeds} seeds): "
                         + marks(_orderings(scores_of(rows, name))))
        notes += [row_of(f"read as {', '.join(reading)}, {name}, {alpha}: {column}", rows, name, alpha, column)
                  for column in COLUMNS for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    return Verdict(f"FAV-MNIST, preset {preset}", statements + (_numbers(scores),), tuple(notes),
                   seeds=main["seed"].nunique(), ours=_short(scores))


def _short(scores: Scores) -> str:
    """The means of the two best methods of the paper, for a table."""
    return "; ".join(f"{NAMES[m]} " + ", ".join(f"{scores.mean(column, m):.1f}" for column in COLUMNS)
                     for m in (FAVANO, FEDBUFF))


def orderings(runs: pd.DataFrame, preset: str) -> tuple[Statement, ...]:
    """Of the rule of table 2 the orders of methods, in runs of one reading with FedBuff and QuAFL of a preset."""
    return _orderings(scores_of(runs, preset))


def _orderings(scores: Scores) -> tuple[Statement, ...]:
    """The statements about orders of methods."""
    return tuple(statement_of(name, scores) for name in TEXTS)


def statement_of(name: str, scores: Scores) -> Statement:
    """A statement about an order of methods."""
    made = {"I1": _equal, "I2": _ahead, "M1": lambda of: _order("M1", of, MOST_FAST, 0, 20, 4),
            "M2": lambda of: _order("M2", of, MOST_SLOW, 8, 10, 5), "M3": _drop, "M4": _spread, "M5": _alike}
    return made[name](scores)


def _equal(scores: Scores) -> Statement:
    """I1: FedBuff and FAVANO on IID data."""
    gap = scores.gap(IID, FEDBUFF, FAVANO)
    return Statement("I1", TEXTS["I1"],
                     outcome(not_worse(scores.of(IID, FEDBUFF), scores.of(IID, FAVANO)) and gap <= 2),
                     f"{gap:+.2f} points")


def _ahead(scores: Scores) -> Statement:
    """I2: FAVANO against FedAvg and QuAFL on IID data."""
    rivals = (FEDAVG, QUAFL)
    return Statement("I2", TEXTS["I2"],
                     outcome(all(beats(scores.of(IID, FAVANO), scores.of(IID, rival)) for rival in rivals)),
                     ", ".join(f"{scores.gap(IID, FAVANO, rival):+.2f} points on {NAMES[rival]}" for rival in rivals))


def _order(name: str, scores: Scores, column: str, lead: float, distance: float, far: float) -> Statement:
    """M1 or M2: the order of the methods in a column. `lead` and `distance` are the points that must lie between them,
    `far` how much FAVANO may miss of the published mean."""
    favano, fedbuff = scores.of(column, FAVANO), scores.of(column, FEDBUFF)
    slower = scores.slower(column)
    first, second = scores.gap(column, FAVANO, FEDBUFF), scores.gap(column, FEDBUFF, slower)
    published = PAPER[column][FAVANO][0]
    holds = (beats(favano, fedbuff) and first >= lead and beats(fedbuff, scores.of(column, slower))
             and second >= distance and scores.mean(column, FAVANO) >= published - far)
    return Statement(name, TEXTS[name],
                     outcome(holds, beats(fedbuff, favano) or beats(scores.of(column, slower), fedbuff)),
                     f"{first:+.1f} and {second:+.1f} points, FAVANO {scores.mean(column, FAVANO):.1f}", key=True)


def _drop(scores: Scores) -> Statement:
    """M3: what FAVANO and FedBuff lose with fewer fast clients."""
    drops = {m: scores.mean(MOST_FAST, m) - scores.mean(MOST_SLOW, m) for m in (FAVANO, FEDBUFF)}
    return Statement("M3", TEXTS["M3"],
                     outcome(drops[FAVANO] <= 5 and drops[FEDBUFF] >= 2 * max(drops[FAVANO], 0)),
                     f"FAVANO {drops[FAVANO]:.1f}, FedBuff {drops[FEDBUFF]:.1f} points")


def _spread(scores: Scores) -> Statement:
    """M4: standard deviations of FAVANO and FedBuff."""
    deviations = {column: {m: float(scores.of(column, m).std(ddof=1)) for m in (FAVANO, FEDBUFF)}
                  for column in (MOST_FAST, MOST_SLOW)}
    return Statement("M4", TEXTS["M4"],
                     outcome(all(d[FAVANO] < d[FEDBUFF] for d in deviations.values())),
                     "; ".join(f"{column}: {d[FAVANO]:.1f} and {d[FEDBUFF]:.1f}" for column, d in deviations.items()),
                     aside=True)


def _alike(scores: Scores) -> Statement:
    """M5: FedAvg against QuAFL."""
    gaps = {column: scores.gap(column, FEDAVG, QUAFL) for column in (MOST_FAST, MOST_SLOW)}
    return Statement("M5", TEXTS["M5"],
                     outcome(all(abs(gap) <= 10 for gap in gaps.values())),
                     "; ".join(f"{column}: {gap:+.1f}" for column, gap in gaps.items()), aside=True)


def _numbers(scores: Scores) -> Statement:
    """N: how many means of table 2 are met."""
    met = [abs(scores.mean(column, method) - mean) <= far
           for column, row in PAPER.items() for method, (mean, _, far) in row.items()]
    return Statement("N", f"{NUMBERS_NEEDED} of the 12 means of table 2",
                     outcome(sum(met) >= NUMBERS_NEEDED), f"{sum(met)} met", is_number=True)


MNIST = ("FAV-MNIST-IID", "FAV-MNIST-NONIID-2/3", "FAV-MNIST-NONIID-1/9")
RULES = tuple(Rule(name, MNIST, runs_of, partial(table_2, preset=preset), ROWS,
                   "FAVANO 95.1, 88.9, 87.3; FedBuff 96.0, 85.1, 67.3", seeds=10)
              for name, preset in (("fav-mnist", "plain"), ("fav-mnist-code", "code")))
