"""A sweep.json that is not as `trilemma sweep` writes it: one sentence and exit code 2."""

from __future__ import annotations

import json

import pytest

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.main import main

CELL = {"index": 0, "name": "", "hash": "a", "file": "a.h5", "repetition": 1, "values": {"method": "gd"},
        "refused": None}


@pytest.mark.parametrize("head, words", [
    ({"name": 5}, "'name' is not text"), ({"name": "\x1b[31m"}, "'name' is not text"),
    ({"axes": "method"}, "'axes' is not a list"),
    ({"axes": ["index"]}, "'index' cannot be an axis"), ({"axes": ["a", "a"]}, "'axes' is not a list"),
    ({"set": [1]}, "'set' is not an object"), ({"set": {"seed": "x"}}, "'seed' of 'set'"),
    ({"cells": {}}, "'cells' is not a list"),
    ({"cells": [1]}, "cell 0: not an object"), ({"cells": [CELL | {"index": "0"}]}, "'index' or 'repetition'"),
    ({"cells": [CELL, CELL]}, "two cells have the same 'index'"), ({"cells": [CELL | {"hash": 1}]}, "'hash' or 'file'"),
    ({"cells": [CELL | {"file": "../a.h5"}]}, "not the name of a run file in this folder"),
    ({"cells": [CELL | {"values": {"method": {"a": 1}}}]}, "'values' is not an object of settings"),
    ({"cells": [CELL | {"values": {"method": "\ud800"}}]}, "'values' is not an object of settings"),
    ({"cells": [CELL | {"values": {"seed": 1.5}}]}, "'seed' is not an integer"),
    ({"cells": [CELL | {"refused": 1}]}, "'refused' is neither"),
    ({"cells": [CELL | {"refused": "why", "skipped": 1}]}, "'skipped' is neither true nor false"),
    ({"cells": [CELL | {"skipped": True}]}, "'skipped' without a reason"),
])
def test_a_strange_sweep_json_is_refused(make_sweep, capsys, head, words):
    folder = make_sweep([{"values": {"method": "gd"}}], axes=("method",))
    manifest = json.loads((folder / "sweep.json").read_text())
    (folder / "sweep.json").write_text(json.dumps(manifest | head))
    assert main(["sweep", str(folder)]) == 2
    error = capsys.readouterr().err
    assert words in error and str(folder / "sweep.json") in error and error.count("\n") == 1


def test_a_sweep_json_without_bottom_is_refused(tmp_path):
    (tmp_path / "sweep.json").write_text("[" * 100_000)
    with pytest.raises(RunFileError, match="not JSON"):
        read_sweep(tmp_path)
