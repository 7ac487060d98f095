"""Statistics of the rules of clipping and normalisation, by the names that rules use."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from .cells import matching
from .engine import Found, Judgement
from .terms import Line, Part, filled

FEDAVG = "fedavg"


def _words(noise: float) -> str:
    """Returns the words for a noise."""
    return f"q = {noise:g}: " if noise > 0 else "accountant's noise: "


def with_words(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the private runs with their noise in words."""
    private = table[table["method"] != FEDAVG]
    return private.assign(noise_words=list(map(_words, private["noise"])))


def least_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the private runs with the smallest constant of the paper's noise."""
    return _with_noise(table, "min")


def most_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the private runs with the largest constant of the paper's noise."""
    return _with_noise(table, "max")


def _with_noise(table: pd.DataFrame, which: str) -> pd.DataFrame:
    """Returns the private runs with one constant of the paper's noise."""
    private = table[(table["method"] != FEDAVG) & (table["noise"] > 0)]
    if private.empty:
        raise RunFileError('no run has the paper\'s noise (privacy.calibration = "paper"); name the sweeps of '
                           "jobs/reproductions.toml.")
    return private[private["noise"] == private["noise"].agg(which)]


def more_at_first(judgement: Judgement, part: Part) -> Found:
    """Judges whether the gap is larger in the first comparison than in the last."""
    pairs, _ = judgement.pairs(part)
    return Found(pairs[0].gap > pairs[-1].gap, False, part.join.join(filled(part.item, pair.names()) for pair in pairs))


def ahead_of_all(judgement: Judgement, part: Part) -> Found:
    """Judges whether the best mean of `ours` is above the best mean of all other cells."""
    cells = judgement.views[part.view]
    ours = max((cell["score"].mean() for cell in judgement.views[part.options["view"]].cells.values()), default=np.nan)
    best = max(cell["score"].mean() for cell in cells.cells.values())
    return Found(ours > best, False, f"{ours:.2f} against {best:.2f}")


def published(judgement: Judgement, part: Part) -> Found:
    """Judges how many published means and gains are met, and the baseline's."""
    cells, baseline = judgement.views[part.view], judgement.views[part.options["view"]].table["score"]
    met = [abs(cells.of(**{name: each[name] for name in cells.by})["score"].mean() - each["value"]) <= each["within"]
           for each in part.targets]
    for gain in part.options["gains"]:
        ours, theirs = (cells.of(epsilon=gain["epsilon"], **side)["score"] for side in (part.ours, part.theirs))
        met.append(abs(float((ours - theirs).mean()) - gain["value"]) <= gain["within"])
    wanted = part.options["baseline"]
    met.append(len(baseline) > 0 and abs(baseline.mean() - wanted["value"]) <= wanted["within"])
    scores = judgement.lines(Line(**part.options["scores"]))[0]
    return Found(all(met), False,
                 f"{sum(met)} of {len(met)} met; FedAvg {baseline.mean() if len(baseline) else np.nan:.2f}; "
                 + scores, {"constant": cells.table["noise"].max()})


def tuned(judgement: Judgement, line: Line) -> list[str]:
    """Returns the chosen settings of all private methods."""
    table = judgement.views[line.view].table
    best = matching(table, line.each).drop_duplicates(["method", "epsilon", "noise"]).sort_values(
        ["noise", "epsilon", "method"])
    return ["tuned: " + "; ".join(
        f"{row.method} {_words(row.noise)}epsilon {row.epsilon:g} C {row.threshold:g} eta {row.rate:g}"
        for row in best.itertuples()) + " (chosen by other runs over the same data, which no epsilon here counts)"]


DERIVED = {"noise in words": with_words, "least noise": least_noise, "most noise": most_noise}
CHECKS = {"more at first": more_at_first, "ahead of all": ahead_of_all, "published": published}
TEXTS = {"tuned": tuned}
