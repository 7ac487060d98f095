"""Energy as an axis: joules of the rounds, and rankings and figures by them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import PHASES

from trilemma_analysis import read_run
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.forms import joules
from trilemma_analysis.model.phases import JOULES, with_seconds

LOCAL, EVALUATE = PHASES.index("local"), PHASES.index("evaluate")


def energy(start, *rounds):
    """Joules by row and phase: those of the start, and of each round in its phase `local`; evaluation takes 100 J more."""
    counted = np.zeros((1 + len(rounds), len(PHASES)))
    counted[:, LOCAL] = [start, *rounds]
    counted[:, EVALUATE] = 100.0
    return counted


def cell(method, seed, accuracies, *spent):
    """A run of two rounds that uses `spent` joules in them, none where they are not counted."""
    run = {"config": f'method = "{method}"\nseed = {seed}\n', "columns": {"accuracy": [0.1, *accuracies]}}
    return {"values": {"method": method, "seed": seed}, "run": run | ({"joules": energy(7.0, *spent)} if spent else {})}


def ranked(make_sweep, capsys, cells, *options):
    """What `best` prints of a sweep."""
    assert main(["best", str(make_sweep(cells, axes=("method", "seed"))), *options]) == 0
    return capsys.readouterr().out


def test_joules_add_up_without_start_evaluation_and_recording(make_run):
    run = with_seconds(read_run(make_run(joules=energy(50.0, 3.0, 4.0))))
    assert run.rounds[JOULES].tolist() == [0.0, 3.0, 7.0]
    assert JOULES not in with_seconds(read_run(make_run("b.h5"))).rounds


def test_rows_without_a_number_leave_no_sum(make_run):
    run = with_seconds(read_run(make_run(joules=energy(50.0, 3.0, math.nan))))
    assert run.rounds[JOULES].tolist()[:2] == [0.0, 3.0] and math.isnan(run.rounds[JOULES].iloc[-1])


def test_a_method_may_win_by_joules_to_a_target(make_sweep, capsys):
    """ldp-sgd reaches it in one round for 30 J, cdp-sgd in two rounds for 4 J."""
    cells = [cell(method, seed, both, *spent) for seed in (4, 5) for method, both, spent in
             (("ldp-sgd", (0.8, 0.9), (30.0, 30.0)), ("cdp-sgd", (0.5, 0.8), (1.0, 3.0)))]
    text = ranked(make_sweep, capsys, cells, "--target", "accuracy=0.8", "--until", "joules")
    assert text.split("\n\n")[1].startswith("joules, until the first evaluated round with test accuracy >= 0.8")
    first, second = (line for line in text.splitlines() if line.strip().startswith(("1  ", "2  ")) and " J" in line)
    assert "cdp-sgd" in first and "4 J" in first and "ldp-sgd" in second and "30 J" in second


def test_joules_are_a_limit(make_sweep, capsys):
    """Within 5 J ldp-sgd has no round; a run without a counter is skipped."""
    cells = [cell("ldp-sgd", 1, (0.8, 0.9), 30.0, 30.0), cell("cdp-sgd", 1, (0.5, 0.8), 1.0, 3.0),
             cell("soteriafl-sgd", 1, (0.8, 0.9))]
    text = " ".join(ranked(make_sweep, capsys, cells, "--joules", "5").split())
    assert "within 5 J without evaluation" in text
    assert "has spent 30 J" in text and "no energy in the file (the machine does not count it)" in text


def test_until_joules_needs_a_target(capsys):
    assert main(["best", "nowhere", "--until", "joules"]) == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize("counted", [True, False])
def test_a_figure_has_an_axis_of_energy(make_sweep, tmp_path, capsys, counted):
    cells = [cell(method, seed, (0.5, 0.8), *((1.0, 3.0) if counted else ())) for method in ("ldp-sgd", "cdp-sgd") for seed in (1, 2)]
    folder, out = make_sweep(cells, axes=("method", "seed")), tmp_path / "a.svg"
    code = main(["sweep", str(folder), "--panel", "joules", "--output", str(out)])
    if counted:
        assert code == 0 and "energy of all nodes (J)" in out.read_text()
    else:
        assert code == 2 and "did not count its energy" in capsys.readouterr().err


@pytest.mark.parametrize(("value", "words"), [(0.0, "0 J"), (999.4, "999 J"), (12_345.0, "12.3 kJ"), (math.nan, "-")])
def test_energies_have_a_prefix(value, words):
    assert joules(value) in (words, "–", "—") if math.isnan(value) else joules(value) == words


def test_a_damaged_energy_is_refused(make_run, capsys):
    assert main(["table", str(make_run(joules=np.zeros((3, 2))))]) == 2
    assert "/phases/joules does not fit /phases/name" in capsys.readouterr().err
