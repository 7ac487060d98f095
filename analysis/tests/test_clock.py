"""Methods on the simulated clock: panels against its time and their local steps, and seeds that go in step."""
import numpy as np
import pytest

from figure_parts import words
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.plot.curves import ON_THE_WAY
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.sweep_figure import Choice

ON_CLOCK = {"simulated_time": [0.0, 7.0, 14.0], "local_steps": [0, 40, 90]}


def test_metrics_are_drawn_against_time_and_steps(make_run):
    run = read_run(make_run(columns=ON_CLOCK))
    time, steps = draw_curves([run], Choice(panels=["clock", "steps"], metrics=["accuracy"])).axes[:2]
    assert _on_the_way(time) == [0, 7, 14]
    assert _on_the_way(steps) == [0, 40, 90]
    assert "simulated time" in time.get_xlabel() and "local steps" in steps.get_xlabel()
    assert "simulated time" in draw_curves([run]).axes[0].get_xlabel()


def _on_the_way(axes):
    (line,) = [line for line in axes.get_lines() if line.get_gid() == ON_THE_WAY]
    return list(line.get_xdata())


def test_seconds_of_a_simulation_are_no_time_of_a_method(make_run):
    """Of a run in real time they are."""
    for column, told in ("simulated_time", True), ("real_time", False):
        run = read_run(make_run(columns={column: [0.0, 7.0, 14.0], "local_steps": [0, 40, 90]}))
        for panel in "seconds", "times":
            text = words(draw_curves([run], Choice(panels=[panel], metrics=["accuracy"])))
            assert ("how long the machine took to simulate" in text) == told, (panel, column)


def test_methods_without_a_clock_are_refused(make_run):
    with pytest.raises(RunFileError, match="not on the simulated clock"):
        draw_curves([read_run(make_run())], Choice(panels=["clock"], metrics=["accuracy"]))


def test_a_seed_in_step_with_the_seed_is_no_axis(make_sweep):
    cells = [{"values": {"seed": seed, "data.seed": 10 + seed}} for seed in (1, 2, 3)]
    assert "data.seed" not in read_sweep(make_sweep(cells, axes=("data.seed", "seed"))).axes


def test_a_seed_of_its_own_is_an_axis(make_sweep):
    cells = [{"values": {"seed": seed, "data.seed": data}} for seed in (1, 2) for data in (1, 2)]
    assert "data.seed" in read_sweep(make_sweep(cells, axes=("data.seed", "seed"))).axes


def test_runs_are_found_from_another_folder(make_run, monkeypatch):
    path = make_run("here.h5")
    read_run(path)  # by a process that stays where it was started
    monkeypatch.chdir(path.parent)
    assert np.isfinite(read_run("here.h5").rounds["round"]).all()


def test_the_budget_of_methods_whose_rounds_end_at_different_times_is_a_time(make_run):
    """The last round of one method ends at 60, that of the other at 90."""
    runs = [read_run(make_run(f"{method}.h5", method=method, columns={"simulated_time": times, "local_steps": [0, 40, 90]}))
            for method, times in (("favano", [0.0, 45.0, 90.0]), ("fedbuff", [0.0, 30.0, 60.0]))]
    assert "within 90 units of time" in words(draw_curves(runs, Choice(panels=["clock"], metrics=["accuracy"]))).lower()
