"""What the program says of itself: the pages that it prints are complete, and --help fits a terminal."""
import re
import sys

import h5py
import pytest
from conftest import ROOT, call

sys.path.insert(0, str(ROOT / "scripts"))

from printed_pages import printed_by  # noqa: E402

PRINTED = {printed_by(page): page for page in (ROOT / "docs").rglob("*.md") if printed_by(page)}


def test_docs_have_a_place_for_every_page():
    offered = re.search(r"not in \{([^}]*)\}", call("reference", "another").err)[1]
    assert sorted(PRINTED) == sorted(offered.split(",")) and len(PRINTED) == 3


@pytest.mark.parametrize("name", PRINTED)
def test_a_page_is_whole(name):
    """With the title of its place in docs, no heading twice and no empty section."""
    page = call("reference", name)
    assert page.code == 0 and page.out.startswith(PRINTED[name].read_text(encoding="utf-8").splitlines()[0])
    headings = re.findall(r"^#+ .*$", page.out, re.M)
    assert len(set(headings)) == len(headings)
    assert not re.search(r"^(#+) .*\n+(?:\1 |\Z)", page.out, re.M)


def test_every_setting_and_field_has_a_description():
    sections = re.split(r"^### ", call("reference", "settings").out, flags=re.M)[1:]
    second = {section.split("\n")[0]: section.split("\n\n")[2].strip() for section in sections}  # after name and type
    undescribed = [name for name, text in second.items() if re.match(r"$|Read for |For |Otherwise|[*#]", text)]
    assert len(sections) > 190 and undescribed == []
    fields = [line for line in call("reference", "run-file").out.splitlines() if line.startswith("| `")]
    assert len(fields) > 250 and [line for line in fields if not all(map(str.strip, line.split("|")[1:-1]))] == []


def commands_below(*words):
    """The words of the commands below a command, as the help of each lists them."""
    listed = call(*words, "--help").out.partition("Subcommands:")[2]
    below = [(*words, name) for name in re.findall(r"^  (\S+) ", listed, re.M)]
    return [each for command in below for each in (command, *commands_below(*command))]


def test_the_page_of_commands_has_every_command_and_option():
    page = call("reference", "command-line").out
    sections = dict(re.findall(r"^## `trilemma ([^`]+)`$(.*?)(?=^## |\Z)", page, re.M | re.S))
    commands = commands_below()
    assert len(commands) > 20 and list(sections) == [" ".join(command) for command in commands]
    for command in commands:
        options = re.findall(r"^  (?:-\w,)?(--[\w-]+)", call(*command, "--help").out, re.M)
        missing = [option for option in options if f"`{option}" not in sections[" ".join(command)]]
        assert set(missing) == {"--help", "--help-all"}, command


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


def test_the_analysis_expects_the_types_of_the_page():
    sys.path.insert(0, str(ROOT / "analysis"))
    from trilemma_analysis.io.run_file import ATTRIBUTES, PRIVACY_LISTS, PRIVACY_TEXTS
    kinds = {"text": "text", "float64": "a number", "int64": "an integer", "uint8 (0 or 1)": "an integer"}
    root, privacy = rows("Root"), rows("`/privacy`")
    assert {name: kinds[root[name]] for name in ATTRIBUTES} == ATTRIBUTES
    assert {privacy[name] for name in PRIVACY_TEXTS} == {"text"} and {privacy[name] for name in PRIVACY_LISTS} == {"texts"}


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
