"""Tables for people: what stands side by side, what goes below, and what waits for --wide."""

import doctest
import importlib

import pytest

from trilemma_analysis import read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.cli.sweep import summary_text
from trilemma_analysis.cli.tables import MOST, Column, table
from trilemma_analysis.io.words import Long, in_short, wrapped

METHODS = Column("method", ["gd", "ldp-sgd"], words=True, stays=True)


def test_what_all_rows_share_is_a_line_below():
    seeds = Column("seeds", ["3", "3"], below="{cell} seeds each")
    assert table([METHODS, Column("ε", ["1", "2"]), seeds]) == [
        "method   ε", "-------  -", "gd       1", "ldp-sgd  2", "3 seeds each"]
    assert table([METHODS, seeds], wide=True)[0] == "method   seeds"
    assert table([Column("method", ["gd"]), Column("seeds", ["3"])])[0] == "method  seeds"  # one row shares nothing


def test_columns_that_equal_another_one_and_empty_ones_do_not_stand_twice():
    shown = table([METHODS, Column("ε", ["1", "2"], kind="epsilon"),
                   Column("ε spent", ["1", "2"], kind="epsilon"), Column("seeds", ["1", "2"]), Column("time", ["-", "-"])])
    assert shown[0] == "method   ε  seeds" and shown[-1] == "ε spent = ε"


def test_values_that_some_rows_lack_are_shared_on_request():
    def below(**how):
        return table([METHODS, Column("seeds", ["3", "-"], **how)])[-1]
    assert below(may_lack=True) == "seeds 3" and below() == "ldp-sgd      -"


def test_at_most_eight_columns_stand_side_by_side_and_the_others_are_named():
    columns = [METHODS, *(Column(f"c{i}", [str(i), str(i + 10)]) for i in range(9))]
    columns.append(Column("more", ["5", "6"], extra=True))
    shown = table(columns)
    assert len(shown[0].split()) == MOST and shown[-1] == "not shown: c7, c8 and 1 more column (--wide)"
    assert len(table(columns, wide=True)[0].split()) == 11


def test_firm_columns_have_their_place_before_others():
    columns = [METHODS, *(Column(f"c{i}", [str(i), str(i + 10)]) for i in range(9))]
    assert table([*columns, Column("private", ["yes", "NO"], firm=True)])[0].split()[-1] == "private"


@pytest.mark.parametrize("columns", ["60", "100"])
def test_no_line_is_wider_than_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    long = [Column(f"a long heading of column {i}", ["word " * 30, "y" * 90], words=True, stays=True) for i in range(4)]
    lines = table(long)
    assert max(map(len, lines)) <= int(columns)
    assert next(line for line in lines if line.startswith("---")).count("  ") == 3  # words take more lines instead


def test_long_notes_are_short_and_stand_once():
    note = Long("outside: a, b, c", "outside: a and 2 more (--wide)")
    assert in_short([note, "seeds", "seeds", note]) == ["outside: a and 2 more (--wide)", "seeds"] and note.endswith("c")


def test_a_sweep_of_many_axes_with_long_names_and_failed_cells_fits(make_sweep, capsys):
    def cell(seed, **more):
        values = {"method": "ldp-sgd", "privacy.epsilon": 2.0, **{f"table.a_long_name_of_a_setting_{i}": seed * 1e10 + i
                                                                  for i in range(9)}, "seed": seed}
        config = "".join(f"{name} = {value!r}\n" for name, value in values.items() if "." not in name and name != "method")
        return {"values": values, "run": {"seed": seed, "method": "ldp-sgd", "config": config}, **more}

    folder = make_sweep([*(cell(seed) for seed in (1, 2)), cell(3, state="failed", reason=f"round 1: {'x' * 300}"),
                         cell(4, state="failed", reason=f"the objective is {'large ' * 60}")],
                        axes=tuple(cell(1)["values"]))
    for command in (["sweep"], ["table"], ["best", "--bits", "1GB"]):
        assert main([command[0], str(folder), *command[1:]]) == 0
        printed = capsys.readouterr()
        assert max(map(len, (printed.out).splitlines())) <= 100
    text = summary_text(read_sweep(folder), "accuracy")
    assert "done 0/1" in text and "1e+10" in text and "10000000000" not in text


def test_notes_have_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, wrapped(["word " * 100]))) in range(70, 81)


@pytest.mark.parametrize("name", ["cli.tables", "io.forms", "model.groups", "stats.answers", "stats.paired"])
def test_examples_of_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(f"trilemma_analysis.{name}")).failed == 0


def test_a_table_for_latex_has_the_columns_that_fit(make_run, tmp_path, capsys):
    from trilemma_analysis.cli.main import main
    for seed, method in enumerate(("ldp_sgd", "cdp-sgd"), 1):
        make_run(f"{seed}.h5", method=method, columns={"accuracy": [0.5, 0.6, 0.6 + 0.1 * seed]})
    assert main(["table", str(tmp_path), "--latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("% ") and "1 seed each" in lines[0] and lines[1].startswith(r"\begin{tabular}{l") and lines[-1] == r"\end{tabular}"
    body = [line for line in lines if line.endswith(r"\\")]
    assert len(body) == 3 and len({line.count("&") for line in body}) == 1
    assert body[1].startswith(r"cdp-sgd & 80.0 \% ") and body[2].startswith(r"ldp\_sgd & 70.0 \% ")


def test_one_name_stands_for_one_column_in_all_tables(make_sweep, tmp_path, capsys):
    import pandas as pd
    from trilemma_analysis.cli.main import main
    cells = [{"values": {"method": method, "privacy.epsilon": 2.0, "seed": seed}, "run": {"epsilon": 2.0}}
             for method in ("ldp-sgd", "cdp-sgd") for seed in (1, 2, 3)]
    folder = str(make_sweep(cells))
    for command in (["table", folder], ["sweep", folder], ["best", folder, "--bits", "1MB"]):
        assert main([*command, "--csv", str(tmp_path / f"{command[0]}.csv")]) == 0
    assert main(["export", folder, "--to", "csv", "-o", str(tmp_path / "export")]) == 0
    found = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in ("table", "sweep", "best", "export/runs")}
    shared = {"method", "epsilon_accounted", "claim_status", "unit", "relation", "against", "delta", "bits_up_per_client"}
    for name, table in found.items():
        assert shared <= set(table), (name, shared - set(table))
        assert set(table["claim_status"]) == {"holds"} and set(table["against"]) == {"every message"}, name
        assert not {"accounted_epsilon", "view", "bits_per_client", "seconds"} & set(table) - ({"seconds"} if name == "best" else set())
        assert not table.select_dtypes("object").apply(lambda column: column.astype(str).str.startswith("/")).any().any(), name
    assert all("wall_seconds" in found[name] for name in ("table", "sweep", "export/runs"))
