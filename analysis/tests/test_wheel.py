"""The package as it is installed, not as it lies in the repository."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which pip has installed a copy of the package."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = shutil.copytree(PACKAGE, folder / "analysis",
                           ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "tests"))
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                           "--no-index", "--disable-pip-version-check", "--target", folder / "site", copy],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def run(installed, *arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60,
                          cwd=installed.parent, env={**os.environ, "PYTHONPATH": str(installed)})


def parts(folder):
    """The files of the package in a folder: modules, what the page of a report is made of, and rules of verdicts."""
    return {p.relative_to(folder) for p in (folder / "trilemma_analysis").rglob("*")
            if p.suffix in (".py", ".html", ".css", ".js", ".toml")}


def test_every_file_is_installed(installed):
    assert parts(installed) == parts(PACKAGE)


@pytest.mark.parametrize("command", [["--help"], ["verdict", "--help"], ["sweep", "--help"]])
def test_the_installed_commands_start(installed, command):
    done = run(installed, "-m", "trilemma_analysis", *command)
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()


def test_the_installed_script_starts(installed):
    done = run(installed, str(installed / "bin" / "trilemma-analysis"), "--help")
    assert done.returncode == 0, done.stderr
