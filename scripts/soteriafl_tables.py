"""Tables of docs/results/soteriafl.md, from docs/results/data."""
import pathlib

from markdown_table import table
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.cells import Cells, matching
from trilemma_analysis.verdicts.saved import read

DATA = pathlib.Path(__file__).resolve().parents[1] / "docs/results/data"
METHODS = ("ldp-sgd", "ldp-svrg", "cdp-sgd", "soteriafl-sgd", "soteriafl-svrg")
COMPRESSED = METHODS[2:]
A9A = {"sot-a9a": "published", "sot-a9a-tuned": "steps tuned", "sot-a9a-private": "private, steps tuned"}


def saved(rule):
    """What is saved of a rule."""
    return read(RULES, DATA / f"{rule}.json")


def cells(rule, rows, where=None):
    """The cells that a rule looks at, of its own rows or of those `where`."""
    view = RULES[rule].views["main"]
    return Cells(matching(rows, view.where if where is None else where), view)


def mean(found, column, **key):
    """The mean of a column over the seeds of a cell."""
    return found.of(**key)[column].mean()


def statements(rules):
    """How every statement of some rules ended, a column a rule; of those with one name the first."""
    found = {words: {each.name: each for each in reversed(saved(rule).verdict().statements)}
             for rule, words in rules.items()}
    first = next(iter(found.values()))
    table(["statement", *found],
          [[f"{name}: {first[name].text}",
            *(f"{each[name].outcome.value.lower()} ({each[name].evidence.split(';')[0]})" for each in found.values())]
           for name in sorted(first)])
    print()


def a9a():
    """Statements, and U and F of figures 1 to 3."""
    statements(A9A)
    scores = {words: cells(rule, saved(rule).rows) for rule, words in A9A.items()}
    table(["epsilon", "method", *(f"{words}: step, U, F" for words in scores)],
          [[f"{epsilon:g}", f"`{method}`", *(
              f"{each.of(epsilon=epsilon, method=method)['rate'].iloc[0]:g}, "
              f"{mean(each, 'utility', epsilon=epsilon, method=method):.4f}, "
              f"{mean(each, 'objective', epsilon=epsilon, method=method):.4f}" for each in scores.values())]
           for epsilon in (1.0, 5.0, 10.0) for method in METHODS])


def causes():
    """U and F of the compressed methods on a9a with other noise and bounds."""
    rule = "sot-a9a-tuned"
    rows = saved(rule).rows
    wanted = {"own noise": {"constant": 0, "threshold": 0.5}}
    wanted |= {case["words"]: {name: case[name] for name in ("constant", "threshold")} for case in RULES[rule].cases}
    scores = {words: cells(rule, rows, where) for words, where in wanted.items() if len(matching(rows, where))}
    table(["epsilon", "method", *(f"{words}: U, F" for words in scores)],
          [[f"{epsilon:g}", f"`{method}`", *(f"{mean(each, 'utility', epsilon=epsilon, method=method):.4f}, "
                                             f"{mean(each, 'objective', epsilon=epsilon, method=method):.4f}"
                                             for each in scores.values())]
           for epsilon in (1.0, 5.0, 10.0) for method in COMPRESSED])


def mnist():
    """Statements, and U and accuracy of figures 4 to 8."""
    statements({"sot-mnist": "published"})
    scores = cells("sot-mnist", saved("sot-mnist").rows)
    table(["epsilon", *(f"`{method}`" for method in METHODS)],
          [[f"{epsilon:g}", *(f"{mean(scores, 'utility', epsilon=epsilon, method=method):.3f}, "
                              f"{100 * mean(scores, 'accuracy', epsilon=epsilon, method=method):.1f}, "
                              f"{100 * mean(scores, 'accuracy_bits', epsilon=epsilon, method=method):.1f}"
                              for method in METHODS)]
           for epsilon in scores.values("epsilon")])


def table1():
    """Statements, and the systems of table 1 with what their epsilon protects."""
    statements({"sot-table1": "outcome"})
    systems = cells("sot-table1", saved("sot-table1").rows)
    keys = sorted({key[:2] for key in systems.cells},
                  key=lambda key: (-key[1], systems.cells[*key, 1.0]["utility"].mean()))
    epsilons = systems.values("epsilon")
    chosen = [f"epsilon {epsilon:g}: U, T, step" for epsilon in epsilons]
    table(["system", "clients", "adversary", "relation", *chosen],
          [[f"`{method}`", str(clients), found[0]["against"].iloc[0], f"`{found[0]['relation'].iloc[0]}`",
            *(f"{cell['utility'].mean():.4f}, {cell['rounds'].iloc[0]}, {cell['rate'].iloc[0]:g}" for cell in found)]
           for method, clients in keys
           for found in [[systems.cells[method, clients, epsilon] for epsilon in epsilons]]])


def one_verdict(rule):
    """The statements of a rule."""
    statements({rule: "outcome"})


BLOCKS = {"soteriafl-a9a": a9a, "soteriafl-causes": causes, "soteriafl-mnist": mnist, "soteriafl-table1": table1,
          "soteriafl-slopes": lambda: one_verdict("sot-slopes"), "soteriafl-table2": lambda: one_verdict("sot-table2")}
