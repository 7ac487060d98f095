"""Saved rows of verdicts: they give the same verdict as the runs, and what is wrong with a file is one sentence."""
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from test_verdict_fav import paper
from test_verdict_fav import runs as fav_runs
from test_verdict_fav_tuned import runs as tuned_runs
from test_verdict_gossip import NOTEBOOK, mnist, private, states
from test_verdict_gossip import seeds as gossip_seeds
from test_verdict_nec import BETAS
from test_verdict_nec import folder as nec_folder
from test_verdict_norm_fmnist import PAPER as NORM_PAPER
from test_verdict_norm_fmnist import folder as norm_folder
from test_verdict_pmtl import sweep as pmtl_sweep
from test_verdict_sot import MNIST as SOT_MNIST
from test_verdict_sot import made as sot_rows
from test_verdict_sot_tables import counted, points, systems
from test_verdicts import folder as quad_folder
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.sweep import read_sweep
from trilemma_analysis.verdicts import RULES, evidence
from trilemma_analysis.verdicts.evidence import Definition, Evidence, Origin
from trilemma_analysis.verdicts.rules import Column, Outcome, Rule, Statement, Verdict
from trilemma_analysis.verdicts.saved import read, save
from trilemma_analysis.verdicts.summary import Row

DATA = Path(__file__).resolve().parents[2] / "docs/results/data"
ORIGIN = Origin((Definition("made", 3, "0123456789ab"),), 3, 3, 4.5, ("0.1.0 (abc)",), ("a processor",), "2026-01-02")
COLUMNS = {"name": Column("method"), "seed": Column("seed"), "is_it": Column("whether"), "score": Column("score", "%"),
           "bound": Column("bound", "1")}


def judged_at(threshold):
    """A rule that compares a sum of scores with a threshold."""
    def judge(rows):
        total = rows["score"].sum()
        statement = Statement("S", "the sum is small", Outcome.HOLDS if total < threshold else Outcome.FAILS, f"{total:.3g}")
        return Verdict("MADE", (statement,), seeds=rows["seed"].nunique(), ours=f"{total:.3g}")
    return Rule("made", ("MADE",), lambda _: None, judge, COLUMNS, "small", chooses=False)


def made(rule, scores):
    """Evidence with one score a seed, among them what is easily lost in a file."""
    rows = pd.DataFrame({"name": ["", "NA", 'a "b", c'], "seed": [1, 2, 3], "is_it": [True, False, True],
                         "score": scores, "bound": [np.inf, np.nan, 0.1]})
    return Evidence(rule, rows, ("a note",), ORIGIN, "made/folder")


def test_rows_come_back_as_they_were(tmp_path):
    rule = judged_at(10)
    evidence = made(rule, [1.0, 2.5, 1 / 3])
    files = save(evidence, tmp_path / "new")
    assert [path.name for path in files] == ["made.csv", "made.json"]
    assert files[0].read_text().splitlines()[-1] == '"a ""b"", c",3,True,0.333333,0.1'
    found = read({"made": rule}, files[1])
    pd.testing.assert_frame_equal(found.rows, evidence.rows.round({"score": 6}))
    assert (found.notes, found.origin) == (evidence.notes, ORIGIN)
    assert found.verdict() == evidence.verdict() and found.verdict().notes == ("a note",)
    content = json.loads(files[1].read_text())
    assert content["columns"]["score"] == {"meaning": "score", "unit": "%", "kind": "number"}
    assert content["sweeps"] == [{"name": "made", "cells": 3, "hash": "0123456789ab"}] and content["date"] == "2026-01-02"


def test_digits_are_as_many_as_the_verdict_needs(tmp_path):
    rule = judged_at(1.0)
    evidence = made(rule, [0.5, 0.25, 0.25 - 1e-8])  # with six digits the sum would be 1
    assert evidence.verdict().statements[0].holds
    files = save(evidence, tmp_path)
    assert "0.24999999" in files[0].read_text()
    assert read({"made": rule}, files[1]).verdict() == evidence.verdict()


@pytest.mark.parametrize(("file", "change", "words"), [
    ("made.json", lambda text: "{", "not what `verdict --save` writes"),
    ("made.json", lambda text: text.replace('"schema_version": 1', '"schema_version": 7'), "trilemma-verdict 7, expected"),
    ("made.json", lambda text: text.replace('"rule": "made"', '"rule": "gone"'), "there is no rule 'gone'"),
    ("made.json", lambda text: text.replace('"bound": {', '"other": {'), "it does not have what the rule reads today"),
    ("made.json", lambda text: text.replace('"notes"', '"nodes"'), "it does not have what the rule reads today"),
    ("made.csv", lambda text: text.replace("inf", "wide"), "made.csv: not what `verdict --save` writes"),
    ("made.csv", lambda text: text.replace("score", "scores"), "it does not have what the rule reads today"),
])
def test_damage_is_one_sentence(tmp_path, file, change, words):
    rule = judged_at(10)
    save(made(rule, [1.0, 2.0, 3.0]), tmp_path)
    path = tmp_path / file
    path.write_text(change(path.read_text()))
    with pytest.raises(RunFileError, match=re.escape(words)):
        read({"made": rule}, tmp_path / "made.json")


def test_missing_rows_are_named(tmp_path):
    rule = judged_at(10)
    save(made(rule, [1.0, 2.0, 3.0]), tmp_path)
    (tmp_path / "made.csv").unlink()
    with pytest.raises(RunFileError, match="made.csv: there is no such file"):
        read({"made": rule}, tmp_path / "made.json")


@pytest.fixture
def data(tmp_path):
    """A folder with the saved rows of one rule."""
    rule = RULES["fav-mnist"]
    rows = fav_runs(paper)[list(rule.columns)]
    save(Evidence(rule, rows, ("all epsilons: none",), ORIGIN, "made"), tmp_path / "data")
    return tmp_path / "data"


def test_a_rule_is_judged_from_what_is_saved(data, capsys):
    assert main(["verdict", "fav-mnist", str(data), "--row"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("FAV-MNIST, preset plain: REPRODUCED-NUMBERS\n") and "note: all epsilons: none" in out
    assert "FAVANO 95.1," in out and max(map(len, out.splitlines())) <= 100


def test_all_saved_verdicts_are_a_table(data, tmp_path, capsys):
    file = tmp_path / "all.json"
    assert main(["verdict", "--all", str(data), "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["experiment", "verdict", "here", "paper", "seeds", "computing"]
    assert max(map(len, out.splitlines())) <= 100 and "again: jobs/reproduce EXPERIMENT" in out
    row, = json.loads(file.read_text())
    assert row["verdict"] == "REPRODUCED-NUMBERS" and row["command"] == "jobs/reproduce FAV-MNIST-IID"
    assert row["wall_seconds"] == 4.5 and row["statements"][0]["outcome"] == "holds"
    assert row["ours"] == row["paper"] == "FAVANO 95.1, 88.9, 87.3; FedBuff 96.0, 85.1, 67.3"
    assert main(["verdict", "--all", str(data), "--wide"]) == 0
    assert "jobs/reproduce FAV-MNIST-IID" in capsys.readouterr().out


def test_a_row_names_what_does_not_hold():
    failing, aside = (Statement(name, "", Outcome.FAILS, "", aside=name == "B") for name in "AB")
    holding = Statement("C", "", Outcome.HOLDS, "")
    for ours, words in (("1 to 2", "1 to 2; A fails"), ("", "A fails, B fails, C holds")):
        assert Row(judged_at(1), Verdict("X", (failing, aside, holding), ours=ours), 1, 1.0).ours == words
    assert Row(judged_at(1), Verdict("X", (holding,), ours="1 to 2"), 1, 1.0).ours == "1 to 2"


@pytest.mark.parametrize(("arguments", "words"), [
    (["--all", "data", "--save", "x"], "leave out the rule, --save and --row"), ([], "name a rule and the folders"),
    (["fav-mnist"], "name a rule and the folders"), (["--all", "nowhere"], "nowhere: no saved verdicts"),
    (["fav-mnist", "nowhere"], "nowhere: there is no such folder")])
def test_mistakes_are_one_sentence(arguments, words, capsys):
    assert main(["verdict", *arguments]) == 2
    assert words in capsys.readouterr().err


def fav_rows(name):
    """Rows of FAV rules without run files: table 2 itself, and with few bits a little less."""
    table = tuned_runs() if name == "fav-mnist-tuned" else fav_runs(paper)
    few = table.assign(bits=4, contacted=10, score=table["score"] - 2)
    more = [each.assign(contacted=40, score=each["score"] + 3 + 0.01 * each["seed"]) for each in (table, few)]
    rows = pd.concat([table.assign(contacted=10), few, *more]) if "qnn" in name else table
    return Evidence(RULES[name], rows[list(RULES[name].columns)], (), ORIGIN, "made")


# Made-up runs by rule: a fixture, and what makes evidence of it.
MADE = {
    "norm-quad": ("quad_folder", lambda build: read_sweep(build())),
    "norm-fmnist": ("norm_folder", lambda build: read_sweep(build(lambda noise: NORM_PAPER))),
    **dict.fromkeys(("norm-mnist-s", "norm-cifar10-s", "norm-mix20-s"),
                    ("norm_folder", lambda build: read_sweep(build(lambda noise: NORM_PAPER)))),
    **dict.fromkeys(("nec-fmnist-s", "nec-cifar-s", "nec-a9a-total"), ("nec_folder", lambda build: read_sweep(build()))),
    "nec-a9a": ("nec_folder", lambda build: read_sweep(build(
        mode="per_coordinate", betas=(0.0001, *BETAS), level={0.0001: 0.5, 0.001: 0.6, 0.01: 0.7, 0.1: 0.6}))),
    **dict.fromkeys(("pmtl-fmnist-s", "pmtl-fmnist-two-s", "pmtl-femnist-t", "pmtl-park-s"),
                    ("pmtl_sweep", lambda build: build())),
}
MADE["norm-quad-traj"] = MADE["norm-quad"]
# Rules whose tests make rows, without runs.
ROWS = {
    "sot-a9a": sot_rows, "sot-a9a-tuned": lambda: pd.concat([sot_rows(seeds=(0,)), sot_rows()]),
    "sot-a9a-private": lambda: sot_rows(mode="private"), "sot-mnist": lambda: sot_rows(SOT_MNIST),
    "sot-mnist-private": lambda: sot_rows(SOT_MNIST, mode="private"), "sot-table1": systems, "sot-slopes": points,
    "sot-table2": lambda: counted((0.6, 0.3, 0.22), {"soteriafl-gd": 1000.0, "soteriafl-sgd": 50.0,
                                                     "soteriafl-svrg": 200.0, "soteriafl-saga": 150.0}),
    "gos-a9a": lambda: states(NOTEBOOK), "gos-mnist": mnist, "gos-seeds": gossip_seeds, "gos-private": private,
}


@pytest.mark.parametrize("name", RULES)
def test_saved_rows_of_every_rule_give_its_verdict(name, request, tmp_path):
    """A new rule is added to MADE or ROWS, or its rows are saved in docs/results/data."""
    if name in MADE:
        fixture, sweep_of = MADE[name]
        found = evidence(name, sweep_of(request.getfixturevalue(fixture)))
    elif name in ROWS:
        found = Evidence(RULES[name], ROWS[name]()[list(RULES[name].columns)], (), ORIGIN, "made")
    elif name.startswith("fav-"):
        found = fav_rows(name)
    else:
        found = read(RULES, DATA / f"{name}.json")
    _, file = save(found, tmp_path / "saved")
    assert read(RULES, file).verdict().text() == found.verdict().text()
    assert set(json.loads(file.read_text())["columns"]) == set(RULES[name].columns) == set(found.rows)


def test_every_rule_says_what_its_columns_mean():
    for name, rule in RULES.items():
        assert rule.name == name and rule.ids and rule.paper, name
        assert all(column.meaning for column in rule.columns.values()), name


@pytest.mark.parametrize(("wanted", "end"), [(0, ""), (3, ""), (5, " (3 of 5 seeds)")])
def test_a_verdict_from_fewer_seeds_than_its_rule_asks_for_says_so(wanted, end):
    found = made(replace(judged_at(10), seeds=wanted), [1.0, 2.5, 1 / 3])
    assert found.verdict().word == f"REPRODUCED-ORDERING{end}"
    assert found.verdict().text().startswith(f"MADE: REPRODUCED-ORDERING{end}\n")
    assert Row(found.rule, found.verdict(), 3, 4.5).as_object()["verdict"] == f"REPRODUCED-ORDERING{end}"
