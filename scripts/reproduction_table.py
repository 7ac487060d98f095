"""Tables of the pages of docs/results on papers: every experiment and what came out, from docs/results/data; and the table
of docs/results/reproductions.md, which counts them."""
import collections
import pathlib
import re

from markdown_table import table
from trilemma_analysis.verdicts import RULES
from trilemma_analysis.verdicts.saved import is_saved, read
from trilemma_analysis.verdicts.summary import row_of
from trilemma_jobs import reproductions

DATA = pathlib.Path(__file__).resolve().parents[1] / "docs/results/data"
HEAD = ["experiment", "figure", "verdict", "here", "in the paper", "seeds", "computing", "again"]
OTHER_HEAD = {"figure": "what", "in the paper": "expected"}  # beyond the papers


def overview():
    """Prints a row for each paper with a link to its page, and how its verdicts are distributed."""
    registry = reproductions.read()
    table(["paper", "title", "rows", "verdicts"],
          [[f"[{paper}]({page})", registry.papers[paper], str(len(rows)), tally(row[2] for row in rows)]
           for paper, page in registry.pages.items() for rows in [rows_of(registry, paper)]])


def paper_table(paper):
    """Prints the tally and the rows of a paper, or of the experiments of this project under its name."""
    registry = reproductions.read()
    rows = rows_of(registry, paper)
    print(f"The table has {len(rows)} rows: {tally(row[2] for row in rows)}.\n")
    table([OTHER_HEAD.get(name, name) for name in HEAD] if paper in registry.beyond else HEAD, rows)


def rows_of(registry, paper):
    """Returns a row for each rule, with the experiments that it judges, and a row for each experiment of `paper` that no
    rule judges."""
    rows, seen = [], set()
    for each in registry.experiments.values():
        if each.paper != paper:
            continue
        if not each.rules:
            rows.append(not_run(each))
        for name in each.rules:
            if name not in seen:
                rows.append(judged(registry.rules[name], [other for other in registry.experiments.values() if name in other.rules]))
                seen.add(name)
    return rows


def tally(verdicts):
    """Returns how often each word stands in the column of verdicts, most frequent first."""
    return ", ".join(f"{n} {word}" for word, n in collections.Counter(verdicts).most_common())


def judged(rule, experiments):
    """The row of a rule; it names sweeps that the command runs and of which the saved rows have a part or nothing."""
    name, first = rule.name, experiments[0]
    named = f"{', '.join(map(linked, experiments))} (rule `{name}`)"
    parts = (part for each in experiments for part in re.split(r", (?=figure|table)", each.figure))
    figures = ", ".join(dict.fromkeys(parts))
    command = f"`jobs/reproduce {first.id}`"
    if not is_saved(DATA, name):
        return [named, figures, "not kept" if rule.unsaved else "not run yet", "", RULES[name].paper, "", "", command]
    evidence = read(RULES, DATA / f"{name}.json")
    row = row_of(evidence)
    missing = [f"`{sweep}`" for sweep in rule.sweeps if sweep not in {each.name for each in evidence.origin.sweeps}]
    parts = [f"{each.cells} of {rule.cells[each.name]} cells of `{each.name}`" for each in evidence.origin.sweeps
             if each.name in rule.cells]
    without = "".join(f", {part}" for part in parts) + (f", without {', '.join(missing)}" if missing else "")
    return [named, figures, row.verdict.word, row.ours, row.rule.paper, str(row.verdict.seeds),
            row.work + without, command]


def not_run(experiment):
    """The row of an experiment that cannot be run."""
    file = f"; experiment file `{experiment.file}`" if experiment.file else ""
    instead = f"; in its place {', '.join(experiment.substitutes)}" if experiment.substitutes else ""
    return [linked(experiment), experiment.figure, "not run", experiment.reason + file + instead,
            experiment.expected, "", "", ""]


def linked(experiment):
    """The id, as a link to where it is described."""
    return f"[{experiment.id}]({experiment.section})" if experiment.section else experiment.id
