"""The evaluated states of all runs, packed for a page: gzip of a JSON head and of columns of bytes, as base64."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..model.budgets import spent_by
from ..model.metrics import COMPARED
from .content import Content, Member
from .paths import without_folders

MOST_LETTERS = 1_450_000  # of base64: the page stays below 2 MB
FEWEST_STATES = 20
DIGITS = {7: 23, 5: 15}  # bits of the mantissa of a metric by the digits that they keep; a share keeps seven


@dataclass(frozen=True)
class Packed:
    """The text for the page, whose metrics have some `digits`. `thinned` is the largest number of states of a run that
    are in it, 0 where all are, and `longest` the largest number of states that a run has."""

    text: str
    digits: int
    thinned: int
    longest: int


def pack(content: Content) -> Packed:
    """Packs the states of all runs; where that is too long for a page, with fewer digits and then fewer states."""
    tables = [states(each, content.metrics) for each in content.members]
    longest = max(map(len, tables))
    digits, limit = max(DIGITS), longest
    text = _text(content, tables, DIGITS[digits])
    if len(text) > MOST_LETTERS:
        digits = min(DIGITS)
        text = _text(content, tables, DIGITS[digits])
    while len(text) > MOST_LETTERS and limit > FEWEST_STATES:
        limit = int(limit * min(0.9, 0.95 * MOST_LETTERS / len(text)))
        text = _text(content, [thin(table, content.metric, limit) for table in tables], DIGITS[digits])
    return Packed(text, digits, 0 if limit == longest else limit, longest)


def states(member: Member, metrics: Sequence[str]) -> pd.DataFrame:
    """Returns the evaluated states of a run: `round`, payload bits of all clients that count (`up`, `down`) and that
    crossed (`up_sent`, `down_sent`), `epsilon`, `time` on the simulated clock, `seconds` if they are evidence, and the
    metrics."""
    run = member.run
    up, down, up_sent, down_sent = (spent_by(run, way, sent) for sent in (False, True) for way in ("up", "down"))
    table = pd.DataFrame({"round": up["round"], "up": up["bits"], "down": down["bits"], "up_sent": up_sent["bits"],
                          "down_sent": down_sent["bits"], "epsilon": up["epsilon"], "time": up["time"],
                          "seconds": up["seconds"] if member.timed else math.nan})
    known = [name for name in metrics if len(run.evaluated(name))]
    table = table.assign(**{name: run.rounds[name].astype(float) for name in known})
    return table[table[known].notna().any(axis=1)] if known else table.iloc[:0]


def thin(table: pd.DataFrame, metric: str, limit: int) -> pd.DataFrame:
    """Returns at most `limit` states: the first and the last, and of every bucket those with the least and the largest
    value of the metric.

    >>> thin(pd.DataFrame({"utility": [3.0, 9.0, 1.0, 2.0, 5.0]}), "utility", 4).index.tolist()
    [0, 1, 2, 4]
    """
    if len(table) <= limit or metric not in table:
        return table if len(table) <= limit else table.iloc[np.linspace(0, len(table) - 1, limit).astype(int)]
    inner = np.arange(1, len(table) - 1)
    values = table[metric].to_numpy()
    kept = {0, len(table) - 1}
    for bucket in np.array_split(inner, max(1, (limit - 2) // 2)):
        known = bucket[~np.isnan(values[bucket])]
        kept |= {int(known[values[known].argmin()]), int(known[values[known].argmax()])} if len(known) else set()
    return table.iloc[sorted(kept)]


def _text(content: Content, tables: Sequence[pd.DataFrame], mantissa: int) -> str:
    """Returns the packed states. Equal columns are stored once: the runs of one setting share rounds, bits and
    epsilons."""
    pool: dict[bytes, int] = {}
    columns: list[list] = []
    runs = []
    for table in tables:
        run = {}
        for name in table:
            values = _rounded(table[name].to_numpy(dtype=float), name, mantissa)
            if np.isnan(values).all():
                continue
            data = values.dtype.str.encode() + values.tobytes()
            if data not in pool:
                pool[data] = len(columns)
                columns.append([values.dtype.itemsize, len(values)])
            run[name] = pool[data]
        runs.append(run)
    configs = [without_folders(each.run.config) for each in content.members]
    head = json.dumps({"columns": columns, "runs": runs, "configs": configs}, separators=(",", ":")).encode()
    # Bytes of one place stand together, so that gzip finds the equal ones.
    planes = [np.frombuffer(data[3:], np.uint8).reshape(-1, int(data[2:3])).T.tobytes() for data in pool]
    whole = len(head).to_bytes(4, "little") + head + b"".join(planes)
    return base64.b64encode(gzip.compress(whole, 9, mtime=0)).decode()


def _rounded(values: np.ndarray, name: str, mantissa: int) -> np.ndarray:
    """Returns metrics as float32, with `mantissa` bits unless they are shares. Columns that are compared with limits
    stay unchanged."""
    if name not in COMPARED:
        return values.astype("<f8")
    with np.errstate(over="ignore"):
        short = values.astype("<f4")
    if (np.isinf(short) & np.isfinite(values)).any():
        return values.astype("<f8")
    drop = max(DIGITS.values()) - mantissa
    if COMPARED[name].is_share or not drop:
        return short
    bits = short.view("<u4").astype(np.uint64)
    rounded = ((bits + (1 << (drop - 1))) >> drop << drop).astype("<u4").view("<f4")
    return np.where(np.isfinite(short) & np.isfinite(rounded), rounded, short).astype("<f4")
