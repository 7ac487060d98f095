"""PMTL-CURVES: how fast the training loss of private multi-task learning falls, on other data than the paper's."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .rules import Column, Rule, Statement, Verdict, not_run, outcome

LOSS = "client_training_loss"
EARLY, SHARE = 0.2, 0.6  # of the rounds, and of the decrease that is made until then
CURVE = ["data", "sigma", "threshold", "seed"]
SEEDS = 3  # that the rule asks for


def is_private_pmtl(run: Run) -> bool:
    """Whether a run is one of PMTL (not of local training, whose pull is zero) with noise and a recorded loss."""
    settings = typed_settings(run)
    return (settings["method"] == "pmtl" and float(settings["local.pull"]) > 0
            and float(run.attributes["noise_sigma"]) > 0 and LOSS in run.rounds and bool(run.rounds[LOSS].notna().any()))


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row an evaluated state of the runs that the rule is about."""
    tables = []
    for run in filter(is_private_pmtl, sweep.runs.values()):
        settings = typed_settings(run)
        states = run.rounds[["round", "epsilon", LOSS]].dropna(subset=[LOSS])
        states = states.set_axis(["round", "epsilon", "loss"], axis=1)
        tables.append(states.assign(data=str(settings["name"]).lower(), sigma=float(run.attributes["noise_sigma"]),
                                    threshold=float(settings["bound.threshold"]), seed=int(run.attributes["seed"])))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def judge(states: pd.DataFrame) -> Verdict:
    """Judges the mean curves over seeds, by data, noise and bound."""
    curves = states.groupby([*CURVE[:-1], "round"])[["loss", "epsilon"]].mean().reset_index()
    found = {key: curve.sort_values("round") for key, curve in curves.groupby(CURVE[:-1])}
    return Verdict("PMTL-CURVES", (_fast(found), _ends(found)), tuple(_note(key, curve) for key, curve in found.items()),
                   substitute=True, seeds=states["seed"].nunique(),
                   ours=f"{min(map(early_share, found.values())):.2f} to {max(map(early_share, found.values())):.2f} of the "
                   f"decrease after {EARLY:.0%} of the rounds" if found else "")


def early_share(curve: pd.DataFrame) -> float:
    """Share of a curve's decrease that it has made after EARLY of its rounds."""
    loss, rounds = curve["loss"].to_numpy(), curve["round"].to_numpy()
    early = loss[rounds <= EARLY * rounds[-1]][-1]
    return float((loss[0] - early) / (loss[0] - loss[-1])) if loss[-1] < loss[0] else -np.inf


def _fast(found: dict) -> Statement:
    """F: most of the decrease comes early."""
    text = f"after {EARLY:.0%} of the rounds, the training loss has made {SHARE:.0%} of its decrease on every curve"
    if not found:
        return not_run("F", text, "private runs of PMTL with evaluate.objective", key=True)
    shares = {key: early_share(curve) for key, curve in found.items()}
    late = sum(share < SHARE for share in shares.values())
    return Statement("F", text, outcome(late == 0, late == len(shares)),
                     f"{len(shares) - late} of {len(shares)} curves; {min(shares.values()):.2f} to "
                     f"{max(shares.values()):.2f}", key=True)


def _ends(found: dict) -> Statement:
    """E: the smallest losses need the largest epsilons."""
    text = "on all data, the curve with the largest epsilon ends lowest"
    if not found:
        return not_run("E", text, "private runs of PMTL with evaluate.objective", aside=True)
    ends = pd.DataFrame([(key[0], curve["epsilon"].iloc[-1], curve["loss"].iloc[-1]) for key, curve in found.items()],
                        columns=["data", "epsilon", "loss"])
    lowest = {data: group.loc[group["loss"].idxmin()] for data, group in ends.groupby("data")}
    holds = [end["epsilon"] >= ends.loc[ends["data"] == data, "epsilon"].max() for data, end in lowest.items()]
    return Statement("E", text, outcome(all(holds)), "; ".join(
        f"{data}: {end['loss']:.3g} at epsilon {end['epsilon']:.3g}" for data, end in lowest.items()), aside=True)


def _note(key: tuple, curve: pd.DataFrame) -> str:
    """A curve in a line: where it starts, is after EARLY of its rounds, and ends."""
    data, sigma, threshold = key
    early = curve[curve["round"] <= EARLY * curve["round"].iloc[-1]].iloc[-1]
    points = "; ".join(f"{point['loss']:.3g} after {point['round']:.0f} rounds (epsilon {point['epsilon']:.3g})"
                       for point in (curve.iloc[0], early, curve.iloc[-1]))
    return f"{data}, sigma {sigma:g}, bound {threshold:g}: training loss {points}"


COLUMNS = {
    "data": Column("experiment file, by its data"), "sigma": Column("standard deviation of the noise on the mean", "1"),
    "threshold": Column("threshold of the bound", "1"), "seed": Column("seed"),
    "round": Column("round of the evaluated state", "round"), "epsilon": Column("accounted epsilon until then", "1"),
    "loss": Column("training loss of the clients' own models, mean over clients", "1"),
}
RULES = (Rule("pmtl-curves", ("PMTL-CURVES", "PMTL-OMNI-S"), rows, judge, COLUMNS, "the loss falls fast relative to epsilon",
              seeds=SEEDS, keeps=is_private_pmtl),)
