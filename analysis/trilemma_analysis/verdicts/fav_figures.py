"""FAV-FMNIST-S, FAV-CIFAR-S: figures 3 and 7 of the paper on other data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pandas as pd

from ..io.errors import RunFileError
from .fav_runs import FAVANO, FEDAVG, FEDBUFF, IID, METHODS, MOST_FAST, NAMES, QUAFL, QUANTISED, ROWS, Scores, WHOLE
from .fav_runs import row_of, runs_of, scores_of
from .rules import Rule, Statement, Verdict, beats, difference, marks, outcome


def substitute(runs: pd.DataFrame, experiment: str, has_order: bool) -> Verdict:
    """Figure 3 on other data: K1, and where `has_order` the order of the first two and K2, else reported separately."""
    runs = runs[runs["bits"] == WHOLE]
    scores = scores_of(runs, "plain")
    unsteady = _unsteady(runs, scores)
    statements = (_two_ahead(scores),) + ((_first(scores), unsteady) if has_order else (replace(unsteady, aside=True),))
    notes = [row_of(f"FedBuff and QuAFL {name}, FAVANO {alpha}", runs, name, alpha, MOST_FAST)
             for name, alpha in (("plain", "deterministic"), ("code", "stochastic"))]
    code = scores_of(runs, "code")
    if (MOST_FAST, FEDBUFF) in code.cells and (MOST_FAST, QUAFL) in code.cells:
        notes.append("with the preset code: " + marks((_two_ahead(code), _first(code))))
    return Verdict(experiment, statements, tuple(notes), substitute=True, seeds=runs["seed"].nunique(),
                   ours=", ".join(f"{NAMES[m]} {scores.mean(MOST_FAST, m):.1f}" for m in METHODS))


def _two_ahead(scores: Scores) -> Statement:
    """K1: FAVANO and FedBuff against QuAFL and FedAvg."""
    pairs = [(better, worse) for better in (FAVANO, FEDBUFF) for worse in (QUAFL, FEDAVG)]
    wins = [beats(scores.of(MOST_FAST, a), scores.of(MOST_FAST, b)) for a, b in pairs]
    return Statement("K1", "FAVANO and FedBuff are ahead of QuAFL and FedAvg",
                     outcome(all(wins), any(beats(scores.of(MOST_FAST, b), scores.of(MOST_FAST, a)) for a, b in pairs)),
                     ", ".join(f"{NAMES[a]} - {NAMES[b]} {scores.gap(MOST_FAST, a, b):+.1f}" for a, b in pairs), key=True)


def _first(scores: Scores) -> Statement:
    """M1: FAVANO against FedBuff."""
    gap = scores.gap(MOST_FAST, FAVANO, FEDBUFF)
    return Statement("M1", "FAVANO is ahead of FedBuff",
                     outcome(beats(scores.of(MOST_FAST, FAVANO), scores.of(MOST_FAST, FEDBUFF))), f"{gap:+.1f} points")


def _unsteady(runs: pd.DataFrame, scores: Scores) -> Statement:
    """K2: how steady FedBuff and FAVANO are."""
    plain = runs[runs["variant"].isin(("plain", "deterministic"))]
    changes = plain.groupby("method")["change"].mean()
    deviations = {m: float(scores.of(MOST_FAST, m).std(ddof=1)) for m in (FAVANO, FEDBUFF)}
    return Statement("K2", "FedBuff is less steady than FAVANO: over seeds, or from one evaluation to the next",
                     outcome(deviations[FEDBUFF] > deviations[FAVANO] or changes[FEDBUFF] > changes[FAVANO]),
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
                  outcome(all(beats(cells[bits, most], cells[bits, least]) for bits in widths),
                          any(beats(cells[bits, least], cells[bits, most]) for bits in widths)),
                  _by_size(cells, widths, sizes), key=True),
        Statement("Z1-STEPS", "accuracy does not fall with s", outcome(all(rises)), "see Z1"),
        Statement("Z2", f"quantised training is behind full precision, by at most {far:g} points",
                  outcome(all(0 <= gap <= far for gap in gaps)),
                  ", ".join(f"{gap:+.1f} at s = {size}" for size, gap in zip(sizes, gaps, strict=True))))
    return Verdict(experiment, statements, substitute=True, seeds=runs["seed"].nunique(),
                   ours=_by_size(cells, widths, sizes))


def letters(runs: pd.DataFrame) -> Verdict:
    """FAV-OMNI-S, figure 3b on other data, many classes and records spread at random: FAVANO against QuAFL and FedAvg;
    the gap to FedBuff is only reported."""
    scores = scores_of(runs, "plain")
    ours = ", ".join(f"{NAMES[m]} {scores.mean(IID, m):.1f}" for m in METHODS)
    statement = Statement("O1", "FAVANO is ahead of FedAvg and QuAFL",
                          outcome(all(beats(scores.of(IID, FAVANO), scores.of(IID, m)) for m in (FEDAVG, QUAFL)),
                                  any(beats(scores.of(IID, m), scores.of(IID, FAVANO)) for m in (FEDAVG, QUAFL))),
                          ours, key=True)
    gap = f"FAVANO - FedBuff {scores.gap(IID, FAVANO, FEDBUFF):+.1f} points"
    return Verdict("FAV-OMNI-S", (statement,), (gap,), substitute=True, seeds=runs["seed"].nunique(), ours=ours)


def _by_size(cells: dict[tuple[int, int], pd.Series], widths: tuple[int, ...], sizes: list[int]) -> str:
    """Mean scores by bits of training and by clients contacted, in words."""
    return "; ".join(("full precision: " if bits == WHOLE else "quantised: ") + ", ".join(
        f"{cells[bits, size].mean():.1f} (s = {size})" for size in sizes) for bits in widths)


def _rule(name: str, ids: tuple[str, ...], judge: Callable[[pd.DataFrame], Verdict], paper: str) -> Rule:
    """A rule of this module."""
    return Rule(name, ids, runs_of, judge, ROWS, paper)


RULES = (
    _rule("fav-fmnist-s", ("FAV-FMNIST-S",), partial(substitute, experiment="FAV-FMNIST-S", has_order=True),
          "FAVANO and FedBuff ahead"),
    _rule("fav-cifar-s", ("FAV-CIFAR-S",), partial(substitute, experiment="FAV-CIFAR-S", has_order=False),
          "FAVANO and FedBuff ahead"),
    _rule("fav-cifar-resnet-s", ("FAV-CIFAR-RESNET-S",),
          partial(substitute, experiment="FAV-CIFAR-RESNET-S", has_order=False), "FAVANO and FedBuff ahead"),
    _rule("fav-omni-s", ("FAV-OMNI-S",), letters, "FAVANO ahead of all others"),
    _rule("fav-fmnist-qnn-s", ("FAV-FMNIST-QNN-S",), partial(quantised, experiment="FAV-FMNIST-QNN-S", far=5),
          "more contacted clients end higher; quantised slightly lower"),
    _rule("fav-cifar-qnn-s", ("FAV-CIFAR-QNN-S",), partial(quantised, experiment="FAV-CIFAR-QNN-S", far=8),
          "more contacted clients end higher; quantised slightly lower"))
