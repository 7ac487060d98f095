"""SOT-A9A, SOT-MNIST: SoteriaFL and its baselines, figures 1 to 8."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from ..io.errors import RunFileError
from ..io.run_file import Run
from ..model.groups import typed_settings
from ..model.sweep import Sweep
from .chosen_runs import judged
from .rules import Column, Outcome, Rule, Statement, Verdict, beats, not_worse, outcome

LDP_SGD, LDP_SVRG, CDP, SOTERIA_SGD, SOTERIA_SVRG = METHODS = ("ldp-sgd", "ldp-svrg", "cdp-sgd", "soteriafl-sgd",
                                                               "soteriafl-svrg")
UNCOMPRESSED, COMPRESSED = METHODS[:2], METHODS[2:]
A9A_END, MNIST_END = 1.1, 1.07  # of the bits axis, in units of the smallest final number of bits
LOWER = ("utility", "objective", "utility_bits", "objective_bits")  # the smaller, the better
SEEDS = 10  # judged on a9a, 1 to 10; more are reported separately
MNIST_SEEDS = 5  # that the rule asks for
A9A_BOUND = 0.5  # of the judged runs on a9a; others are reported separately
# Other noise and bounds, by the constant of the closed form and the threshold.
CAUSES = {(8.0, A9A_BOUND): "all with the noise of CDP-SGD", (1e-20, A9A_BOUND): "without noise",
          (2e-6, 1000.0): "all with the noise of CDP-SGD, nothing clipped", (0.0, 2.9): "nothing clipped"}
SHORT = {"utility": "U", "objective": "F", "accuracy": "accuracy"}
NAMES = SHORT | {f"{name}_bits": short for name, short in SHORT.items()}


def rows(sweep: Sweep, end: float) -> pd.DataFrame:
    """A row a run: what it is, and utility, objective and accuracy at the end and at the last evaluated state on the
    axis of bits, which ends at `end` times the smallest final number of bits of the same mode and epsilon."""
    runs = [(run, typed_settings(run)) for run in sweep.runs.values() if run.attributes["method"] in METHODS]
    finals: dict[tuple[str, float], float] = {}
    for run, settings in runs:
        key = (run.attributes["mode"], float(settings["privacy.epsilon"]))
        finals[key] = min(finals.get(key, np.inf), float(run.rounds["bits_up_model"].iloc[-1]))
    found = []
    for run, settings in runs:
        mode, epsilon = key = (run.attributes["mode"], float(settings["privacy.epsilon"]))
        known = run.rounds[run.rounds["utility"].notna()]
        shown = known[known["bits_up_model"] <= end * finals[key]]
        found.append({
            "method": run.attributes["method"], "mode": mode, "epsilon": epsilon, "seed": int(run.attributes["seed"]),
            "rate": float(settings["server.rate"]), "rounds": int(run.attributes["rounds"]),
            "constant": _constant(settings), "threshold": float(settings["bound.threshold"]),
            "accounted": float(run.attributes["epsilon_accounted"]),
            **{name: float(run.rounds[name].iloc[-1]) for name in SHORT},
            **{f"{name}_bits": float(shown[name].iloc[-1]) for name in SHORT}})
    if not found:
        raise RunFileError(f"no run of {', '.join(METHODS)}; name the sweeps of docs/results/verdicts.md.")
    return pd.DataFrame(found)


def _is_in(run: Run, mode: str) -> bool:
    """Whether a run is one of a method in a mode."""
    known = run.attributes
    return known["method"] in METHODS and known["mode"] == mode


def _constant(settings: dict) -> float:
    """The constant of the closed form of the noise; 0 where it is the method's own."""
    value = settings.get("privacy.constant", "method")
    return 0.0 if value == "method" else float(value)


@dataclass(frozen=True)
class Count:
    """How many comparisons come out as stated, and which come out the other way by more than two standard errors."""

    total: int
    won: int
    lost: tuple[tuple[float, str], ...]  # epsilon, and the comparison in words

    def words(self) -> str:
        """The counts, and what is reversed."""
        lost = "; ".join(f"{text} at epsilon {epsilon:g}" for epsilon, text in self.lost)
        return f"{self.won} of {self.total}" + (f"; reversed: {lost}" if lost else "")


class Scores:
    """The judged runs by epsilon and method. With runs of the tuning seed, every method has the step of its lowest
    utility there, and the other seeds are judged; without, it has one step."""

    def __init__(self, table: pd.DataFrame):
        self.epsilons = sorted(set(table["epsilon"]))
        self.cells = judged(table, ["epsilon", "method"], ["rate"])

    def of(self, epsilon: float, method: str, column: str) -> pd.Series:
        """A column of the runs of a method, by seed."""
        if (epsilon, method) not in self.cells:
            raise RunFileError(f"no run of {method} at epsilon {epsilon:g}; name the sweeps of "
                               "docs/results/verdicts.md.")
        return self.cells[epsilon, method][column]

    def mean(self, epsilon: float, method: str, column: str) -> float:
        """Mean over the seeds."""
        return float(self.of(epsilon, method, column).mean())

    def ahead(self, epsilon: float, better: str, worse: str, column: str) -> bool:
        """Whether a method beats another."""
        return beats(*self._signed(epsilon, better, worse, column))

    def level(self, epsilon: float, better: str, worse: str, column: str) -> bool:
        """Whether a method is not worse than another."""
        return not_worse(*self._signed(epsilon, better, worse, column))

    def count(self, better: Iterable[str], worse: Iterable[str], columns: Iterable[str]) -> Count:
        """Comparisons of each of the one with each of the other methods, at every epsilon and in every column."""
        worse, columns, total, won, lost = tuple(worse), tuple(columns), 0, 0, []
        for epsilon, a in ((epsilon, a) for epsilon in self.epsilons for a in better):
            for b, column in ((b, column) for b in worse for column in columns):
                total += 1
                won += self.ahead(epsilon, a, b, column)
                if self.ahead(epsilon, b, a, column):
                    lost.append((epsilon, f"{NAMES[column]} of {a} {self.mean(epsilon, a, column):.4f} against {b} "
                                          f"{self.mean(epsilon, b, column):.4f}"))
        return Count(total, won, tuple(lost))

    def _signed(self, epsilon: float, better: str, worse: str, column: str) -> tuple[pd.Series, pd.Series]:
        """Both columns such that larger is better."""
        sign = -1 if column in LOWER else 1
        return sign * self.of(epsilon, better, column), sign * self.of(epsilon, worse, column)


def judge_a9a(table: pd.DataFrame, name: str, mode: str) -> Verdict:
    """SOT-A9A-EPS1, -EPS5, -EPS10: figures 1 to 3."""
    table = table[table["mode"] == mode]
    scores = Scores(table[is_judged(table) & (table["seed"] <= SEEDS)])
    statements = (_per_round(scores, ("utility",), 16), _per_bit(scores, ("utility_bits", "objective_bits"), 30),
                  _shifted(scores), _svrg(scores))
    return _verdict(name, scores, statements + _causes(table))


def is_judged(table: pd.DataFrame) -> pd.Series:
    """Which rows on a9a have the bound and the noise of the rule."""
    return (table["constant"] == 0) & (table["threshold"] == A9A_BOUND)


def judge_mnist(table: pd.DataFrame, name: str, mode: str) -> Verdict:
    """SOT-MNIST-EPS1 to -EPS16: figures 4 to 8."""
    scores = Scores(table[table["mode"] == mode])
    statements = (_per_round(scores, ("utility", "accuracy"), 48), _per_bit(scores, ("accuracy_bits",), 27),
                  _gap_shrinks(scores), _sgd_ahead(scores), _svrg_behind(scores))
    return _verdict(name, scores, statements)


def _verdict(name: str, scores: Scores, statements: tuple[Statement, ...]) -> Verdict:
    """The verdict with its notes; as many seeds as the cell with fewest."""
    ours = ", ".join(f"{each.name} {each.evidence.split(';')[0]}" for each in statements[:2])
    return Verdict(name, statements, tuple(_notes(scores)), seeds=min(map(len, scores.cells.values())), ours=ours)


def _counted(count: Count, needed: int, name: str, text: str, key: bool = False) -> Statement:
    """A statement that `needed` comparisons come out as stated; it is reversed if more come out the other way than may
    fail."""
    return Statement(name, f"{text} ({needed} of {count.total} needed)",
                     outcome(count.won >= needed, len(count.lost) > count.total - needed), count.words(), key=key)


def _per_round(scores: Scores, columns: tuple[str, ...], needed: int) -> Statement:
    """S1: whole against compressed gradients after all rounds."""
    count = scores.count(UNCOMPRESSED, COMPRESSED, columns)
    found = _counted(count, needed, "S1", "per round, uncompressed methods beat compressed ones, and none is beaten")
    return replace(found, outcome=Outcome.FAILS) if found.holds and count.lost else found


def _per_bit(scores: Scores, columns: tuple[str, ...], needed: int) -> Statement:
    """S2: compressed against whole gradients at the end of the axis of bits."""
    return _counted(scores.count(COMPRESSED, UNCOMPRESSED, columns), needed, "S2",
                    "per bit, compressed methods beat uncompressed ones", key=True)


def _shifted(scores: Scores) -> Statement:
    """S3: shifted against direct compression."""
    count = scores.count((SOTERIA_SGD, SOTERIA_SVRG), (CDP,), ("utility", "objective"))
    often = len({epsilon for epsilon, _ in count.lost}) > 1
    return Statement("S3", f"SoteriaFL beats CDP-SGD in U and F (9 of {count.total} needed), and is beaten at one "
                     "epsilon at most", outcome(count.won >= 9, often), count.words(), key=True)


def _svrg(scores: Scores) -> Statement:
    """S4: SoteriaFL-SVRG against SoteriaFL-SGD."""
    pair = (SOTERIA_SVRG, SOTERIA_SGD, "utility")
    won = [epsilon for epsilon in scores.epsilons if scores.ahead(epsilon, *pair)]
    level = [epsilon for epsilon in scores.epsilons if scores.level(epsilon, *pair)]
    lost = scores.count((SOTERIA_SVRG,), (SOTERIA_SGD,), ("utility",)).lost
    return Statement("S4", "SoteriaFL-SVRG is not worse than SoteriaFL-SGD in U at any epsilon, and beats it at one",
                     outcome(len(level) == len(scores.epsilons) and len(won) > 0, len(lost) > 0),
                     f"not worse at {len(level)}, better at {len(won)} of {len(scores.epsilons)}; U "
                     + _each(scores, (SOTERIA_SVRG, SOTERIA_SGD), "utility"))


def _causes(table: pd.DataFrame) -> tuple[Statement, ...]:
    """S3 and S4 with more seeds, and without what may decide them, if there are such runs."""
    others = {CAUSES.get(key, f"c = {key[0]:g}, G = {key[1]:g}"): group for key, group in
              table[~is_judged(table)].groupby(["constant", "threshold"])}
    if table["seed"].max() > SEEDS:
        others[f"{table['seed'].nunique()} seeds"] = table[is_judged(table)]
    return tuple(replace(statement, text=f"{words}: {statement.text}", key=False, aside=True)
                 for words, group in others.items() for statement in (_shifted(Scores(group)), _svrg(Scores(group))))


def _gap_shrinks(scores: Scores) -> Statement:
    """S5: the gap between whole and compressed gradients at the smallest and at the largest epsilon."""
    def gap(epsilon: float) -> float:
        whole = np.mean([scores.mean(epsilon, method, "accuracy") for method in UNCOMPRESSED])
        return float(whole - max(scores.mean(epsilon, method, "accuracy") for method in COMPRESSED))
    gaps = {epsilon: gap(epsilon) for epsilon in scores.epsilons}
    least, most = scores.epsilons[0], scores.epsilons[-1]
    return Statement("S5", "the gap in accuracy is smaller at the largest epsilon than at the smallest",
                     outcome(gaps[most] < gaps[least]), ", ".join(f"{gaps[e]:.3f} at {e:g}" for e in scores.epsilons))


def _sgd_ahead(scores: Scores) -> Statement:
    """S6: SoteriaFL-SGD against CDP-SGD."""
    return _counted(scores.count((SOTERIA_SGD,), (CDP,), ("utility", "accuracy")), 8, "S6",
                    "SoteriaFL-SGD beats CDP-SGD in U and accuracy", key=True)


def _svrg_behind(scores: Scores) -> Statement:
    """S7: SoteriaFL-SVRG against CDP-SGD, an observation."""
    behind = [epsilon for epsilon in scores.epsilons if scores.ahead(epsilon, CDP, SOTERIA_SVRG, "accuracy")]
    return Statement("S7", "SoteriaFL-SVRG may be worse than CDP-SGD in accuracy", outcome(len(behind) > 0),
                     f"worse at {len(behind)} of {len(scores.epsilons)} epsilons; accuracy "
                     + _each(scores, (SOTERIA_SVRG, CDP), "accuracy"), aside=True)


def _each(scores: Scores, methods: tuple[str, str], column: str) -> str:
    """The means of two methods at each epsilon."""
    return ", ".join(" against ".join(f"{scores.mean(epsilon, method, column):.4f}" for method in methods)
                     + f" at {epsilon:g}" for epsilon in scores.epsilons)


def _notes(scores: Scores) -> list[str]:
    """A line for each epsilon and method: step, what its noise costs by the accountant, and what came out."""
    lines = []
    for epsilon, method in ((epsilon, method) for epsilon in scores.epsilons for method in METHODS):
        cell = scores.cells[epsilon, method]
        accounted = cell["accounted"].mean()
        spent = "not accounted" if np.isnan(accounted) else f"accounted {accounted:.3g}"
        figures = ", ".join(f"{short} {cell[name].mean():.4f} ({cell[f'{name}_bits'].mean():.4f} per bit)"
                            for name, short in SHORT.items())
        lines.append(f"epsilon {epsilon:g}, {method}: step {cell['rate'].iloc[0]:g}, {spent}, {len(cell)} seeds: "
                     + figures)
    return lines


COLUMNS = {
    "mode": Column("settings of the authors' script, or those that the privacy analysis needs"),
    "method": Column("method"),
    "epsilon": Column("nominal epsilon", "1"), "rate": Column("step size of the server", "1"), "seed": Column("seed"),
    "rounds": Column("number of rounds T", "round"),
    "constant": Column("constant c of the closed form of the noise; 0: the method's own", "1"),
    "threshold": Column("threshold G of the bound", "1"),
    "accounted": Column("epsilon by the accountant; of a run that is not private, with ideal noise and no claim", "1"),
    "utility": Column("mean squared norm of the gradient over the evaluated states (U)", "1"),
    "objective": Column("objective after the last round (F)", "1"),
    "accuracy": Column("test accuracy after the last round", "1"),
    **{f"{name}_bits": Column(f"{short} at the last evaluated state on the axis of bits", "1")
       for name, short in SHORT.items()},
}
A9A = ("SOT-A9A-EPS1", "SOT-A9A-EPS5", "SOT-A9A-EPS10")
MNIST = tuple(f"SOT-MNIST-EPS{epsilon}" for epsilon in (1, 2, 4, 8, 16))
ORDER = "uncompressed ahead per round, compressed per bit, SoteriaFL ahead of CDP-SGD"


def _rule(name: str, is_a9a: bool, words: str, mode: str, chooses: bool) -> Rule:
    """The rule of a data set, a9a or MNIST, in a mode."""
    return Rule(name, A9A if is_a9a else MNIST, partial(rows, end=A9A_END if is_a9a else MNIST_END),
                partial(judge_a9a if is_a9a else judge_mnist, mode=mode,
                        name=f"SOT-{'A9A' if is_a9a else 'MNIST'}, {words}"), COLUMNS, ORDER, chooses=chooses,
                seeds=SEEDS if is_a9a else MNIST_SEEDS, keeps=partial(_is_in, mode=mode))


RULES = (
    _rule("sot-a9a", True, "published steps", "authors", False),
    _rule("sot-a9a-tuned", True, "steps tuned", "authors", True),
    _rule("sot-a9a-private", True, "private, steps tuned", "private", True),
    _rule("sot-mnist", False, "published steps", "authors", False),
    _rule("sot-mnist-private", False, "private, steps tuned", "private", True))
