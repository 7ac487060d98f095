"""NORM-FMNIST and its substitutes: clipping, normalisation and FedAvg (table 1 of the paper), also on other data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column, Rule, Statement, Verdict, beats, not_worse, outcome

CLIP, NORM, FEDAVG = "dp-fedavg-clip", "dp-normfedavg", "fedavg"
LAST = 5  # evaluated rounds over which the accuracy is averaged
STRONG, WEAK = 1.5, 5.0  # epsilons
# Accuracy in percent, and how far from it counts as met.
PAPER = {(CLIP, WEAK): (75.59, 4), (NORM, WEAK): (77.72, 4), (CLIP, STRONG): (56.90, 8), (NORM, STRONG): (57.80, 8)}
STANDARD = "standard"
LARGEST_RATE = 0.064  # of the paper's grid
PAPER_FEDAVG = (83.43, 2)
PAPER_GAIN = {WEAK: (2.13, 1.5), STRONG: (0.90, 1.5)}


def judge(table: pd.DataFrame) -> Verdict:
    """Orderings N1 and N2 with the noise of q = 1; numbers N3 with that of the largest q, fitted to one of them. Runs
    with standardised features are judged separately, with the noise of q = 1."""
    standard = table[table["scaling"] == STANDARD]
    table = table[table["scaling"] != STANDARD]
    private = table[table["method"] != FEDAVG]
    noises = {noise: _cells(group) for noise, group in private.groupby("noise")}
    constants = sorted(noise for noise in noises if noise > 0)
    if not constants:
        raise RunFileError("no run has the paper's noise (privacy.calibration = \"paper\"); name the sweeps "
                           "of docs/results/verdicts.md.")
    plain, fitted = noises[constants[0]], noises[constants[-1]]
    baseline = table[table["method"] == FEDAVG]
    fedavg = baseline.loc[baseline["rate"] <= LARGEST_RATE, "score"].to_numpy()
    statements = (_better(plain), _gain(plain), _numbers(fitted, fedavg, constants[-1]), *_standardised(standard))
    notes = [_line(_name(noise), cells) for noise, cells in sorted(noises.items())]
    notes.append("paper: clip 75.59, norm 77.72 (epsilon 5); clip 56.90, norm 57.80 (1.5); FedAvg 83.43")
    notes += [f"FedAvg at rate {rate:g}: {group.mean():.2f}" for rate, group in baseline.groupby("rate")["score"]]
    notes += _tuned(table)
    return Verdict("NORM-FMNIST", statements, tuple(notes), seeds=table["seed"].nunique(), ours=_short(plain))


def _standardised(table: pd.DataFrame) -> tuple[Statement, ...]:
    """The statements for standardised features, as asides."""
    private = table[table["method"] != FEDAVG]
    if private.empty:
        return ()
    cells = _cells(private)
    fedavg = table.loc[table["method"] == FEDAVG, "score"].to_numpy()
    found = (_better(cells), _gain(cells), _numbers(cells, fedavg, 1))
    return tuple(replace(each, name=f"{each.name}-STANDARD", text=f"standardised features: {each.text}", key=False,
                         aside=True, is_number=False) for each in found)


def judge_orders(table: pd.DataFrame, name: str, may_be_level: bool = False) -> Verdict:
    """The orderings alone, with the paper's noise. Where the two methods may be level, N1 asks that normalisation is not
    behind."""
    cells = _cells(table[table["method"] != FEDAVG])
    fedavg = table.loc[table["method"] == FEDAVG].groupby("rate")["score"].mean().max()
    best = max(scores.mean() for scores in cells.values())
    baseline = Statement("BASE", "FedAvg is ahead of both", outcome(fedavg > best), f"{fedavg:.2f} against {best:.2f}")
    notes = [_line(_name(table["noise"].max()), cells)] + _tuned(table)
    first = _not_behind(cells) if may_be_level else _better(cells)
    return Verdict(name, (first, _gain(cells), baseline), tuple(notes), substitute=True,
                   seeds=table["seed"].nunique(), ours=_short(cells))


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run: accuracy in percent over the last evaluated rounds, and the noise (q, or 0: the accountant's)."""
    found = []
    for run in sweep.runs.values():
        accuracy = run.rounds["accuracy"].dropna().to_numpy()[-LAST:]
        settings = typed_settings(run)
        is_paper = settings.get("privacy.calibration") == "paper"
        found.append({
            "method": run.attributes["method"], "seed": int(run.attributes["seed"]),
            "score": 100 * float(np.mean(accuracy)),
            "scaling": settings.get("data.scaling", "none"),
            "noise": float(settings.get("privacy.constant", 1)) if is_paper else 0.0,
            "epsilon": float(settings.get("privacy.epsilon", np.nan)),
            "threshold": float(settings.get("bound.threshold", np.nan)), "rate": float(settings["local.rate"])})
    return pd.DataFrame(found)


def _cells(group: pd.DataFrame) -> dict[tuple[str, float], np.ndarray]:
    """Scores by (method, epsilon), ordered by seed."""
    return {key: cell.sort_values("seed")["score"].to_numpy() for key, cell in group.groupby(["method", "epsilon"])}


def _better(cells: dict[tuple[str, float], np.ndarray]) -> Statement:
    """N1: normalisation against clipping."""
    def wins(epsilon: float) -> bool:
        norm, clip = cells[NORM, epsilon], cells[CLIP, epsilon]
        return bool((norm > clip).all()) or beats(norm, clip)

    return Statement("N1", "normalisation is ahead of clipping at epsilon 5 and at 1.5",
                     outcome(wins(WEAK) and wins(STRONG), _clipping_wins(cells)), _gains(cells), key=True)


def _not_behind(cells: dict[tuple[str, float], np.ndarray]) -> Statement:
    """N1 where the features are weak: normalisation against clipping."""
    holds = all(not_worse(cells[NORM, e], cells[CLIP, e]) for e in (WEAK, STRONG))
    return Statement("N1", "normalisation is not behind clipping at epsilon 5 and at 1.5",
                     outcome(holds, _clipping_wins(cells)), _gains(cells), key=True)


def _clipping_wins(cells: dict[tuple[str, float], np.ndarray]) -> bool:
    """Whether clipping is ahead at an epsilon."""
    return any(beats(cells[CLIP, e], cells[NORM, e]) for e in (WEAK, STRONG))


def _gain_of(cells: dict[tuple[str, float], np.ndarray], epsilon: float) -> float:
    """Mean points that normalisation gains at an epsilon."""
    return float((cells[NORM, epsilon] - cells[CLIP, epsilon]).mean())


def _gains(cells: dict[tuple[str, float], np.ndarray]) -> str:
    """The gains at both epsilons in words."""
    return ", ".join(f"{_gain_of(cells, e):+.2f} points at epsilon {e:g}" for e in (WEAK, STRONG))


def _gain(cells: dict[tuple[str, float], np.ndarray]) -> Statement:
    """N2: where normalisation gains more."""
    return Statement("N2", "it gains more at epsilon 5", outcome(_gain_of(cells, WEAK) > _gain_of(cells, STRONG)),
                     _gains(cells))


def _numbers(cells: dict[tuple[str, float], np.ndarray], fedavg: np.ndarray, constant: float) -> Statement:
    """N3: the numbers of table 1a."""
    met = [abs(cells[key].mean() - value) <= far for key, (value, far) in PAPER.items()]
    met += [abs(_gain_of(cells, e) - value) <= far for e, (value, far) in PAPER_GAIN.items()]
    value, far = PAPER_FEDAVG
    met.append(len(fedavg) > 0 and abs(fedavg.mean() - value) <= far)
    return Statement("N3", f"the numbers of table 1a, with q = {constant:g}", outcome(all(met)),
                     f"{sum(met)} of {len(met)} met; FedAvg {fedavg.mean() if len(fedavg) else np.nan:.2f}; "
                     + _line("", cells), is_number=True)


def _name(noise: float) -> str:
    """The words for the noise of a line."""
    return f"q = {noise:g}: " if noise > 0 else "accountant's noise: "


def _line(start: str, cells: dict[tuple[str, float], np.ndarray]) -> str:
    """A line of mean scores for the notes."""
    return start + ", ".join(f"{'norm' if method == NORM else 'clip'} {scores.mean():.2f} (epsilon {epsilon:g})"
                             for (method, epsilon), scores in sorted(cells.items(), key=lambda c: (-c[0][1], c[0][0])))


def _tuned(table: pd.DataFrame) -> list[str]:
    """The chosen settings, for the notes."""
    best = table[table["method"] != FEDAVG].drop_duplicates(["method", "epsilon", "noise"]).sort_values(["noise", "epsilon", "method"])
    return ["tuned: " + "; ".join(
        f"{row.method} {_name(row.noise)}epsilon {row.epsilon:g} "
        f"C {row.threshold:g} eta {row.rate:g}" for row in best.itertuples())
            + " (chosen by other runs over the same data, which no epsilon here counts)"]


def _short(cells: dict[tuple[str, float], np.ndarray]) -> str:
    """The four means of a noise, for a table."""
    return ", ".join(f"{cells[CLIP, e].mean():.2f} / {cells[NORM, e].mean():.2f}" for e in (WEAK, STRONG))


COLUMNS = {
    "method": Column("method"), "scaling": Column("scaling of the features"),
    "noise": Column("constant q of the paper's noise; 0: the accountant's noise", "1"),
    "epsilon": Column("nominal epsilon; unknown without privacy", "1"),
    "threshold": Column("threshold C of the bound", "1"), "rate": Column("local step size", "1"), "seed": Column("seed"),
    "score": Column(f"test accuracy over the last {LAST} evaluated rounds", "%"),
}


def _substitute(name: str, may_be_level: bool = False) -> Rule:
    """A rule for other data than the paper's."""
    return Rule(name, (name.upper(),), rows, partial(judge_orders, name=name.upper(), may_be_level=may_be_level), COLUMNS,
                "norm ahead at both epsilons, FedAvg ahead of both", seeds=3)


RULES = (
    Rule("norm-fmnist", ("NORM-FMNIST",), rows, judge, COLUMNS,
         "clip / norm 75.59 / 77.72, 56.90 / 57.80; FedAvg 83.43", seeds=3),
    _substitute("norm-mnist-s"), _substitute("norm-cifar10-s", may_be_level=True), _substitute("norm-mix20-s"))
