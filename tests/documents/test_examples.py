"""Runs the marked examples of README and docs, each page in a folder of its own.

A comment before a fenced block says what the block is:

    <!-- file: NAME -->       its text is written to NAME
    <!-- run -->              bash -e runs it; `run: exits N` expects the exit code N
    <!-- prints -->           its lines, less `...`, occur in the output of the `run` block before
    <!-- copy of PATH -->     it equals the file PATH of the project

`<!-- needs: NAME -->` anywhere skips the page unless the data directory has the folder NAME, and `<!-- needs-module: NAME -->`
unless Python has the module NAME.
"""
import importlib.util
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"^<!-- (file: \S+|run(?:: exits \d+)?|prints|copy of \S+) -->\n+```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"^<!-- needs: (\S+) -->$", re.MULTILINE)
MODULES = re.compile(r"^<!-- needs-module: (\S+) -->$", re.MULTILINE)
LIMIT_S = 300  # of one block; the longest, a sweep of six runs in PyTorch, computes for 50 s

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples(page: Path) -> list[tuple[str, str]]:
    """The marked blocks of a page: what each is, and its text."""
    return [(match[1], match[2]) for match in MARK.finditer(page.read_text(encoding="utf-8"))]


def with_examples() -> Iterator[object]:
    for page in PAGES:
        if examples(page):
            yield pytest.param(page, id=page.relative_to(ROOT).with_suffix("").as_posix())


def environment() -> dict[str, str]:
    """The environment of a user who has built the program and follows README."""
    program = Path(os.environ["TRILEMMA_PROGRAM"])
    return os.environ | {
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "analysis"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


@pytest.mark.parametrize("page", with_examples())
def test_page(page: Path, tmp_path: Path) -> None:
    data = Path(os.environ.get("TRILEMMA_DATA_DIR", ROOT / "data"))
    for needed in NEEDS.findall(page.read_text(encoding="utf-8")):
        if not (data / needed).exists():
            pytest.skip(f"no data set {needed} in {data}")
    for module in MODULES.findall(page.read_text(encoding="utf-8")):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"no module {module}")
    for folder in ("jobs", "scripts", "analysis", "bench", "src"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    output = ""
    for kind, text in examples(page):
        if kind.startswith("file: "):
            path = tmp_path / kind.removeprefix("file: ")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif kind.startswith("copy of "):
            source = ROOT / kind.removeprefix("copy of ")
            assert text == source.read_text(encoding="utf-8"), f"{page}: the block differs from {source}"
        elif kind == "prints":
            missing = [line for line in text.splitlines() if line.strip() not in ("", "...") and line not in output]
            assert not missing, f"{page}: not printed: {missing}\n{output}"
        else:
            done = subprocess.run(["bash", "-e", "-c", text], cwd=tmp_path, env=environment(), timeout=LIMIT_S,
                                  capture_output=True, text=True)
            output = done.stdout + done.stderr
            wanted = int(kind.rpartition(" ")[2]) if "exits" in kind else 0
            assert done.returncode == wanted, f"{page}: exit code {done.returncode}\n{text}\n{output}"


def test_every_mark_is_understood() -> None:
    """A mark that the pattern does not match would be an example that is never run."""
    start = re.compile(r"^<!-- (?:file:|run\b|prints|copy of)", re.MULTILINE)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(start.findall(text)) == len(MARK.findall(text)), page
