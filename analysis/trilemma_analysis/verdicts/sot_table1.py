"""SOT-TABLE1: every system of the SoteriaFL paper's comparison, private and tuned."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..model.groups import typed_settings
from ..model.guarantees import guarantee_of
from ..model.sweep import Sweep
from .chosen_runs import judged, lower, reversed_words
from .rules import Column, Rule, Statement, Verdict, not_run, outcome

# What a run may choose on the tuning seed.
FREE = ["rate", "rounds", "period", "fresh", "share"]
CELL = ["method", "clients", "epsilon"]
UNCOMPRESSED = ("ldp-sgd", "ldp-svrg", "ldp-spider")
LOCAL = (*UNCOMPRESSED, "cdp-sgd", "soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga")
CENTRAL = "dp-srm-distributed"
ONE_NODE = ("dp-sgd", "dp-srm", "rrpsgd")
SPARSE, QUANTISED = DECENTRALISED = ("sdm-dsgd", "q-dpsgd-1")  # on a complete graph
SHOWN = (*LOCAL, CENTRAL, *DECENTRALISED, "dp-sgd", "dp-gd", "dp-srm", "rrpsgd")
NEAR = 2.0  # factor within which utilities count as equal, or as being as far apart as stated
ENOUGH = 8 / 9  # of the comparisons of one node with local methods: 24 of 27
EQUAL = 0.01  # relative difference of bits that count as equal
BOUND = 0.5  # judged; runs with another one are reported separately


def rows(sweep: Sweep) -> pd.DataFrame:
    """A row a run of a system: what it is, what its epsilon protects, and what came out."""
    found = []
    for run in sweep.runs.values():
        if run.attributes["method"] not in SHOWN:
            continue
        settings, guarantee = typed_settings(run), guarantee_of(run)
        if guarantee is None:
            raise RunFileError(f"{run.path}: the run is not private; the rule compares private runs.")
        found.append({
            "method": run.attributes["method"], "clients": int(run.attributes["clients"]),
            "records": int(settings["data.rows"]) // int(run.attributes["clients"]),
            "threshold": float(settings["bound.threshold"]), "epsilon": float(settings["privacy.epsilon"]),
            "seed": int(run.attributes["seed"]),
            "rate": float(settings.get("server.rate", settings.get("gossip.rate"))), "rounds": int(run.attributes["rounds"]),
            "period": int(settings.get("local.period", 0)), "fresh": float(settings.get("local.fresh", 0)),
            "share": float(settings.get("gossip.share", settings.get("gossip.consensus", 0))),
            "against": guarantee.against, "relation": guarantee.relation,
            "utility": float(run.rounds["utility"].iloc[-1]), "objective": float(run.rounds["objective"].iloc[-1]),
            "bits": float(run.rounds["bits_up_model"].iloc[-1])})
    if not found:
        raise RunFileError(f"no run of {', '.join(SHOWN)}; name the sweeps of docs/results/verdicts.md.")
    return pd.DataFrame(found)


class Systems:
    """The judged runs by method, number of clients and epsilon."""

    def __init__(self, table: pd.DataFrame):
        self.cells = judged(table, CELL, FREE)
        self.epsilons = sorted(set(table["epsilon"]))
        self.clients = int(table["clients"].max())

    def of(self, method: str, epsilon: float, clients: int | None = None) -> pd.Series:
        """Utilities by seed; of all clients unless a number is given."""
        key = (method, clients or self.clients, epsilon)
        if key not in self.cells:
            raise RunFileError(f"no run of {method} with {key[1]} clients at epsilon {epsilon:g}; name the sweeps of "
                               "docs/results/verdicts.md.")
        return self.cells[key]["utility"]

    def mean(self, method: str, epsilon: float, clients: int | None = None) -> float:
        """Mean utility over the seeds."""
        return float(self.of(method, epsilon, clients).mean())

    def has(self, *methods: str) -> bool:
        """Whether there are runs of these methods with all clients."""
        return {(method, self.clients) for method in methods} <= {key[:2] for key in self.cells}

    def equal(self, methods: Iterable[str], epsilon: float, column: str, tolerance: float) -> bool:
        """Whether the chosen runs of these methods have the same mean of a column, within a relative tolerance."""
        means = [self.cells[method, self.clients, epsilon][column].mean() for method in methods]
        return bool(max(means) <= min(means) * (1 + tolerance))

    def against(self, method: str) -> str:
        """The adversary of the claims of a method with all clients."""
        return str(self.cells[method, self.clients, self.epsilons[0]]["against"].iloc[0])


def judge(table: pd.DataFrame) -> Verdict:
    """The orderings that table 1 implies."""
    systems = Systems(table[table["threshold"] == BOUND])
    statements = [_same(systems), _central(systems), _between(systems), _worst(systems), _one_node(systems),
                  _root_n(systems)]
    notes = _notes(systems)
    for bound in sorted(set(table["threshold"]) - {BOUND}):
        others = Systems(table[table["threshold"] == bound])
        statements += [replace(each, text=f"G = {bound:g}: {each.text}", aside=True)
                       for each in (_same(others), _central(others), _one_node(others), _root_n(others))]
        notes += [f"G = {bound:g}: {note}" for note in _notes(others)]
    ours = ", ".join(f"{method} {systems.mean(method, systems.epsilons[0]):.3f} ({systems.against(method)})"
                     for method in ("ldp-sgd", CENTRAL))
    return Verdict("SOT-TABLE1", tuple(statements), tuple(notes), seeds=min(map(len, systems.cells.values())),
                   ours=f"U at epsilon {systems.epsilons[0]:g}: {ours}")


def _same(systems: Systems) -> Statement:
    """i: LDP-SGD, LDP-SVRG and LDP-SPIDER."""
    factors = {}
    for epsilon in systems.epsilons:
        means = [systems.mean(method, epsilon) for method in UNCOMPRESSED]
        factors[epsilon] = max(means) / min(means)
    return Statement("i", f"LDP-SGD, LDP-SVRG and LDP-SPIDER are within a factor {NEAR:g} in utility",
                     outcome(max(factors.values()) <= NEAR),
                     "factor " + ", ".join(f"{factor:.2f} at {epsilon:g}" for epsilon, factor in factors.items()))


def _central(systems: Systems) -> Statement:
    """ii: noise of a trusted server against noise of every client."""
    text = "distributed DP-SRM, whose claim is weaker, beats every local system"
    run = {key[0] for key in systems.cells}
    if missing := [method for method in LOCAL if method not in run]:
        return not_run("ii", text, ", ".join(missing))
    pairs = [(method, epsilon) for epsilon in systems.epsilons for method in LOCAL]
    won = [lower(systems.of(CENTRAL, e), systems.of(method, e)) for method, e in pairs]
    lost = [f"{method} at {e:g}" for method, e in pairs if lower(systems.of(method, e), systems.of(CENTRAL, e))]
    means = ", ".join(f"{systems.mean(CENTRAL, e):.4f} against {min(systems.mean(m, e) for m in LOCAL):.4f} at {e:g}"
                      for e in systems.epsilons)
    return Statement("ii", text, outcome(all(won), len(lost) > 0),
                     f"{sum(won)} of {len(won)}; against the best local one: {means}"
                     + (f"; reversed: {', '.join(lost)}" if lost else ""))


def _between(systems: Systems) -> Statement:
    """iii: the compressed methods, where their chosen runs send the same number of bits, each message once."""
    text = "CDP-SGD is between SDM-DSGD (complete graph) and SoteriaFL-SGD at equal bits"
    order = ("soteriafl-sgd", "cdp-sgd", SPARSE)
    if not systems.has(*order):
        return not_run("iii", text, SPARSE)
    equal = [epsilon for epsilon in systems.epsilons if systems.equal(order, epsilon, "bits", EQUAL)]
    if not equal:
        return not_run("iii", text, "chosen runs with equal bits")
    pairs = [(better, worse, epsilon) for epsilon in equal for better, worse in zip(order, order[1:])]
    return _ordered("iii", text, systems, pairs)


def _worst(systems: Systems) -> Statement:
    """iv: Q-DPSGD-1 against every local system whose chosen run has the same number of rounds."""
    text = "Q-DPSGD-1 (complete graph) has the worst utility at equal T"
    if not systems.has(QUANTISED):
        return not_run("iv", text, QUANTISED)
    others = [method for method in (*LOCAL, SPARSE) if systems.has(method)]
    pairs = [(method, QUANTISED, epsilon) for epsilon in systems.epsilons for method in others
             if systems.equal((method, QUANTISED), epsilon, "rounds", 0)]
    return _ordered("iv", text, systems, pairs) if pairs else not_run("iv", text, "chosen runs with equal rounds")


def _ordered(name: str, text: str, systems: Systems, pairs: list[tuple[str, str, float]]) -> Statement:
    """Whether the first of every pair has the lower utility, at the epsilon that stands with them."""
    won = [lower(systems.of(better, e), systems.of(worse, e)) for better, worse, e in pairs]
    lost = [f"{better} and {worse} at {e:g}" for better, worse, e in pairs
            if lower(systems.of(worse, e), systems.of(better, e))]
    epsilon = pairs[0][2]
    means = ", ".join(f"{method} {systems.mean(method, epsilon):.4f}"
                      for method in dict.fromkeys(m for *both, e in pairs if e == epsilon for m in both))
    return Statement(name, text, outcome(all(won), len(lost) > 0),
                     f"{sum(won)} of {len(won)}; at {epsilon:g}: {means}" + reversed_words(lost))


def _ratios(systems: Systems) -> Iterable[float]:
    """Utility of each system of one node divided by that of each uncompressed local method, at every epsilon."""
    for epsilon in systems.epsilons:
        for one in ONE_NODE:
            yield from (systems.mean(one, epsilon, 1) / systems.mean(method, epsilon) for method in UNCOMPRESSED)


def _one_node(systems: Systems) -> Statement:
    """v: one node with the records of one client."""
    triples = [(e, one, method) for e in systems.epsilons for one in ONE_NODE for method in UNCOMPRESSED]
    needed = round(ENOUGH * len(triples))
    won = sum(lower(systems.of(method, e), systems.of(one, e, 1)) for e, one, method in triples)
    lost = sum(lower(systems.of(one, e, 1), systems.of(method, e)) for e, one, method in triples)
    return Statement("v", "DP-SGD, DP-SRM and RRPSGD with one client's records are worse than uncompressed local "
                     f"methods ({needed} of {len(triples)} needed)",
                     outcome(won >= needed, lost > len(triples) - needed), f"{won} of {len(triples)}; reversed: {lost}")


def _root_n(systems: Systems) -> Statement:
    """v-factor: by how much."""
    ratio = float(np.exp(np.mean(np.log(list(_ratios(systems))))))
    expected = math.sqrt(systems.clients)
    return Statement("v-factor", f"by sqrt(n) = {expected:.2f}, within a factor {NEAR:g} (geometric mean)",
                     outcome(expected / NEAR <= ratio <= expected * NEAR), f"{ratio:.2f}")


def _notes(systems: Systems) -> list[str]:
    """A line for each system: adversary and relation of its claim; utility and chosen settings at each epsilon."""
    lines = []
    order = sorted({key[:2] for key in systems.cells}, key=lambda key: (-key[1], SHOWN.index(key[0])))
    for method, clients in order:
        cells = {epsilon: systems.cells[method, clients, epsilon] for epsilon in systems.epsilons}
        first = cells[systems.epsilons[0]].iloc[0]
        figures = "; ".join(f"epsilon {epsilon:g}: U {cell['utility'].mean():.4f}, T {cell['rounds'].iloc[0]}, "
                            f"step {cell['rate'].iloc[0]:g}" for epsilon, cell in cells.items())
        lines.append(f"{method}, {clients} client{'s' if clients > 1 else ''} ({first['against']}; "
                     f"{first['relation']}): {figures}")
    return lines


COLUMNS = {
    "method": Column("method"), "clients": Column("number of clients; 1: one node", "client"),
    "records": Column("records m of a client", "record"),
    "threshold": Column("bound G of the gradient of a record", "1"),
    "epsilon": Column("epsilon", "1"),
    "rate": Column("step size of the server or of a node", "1"), "rounds": Column("number of rounds T", "round"),
    "period": Column("rounds from one anchor to the next; 0: the method has none", "round"),
    "fresh": Column("weight of new gradients in recursive momentum; 0: the method has none", "1"),
    "share": Column("weight of the neighbours (theta of SDM-DSGD, e of Q-DPSGD-1); 0: the method has none", "1"),
    "seed": Column("seed"), "against": Column("adversary of the claim"),
    "relation": Column("neighbouring relation of the claim"),
    "utility": Column("mean squared norm of the gradient over the evaluated states (U)", "1"),
    "objective": Column("objective after the last round", "1"), "bits": Column("bits sent by all clients, each message once", "bit"),
}
RULES = (Rule("sot-table1", ("SOT-TABLE1",), rows, judge, COLUMNS,
              "local methods level; one trusted server ahead; one node behind by sqrt(n)", chooses=True, seeds=3),)
