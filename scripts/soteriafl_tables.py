"""Tables of docs/results/soteriafl.md, from docs/results/data."""
import pathlib

from markdown_table import table
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.saved import read
from trilemma_analysis.verdicts.sot import CAUSES, COMPRESSED, METHODS, SEEDS, Scores, is_judged
from trilemma_analysis.verdicts.sot_table1 import BOUND, Systems

DATA = pathlib.Path(__file__).resolve().parents[1] / "docs/results/data"
A9A = {"sot-a9a": "published", "sot-a9a-tuned": "steps tuned", "sot-a9a-private": "private, steps tuned"}


def saved(rule):
    """What is saved of a rule."""
    return read(RULES, DATA / f"{rule}.json")


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
    scores = {}
    for rule, words in A9A.items():
        rows = saved(rule).rows
        scores[words] = Scores(rows[is_judged(rows) & (rows["seed"] <= SEEDS)])
    table(["epsilon", "method", *(f"{words}: step, U, F" for words in scores)],
          [[f"{epsilon:g}", f"`{method}`", *(
              f"{each.cells[epsilon, method]['rate'].iloc[0]:g}, {each.mean(epsilon, method, 'utility'):.4f}, "
              f"{each.mean(epsilon, method, 'objective'):.4f}" for each in scores.values())]
           for epsilon in (1.0, 5.0, 10.0) for method in METHODS])


def causes():
    """U and F of the compressed methods on a9a with other noise and bounds."""
    rows = saved("sot-a9a-tuned").rows
    groups = {"own noise": rows[is_judged(rows)]}
    groups |= {words: group for (c, g), words in CAUSES.items()
               if len(group := rows[(rows["constant"] == c) & (rows["threshold"] == g)])}
    scores = {words: Scores(group) for words, group in groups.items()}
    table(["epsilon", "method", *(f"{words}: U, F" for words in scores)],
          [[f"{epsilon:g}", f"`{method}`", *(f"{each.mean(epsilon, method, 'utility'):.4f}, "
                                             f"{each.mean(epsilon, method, 'objective'):.4f}"
                                             for each in scores.values())]
           for epsilon in (1.0, 5.0, 10.0) for method in COMPRESSED])


def mnist():
    """Statements, and U and accuracy of figures 4 to 8."""
    statements({"sot-mnist": "published"})
    scores = Scores(saved("sot-mnist").rows)
    table(["epsilon", *(f"`{method}`" for method in METHODS)],
          [[f"{epsilon:g}", *(f"{scores.mean(epsilon, method, 'utility'):.3f}, "
                              f"{100 * scores.mean(epsilon, method, 'accuracy'):.1f}, "
                              f"{100 * scores.mean(epsilon, method, 'accuracy_bits'):.1f}" for method in METHODS)]
           for epsilon in scores.epsilons])


def table1():
    """Statements, and the systems of table 1 with what their epsilon protects."""
    statements({"sot-table1": "outcome"})
    rows = saved("sot-table1").rows
    systems = Systems(rows[rows["threshold"] == BOUND])
    keys = sorted({key[:2] for key in systems.cells}, key=lambda key: (-key[1], systems.mean(key[0], 1.0, key[1])))
    cells = {key: [systems.cells[*key, epsilon] for epsilon in systems.epsilons] for key in keys}
    chosen = [f"epsilon {epsilon:g}: U, T, step" for epsilon in systems.epsilons]
    table(["system", "clients", "adversary", "relation", *chosen],
          [[f"`{method}`", str(clients), found[0]["against"].iloc[0], f"`{found[0]['relation'].iloc[0]}`",
            *(f"{cell['utility'].mean():.4f}, {cell['rounds'].iloc[0]}, {cell['rate'].iloc[0]:g}" for cell in found)]
           for (method, clients), found in cells.items()])


def one_verdict(rule):
    """The statements of a rule."""
    statements({rule: "outcome"})


BLOCKS = {"soteriafl-a9a": a9a, "soteriafl-causes": causes, "soteriafl-mnist": mnist, "soteriafl-table1": table1,
          "soteriafl-slopes": lambda: one_verdict("sot-slopes"), "soteriafl-table2": lambda: one_verdict("sot-table2")}
