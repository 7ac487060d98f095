"""Values of a run that no single attribute, setting or column of the run file has, by the names that rules use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..io.run_file import Run
from .columns import Facts

LAST = 5  # evaluated rounds over which the accuracy of NORM is averaged
TAIL = 50  # rounds over which the suboptimality is averaged
WINDOW = 5  # evaluations in a moving mean
RATES = (0.0005, 0.001, 0.002, 0.004)  # of the paper's quadratics
BEST_BETA = 0.01  # that the NEC paper finds best
NORMEC = "fed-alpha-normec"
GD, SVRG, SAGA = "soteriafl-gd", "soteriafl-svrg", "soteriafl-saga"
PMTL_NAMES = {"pmtl": "PMTL", "dp-fedavg-clip": "FedAvg", "local": "local", "naive-dp-mtl": "naive", "pp-sgd": "PP-SGD"}
LOSS = "client_training_loss"


def records(facts: Facts, _: float) -> int:
    """Returns the records of a client."""
    return int(facts.settings["data.rows"]) // int(facts.run.attributes["clients"])


def accuracies(facts: Facts) -> np.ndarray:
    """Returns the evaluated accuracies of a run in percent."""
    return 100 * facts.run.rounds["accuracy"].dropna().to_numpy()


def change(facts: Facts, _: float) -> float:
    """Returns the mean absolute change of the accuracy between the evaluations of the second half."""
    found = accuracies(facts)
    return float(np.abs(np.diff(found[len(found) // 2:])).mean())


def column_of_table(facts: Facts, _: float) -> str:
    """Returns the column of table 2 of FAVANO that a run belongs to."""
    if facts.settings["partition.kind"] != "shards":
        return "IID"
    return "2/3 fast" if float(facts.settings["clock.slow_share"]) < 0.5 else "1/9 fast"


def has_usual_clock(facts: Facts) -> bool:
    """Returns False if one time is drawn per job, or clients continue differently from the preset."""
    restart = "consumed" if facts.settings.get("server.preset") == "code" else "at-once"
    return facts.settings.get("clock.draw", "step") == "step" and facts.settings.get("clock.restart",
                                                                                     restart) == restart


def noise_of_paper(facts: Facts, _: float) -> float:
    """Returns the constant q of the paper's noise; 0 for the accountant's."""
    is_paper = facts.settings.get("privacy.calibration") == "paper"
    return float(facts.settings.get("privacy.constant", 1)) if is_paper else 0.0


def constant(facts: Facts, _: float) -> float:
    """Returns the constant of the closed form of the noise; 0 where it is the method's own."""
    found = facts.settings.get("privacy.constant", "method")
    return 0.0 if found == "method" else float(found)


def signal_to_noise(table: pd.DataFrame, runs: Sequence[Run]) -> pd.DataFrame:
    """Adds to the rows of each cell of the quadratics, at the paper's rates, the share of rounds in which normalisation
    has the higher ratio of signal to noise, and the mean quotient of the ratios."""
    cell = ["constant", "threshold", "scale", "rate"]
    ratios = [run.rounds["mean_norm"].to_numpy()[1:] / run.rounds["noise_norm"].to_numpy()[1:] for run in runs]
    found = []
    for key, group in table[table["rate"].isin(RATES)].groupby(cell):
        norm, clip = (np.mean([ratios[index] for index in group.index[group["method"] == method]], axis=0)
                      for method in ("dp-normfedavg", "dp-fedavg-clip"))
        found.append((*key, float((norm >= clip).mean()), float((norm / clip).mean())))
    made = pd.DataFrame(found, columns=[*cell, "share", "quotient"])
    return table.drop(columns=["share", "quotient"]).merge(made, how="left", on=cell)


def gradients(method: str, rounds: pd.Series, drawn: pd.Series, records: int, batch: int) -> pd.Series:
    """Returns the record gradients of a client so far, from the records that it has drawn so far. SVRG takes two of a
    record drawn, and those of all records at the start and for a snapshot, with probability batch / records in a round:
    as many as batch in the mean. SAGA takes those of all records at the start."""
    if method == SVRG:
        return 2 * drawn + records + batch * rounds
    return drawn + records if method == SAGA else drawn.astype(float)


def batch(facts: Facts, _: float) -> int:
    """Returns the records of a minibatch; all for GD."""
    return records(facts, 0) if facts.method == GD else int(facts.settings["local.batch"])


def gradients_until(facts: Facts, level: float) -> float:
    """Returns the record gradients at the first evaluated state with a utility of at most a level, or nan."""
    rounds = facts.run.rounds
    counts = gradients(facts.method, rounds["round"],
                       rounds["batch_records"] / int(facts.run.attributes["clients"]), records(facts, 0),
                       batch(facts, 0))
    reached = counts[rounds["utility"] <= level]
    return float(reached.iloc[0]) if len(reached) else math.nan


def axis_of_bits(table: pd.DataFrame, runs: Sequence[Run], end: float) -> pd.DataFrame:
    """Adds utility, objective and accuracy at the last evaluated state on the axis of bits, which ends at `end` times
    the smallest final number of bits of the same mode and epsilon."""
    finals = pd.Series([float(run.rounds["bits_up_model"].iloc[-1]) for run in runs], index=table.index)
    limits = end * finals.groupby([table["mode"], table["epsilon"]]).transform("min")
    shown = []
    for run, limit in zip(runs, limits, strict=True):
        known = run.rounds[run.rounds["utility"].notna()]
        shown.append(known[known["bits_up_model"] <= limit].iloc[-1])
    names = ("utility", "objective", "accuracy")
    return table.assign(**{f"{name}_bits": [float(state[name]) for state in shown] for name in names})


def combines_first(facts: Facts) -> bool:
    """Returns whether a run of DSGD has the order of the notebooks; other methods have one order."""
    return facts.method != "dsgd" or facts.settings.get("gossip.order") == "combine-then-adapt"


def has_server(facts: Facts) -> bool:
    """Returns whether a method has a server."""
    return "server.rate" in facts.settings


def graph(facts: Facts, _: float) -> str:
    """Returns the graph of the nodes, or "server"."""
    return "server" if has_server(facts) else str(facts.settings["graph.kind"])


def worst_node(facts: Facts, _: float) -> float:
    """Returns the largest objective of a node after the last round, or that of the server's model."""
    last = facts.run.rounds.iloc[-1]
    return float(last["objective"] if has_server(facts) else last.get("objective_node_most", math.nan))


def bits_of_edges(facts: Facts, _: float) -> float:
    """Returns the payload that travels between nodes. Messages of methods with a server cross one edge on their way up;
    the models that go down are counted separately."""
    return float(facts.run.rounds["bits_up_payload" if has_server(facts) else "bits_edges_payload"].iloc[-1])


def norm_of_gradient(facts: Facts, _: float) -> pd.Series:
    """Returns the norm of the full gradient by state."""
    return facts.run.rounds["gradient_norm_squared"] ** 0.5


def normec_method(facts: Facts, _: float) -> str:
    """Returns the method, and that equation 2 of the NEC paper is taken as it is printed."""
    method = facts.method
    literal = method == "dp-fedavg-smooth" and facts.settings.get("local.update") == "difference"
    return f"{method}, literal" if literal else method


def beta(facts: Facts, _: float) -> float:
    """Returns the step of the memories, or the norm bound without them."""
    is_normec = facts.method == NORMEC
    return float(facts.settings["memory.step" if is_normec else "bound.threshold"])


def decrease(facts: Facts, _: float) -> pd.Series:
    """Returns the share of the objective's start value that is gone: where one class is rare, accuracy says little."""
    objective = facts.run.rounds["objective"]
    return 1 - objective / objective.iloc[0]


def smoothed(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the states of a run with scores averaged over WINDOW evaluations, the last with the best and mean score.
    Only the last state counts unless the rule needs the curve: that of error feedback at the beta that the paper finds
    best."""
    scores = table["score"]
    smooth = scores.rolling(WINDOW, min_periods=1).mean()
    table = table.assign(score=smooth)
    table.loc[table.index[-1], ["best", "area"]] = smooth.max(), float(scores.mean())
    first = table.iloc[0]
    return table if first["method"] == NORMEC and first["beta"] == BEST_BETA else table.iloc[[-1]]


def pmtl_name(facts: Facts, _: float) -> str:
    """Returns the name of a personalised method; FedAvg with a pull is FedProx."""
    name = PMTL_NAMES[facts.method]
    return "FedProx" if name == "FedAvg" and float(facts.settings["local.pull"]) > 0 else name


def _of_finetuning(facts: Facts, key: str) -> float:
    """Returns a setting of the finetuning; 0 without."""
    is_tuned = facts.settings.get("finetune.kind", "none") != "none"
    return float(facts.settings.get(f"finetune.{key}", 0)) if is_tuned else 0.0


def work(facts: Facts, _: float) -> pd.Series:
    """Returns the expected local steps of a client by state, with those of the finetuning."""
    share = float(facts.settings.get("participation.rate", 1))
    return (facts.run.rounds["round"] * share * float(facts.settings.get("local.steps", 0))
            + _of_finetuning(facts, "steps"))


def _own_score(facts: Facts, kind: str) -> pd.Series:
    """Returns a score of the clients' own models, finetuned if the run finetunes."""
    is_tuned = facts.settings.get("finetune.kind", "none") != "none"
    return facts.run.rounds[f"finetuned_{kind}" if is_tuned else f"client_{kind}"]


def has_private_loss(facts: Facts) -> bool:
    """Returns whether a run is one of PMTL (not of local training, whose pull is zero) with noise and a recorded
    loss."""
    run = facts.run
    return (facts.settings["method"] == "pmtl" and float(facts.settings["local.pull"]) > 0
            and float(run.attributes["noise_sigma"]) > 0 and LOSS in run.rounds
            and bool(run.rounds[LOSS].notna().any()))


MADE: dict[str, Callable[[Facts, float], Any]] = {
    "records of a client": records, "change": change, "column of table 2": column_of_table,
    "final accuracy": lambda facts, _: float(accuracies(facts)[-1]),
    "late accuracy": lambda facts, _: 100 * float(np.mean(facts.run.rounds["accuracy"].dropna().to_numpy()[-LAST:])),
    "bits of training": lambda facts, _: 32 if facts.settings.get("problem.quantise", "none") == "none" else 4,
    "noise of the paper": noise_of_paper, "constant": constant,
    "late suboptimality": lambda facts, _: facts.run.rounds["suboptimality"].iloc[-TAIL:].mean(),
    "first suboptimality": lambda facts, _: facts.run.rounds["suboptimality"].iloc[0],
    "last distance": lambda facts, _: facts.run.rounds.get("distance", pd.Series([math.nan])).iloc[-1],
    "batch": batch, "gradients until": gradients_until, "graph": graph, "worst node": worst_node,
    "bits of edges": bits_of_edges, "norm of the gradient": norm_of_gradient, "method of NEC": normec_method,
    "beta": beta,
    "decrease": decrease, "name of PMTL": pmtl_name,
    **{f"{key} of finetuning": lambda facts, _, key=key: _of_finetuning(facts, key)
       for key in ("steps", "rate", "pull")},
    "work": work, "weighted score": lambda facts, _: _own_score(facts, "score_weighted"),
    "mean score": lambda facts, _: _own_score(facts, "score_mean"),
    "data": lambda facts, _: str(facts.settings["name"]).lower()}
ONLY = {"usual clock": has_usual_clock, "combine first": combines_first, "private loss": has_private_loss}

EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 4.0)  # of the PMTL paper
# Settings that the tuning seed chooses for every epsilon; the pull must be the same for all epsilons.
CHOSEN = ["sigma", "threshold", "round", "rate", "ratio", "tune_steps", "tune_rate", "tune_pull"]
# Settings of which one value may be asked for, so that the best state of each value is kept.
KEPT_APART = ["name", "tune", "pull", "rate", "ratio"]


def choosable(states: pd.DataFrame, _: Sequence[Run], sign: int) -> pd.DataFrame:
    """Returns the states that an epsilon can choose, and all of local training, which is also compared by its steps;
    `sign` is -1 where smaller scores are better."""
    settings = ["name", "tune", "pull", *(setting for setting in CHOSEN if setting != "round"), "round"]
    tuning = states[(states["seed"] == 0) & (states["name"] != "local")].assign(score=sign * states["score"])
    private, free = tuning[tuning["sigma"] > 0], tuning[tuning["sigma"] == 0]
    reached = [private[private["epsilon"] <= epsilon] for epsilon in EPSILONS]
    best = {row for table in (*reached, free) for row in table.groupby(KEPT_APART)["score"].idxmax()}
    kept = states.merge(tuning.loc[sorted(best), settings], on=settings)
    return pd.concat([kept, states[states["name"] == "local"]], ignore_index=True)


TRIMMED = {"smoothed": smoothed}
FINISHED = {"signal to noise": signal_to_noise, "axis of bits": axis_of_bits, "choosable": choosable}
