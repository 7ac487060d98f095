"""Cells of a sweep without a result: every command that reads its folder says how many there are, in what it prints
and draws."""

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import write_sweep
from test_best import cell

from trilemma_analysis.cli.main import main

WHY = "ldp-sgd: privacy.epsilon is too large"
AXES = ("method", "privacy.epsilon", "seed")
METHODS = ("cdp-sgd", "ldp-sgd")
# Sweeps by the line that all commands say: the states of the cells that are not done.
SWEEPS = {
    "incomplete sweep: 2 of 4 cells done, 2 failed": [{"state": "failed"}] * 2,
    "incomplete sweep: 2 of 3 cells done, 1 missing": [{"state": "missing"}],
    f"3 cells refused: {WHY}": [{"state": "missing", "refused": WHY}] * 3,
}
COMMANDS = {
    "table": ["table", "SWEEP"],
    "sweep": ["sweep", "SWEEP", "-o", "OUT.svg"],
    "best": ["best", "SWEEP", "--bits", "1MB", "--json", "OUT.json", "-o", "OUT.svg"],
    "curves": ["curves", "SWEEP", "-o", "OUT.svg"],
    "cost": ["cost", "SWEEP", "-o", "OUT.svg"],
    "report": ["report", "SWEEP", "-o", "OUT.html"],
}


def made(more):
    """Two cells that are done, and others."""
    done = [cell(method, 1, (0.5, 0.7), 1.0, (0.0, 1.0, 2.0), epsilon_nominal=2.0) for method in METHODS]
    for each in done:
        each["run"]["config"] = f"method = \"{each['values']['method']}\"\n[privacy]\nepsilon = 2.0\n"
    found = done + [{"values": {"method": "ldp-sgd", "seed": 2 + place}, **each} for place, each in enumerate(more)]
    for each in found:
        each["values"] = {"privacy.epsilon": 2.0} | {key: each["values"][key] for key in ("method", "seed")}
    return found


def said_by(command, folders, tmp_path, capsys):
    """What a command prints, and each file of text that it writes."""
    words = [str(tmp_path / word) if word.startswith("OUT") else word for word in COMMANDS[command]]
    place = words.index("SWEEP")
    assert main([*words[:place], *map(str, folders), *words[place + 1:]]) == 0
    told = capsys.readouterr()
    files = {path.name: path.read_text() for path in tmp_path.glob("OUT.*")}
    printed = {} if command == "report" else {"terminal": told.out + told.err}
    return {name: " ".join(re.sub(r"</?\w[^>]*>", " ", text).split()) for name, text in (printed | files).items()}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("line", SWEEPS)
def test_every_command_says_which_cells_have_no_result(command, line, tmp_path, capsys):
    folder = write_sweep(tmp_path / "sweep", made(SWEEPS[line]), axes=AXES)
    said = said_by(command, [folder], tmp_path, capsys)
    assert said and all(line.removeprefix("incomplete sweep: ") in text for text in said.values()), said
    pictures = [text for name, text in said.items() if name.endswith((".txt", ".svg"))]
    assert all(line in text for text in pictures) and bool(pictures) == ("OUT.svg" in COMMANDS[command])


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_said_of_a_sweep_whose_cells_are_done(command, tmp_path, capsys):
    folder = write_sweep(tmp_path / "sweep", made([]), axes=AXES)
    said = said_by(command, [folder], tmp_path, capsys)
    assert not [text for text in said.values() if re.search("incomplete sweep|refused:|failed", text)]


def test_of_several_folders_each_line_has_the_name_of_its_sweep(tmp_path, capsys):
    folders = [write_sweep(tmp_path / name, [{**each, "hash": f"{place}{mark:011d}"} for mark, each in enumerate(made(more))],
                           axes=AXES, name=name) for place, (name, more) in enumerate(
                               {"one": SWEEPS[next(iter(SWEEPS))], "two": []}.items())]
    for command in ("curves", "table"):
        said = said_by(command, folders, tmp_path, capsys)
        assert all("one: incomplete sweep: 2 of 4 cells done, 2 failed" in text and "two:" not in text for text in said.values())


def test_cells_are_told_without_reading_runs_twice(tmp_path, capsys, monkeypatch):
    """A folder may have thousands of files."""
    from trilemma_analysis.io import run_file

    read = []
    opened = run_file._opened
    monkeypatch.setattr(run_file, "_opened", lambda path, of: read.append(Path(path).name) or opened(path, of))
    folder = write_sweep(tmp_path / "sweep", made([{"state": "failed"}]), axes=AXES)
    said_by("table", [folder], tmp_path, capsys)
    assert len(read) == len(set(read)) == np.count_nonzero([path.suffix == ".h5" for path in folder.iterdir()])
