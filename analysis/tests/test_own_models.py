"""Models of the user's own: their names stand where problems are named, and every command warns of a promise that
one breaks."""

import re

import numpy as np
import pytest
from figure_parts import in_picture, words
from test_best import cell

from trilemma_analysis import read_sweep
from trilemma_analysis.cli.cost import cost_text
from trilemma_analysis.cli.files import read_runs
from trilemma_analysis.cli.main import main
from trilemma_analysis.cli.sweep import summary_text
from trilemma_analysis.cli.table import as_text
from trilemma_analysis.model.budgets import Budget
from trilemma_analysis.model.origins import PROMISES, broken_promises, own_model
from trilemma_analysis.plot import style
from trilemma_analysis.plot.cost_figure import draw_cost
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.ranking_figure import draw_answer
from trilemma_analysis.plot.sweep_figure import draw_sweep
from trilemma_analysis.report.content import collect
from trilemma_analysis.report.page import render
from trilemma_analysis.stats.answers import notes
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.rankings import answer

KEPT = dict.fromkeys(PROMISES, np.uint8(1))


def made(make_sweep, kept, methods=("cdp-sgd", "ldp-sgd"), seeds=(1, 2, 3)):
    """A sweep of runs of an own model that keeps or breaks promises; of `gd` a built-in one."""
    cells = []
    for method in methods:
        for seed in seeds:
            found = cell(method, seed, (0.5, 0.7 + seed / 100), 1.0, (0.0, 1.0, 2.0), epsilon_nominal=2.0)
            is_own = method != "gd"
            found["run"] |= {"own_model_name": "LeNet"} | kept if is_own else {}
            kind = 'kind = "plugin"\nlibrary = "models/lenet.py"' if is_own else 'kind = "logistic"'
            found["run"]["config"] = f'method = "{method}"\n[data]\nsource = "idx"\nimages = "mnist/images.gz"\n' \
                f'[problem]\n{kind}\n[privacy]\nepsilon = 2.0\n'
            found["values"] |= {"privacy.epsilon": 2.0}
            cells.append(found)
    return read_sweep(make_sweep(cells, axes=("method", "privacy.epsilon", "seed")))


def everywhere(sweep):
    """What tables, figures and the report say of a sweep."""
    runs, found = read_runs([str(sweep.folder)]), answer([sweep], Budget(bits=1e9), "accuracy")
    return {"table": as_text(final_figures(runs)), "sweep": summary_text(sweep), "best": "\n".join(notes(found)),
            "cost": cost_text(runs), "sweep -o": words(draw_sweep(sweep)), "curves": words(draw_curves(runs)),
            "best -o": words(draw_answer(found)), "cost -o": words(draw_cost(runs)),
            "report": re.sub("<[^>]*>", " ", render(collect([sweep], Budget())).split("<script")[0])}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_broken_promise_is_told_everywhere_with_its_runs(make_sweep, promise):
    sweep = made(make_sweep, KEPT | {promise: np.uint8(0)})
    (line,) = broken_promises(list(sweep.runs.values()))
    what, effect = PROMISES[promise]
    names = [f"00000000000{i}.h5" for i in range(3)]
    assert line == f"own model LeNet of lenet.py: {what}, so {effect} ({promise} = 0 in {', '.join(names)} and 3 more)"
    for name, text in everywhere(sweep).items():
        assert line in " ".join(text.split()), name
    assert "own model LeNet of lenet.py" in in_picture(draw_sweep(sweep), style.WARNING)


def test_nothing_is_told_of_models_that_keep_their_promises(make_sweep):
    for name, text in everywhere(made(make_sweep, KEPT)).items():
        assert "own model" not in text, name


def test_figures_and_the_report_name_the_model(make_sweep):
    sweep = made(make_sweep, KEPT)
    runs = read_runs([str(sweep.folder)])
    assert own_model(runs[0]) == "LeNet of lenet.py"
    said = everywhere(sweep)
    named = [name for name, text in said.items() if "LeNet of lenet.py" in text]
    assert named == ["sweep -o", "curves", "best -o", "cost -o", "report"]
    found = answer([sweep], Budget(bits=1e9), "accuracy")
    for figure in (draw_sweep(sweep), draw_curves(runs), draw_answer(found), draw_cost(runs, absolute=True)):
        assert "with LeNet of lenet.py on mnist" in in_picture(figure)
    assert "LeNet of lenet.py" in in_picture(draw_cost(runs))


def test_built_in_problems_beside_a_model_are_named_by_their_kind(make_sweep):
    assert "with logistic and LeNet of lenet.py on mnist" in in_picture(draw_sweep(made(make_sweep, KEPT, ("cdp-sgd", "gd"))))
    assert "with" not in in_picture(draw_sweep(read_sweep(made(make_sweep.again, KEPT, ("gd",)).folder))).split(" on mnist")[0]


def test_the_command_prints_the_warning(make_sweep, capsys):
    sweep = made(make_sweep, KEPT | {"own_model_adds_up": np.uint8(0)})
    assert main(["best", str(sweep.folder), "--bits", "1MB"]) == 0
    assert "gradients of records do not add up to that of their batch" in " ".join(capsys.readouterr().out.split())
