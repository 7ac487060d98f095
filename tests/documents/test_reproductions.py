"""The tables of the pages of docs/results on papers are those that docs/results/data and jobs/reproductions.toml give
today."""
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results"
REGISTRY = tomllib.loads((ROOT / "jobs/reproductions.toml").read_text(encoding="utf-8"))
PAGES = {f"rows-{paper}": page for paper, page in REGISTRY["pages"].items()}
BLOCKS = {"reproductions": "reproductions.md", **PAGES}
DATA = RESULTS / "data"
# Sweeps of the command that saved rows do not have.
NOT_MADE = {"nec-fmnist-s": {"nec-fmnist-s-work"},
            **{rule: {f"{rule}-{name}" for name in ("finetune", "finetune-vanilla", "lambda")}
               for rule in ("pmtl-femnist-t", "pmtl-fmnist-s")}}
LARGEST, LARGEST_OF_ALL = 400_000, 3_000_000  # bytes of a rule and of the folder


def block(name: str) -> str:
    """A table as it stands in its document."""
    text = (RESULTS / BLOCKS[name]).read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name}: written by [^>]*-->\n(.*?)<!-- end of {name} -->", text, re.DOTALL)
    assert found
    return found[1]


def rows_of_table(name: str) -> list[str]:
    """The rows below the head."""
    return [line for line in block(name).splitlines() if line.startswith("| ")][2:]


def test_every_paper_has_a_page() -> None:
    assert set(REGISTRY["pages"]) == set(REGISTRY["papers"])
    for each in REGISTRY["experiments"].values():
        if "section" in each:
            text = (RESULTS / REGISTRY["pages"][each["paper"]]).read_text(encoding="utf-8")
            headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
            assert each["section"] in {"#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
                                       for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_the_tally_counts_all_rows(name: str) -> None:
    total, counts = re.fullmatch(r"The table has (\d+) rows: (.*)\.", block(name).splitlines()[0]).groups()
    words = [row.split(" | ")[2] for row in rows_of_table(name)]
    assert int(total) == len(words)
    assert sorted(counts.split(", ")) == sorted(f"{words.count(word)} {word}" for word in set(words))


@pytest.mark.parametrize("name", BLOCKS)
def test_a_table_is_up_to_date(name: str) -> None:
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT / "analysis"), str(ROOT / "jobs")]))
    made = subprocess.run([sys.executable, ROOT / "scripts/tables", name], env=env, check=True, capture_output=True,
                          text=True).stdout
    assert block(name) == made, "run scripts/pictures reproductions"


def test_figures_are_named_once() -> None:
    assert "table 2, figure 1, figures 2, 5" in [row.split(" | ")[1] for row in rows_of_table("rows-FAV")]
    assert "figures 1, 3, 7, tables 1, 3" in [row.split(" | ")[1] for row in rows_of_table("rows-PMTL")]


def test_every_experiment_is_in_the_table() -> None:
    listed = REGISTRY["experiments"]
    rows = [row.split(" | ")[0] for name in PAGES for row in rows_of_table(name)]
    named = [name for row in rows for name in re.findall(r"[A-Z]+-[A-Z0-9/-]*[A-Z0-9]", row)]
    assert set(named) == set(listed)
    once = [name for name, each in listed.items() if "rules" not in each]
    assert all(named.count(name) == 1 for name in once)


def test_the_command_makes_the_rows_that_are_saved() -> None:
    """The table names sweeps that saved rows do not have."""
    rules = REGISTRY["rules"]
    for path in DATA.glob("*.json"):
        saved = json.loads(path.read_text(encoding="utf-8"))
        made = {sweep["name"] for sweep in saved["sweeps"]}
        assert not made & NOT_MADE.get(path.stem, set()), path.stem
        assert made | NOT_MADE.get(path.stem, set()) == set(rules[saved["rule"]]["sweeps"]), path.stem


def test_saved_rows_are_small() -> None:
    if not DATA.is_dir():
        pytest.skip("nothing is saved")
    sizes = {path.name: path.stat().st_size for path in DATA.iterdir()}
    assert max(sizes.values()) <= LARGEST and sum(sizes.values()) <= LARGEST_OF_ALL, sizes
    assert {Path(name).suffix for name in sizes} <= {".csv", ".json"}
    assert {Path(name).stem for name in sizes if name.endswith(".csv")} == {
        Path(name).stem for name in sizes if name.endswith(".json")}
