"""Statistics of the rules of personalised learning, by the names that rules use."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .engine import Found, Judgement
from .pairs import combinations
from .rules import beats, difference
from .states import BEST
from .terms import Line, Part, filled

EARLY = 0.2  # of the rounds


def smaller_where_weak(judgement: Judgement, part: Part) -> Found:
    """Judges whether the mean lead is larger below epsilon `least` than from `most` on."""
    leads = {pair.labels["epsilon"]: pair.lead for pair in judgement.pairs(part)[0]}
    below = [lead for epsilon, lead in leads.items() if epsilon < part.least]
    above = [lead for epsilon, lead in leads.items() if epsilon >= part.most]
    if not below or not above:
        return Found(False, False, "", needs=part.few)
    return Found(np.mean(below) > np.mean(above), False, f"{np.mean(below):+.3f} against {np.mean(above):+.3f}")


def against_additive(judgement: Judgement, part: Part) -> Found:
    """Judges whether ours is ahead on average below epsilon 1, and within a share `most` of theirs at 4; both with the
    common rate of ours if `options` say so."""
    cells = judgement.views[part.view]
    rates = cells.table.loc[(cells.table["name"] == part.ours["name"]) & (cells.table["tune"] == "none"),
                            "rate"].unique()
    fixed = {"rate": float(rates[0]), "ratio": 1.0} if part.options.get("common") and len(rates) == 1 else {}
    tune = part.options.get("tune", "none")
    pairs = []
    for labels in combinations(part.each, cells):
        ours, theirs = cells.get(**labels, **part.ours, tune=tune), cells.get(**labels, **part.theirs, tune=tune,
                                                                              **fixed)
        if ours is not None and theirs is not None:
            pairs.append((labels["epsilon"], ours["score"], theirs["score"]))
    sign = -1 if "score" in cells.view.smaller else 1
    leads = {epsilon: sign * float(difference(ours, theirs).mean()) for epsilon, ours, theirs in pairs}
    small = [lead for epsilon, lead in leads.items() if epsilon < 1]
    if not small or 4.0 not in leads:
        return Found(False, False, "", needs=part.few)
    last = leads[4.0] / abs(next(ours.mean() for epsilon, ours, _ in pairs if epsilon == 4.0))
    scores = "; ".join(f"{ours.mean():.3f} : {theirs.mean():.3f} at {e:g}" for e, ours, theirs in pairs)
    return Found(np.mean(small) > 0 and abs(last) <= part.most, False,
                 f"mean gap {np.mean(small):+.3f}; {last:+.1%} at 4; {scores}")


def next_to_chance(judgement: Judgement, part: Part) -> Found:
    """Judges whether ours is near chance (`most`), or far behind the first of theirs, and both of theirs twice as
    good."""
    cells, holds, ahead, texts = judgement.views[part.view], [], [], []
    for labels in combinations(part.each, cells):
        runs = [cells.get(**labels, **side) for side in (part.ours, *combinations(part.theirs, cells))]
        if any(run is None for run in runs):
            return Found(False, False, "", needs=part.few)
        scores = [run["score"] for run in runs]
        ahead.append(any(beats(scores[0], score) for score in scores[1:]))
        ours, *theirs = (score.mean() for score in scores)
        holds.append((ours < 0.25 * theirs[0] or ours < 3 * part.most) and min(theirs) > 2 * ours)
        texts.append(f"{ours:.3f} against {theirs[0]:.3f} and {theirs[1]:.3f} at {labels['epsilon']:g}")
    return Found(all(holds), all(ahead), "; ".join(texts))


def at_equal_steps(judgement: Judgement, part: Part) -> Found:
    """Judges whether the best finetuning beats local training that has taken as many local steps."""
    cells, won, lost, texts = judgement.views[part.view], [], [], []
    for labels in combinations(part.each, cells):
        ours = cells.get(**labels, **part.ours, tune=BEST)
        work = float(ours["work"].iloc[0]) if ours is not None else 0.0
        local = cells.local_after(work)
        if ours is None or local.empty:
            return Found(False, False, "", needs=part.few)
        won.append(beats(ours["score"], local))
        lost.append(beats(local, ours["score"]))
        texts.append(f"{ours['score'].mean():.3f} against {local.mean():.3f} after {work:.0f} steps at "
                     f"{labels['epsilon']:g}")
    return Found(all(won), all(lost), "; ".join(texts))


def at_both_ends(judgement: Judgement, line: Line) -> list[str]:
    """Returns the scores at the smallest and the largest epsilon that all methods reach."""
    cells, [name, methods] = judgement.views[line.view], next(iter(line.options["methods"].items()))
    reached = [labels for labels in combinations(line.each, cells)
               if all(cells.get(**labels, **{name: method}) is not None for method in methods)]
    ends = reached[:1] + reached[-1:] if len(reached) > 1 else reached
    return ["; ".join(filled(line.line, {**labels, **{method: cells.of(**labels, **{name: method})["score"].mean()
                                                       for method in methods}}) for labels in ends)]


def _curves(judgement: Judgement) -> dict[tuple, pd.DataFrame]:
    """Returns the mean curves over seeds, by the values of a cell."""
    return {key: cell.groupby("round")[["loss", "epsilon"]].mean().reset_index()
            for key, cell in judgement.views["main"].cells.items()}


def early_share(curve: pd.DataFrame) -> float:
    """Returns the share of a curve's decrease that it has made after EARLY of its rounds."""
    loss, rounds = curve["loss"].to_numpy(), curve["round"].to_numpy()
    early = loss[rounds <= EARLY * rounds[-1]][-1]
    return float((loss[0] - early) / (loss[0] - loss[-1])) if loss[-1] < loss[0] else -np.inf


def early_decrease(judgement: Judgement, part: Part) -> Found:
    """Judges whether every curve has made a share `least` of its decrease early."""
    shares = [early_share(curve) for curve in _curves(judgement).values()]
    if not shares:
        return Found(False, False, "", needs=part.few)
    late = sum(share < part.least for share in shares)
    return Found(late == 0, late == len(shares), f"{len(shares) - late} of {len(shares)} curves; {min(shares):.2f} to "
                 f"{max(shares):.2f}", {"least": min(shares), "greatest": max(shares)})


def lowest_ends(judgement: Judgement, part: Part) -> Found:
    """Judges whether on all data the curve that ends lowest has the largest epsilon."""
    ends = pd.DataFrame([{"data": key[0], **curve.iloc[-1]} for key, curve in _curves(judgement).items()])
    if ends.empty:
        return Found(False, False, "", needs=part.few)
    lowest = {data: group.loc[group["loss"].idxmin()] for data, group in ends.groupby("data")}
    largest = ends.groupby("data")["epsilon"].max()
    return Found(all(end["epsilon"] >= largest[data] for data, end in lowest.items()), False, "; ".join(
        f"{data}: {end['loss']:.3g} at epsilon {end['epsilon']:.3g}" for data, end in lowest.items()))


def courses(judgement: Judgement, _: Line) -> list[str]:
    """Returns where each curve starts, is after EARLY of its rounds, and ends."""
    texts = []
    for (data, sigma, threshold), curve in _curves(judgement).items():
        early = curve[curve["round"] <= EARLY * curve["round"].iloc[-1]].iloc[-1]
        points = "; ".join(f"{point['loss']:.3g} after {point['round']:.0f} rounds (epsilon {point['epsilon']:.3g})"
                           for point in (curve.iloc[0], early, curve.iloc[-1]))
        texts.append(f"{data}, sigma {sigma:g}, bound {threshold:g}: training loss {points}")
    return texts


CHECKS = {"smaller where weak": smaller_where_weak, "against additive": against_additive,
          "next to chance": next_to_chance,
          "at equal steps": at_equal_steps, "early decrease": early_decrease, "lowest ends": lowest_ends}
TEXTS = {"at both ends": at_both_ends, "courses": courses}
