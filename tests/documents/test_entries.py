"""Every part that `trilemma list` names has its entry in the reference: a heading, or a row where a table has them."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def listed(table: str) -> list[str]:
    """The names in a table of the program."""
    program = os.environ["TRILEMMA_PROGRAM"]
    text = subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout
    return [row["name"] for row in json.loads(text)[table]]


def text_of(pages: str) -> str:
    """The text of the pages whose names match."""
    return "\n".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob(pages)))


@pytest.mark.parametrize(("table", "pages"), [("methods", "methods*.md"), ("compressors", "compressors.md")])
def test_every_name_is_a_heading(table: str, pages: str) -> None:
    headings = re.findall(r"^#+ `(\S+)`$", text_of(pages), re.MULTILINE)
    assert sorted(headings) == sorted(listed(table))


def test_the_table_of_methods_is_complete() -> None:
    rows = re.findall(r"^\| \[`(\S+)`\]\(", text_of("methods.md"), re.MULTILINE)
    assert sorted(rows) == sorted(listed("methods"))


@pytest.mark.parametrize(("table", "page"), [
    ("memories", "compressors.md"), ("bounds", "methods.md"), ("solvers", "local-steps.md"),
    ("samplers", "local-steps.md"), ("finetunings", "local-steps.md"), ("estimators", "methods.md"),
])
def test_every_name_occurs(table: str, page: str) -> None:
    text = text_of(page)
    missing = [name for name in listed(table) if name != "none" and not re.search(rf"\b{re.escape(name)}\b", text)]
    assert not missing
