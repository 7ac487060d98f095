"""GOS-SEEDS, GOS-PRIVATE: private methods without a server against private methods with one, on a9a."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.guarantees import guarantee_of
from ..model.sweep import Sweep
from .chosen_runs import judged, lower, reversed_words
from .rules import Column, Rule, Statement, Verdict, not_run, outcome

LDP, CDP, SOTERIA, DSGD, SDM, QDP, CHOCO, PORTER = SHOWN = (
    "ldp-sgd", "cdp-sgd", "soteriafl-sgd", "dsgd", "sdm-dsgd", "q-dpsgd-1", "choco-sgd", "porter-dp")
STAR = "server"  # in place of a graph
FREE = ["rate", "share"]
LEAST_BITS = 0.95  # share of the other method's bits that a run with at most as many must send
TOP, RAND = "porter-dp top-k", "porter-dp rand-k"
MEAN, WORST = "objective", "worst"
MANY, FEW = 0.2, 0.01  # weights of the regulariser
AS_GOOD, WITHIN, APART = 1.01, 1.02, 1.05


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run: what it is, what its epsilon protects, and what came out."""
    found = [_row(run) for run in sweep.runs.values() if run.attributes["method"] in SHOWN]
    if not found:
        raise RunFileError(f"no run of {', '.join(SHOWN)}; name the sweeps of docs/results/verdicts.md.")
    return pd.DataFrame(found)


def _row(run: Run) -> dict[str, object]:
    """The row of a run. Messages of methods with a server cross one edge on their way up; the models that go down are
    counted apart."""
    settings, guarantee, last = typed_settings(run), guarantee_of(run), run.rounds.iloc[-1]
    if guarantee is None:
        raise RunFileError(f"{run.path}: the run is not private; the rule compares private runs.")
    has_server = "server.rate" in settings
    worst = last["objective"] if has_server else last.get("objective_node_most", float("nan"))
    return {
        "method": run.attributes["method"], "compressor": str(settings.get("compressor.kind", "identity")),
        "graph": STAR if has_server else str(settings["graph.kind"]), "lambda": float(settings["problem.lambda"]),
        "epsilon": float(settings["privacy.epsilon"]), "rounds": int(run.attributes["rounds"]),
        "rate": float(settings["server.rate" if has_server else "gossip.rate"]),
        "share": float(settings.get("gossip.consensus", settings.get("gossip.share", 0))),
        "seed": int(run.attributes["seed"]), "against": guarantee.against, "relation": guarantee.relation,
        "utility": float(last["utility"]), MEAN: float(last["objective"]), WORST: float(worst),
        "bits_edges": float(last["bits_up_payload" if has_server else "bits_edges_payload"]),
        "bits_down": float(last["bits_down_payload"])}


class Systems:
    """The judged runs of GOS-SEEDS by method, graph, epsilon and number of rounds."""

    def __init__(self, table: pd.DataFrame):
        self.cells = judged(table, ["method", "graph", "epsilon", "rounds"], FREE, "utility")
        self.epsilons = sorted(set(table["epsilon"]))
        self.graphs = sorted(set(table["graph"]) - {STAR})
        self.rounds = int(table["rounds"].max())

    def of(self, method: str, epsilon: float, graph: str = STAR, rounds: int | None = None) -> pd.DataFrame | None:
        """The runs of a cell by seed, with all rounds unless a number is given; None where it was not run."""
        return self.cells.get((method, graph, epsilon, rounds or self.rounds))

    def with_bits_of(self, other: pd.DataFrame, method: str, epsilon: float, graph: str) -> pd.DataFrame | None:
        """The runs of a cell with at most the bits of the runs `other`, and with hardly fewer."""
        limit = other["bits_edges"].mean()
        for key, cell in self.cells.items():
            if key[:3] == (method, graph, epsilon) and LEAST_BITS * limit <= cell["bits_edges"].mean() <= limit:
                return cell
        return None


def judge_seeds(table: pd.DataFrame) -> Verdict:
    """S1 and S2, by the utility."""
    systems = Systems(table)
    statements = (_sparse(systems, True), _sparse(systems, False), _quantised(systems))
    first = systems.epsilons[0]
    shown = [(method, STAR) for method in (LDP, CDP, SOTERIA)] + [
        (method, graph) for graph in systems.graphs for method in (DSGD, QDP, SDM)]
    found = {name: systems.of(name[0], first, name[1]) for name in shown}
    return Verdict("GOS-SEEDS", statements, _notes(systems), seeds=min(map(len, systems.cells.values())),
                   ours=f"U at epsilon {first:g}: " + ", ".join(
                       f"{method}{'' if graph == STAR else f' ({graph})'} {cell['utility'].mean():.3f}"
                       for (method, graph), cell in found.items() if cell is not None))


def _sparse(systems: Systems, equal_bits: bool) -> Statement:
    """S1: SDM-DSGD against the compressed methods with a server."""
    name = "S1" if equal_bits else "S1-ROUNDS"
    text = ("sdm-dsgd has a worse utility than cdp-sgd and soteriafl-sgd " +
            ("with equal bits on edges" if equal_bits else "after equal rounds"))
    pairs, missing = [], []
    for epsilon in systems.epsilons:
        for graph in systems.graphs:
            for method in (CDP, SOTERIA):
                theirs = systems.of(method, epsilon)
                ours = None if theirs is None else systems.with_bits_of(theirs, SDM, epsilon, graph) if equal_bits \
                    else systems.of(SDM, epsilon, graph)
                if ours is None:
                    missing.append(f"{SDM} like {method} on {graph} at {epsilon:g}")
                else:
                    pairs.append((theirs["utility"], ours["utility"], f"{method}, {graph}, {epsilon:g}"))
    if missing:
        return not_run(name, text, "; ".join(missing), aside=not equal_bits)
    return _compared(name, text, pairs, aside=not equal_bits)


def _compared(name: str, text: str, pairs: Iterable[tuple[pd.Series, pd.Series, str]], aside: bool = False) -> Statement:
    """Whether the first of every pair is lower."""
    pairs = list(pairs)
    won = [lower(less, more) for less, more, _ in pairs]
    lost = [label for less, more, label in pairs if lower(more, less)]
    return Statement(name, text, outcome(all(won), bool(lost)),
                     f"{sum(won)} of {len(won)}" + reversed_words(lost), aside=aside)


def _quantised(systems: Systems) -> Statement:
    """S2: Q-DPSGD-1 against all others after the same number of rounds."""
    text = "q-dpsgd-1 has the worst utility after equal rounds"
    pairs = []
    for epsilon in systems.epsilons:
        for graph in systems.graphs:
            ours = systems.of(QDP, epsilon, graph)
            others = {(method, STAR): systems.of(method, epsilon) for method in (LDP, CDP, SOTERIA)} | {
                (method, graph): systems.of(method, epsilon, graph) for method in (DSGD, SDM)}
            if ours is None or any(cell is None for cell in others.values()):
                missing = [name for (name, _), cell in {(QDP, graph): ours, **others}.items() if cell is None]
                return not_run("S2", text, ", ".join(missing))
            pairs += [(cell["utility"], ours["utility"], f"{method}, {graph}, {epsilon:g}")
                      for (method, _), cell in others.items()]
    return _compared("S2", text, pairs)


def _notes(systems: Systems) -> tuple[str, ...]:
    """A line for each judged cell."""
    return tuple(
        f"{method}, {graph}, epsilon {epsilon:g}, T {rounds}: U {cell['utility'].mean():.4f}, f {cell[MEAN].mean():.4f}, "
        f"step {cell['rate'].iloc[0]:g}, share {cell['share'].iloc[0]:g}, bits on edges {cell['bits_edges'].mean():.0f}"
        for (method, graph, epsilon, rounds), cell in systems.cells.items())


def judge_private(table: pd.DataFrame) -> Verdict:
    """P1 to P4: objectives at the mean of the nodes, and at the worst node."""
    table = table.assign(system=[_system(*pair) for pair in zip(table["method"], table["compressor"], strict=True)])
    longest = table["rounds"].max()
    whole = table[table["rounds"] == longest]
    cells = {by: judged(whole, ["system", "lambda"], FREE, by) for by in (MEAN, WORST)}
    statements = (_mean(cells[MEAN]), _worst(cells[WORST]), _kinds(cells[WORST]), _traffic(table, cells[WORST]))
    notes = [f"tuned by the {name}, lambda {weight:g}, {system}: f {cell[MEAN].mean():.4f} at the mean, "
             f"{cell[WORST].mean():.4f} at the worst node, step {cell['rate'].iloc[0]:g}, share {cell['share'].iloc[0]:g}"
             for by, name in ((MEAN, "mean"), (WORST, "worst node")) for (system, weight), cell in cells[by].items()]
    ours = ", ".join(f"{system} {cell[WORST].mean():.3f}" for (system, weight), cell in cells[WORST].items() if weight == MANY)
    return Verdict("GOS-PRIVATE", statements, tuple(notes), seeds=min(map(len, cells[WORST].values())),
                   ours=f"f at the worst node, lambda {MANY:g}: {ours}")


def _system(method: str, compressor: str) -> str:
    """A method, with its compressor where two are compared."""
    return f"{method} {compressor}" if method in (PORTER, CHOCO) else method


Cells = dict[tuple, pd.DataFrame]


def _ratio(cells: Cells, ours: tuple, theirs: tuple, column: str) -> float:
    """Quotient of mean objectives."""
    return float(cells[ours][column].mean() / cells[theirs][column].mean())


def _mean(cells: Cells) -> Statement:
    """P1."""
    text = f"tuned by the mean of the nodes, porter-dp is at most {AS_GOOD:g} times soteriafl-sgd (lambda {MANY:g})"
    needed = [(system, MANY) for system in (TOP, RAND, SOTERIA)]
    if missing := [key[0] for key in needed if key not in cells]:
        return not_run("P1", text, ", ".join(missing))
    ratios = {system: _ratio(cells, (system, MANY), (SOTERIA, MANY), MEAN) for system in (TOP, RAND)}
    return Statement("P1", text, outcome(max(ratios.values()) <= AS_GOOD), _factors(ratios))


def _factors(ratios: dict[str, float]) -> str:
    """Quotients with their names."""
    return ", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items())


def _worst(cells: Cells) -> Statement:
    """P2."""
    text = (f"worst node: porter-dp with top-k is at most {WITHIN:g} times soteriafl-sgd at lambda {MANY:g}, and worse at "
            f"{FEW:g}")
    needed = [(system, weight) for system in (TOP, SOTERIA) for weight in (MANY, FEW)]
    if missing := [f"{system} at {weight:g}" for system, weight in needed if (system, weight) not in cells]:
        return not_run("P2", text, ", ".join(missing))
    ratios = {f"lambda {weight:g}": _ratio(cells, (TOP, weight), (SOTERIA, weight), WORST) for weight in (MANY, FEW)}
    ours, theirs = cells[TOP, FEW][WORST], cells[SOTERIA, FEW][WORST]
    return Statement("P2", text, outcome(ratios[f"lambda {MANY:g}"] <= WITHIN and lower(theirs, ours), lower(ours, theirs)),
                     _factors(ratios))


def _kinds(cells: Cells) -> Statement:
    """P3."""
    text = f"worst node: porter-dp with rand-k is at least {APART:g} times porter-dp with top-k"
    weights = [weight for weight in (MANY, FEW) if (TOP, weight) in cells and (RAND, weight) in cells]
    if len(weights) < 2:
        return not_run("P3", text, f"{TOP} and {RAND} at lambda {MANY:g} and {FEW:g}")
    ratios = {f"lambda {weight:g}": _ratio(cells, (RAND, weight), (TOP, weight), WORST) for weight in weights}
    return Statement("P3", text, outcome(min(ratios.values()) >= APART, max(ratios.values()) < 1), _factors(ratios))


def _traffic(table: pd.DataFrame, cells: Cells) -> Statement:
    """P4: soteriafl-sgd with fewer rounds, so that its messages up and its models down have the bits of porter-dp."""
    text = f"open question: worst node of porter-dp with top-k below soteriafl-sgd with equal traffic (lambda {MANY:g})"
    if (TOP, MANY) not in cells:
        return not_run("P4", text, TOP, aside=True)
    ours = cells[TOP, MANY]
    limit = ours["bits_edges"].mean()
    for rounds, group in table[(table["method"] == SOTERIA) & (table["lambda"] == MANY)].groupby("rounds"):
        total = (group["bits_edges"] + group["bits_down"]).mean()
        if LEAST_BITS * limit <= total <= limit:
            [theirs] = judged(group, ["method", "lambda"], FREE, WORST).values()
            return Statement("P4", text, outcome(lower(ours[WORST], theirs[WORST]), lower(theirs[WORST], ours[WORST])),
                             f"{ours[WORST].mean():.4f} against {theirs[WORST].mean():.4f} after {rounds} rounds, "
                             f"{limit:.4g} and {total:.4g} bits in all", aside=True)
    return not_run("P4", text, f"{SOTERIA} with {limit:.4g} bits up and down", aside=True)


COLUMNS = {
    "method": Column("method"), "compressor": Column("compressor"),
    "graph": Column("graph of the nodes; server: a method with a server"),
    "lambda": Column("weight of the regulariser", "1"), "epsilon": Column("epsilon", "1"),
    "rounds": Column("number of rounds T", "round"), "rate": Column("step size of the server or of a node", "1"),
    "share": Column("weight of the neighbours (gamma, theta or e); 0: the method has none", "1"), "seed": Column("seed"),
    "against": Column("adversary of the claim"), "relation": Column("neighbouring relation of the claim"),
    "utility": Column("mean squared norm of the gradient over the evaluated states (U)", "1"),
    MEAN: Column("objective after the last round, at the mean of the nodes", "1"),
    WORST: Column("largest objective of a node; with a server, that of its model; unknown if nodes were not evaluated", "1"),
    "bits_edges": Column("bits that travel between nodes, or up to the server (payload)", "bit"),
    "bits_down": Column("bits of models that go down (payload)", "bit"),
}
RULES = (
    Rule("gos-seeds", ("GOS-SEEDS",), rows, judge_seeds, COLUMNS,
         "SDM-DSGD behind CDP-SGD and SoteriaFL-SGD per bit; Q-DPSGD-1 worst per round", chooses=True, seeds=3),
    Rule("gos-private", ("GOS-PRIVATE",), rows, judge_private, COLUMNS,
         "PORTER-DP level with SoteriaFL-SGD at the mean, behind it at the worst node", chooses=True, seeds=3))
