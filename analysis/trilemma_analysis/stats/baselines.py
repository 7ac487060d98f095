"""How well the best constant model does, which looks at no feature: what a trained model must beat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..io.run_file import Run
from ..model.finals import constant_score, last_known
from ..model.metrics import COMPARED, PERSONAL, SCORES
from .judgement import share_words, value_range
from .paired import mean


@dataclass(frozen=True)
class Score:
    """The score of a run and that of the best constant model; NaN where either is unknown."""

    value: float
    constant: float
    higher_is_better: bool
    of: str = ""  # words of what it measures
    is_share: bool = False

    @property
    def ahead(self) -> float:
        """Returns by how much the run is better."""
        return (self.value - self.constant) * (1 if self.higher_is_better else -1)


def score(run: Run, metric: str, value: float) -> Score:
    """Returns a value of a metric with the score of the constant model. Metrics by which the constant model is not
    scored have none."""
    constant = constant_score(run) if metric in SCORES else \
        constant_score(run, "baseline_personal_score") if metric == PERSONAL else math.nan
    known = COMPARED.get(metric)
    return Score(value, constant, known is not None and known.higher_is_better, known.name if known else "",
                 known is not None and known.is_share)


def final_score(run: Run, until: int | None = None) -> Score:
    """Returns the last accuracy of a run (up to the round `until`, if given), or the last test error if it has no
    accuracy."""
    def last(name: str) -> float:
        known = run.evaluated(name)
        return last_known(known if until is None else known[run.rounds.loc[known.index, "round"] <= until])

    values = {name: last(name) for name in SCORES}
    name = next((name for name, value in values.items() if not math.isnan(value)), SCORES[0])
    return score(run, name, values[name])


def baseline_notes(rows: Sequence[tuple[str, Sequence[Score]]]) -> list[str]:
    """Returns a sentence on the rows (name and scores over the seeds) that are no better than the best constant model,
    and one on those for which the seeds do not tell."""
    no_better: dict[str, Score] = {}
    unclear: dict[str, Score] = {}
    for name, scores in rows:
        over = mean([each.ahead for each in scores])
        if over.n and over.centre <= 0:
            no_better[name] = scores[0]
        elif over.n and over.low <= 0:
            unclear[name] = scores[0]
    found = [f"no better than the best constant model ({_values(no_better)}): {', '.join(no_better)}"] \
        if no_better else []
    return found + ([f"not clearly better than the best constant model ({_values(unclear)}), which lies within the "
                     f"95 % interval of the mean: {', '.join(unclear)}"] if unclear else [])


def _values(rows: dict[str, Score]) -> str:
    """Returns the scores of the constant models, a range for each metric: 'test accuracy 76.0 to 76.1 %'."""
    found: dict[str, list[Score]] = {}
    for each in rows.values():
        found.setdefault(each.of, []).append(each)
    ranges = {name: value_range([each.constant for each in scores], share_words(scores[0].is_share), scores[0].is_share)
              for name, scores in found.items()}
    return " or ".join(f"{name} {words}".strip() for name, words in ranges.items())
