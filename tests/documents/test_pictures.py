"""Pictures of README and docs: all are listed, described and dated, and those that need no data are as they would be drawn
today."""
import os
import re
import runpy
import shlex
import subprocess
import tomllib
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/pictures"
SCRIPT = runpy.run_path(str(ROOT / "scripts/pictures"))
FIGURES = tomllib.loads((ROOT / "docs/figures.toml").read_text(encoding="utf-8"))
LISTED = {name: each for figure in FIGURES.values() for name, each in figure.get("pictures", {}).items()}
DRAWN = sorted(LISTED)
WITHOUT_DATA = [(figure["sweeps"], name, each["command"]) for figure in FIGURES.values() if "needs" not in figure
                for name, each in figure.get("pictures", {}).items() if name in DRAWN]
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
CLOSE = 0.02  # relative, for numbers: processors differ in the last digits of a run
MOST_OTHER = 0.01  # share of the pixels that may differ
IMAGE = re.compile(r"!\[((?:\\.|[^\]\\])*)\]\((?:[^)\s]*/)?pictures/([\w.-]+)\)")


def text_of(picture: str) -> tuple[str, str]:
    """What is said of a shipped picture, and the commit at which it was drawn."""
    *lines, last = (PICTURES / picture).with_suffix(".txt").read_text(encoding="utf-8").strip().splitlines()
    assert last.startswith(SCRIPT["COMMIT"]), f"the text of {picture} does not end with the commit"
    return "\n".join(lines).strip(), last.removeprefix(SCRIPT["COMMIT"])


def shown() -> dict[str, dict[str, str]]:
    """By picture: the documents that show it, and the alternative text there."""
    found: dict[str, dict[str, str]] = {}
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for text, picture in IMAGE.findall(document.read_text(encoding="utf-8")):
            found.setdefault(picture, {})[document.relative_to(ROOT).as_posix()] = text
    return found


def test_every_picture_is_listed_and_every_listed_one_is_there() -> None:
    assert {path.name for path in PICTURES.glob("*.png")} == set(LISTED)
    assert {path.stem for path in PICTURES.glob("*.txt")} == {Path(name).stem for name in DRAWN}


def test_documents_show_what_the_list_says() -> None:
    assert {picture: sorted(documents) for picture, documents in shown().items()} == {
        picture: sorted(each["shown_in"]) for picture, each in LISTED.items()}


def test_every_block_is_in_its_document() -> None:
    for figure in FIGURES.values():
        for block, document in figure.get("blocks", {}).items():
            assert f"<!-- end of {block} -->" in (ROOT / document).read_text(encoding="utf-8"), (block, document)


def test_every_sweep_study_and_preparation_exists() -> None:
    for name, figure in FIGURES.items():
        files = [f"jobs/sweeps/{sweep}.toml" for sweep in figure.get("sweeps", ())]
        files += [f"jobs/studies/{study}.toml" for study in figure.get("studies", ())]
        assert [file for file in files if not (ROOT / file).is_file()] == [], name
        assert figure.get("prepare", "simulation") in SCRIPT["PREPARE"], name


@pytest.mark.parametrize("picture", DRAWN)
def test_a_picture_has_a_text_and_a_commit(picture: str) -> None:
    text, commit = text_of(picture)
    assert text and re.fullmatch(r"[0-9a-f]{12}", commit), commit


@pytest.mark.parametrize("picture", DRAWN)
def test_the_alternative_text_is_the_finding(picture: str) -> None:
    finding = SCRIPT["alternative"](text_of(picture)[0])
    assert not finding.endswith("?"), "the title asks, and does not answer"
    assert set(shown()[picture].values()) == {finding}


def parts(text: str) -> tuple[str, list[float]]:
    """The words of a text, and its numbers."""
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


@pytest.mark.skipif("TRILEMMA_PROGRAM" not in os.environ, reason="TRILEMMA_PROGRAM does not name the program")
@pytest.mark.parametrize(("sweeps", "picture", "command"), WITHOUT_DATA, ids=[each[1] for each in WITHOUT_DATA])
def test_pictures_without_data_are_drawn_the_same_again(sweeps: list[str], picture: str, command: str,
                                                        tmp_path: Path) -> None:
    for sweep in sweeps:
        subprocess.run([os.environ["TRILEMMA_PROGRAM"], "sweep", ROOT / f"jobs/sweeps/{sweep}.toml", "--all", "--quiet",
                        "--output-dir", tmp_path / f"runs/sweeps/{sweep}"], check=True)
    subprocess.run([ROOT / "scripts/python", "-m", "trilemma_analysis", *shlex.split(command), "-o", picture], check=True,
                   cwd=tmp_path, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": str(ROOT / "analysis")})
    drawn, shipped = (parts(text) for text in (
        (tmp_path / picture).with_suffix(".txt").read_text(encoding="utf-8").strip(), text_of(picture)[0]))
    assert drawn[0] == shipped[0] and drawn[1] == pytest.approx(shipped[1], rel=CLOSE)
    new, old = (matplotlib.image.imread(folder / picture) for folder in (tmp_path, PICTURES))
    assert new.shape == old.shape
    assert np.mean(np.abs(new - old).max(axis=-1) > 0.05) <= MOST_OTHER, "run scripts/pictures"
