"""Rows of dots: how `sweep` draws the ends of many lines (plot/sweep_plan.py)."""
from __future__ import annotations

import pytest
from figure_parts import overlapping

from trilemma_analysis import read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.plot.page import Sheet
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.plot.sweep_plan import ROW

COMPRESSORS = ("rand-k", "top-k", "sign", "qsgd", "natural", "terngrad", "threshold", "rank")


def of_compressors(tasks=(None,), kinds=COMPRESSORS):
    """Compressors on each task, of which the second one has two of them; each next one sends half as much."""
    return [{"values": {"compressor.kind": kind, "seed": seed} | ({"data.label_noise": task} if task else {}),
             "run": {"config": f"method = 'cdp-sgd'\n{f'data.label_noise = {task}' if task else ''}\n",
                     "compressor_label": kind,
                     "columns": {"bits_up_payload": [0, 6400 >> place, 12800 >> place],
                                 "accuracy": [0.5, 0.6, 0.7 + place / 100 + seed / 1000]}}}
            for number, task in enumerate(tasks) for place, kind in enumerate(kinds[:2] if number else kinds)
            for seed in (1, 2)]


def made_of(axes):
    """The title of each panel in one line, and the names of its rows."""
    return [(each.get_title(loc="left").replace("\n", " "), [text.get_text() for text in each.get_yticklabels()])
            for each in axes]


ROWS_OF = {"end-bits": ["Upload at the end, least first", "At the end"],
           "end-bits,rounds": ["At the end, against uploaded bits", "Against rounds"]}


@pytest.mark.parametrize("width", [None, 3.4])
def test_planes_of_many_lines_are_rows_of_dots(make_sweep, width):
    sweep = read_sweep(make_sweep(of_compressors(), axes=("compressor.kind", "seed")))
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"], sheet=Sheet(width=width)))
    assert [title for title, _ in made_of(figure.axes)] == ROWS_OF["end-bits"]
    names = list(reversed(COMPRESSORS))
    assert [rows for _, rows in made_of(figure.axes)] == [names, names if width else [""] * 8]
    assert overlapping(figure) == []


def test_rows_of_dots_are_drawn_only_where_planes_are_all_that_is_drawn(make_sweep, tmp_path):
    folder, picture = make_sweep(of_compressors(), axes=("compressor.kind", "seed")), tmp_path / "f.png"
    assert main(["sweep", str(folder), "--metric", "accuracy", "--panel", "end-bits,rounds", "-o", str(picture)]) == 0
    figure = draw_sweep(read_sweep(folder), Choice(metrics=["accuracy"], panels=["end-bits", "rounds"]))
    assert [title for title, _ in made_of(figure.axes)] == ROWS_OF["end-bits,rounds"]


def test_all_tasks_are_rows_of_dots_where_one_has_many_lines(make_sweep):
    """The second task has two lines, and its rows are as high as those of the first one."""
    made = of_compressors((0.1, 0.4), COMPRESSORS[:7])
    sweep = read_sweep(make_sweep(made, axes=("compressor.kind", "data.label_noise", "seed")))
    figure = draw_sweep(sweep, Choice(metrics=["accuracy"]))
    assert [(title, len(rows)) for title, rows in made_of(figure.axes)] == [
        (f"{task}: {panel[0].lower()}{panel[1:]}", count) for task, count in (("label_noise = 0.1", 7),
                                                                             ("label_noise = 0.4", 2))
        for panel in ROWS_OF["end-bits"]]
    heights = [axes.get_subplotspec().get_gridspec().get_height_ratios() for axes in figure.axes]
    assert heights[0][0] - heights[0][1] == pytest.approx(5 * ROW) and overlapping(figure) == []
