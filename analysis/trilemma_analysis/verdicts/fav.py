"""FAV-MNIST, FAV-FMNIST-S, FAV-CIFAR-S: FAVANO and its rivals on the simulated clock (table 2, figures 3 and 7)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Statement, Verdict, beats, difference, not_worse

FAVANO, FEDBUFF, QUAFL, FEDAVG = METHODS = ("favano", "fedbuff", "quafl", "fedavg-timed")
NAMES = dict(zip(METHODS, ("FAVANO", "FedBuff", "QuAFL", "FedAvg"), strict=True))
IID, MOST_FAST, MOST_SLOW = COLUMNS = ("IID", "2/3 fast", "1/9 fast")
# Accuracy in percent: mean, standard deviation, and how far from the mean counts as met.
PAPER = {
    IID: {FEDAVG: (93.4, 0.3, 2), QUAFL: (92.3, 0.9, 2), FEDBUFF: (96.0, 0.1, 2), FAVANO: (95.1, 0.1, 2)},
    MOST_FAST: {FEDAVG: (38.7, 7.7, 10), QUAFL: (40.7, 6.7, 10), FEDBUFF: (85.1, 3.2, 5), FAVANO: (88.9, 0.9, 5)},
    MOST_SLOW: {FEDAVG: (44.8, 6.9, 10), QUAFL: (45.5, 4.0, 10), FEDBUFF: (67.3, 5.5, 5), FAVANO: (87.3, 2.3, 5)},
}
NUMBERS_NEEDED = 9
WHOLE, QUANTISED = 32, 4  # bits that training computes with: of derivatives
# What the paper leaves open: what speed means, the law of a step's time, the unit of K.
READING = ("time", "geometric", "step")


@dataclass(frozen=True)
class Scores:
    """Final accuracies in percent by column and method, Series by seed."""

    cells: dict[tuple[str, str], pd.Series]

    def of(self, column: str, method: str) -> pd.Series:
        """Those of one method."""
        if (column, method) not in self.cells:
            raise RunFileError(f"no run of {NAMES[method]} for the column {column}; name the sweeps of "
                               "docs/results/verdicts.md.")
        return self.cells[column, method]

    def mean(self, column: str, method: str) -> float:
        """Mean over the seeds."""
        return float(self.of(column, method).mean())

    def slower(self, column: str) -> str:
        """The better of QuAFL and FedAvg."""
        return max((QUAFL, FEDAVG), key=lambda method: self.mean(column, method))

    def gap(self, column: str, better: str, worse: str) -> float:
        """Mean paired difference."""
        return float(difference(self.of(column, better), self.of(column, worse)).mean())


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
    scores = _scores(main, preset)
    statements = _orderings(scores)
    notes = [_row(f"FedBuff and QuAFL {name}, FAVANO {alpha}: {column}", main, name, alpha, column)
             for column in COLUMNS for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    notes += [f"paper: {column}: " + ", ".join(f"{NAMES[m]} {row[m][0]} +- {row[m][1]}" for m in METHODS)
              for column, row in PAPER.items()]
    other = "code" if preset == "plain" else "plain"
    notes.append(f"with the preset {other}: " + _marks(_orderings(_scores(main, other))))
    for reading, rows in readings.items():
        for name in ("plain", "code"):
            seeds = rows.loc[rows["method"] == FAVANO, "seed"].nunique()
            notes.append(f"read as {', '.join(reading)}, preset {name} ({seeds} seeds): "
                         + _marks(_orderings(_scores(rows, name))))
        notes += [_row(f"read as {', '.join(reading)}, {name}, {alpha}: {column}", rows, name, alpha, column)
                  for column in COLUMNS for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    return Verdict(f"FAV-MNIST, preset {preset}", statements + (_numbers(scores),), tuple(notes),
                   seeds=main["seed"].nunique())


def runs_of(sweep: Sweep) -> pd.DataFrame:
    """A row a run: method, seed, variant (alpha or preset), column, reading (speed, law, unit), bits of its training,
    clients contacted in a server step, final accuracy in percent, and mean change between the evaluations of its second
    half."""
    rows = []
    for run in sweep.runs.values():
        settings = typed_settings(run)
        method = run.attributes["method"]
        if method not in METHODS or not _has_usual_clock(settings):
            continue
        accuracy = 100 * run.rounds["accuracy"].dropna().to_numpy()
        rows.append({
            "method": method, "seed": int(run.attributes["seed"]), "score": float(accuracy[-1]),
            "change": float(np.abs(np.diff(accuracy[len(accuracy) // 2:])).mean()),
            "variant": settings.get("server.alpha", settings.get("server.preset", "plain")),
            "column": _column(settings),
            "bits": WHOLE if settings.get("problem.quantise", "none") == "none" else QUANTISED,
            "contacted": int(settings.get("participation.size", 0)),
            "speed": settings.get("clock.speed", ""), "law": settings["clock.law"], "unit": settings["local.unit"]})
    if not rows:
        raise RunFileError(f"{sweep.folder}: no run of {', '.join(METHODS)}")
    return pd.DataFrame(rows)


def _has_usual_clock(settings: dict) -> bool:
    """False if one time is drawn per job, or clients continue differently from the preset."""
    restart = "consumed" if settings.get("server.preset") == "code" else "at-once"
    return settings.get("clock.draw", "step") == "step" and settings.get("clock.restart", restart) == restart


def _column(settings: dict) -> str:
    """The column of table 2 that a run belongs to."""
    if settings["partition.kind"] != "shards":
        return IID
    return MOST_FAST if float(settings["clock.slow_share"]) < 0.5 else MOST_SLOW


def _scores(runs: pd.DataFrame, preset: str, alpha: str = "deterministic") -> Scores:
    """Final scores by column and method, of one variant of each method."""
    wanted = {FAVANO: alpha, FEDBUFF: preset, QUAFL: preset, FEDAVG: "plain"}
    chosen = runs[runs["variant"] == runs["method"].map(wanted)]
    return Scores({(str(column), str(method)): cell.set_index("seed")["score"].sort_index()
                   for (column, method), cell in chosen.groupby(["column", "method"])})


def orderings(runs: pd.DataFrame, preset: str) -> tuple[Statement, ...]:
    """Of the rule of table 2 the orders of methods, in runs of one reading with FedBuff and QuAFL of a preset."""
    return _orderings(_scores(runs, preset))


def _orderings(scores: Scores) -> tuple[Statement, ...]:
    """The statements about orders of methods."""
    return (_equal(scores), _ahead(scores), _order("M1", scores, MOST_FAST, 0, 20, 4),
            _order("M2", scores, MOST_SLOW, 8, 10, 5), _drop(scores), _spread(scores), _alike(scores))


def _equal(scores: Scores) -> Statement:
    """I1: FedBuff and FAVANO on IID data."""
    gap = scores.gap(IID, FEDBUFF, FAVANO)
    return Statement("I1", "IID: FedBuff is level with FAVANO or ahead by at most 2 points",
                     not_worse(scores.of(IID, FEDBUFF), scores.of(IID, FAVANO)) and gap <= 2, f"{gap:+.2f} points")


def _ahead(scores: Scores) -> Statement:
    """I2: FAVANO against FedAvg and QuAFL on IID data."""
    rivals = (FEDAVG, QUAFL)
    return Statement("I2", "IID: FAVANO is ahead of FedAvg and QuAFL",
                     all(beats(scores.of(IID, FAVANO), scores.of(IID, rival)) for rival in rivals),
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
    ahead = f"by {lead:g} points or more " if lead else ""
    return Statement(name, f"{column}: FAVANO is ahead of FedBuff {ahead}and FedBuff of QuAFL and FedAvg by "
                     f"{distance:g}; FAVANO reaches {published - far:.1f}", holds,
                     f"{first:+.1f} and {second:+.1f} points, FAVANO {scores.mean(column, FAVANO):.1f}", key=True,
                     reversed_=beats(fedbuff, favano) or beats(scores.of(column, slower), fedbuff))


def _drop(scores: Scores) -> Statement:
    """M3: what FAVANO and FedBuff lose with fewer fast clients."""
    drops = {m: scores.mean(MOST_FAST, m) - scores.mean(MOST_SLOW, m) for m in (FAVANO, FEDBUFF)}
    return Statement("M3", "from 2/3 to 1/9 fast FAVANO loses at most 5 points, and FedBuff twice as much or more",
                     drops[FAVANO] <= 5 and drops[FEDBUFF] >= 2 * max(drops[FAVANO], 0),
                     f"FAVANO {drops[FAVANO]:.1f}, FedBuff {drops[FEDBUFF]:.1f} points")


def _spread(scores: Scores) -> Statement:
    """M4: standard deviations of FAVANO and FedBuff."""
    deviations = {column: {m: float(scores.of(column, m).std(ddof=1)) for m in (FAVANO, FEDBUFF)}
                  for column in (MOST_FAST, MOST_SLOW)}
    return Statement("M4", "FAVANO's standard deviation is below FedBuff's in both columns",
                     all(d[FAVANO] < d[FEDBUFF] for d in deviations.values()),
                     "; ".join(f"{column}: {d[FAVANO]:.1f} and {d[FEDBUFF]:.1f}" for column, d in deviations.items()),
                     aside=True)


def _alike(scores: Scores) -> Statement:
    """M5: FedAvg against QuAFL."""
    gaps = {column: scores.gap(column, FEDAVG, QUAFL) for column in (MOST_FAST, MOST_SLOW)}
    return Statement("M5", "FedAvg and QuAFL differ by at most 10 points in both columns",
                     all(abs(gap) <= 10 for gap in gaps.values()),
                     "; ".join(f"{column}: {gap:+.1f}" for column, gap in gaps.items()), aside=True)


def _numbers(scores: Scores) -> Statement:
    """N: how many means of table 2 are met."""
    met = [abs(scores.mean(column, method) - mean) <= far
           for column, row in PAPER.items() for method, (mean, _, far) in row.items()]
    return Statement("N", f"{NUMBERS_NEEDED} of the 12 means of table 2", sum(met) >= NUMBERS_NEEDED,
                     f"{sum(met)} met", is_number=True)


def _marks(statements: tuple[Statement, ...]) -> str:
    """The names of statements and how each ended."""
    return ", ".join(f"{each.name} {'holds' if each.holds else 'is reversed' if each.reversed_ else 'fails'}"
                     for each in statements)


def _row(start: str, runs: pd.DataFrame, preset: str, alpha: str, column: str) -> str:
    """A line of means and deviations in a column, for the notes."""
    cells = _scores(runs, preset, alpha).cells
    return f"{start}: " + ", ".join(
        f"{NAMES[m]} {cells[column, m].mean():.1f} +- {cells[column, m].std(ddof=1):.1f}"
        for m in METHODS if (column, m) in cells)


def substitute(runs: pd.DataFrame, experiment: str, has_order: bool) -> Verdict:
    """Figure 3 on other data: K1, and where `has_order` the order of the first two and K2, else reported apart."""
    runs = runs[runs["bits"] == WHOLE]
    scores = _scores(runs, "plain")
    unsteady = _unsteady(runs, scores)
    statements = (_two_ahead(scores),) + ((_first(scores), unsteady) if has_order else (replace(unsteady, aside=True),))
    notes = [_row(f"FedBuff and QuAFL {name}, FAVANO {alpha}", runs, name, alpha, MOST_FAST)
             for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    code = _scores(runs, "code")
    if (MOST_FAST, FEDBUFF) in code.cells and (MOST_FAST, QUAFL) in code.cells:
        notes.append("with the preset code: " + _marks((_two_ahead(code), _first(code))))
    return Verdict(experiment, statements, tuple(notes), substitute=True, seeds=runs["seed"].nunique())


def _two_ahead(scores: Scores) -> Statement:
    """K1: FAVANO and FedBuff against QuAFL and FedAvg."""
    pairs = [(better, worse) for better in (FAVANO, FEDBUFF) for worse in (QUAFL, FEDAVG)]
    wins = [beats(scores.of(MOST_FAST, a), scores.of(MOST_FAST, b)) for a, b in pairs]
    return Statement("K1", "FAVANO and FedBuff are ahead of QuAFL and FedAvg", all(wins),
                     ", ".join(f"{NAMES[a]} - {NAMES[b]} {scores.gap(MOST_FAST, a, b):+.1f}" for a, b in pairs),
                     key=True, reversed_=any(beats(scores.of(MOST_FAST, b), scores.of(MOST_FAST, a)) for a, b in pairs))


def _first(scores: Scores) -> Statement:
    """M1: FAVANO against FedBuff."""
    gap = scores.gap(MOST_FAST, FAVANO, FEDBUFF)
    return Statement("M1", "FAVANO is ahead of FedBuff",
                     beats(scores.of(MOST_FAST, FAVANO), scores.of(MOST_FAST, FEDBUFF)), f"{gap:+.1f} points")


def _unsteady(runs: pd.DataFrame, scores: Scores) -> Statement:
    """K2: how steady FedBuff and FAVANO are."""
    plain = runs[runs["variant"].isin(("plain", "deterministic"))]
    changes = plain.groupby("method")["change"].mean()
    deviations = {m: float(scores.of(MOST_FAST, m).std(ddof=1)) for m in (FAVANO, FEDBUFF)}
    return Statement("K2", "FedBuff is less steady than FAVANO: over seeds, or from one evaluation to the next",
                     bool(deviations[FEDBUFF] > deviations[FAVANO] or changes[FEDBUFF] > changes[FAVANO]),
                     f"standard deviation {deviations[FEDBUFF]:.1f} and {deviations[FAVANO]:.1f}, mean change "
                     f"{changes[FEDBUFF]:.2f} and {changes[FAVANO]:.2f} points")


def quantised(runs: pd.DataFrame, experiment: str, far: float) -> Verdict:
    """Figure 7 on other data: FAVANO with quantised training, by the number of clients that are contacted."""
    runs = runs[(runs["method"] == FAVANO) & (runs["variant"] == "deterministic")]
    cells = {(int(bits), int(size)): cell.set_index("seed")["score"].sort_index()
             for (bits, size), cell in runs.groupby(["bits", "contacted"])}
    sizes, widths = sorted(set(runs["contacted"])), (WHOLE, QUANTISED)
    missing = [f"{bits} bits, s = {size}" for bits in widths for size in sizes if (bits, size) not in cells]
    if missing or len(sizes) < 2:
        raise RunFileError(f"no run of FAVANO with {'; '.join(missing) or 'two values of s'}; name the sweep of "
                           "docs/results/verdicts.md.")
    least, most = sizes[0], sizes[-1]
    rises = [cells[bits, b].mean() >= cells[bits, a].mean() for bits in widths for a, b in zip(sizes, sizes[1:])]
    gaps = [float(difference(cells[WHOLE, size], cells[QUANTISED, size]).mean()) for size in sizes]
    statements = (
        Statement("Z1", f"s = {most} is ahead of s = {least}",
                  all(beats(cells[bits, most], cells[bits, least]) for bits in widths),
                  _by_size(cells, widths, sizes), key=True,
                  reversed_=any(beats(cells[bits, least], cells[bits, most]) for bits in widths)),
        Statement("Z1-STEPS", "accuracy does not fall with s", all(rises), "see Z1"),
        Statement("Z2", f"quantised training is behind full precision, by at most {far:g} points",
                  all(0 <= gap <= far for gap in gaps),
                  ", ".join(f"{gap:+.1f} at s = {size}" for size, gap in zip(sizes, gaps, strict=True))))
    return Verdict(experiment, statements, substitute=True, seeds=runs["seed"].nunique())


def _by_size(cells: dict[tuple[int, int], pd.Series], widths: tuple[int, ...], sizes: list[int]) -> str:
    """Mean scores by bits of training and by clients contacted, in words."""
    return "; ".join(("full precision: " if bits == WHOLE else "quantised: ") + ", ".join(
        f"{cells[bits, size].mean():.1f} (s = {size})" for size in sizes) for bits in widths)


RULES = {"fav-mnist": lambda sweep: table_2(runs_of(sweep), "plain"),
         "fav-mnist-code": lambda sweep: table_2(runs_of(sweep), "code"),
         "fav-fmnist-s": lambda sweep: substitute(runs_of(sweep), "FAV-FMNIST-S", has_order=True),
         "fav-cifar-s": lambda sweep: substitute(runs_of(sweep), "FAV-CIFAR-S", has_order=False),
         "fav-fmnist-qnn-s": lambda sweep: quantised(runs_of(sweep), "FAV-FMNIST-QNN-S", far=5),
         "fav-cifar-qnn-s": lambda sweep: quantised(runs_of(sweep), "FAV-CIFAR-QNN-S", far=8)}
