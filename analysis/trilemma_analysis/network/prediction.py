"""Times of runs on networks, as `trilemma predict --json` writes them, and measured ones."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..io.errors import RunFileError
from ..io.run_file import Run, WHOLE_VECTORS
from ..model.phases import KINDS


@dataclass(frozen=True)
class Predicted:
    """A run on the networks of a prediction: bandwidths in bit/s and seconds, NaN where the target is not reached."""

    method: str
    compressor: str
    label: str  # the compressor with its parameter
    compressed: bool
    bandwidths: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """A network on which the runs were made: its name, and seconds by (method, compressor)."""

    name: str
    seconds: dict[tuple[str, str], float]


def read_prediction(path: Path) -> dict[str, Any]:
    """The output of `trilemma predict --json`."""
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RunFileError(f"{path}: not JSON; give the output of `trilemma predict --json`.") from error
    if not isinstance(answer, dict) or not all(isinstance(answer.get(key), list) for key in ("runs", "networks", "crossings")):
        raise RunFileError(f"{path}: not a prediction; give the output of `trilemma predict --json`.")
    if len(answer["networks"]) < 2:
        raise RunFileError(f"{path}: a prediction for one network; leave out --bandwidth and --network, or give several "
                           "bandwidths.")
    if len({network["ranks"] for network in answer["networks"]}) > 1:
        raise RunFileError(f"{path}: a prediction for several numbers of ranks, and the figure is about one; predict with one "
                           "of them.")
    parts = [(run["method"], run["compressor"]) for run in answer["runs"]]
    if twice := next((each for each in parts if parts.count(each) > 1), None):
        raise RunFileError(f"{path}: two runs of {', '.join(twice)}, which nothing in the figure would tell apart; predict "
                           "one of them.")
    return answer


def predicted_runs(answer: dict[str, Any]) -> list[Predicted]:
    """The runs of a prediction over its networks, by ascending bandwidth."""
    networks = sorted(answer["networks"], key=lambda network: network["bandwidth"])
    return [Predicted(run["method"], run["compressor"], run["compressor_label"],
                      run["compressor_kind"] != WHOLE_VECTORS, tuple(float(network["bandwidth"]) for network in networks),
                      tuple(_seconds(network["predictions"][i]) for network in networks))
            for i, run in enumerate(answer["runs"])]


def _seconds(prediction: dict[str, Any] | None) -> float:
    return math.nan if prediction is None else float(prediction["seconds"])


def seconds_until(run: Run, accuracy: float | None) -> float:
    """Seconds of rank 0, for which all others wait, without evaluation and recording: of the whole run, or until a test
    accuracy is reached first; NaN where it is not."""
    counted = [i for i, phase in enumerate(run.phase_names) if phase not in (*KINDS["evaluation"], *KINDS["recording"])]
    seconds = np.cumsum(run.phase_seconds[1:, 0, counted].sum(axis=1))
    if accuracy is None:
        return float(seconds[-1])
    reached = np.flatnonzero(run.rounds["accuracy"].to_numpy()[1:] >= accuracy)
    return float(seconds[reached[0]]) if len(reached) else math.nan
