"""What the program says of itself: the pages of docs/reference are current, and --help fits a terminal."""
import re

import h5py
import pytest
from conftest import ROOT, call


@pytest.mark.parametrize("name, file", [
    ("command-line", "command-line.md"), ("run-file", "run-file-fields.md"), ("settings", "settings.md")])
def test_pages_are_current(name, file):
    page = call("reference", name)
    assert page.code == 0
    assert (ROOT / "docs/reference" / file).read_text(encoding="utf-8") == page.out, \
        f"write it again: trilemma reference {name} > docs/reference/{file}"


def test_the_page_of_settings_has_every_key():
    keys = re.findall(r"^### `([^`]+)`$", call("reference", "settings").out, re.M)
    listed, table = [], ""
    for line in call("config", "--defaults").out.splitlines():
        table = line[1:-1] + "." if re.fullmatch(r"\[.*\]", line) else table
        found = re.match(r"(\w+) = |# (\w+) =$", line)
        listed += [table + (found[1] or found[2])] if found else []
    assert len(keys) > 190 and sorted(keys) == sorted(listed)


def test_the_default_of_every_number_lies_in_its_range():
    page = " ".join(call("reference", "settings").out.split())
    ranges = re.findall(r"number (above \S+|of at least \S+|in [\[(]\S+, [^\])]+[\])])[^;.]*; default `(-?[\d.]\S*)`", page)
    assert len(ranges) > 100
    for allowed, default in ranges:
        ends = [float(end) for end in re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", allowed)]
        low, high = ends[0], ends[1] if len(ends) > 1 else float("inf")
        is_above = allowed.startswith(("above", "in ("))
        assert low < float(default) <= high or (low == float(default) and not is_above), (allowed, default)


def rows(section):
    """Names and types of a section's table."""
    page = call("reference", "run-file").out
    found = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", found[1], re.M))


KINDS = {"text": "O", "float64": "f", "int64": "i", "uint8 (0 or 1)": "u", "texts": "O"}


@pytest.mark.parametrize("settings", [[], ["--set", "method=gd"], ["--set", "privacy.strict=true", "--set", "data.scaling=none"]])
def test_a_file_has_the_attributes_of_the_page(logistic, tmp_path, settings):
    file = tmp_path / "x.h5"
    assert call("run", logistic, *settings, "--quiet", "--output", file).code == 0
    with h5py.File(file) as h5:
        theory = rows("Root, theory of the method") if h5.attrs["method"].startswith("soteriafl") else {}
        for section, owner in (("Root", h5), ("`/privacy`", h5["privacy"]), ("`/partition`", h5["partition"])):
            described = rows(section) | (theory if section == "Root" else {})
            assert set(owner.attrs) == set(described)
            for name, kind in described.items():
                found = owner.attrs.get_id(name)
                assert found.dtype.kind == KINDS[kind] and len(found.shape) == (kind == "texts"), name
        machine = {"ranks", "nodes", "variables", "mpi_variables"}
        assert set(rows("`/environment`, texts")) - {"simulation"} == set(h5["environment"]) - {"vector_bits"} - machine
        for group in ("ranks", "nodes"):
            columns = rows(f"`/environment/{group}`")
            texts = {f"{name}_value" for name, kind in columns.items() if kind == "text"}
            assert set(h5["environment"][group]) == set(columns) | texts


def test_a_file_of_another_schema_is_refused_with_a_sentence(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--quiet", "--output", file).code == 0
    with h5py.File(file, "r+") as h5:
        h5.attrs["schema_version"] = 3
    for command in ("show", "verify"):
        told = call(command, file)
        assert told.code == 2 and "schema version 3, this program reads 4" in told.err and "repeat the run" in told.err


@pytest.mark.parametrize("arguments", [["--help-all"], ["--help"], ["privacy", "epsilon", "--help"], ["config", "--defaults"]])
def test_no_line_of_help_is_wider_than_100_columns(arguments):
    lines = call(*arguments).out.splitlines()
    assert len(lines) > 10 and max(map(len, lines)) <= 100
