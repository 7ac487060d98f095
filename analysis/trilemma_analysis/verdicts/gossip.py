"""GOS-A9A, GOS-MNIST: BEER and its competitors without privacy, after the settings of its authors' notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .chosen_runs import lower
from .rules import Column, Rule, Statement, Verdict, beats, difference, mean_and_error, not_run, outcome

BEER, CHOCO, DSGD, D2 = METHODS = ("beer", "choco-sgd", "dsgd", "d2")
COMBINE = "combine-then-adapt"  # the order of DSGD in the notebooks
MIDDLE, END = 500, 2000  # rounds at which GOS-A9A compares
EARLIER = (100, 200, MIDDLE)  # in the notes
# Of the notebook's settings, computed again in NumPy after 2,000 rounds: test accuracy, and the range of the gradient's norm.
ACCURACY = {BEER: 0.7900, CHOCO: 0.7694, DSGD: 0.7707, D2: 0.7897}
NEAR = 0.005
NORM = {BEER: (0.0, 0.01), D2: (0.0, 0.01), CHOCO: (0.045, 0.06), DSGD: (0.04, 0.05)}
NETWORK, CNN = "network", "cnn"
TAIL = 5  # evaluations over which GOS-MNIST averages
AHEAD, NOT_BEHIND, WORST_AHEAD, CNN_AHEAD = 0.05, 0.01, 0.2, 0.15
CNN_ROUNDS = (1000, 4000)


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row an evaluated state after the start."""
    found = []
    for run in sweep.runs.values():
        method, settings = run.attributes["method"], typed_settings(run)
        if method not in METHODS or (method == DSGD and settings.get("gossip.order") != COMBINE):
            continue
        states = run.rounds[run.rounds["objective"].notna() & (run.rounds["round"] > 0)]
        if "consensus_error" not in states:
            raise RunFileError(f"{run.path}: no column consensus_error; run the sweep with a program that has it.")
        worst = states.get("accuracy_node_least", pd.Series(math.nan, index=states.index))
        found.append(pd.DataFrame({
            "model": str(settings["problem.kind"]), "method": method,
            "seed": int(run.attributes["seed"]), "round": states["round"].astype(int),
            "objective": states["objective"], "norm": states["gradient_norm_squared"] ** 0.5,
            "accuracy": states["accuracy"], "worst_accuracy": worst, "consensus_error": states["consensus_error"]}))
    if not found:
        raise RunFileError(f"no run of {', '.join(METHODS)} (with gossip.order = \"{COMBINE}\"); name the sweeps of docs/results/verdicts.md.")
    return pd.concat(found, ignore_index=True)


def at(table: pd.DataFrame, column: str, rounds: int) -> dict[str, pd.Series]:
    """Values after a number of rounds, by method and by seed."""
    states = table[table["round"] == rounds]
    return {method: group.set_index("seed")[column].sort_index() for method, group in states.groupby("method")}


def lacking(found: Mapping[str, object], *methods: str) -> str:
    """The methods of which there is no run."""
    return ", ".join(method for method in methods if method not in found)


def _means(found: Mapping[str, pd.Series], digits: int = 4) -> str:
    """The mean of every method."""
    return ", ".join(f"{method} {found[method].mean():.{digits}f}" for method in METHODS if method in found)


def judge_a9a(table: pd.DataFrame) -> Verdict:
    """A1 to A3, at the mean of the nodes."""
    accuracy, norm = at(table, "accuracy", END), at(table, "norm", END)
    statements = (*_numbers(accuracy, norm), _orders(table))
    notes = [f"consensus error after {END} rounds: {_means(at(table, 'consensus_error', END), 6)}"]
    notes += [f"norm of the gradient after {rounds} rounds: {_means(at(table, 'norm', rounds))}"
              for rounds in EARLIER if rounds in set(table["round"])]
    return Verdict("GOS-A9A", statements, tuple(notes), seeds=table["seed"].nunique(),
                   ours=f"norm after {END} rounds: {_means(norm)}")


def _numbers(accuracy: Mapping[str, pd.Series], norm: Mapping[str, pd.Series]) -> tuple[Statement, ...]:
    """A1 and A2: the notebook's values."""
    first = f"test accuracy after {END} rounds is within {NEAR:g} of " + ", ".join(
        f"{method} {value:.4f}" for method, value in ACCURACY.items())
    second = f"norm of the gradient after {END} rounds: " + ", ".join(
        f"{method} {low:g} to {high:g}" for method, (low, high) in NORM.items())
    if missing := lacking(accuracy, *METHODS):
        return not_run("A1", first, missing), not_run("A2", second, missing)
    return (
        Statement("A1", first, outcome(all(abs(accuracy[m].mean() - ACCURACY[m]) <= NEAR for m in METHODS)),
                  _means(accuracy), is_number=True),
        Statement("A2", second, outcome(all(low <= norm[m].mean() <= high for m, (low, high) in NORM.items())),
                  _means(norm), is_number=True))


def _orders(table: pd.DataFrame) -> Statement:
    """A3: the order of the norms."""
    text = f"norm of the gradient: d2 and beer below dsgd, dsgd below choco-sgd, after {MIDDLE} and {END} rounds"
    norms = {rounds: at(table, "norm", rounds) for rounds in (MIDDLE, END)}
    if missing := lacking(norms[END], *METHODS):
        return not_run("A3", text, missing)
    pairs = [(norms[rounds][less], norms[rounds][more]) for rounds in norms
             for less, more in ((D2, DSGD), (BEER, DSGD), (DSGD, CHOCO))]
    won, lost = sum(lower(*pair) for pair in pairs), sum(lower(more, less) for less, more in pairs)
    return Statement("A3", text, outcome(won == len(pairs), lost > 0), f"{won} of {len(pairs)}; reversed: {lost}")


def judge_mnist(table: pd.DataFrame) -> Verdict:
    """M1 to M4; accuracies of the network are means over the last five evaluations."""
    network = table[table["model"] == NETWORK]
    mean, worst = _tail(network, "accuracy"), _tail(network, "worst_accuracy")
    statements = (
        _gap("M1", "mean of the nodes: beer is ahead of choco-sgd", mean, BEER, CHOCO, AHEAD),
        _gap("M2", "mean of the nodes: d2 is not behind beer", mean, D2, BEER, -NOT_BEHIND),
        _gap("M3", "worst node: beer is ahead of choco-sgd", worst, BEER, CHOCO, WORST_AHEAD),
        _cnn(table[table["model"] == CNN]))
    notes = [f"accuracy of the worst node: {_means(worst, 3)}",
             f"consensus error: {_means(_tail(network, 'consensus_error'))}"]
    return Verdict("GOS-MNIST", statements, tuple(notes), seeds=network["seed"].nunique(),
                   ours=f"accuracy at the mean {_means(mean, 3)}; at the worst node {_means(worst, 3)}")


def _tail(table: pd.DataFrame, column: str) -> dict[str, pd.Series]:
    """Means over the last evaluations of every run, by method and by seed; only methods whose runs have the column."""
    runs = {key: group.sort_values("round")[column].tail(TAIL).mean() for key, group in table.groupby(["method", "seed"])}
    found: dict[str, dict[int, float]] = {}
    for (method, seed), value in runs.items():
        if not math.isnan(value):
            found.setdefault(method, {})[seed] = value
    return {method: pd.Series(values).sort_index() for method, values in found.items()}


def _gap(name: str, text: str, found: Mapping[str, pd.Series], ours: str, theirs: str, least: float) -> Statement:
    """Whether the mean of ours - theirs is at least `least`."""
    text = f"{text} by at least {least:g}" if least >= 0 else f"{text} by more than {-least:g}"
    if missing := lacking(found, ours, theirs):
        return not_run(name, text, missing)
    gap, error = mean_and_error(difference(found[ours], found[theirs]))
    return Statement(name, text, outcome(gap >= least, gap < least and beats(found[theirs], found[ours])),
                     f"{ours} {found[ours].mean():.3f}, {theirs} {found[theirs].mean():.3f}: {gap:+.3f} +- {error:.3f}")


def _cnn(table: pd.DataFrame) -> Statement:
    """M4: a CNN without the notebook's batch normalisation."""
    text = f"CNN without batch normalisation: beer is ahead of choco-sgd by at least {CNN_AHEAD:g} after " + " and ".join(
        f"{rounds:,}" for rounds in CNN_ROUNDS) + " rounds"
    found = {rounds: at(table, "accuracy", rounds) for rounds in CNN_ROUNDS}
    if any(lacking(each, BEER, CHOCO) for each in found.values()):
        return not_run("M4", text, "beer and choco-sgd on the CNN")
    if min(len(each[method]) for each in found.values() for method in (BEER, CHOCO)) < 2:
        return not_run("M4", text, "a second seed on the CNN")
    gaps = {rounds: float(difference(each[BEER], each[CHOCO]).mean()) for rounds, each in found.items()}
    return Statement("M4", text, outcome(min(gaps.values()) >= CNN_AHEAD, max(gaps.values()) < 0),
                     ", ".join(f"{gap:+.3f} after {rounds:,}" for rounds, gap in gaps.items()))


COLUMNS = {
    "model": Column("kind of model"), "method": Column("method"), "seed": Column("seed"),
    "round": Column("rounds so far", "round"), "objective": Column("objective at the mean of the nodes", "1"),
    "norm": Column("norm of the full gradient at the mean of the nodes", "1"),
    "accuracy": Column("test accuracy of the mean of the nodes", "1"),
    "worst_accuracy": Column("least test accuracy of a node; unknown if nodes were not evaluated", "1"),
    "consensus_error": Column("mean squared distance of the nodes from their mean", "1"),
}
RULES = (
    Rule("gos-a9a", ("GOS-A9A",), rows, judge_a9a, COLUMNS, "norms below 0.01 with BEER and D2, near 0.05 without", seeds=3),
    Rule("gos-mnist", ("GOS-MNIST",), rows, judge_mnist, COLUMNS, "BEER ahead of CHOCO-SGD, most at the worst node",
         seeds=2))
