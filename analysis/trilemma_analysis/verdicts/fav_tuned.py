"""FAV-MNIST with a rate of each method's own: FedBuff judged at a rate at which it learns, and on other clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from ..io.errors import RunFileError
from .fav import ASIDES, KEYS, NEEDED, TEXTS, statement_of
from .fav_runs import COLUMNS, FEDBUFF, METHODS, MOST_FAST, NAMES, ROWS, Scores, runs_of
from .rules import Rule, Statement, Verdict, not_run

TUNING_SEED = 0
USUAL = ("at-once", "step")  # restart and draw that the rule judges
CLOCKS = {("renewed", "step"): "RENEWED", ("at-once", "job"): "JOB", ("renewed", "job"): "RENEWED-JOB"}
RATES = ["rate", "server_rate"]


def judge(runs: pd.DataFrame) -> Verdict:
    """Table 2, every method at the rates that are best on the tuning seed; FedBuff on other clocks is judged separately."""
    runs = runs[runs["variant"].isin(("plain", "deterministic"))]
    usual = runs[_on(runs, *USUAL) | (runs["method"] != FEDBUFF) & (runs["draw"] == "step")]
    best = _best_rates(usual)
    if not best:
        raise RunFileError(f"no run of the seed {TUNING_SEED}, which tunes; name the sweeps of "
                           "docs/results/verdicts.md.")
    cells = {cell: _at(usual, cell, rates) for cell, rates in best.items()}
    scores = Scores({cell: found for cell, found in cells.items() if len(found)})
    statements = [_statement(name, scores) for name in TEXTS]
    statements += [_on_another_clock(runs, scores, best, clock, name) for clock, name in CLOCKS.items()
                   if _on(runs, *clock).any()]
    notes = [f"best rates, {column}: " + "; ".join(
        _rates(method, best[column, method]) + f": {scores.mean(column, method):.1f}"
        for method in METHODS if (column, method) in scores.cells)
        for column in COLUMNS if any(place == column for place, _ in scores.cells)]
    judged = min(map(len, scores.cells.values()), default=0)
    return Verdict("FAV-MNIST, rates of each method's own", tuple(statements), tuple(notes), seeds=judged,
                   ours=_short(scores))


def _rates(method: str, rates: tuple[float, float]) -> str:
    """A method and its rates, in words."""
    return f"{NAMES[method]} {rates[0]:g}" + (f" and {rates[1]:g} at the server" if method == FEDBUFF else "")


def _on(runs: pd.DataFrame, restart: str, draw: str) -> pd.Series:
    """Which runs have this clock."""
    return (runs["restart"] == restart) & (runs["draw"] == draw)


def _best_rates(runs: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float]]:
    """Rates of clients and server by column and method that are best on the tuning seed."""
    tuning = runs[runs["seed"] == TUNING_SEED]
    best = tuning.sort_values([*RATES]).groupby(["column", "method"])["score"].idxmax()
    return {(str(column), str(method)): tuple(tuning.loc[row, RATES]) for (column, method), row in best.items()}


def _at(runs: pd.DataFrame, cell: tuple[str, str], rates: Sequence[float]) -> pd.Series:
    """Scores by seed of a method in a column at some rates, without the tuning seed."""
    chosen = (runs[["column", "method"]] == list(cell)).all(axis=1) & (runs[RATES] == list(rates)).all(axis=1)
    # Sweeps share cells: a run that two folders have counts once.
    return runs[chosen & (runs["seed"] != TUNING_SEED)].groupby("seed")["score"].first()


def _statement(name: str, scores: Scores) -> Statement:
    """A statement of table 2, where all methods were run in the columns that it needs."""
    missing = [column for column in NEEDED[name] if any((column, method) not in scores.cells for method in METHODS)]
    if missing:
        return not_run(name, TEXTS[name], f"runs of all methods for {' and '.join(missing)}", key=name in KEYS,
                       aside=name in ASIDES)
    return statement_of(name, scores)


def _on_another_clock(runs: pd.DataFrame, scores: Scores, best: dict, clock: tuple[str, str], name: str) -> Statement:
    """M1 with FedBuff on another clock, at the same rates."""
    cell = (MOST_FAST, FEDBUFF)
    words = f"clock.restart = {clock[0]}, clock.draw = {clock[1]}: {TEXTS['M1']}"
    found = _at(runs[_on(runs, *clock)], cell, best.get(cell, (0.0, 0.0)))
    if found.empty:
        return not_run(f"M1-{name}", words, "runs at the best rates", aside=True)
    statement = _statement("M1", replace(scores, cells=scores.cells | {cell: found}))
    return replace(statement, name=f"M1-{name}", text=words, key=False, aside=True,
                   evidence=f"{statement.evidence}, FedBuff {found.mean():.1f}")


def _short(scores: Scores) -> str:
    """The means of all methods by column, for a table."""
    return "; ".join(f"{column}: " + ", ".join(f"{NAMES[m]} {scores.mean(column, m):.1f}" for m in METHODS
                                               if (column, m) in scores.cells)
                     for column in COLUMNS if any(place == column for place, _ in scores.cells))


RULES = (Rule("fav-mnist-tuned", ("FAV-MNIST-TUNED",), partial(runs_of, all_clocks=True), judge, ROWS,
              "FAVANO ahead of FedBuff, both far ahead of QuAFL and FedAvg", seeds=10),)
