"""scripts/release: the same archive for the same commit, and what it refuses; on a repository made for the test."""
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(trilemma VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
FILES = ["CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "analysis/pyproject.toml", "scripts/release",
         "scripts/common.sh", "packaging/ramble/applications/trilemma/application.py",
         "packaging/benchpark/experiments/trilemma/experiment.py", "packaging/spack/packages/trilemma/package.py",
         *(str(path.relative_to(ROOT)) for path in (ROOT / "packaging/easybuild").glob("*.eb"))]


def git(folder, *arguments):
    who = {f"GIT_{role}_{what}": "someone" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **who}, check=True, capture_output=True,
                          text=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    """A repository of the files that state a version, committed."""
    folder = tmp_path / "checkout"
    for file in FILES:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Everything")


def release(folder, out):
    return subprocess.run([folder / "scripts/release", out], capture_output=True, text=True)


def test_the_same_commit_makes_the_same_archive(checkout, tmp_path):
    archives = []
    for name in ("one", "two"):
        assert release(checkout, tmp_path / name).returncode == 0
        archives.append((tmp_path / name / f"trilemma-{VERSION}.tar.gz").read_bytes())
        os.utime(checkout / "CMakeLists.txt", (0, 0))
    assert archives[0] == archives[1]
    total = hashlib.sha256(archives[0]).hexdigest()
    assert (tmp_path / f"one/trilemma-{VERSION}.tar.gz.sha256").read_text() == f"{total}  trilemma-{VERSION}.tar.gz\n"
    assert (tmp_path / f"one/trilemma-{VERSION}.tag").read_text().splitlines() == [
        f"tag: v{VERSION}", f"commit: {git(checkout, 'rev-parse', 'HEAD')}", f"archive: trilemma-{VERSION}.tar.gz",
        f"sha256: {total}"]
    with tarfile.open(tmp_path / f"one/trilemma-{VERSION}.tar.gz") as archive:
        assert {f"trilemma-{VERSION}/{file}" for file in FILES} <= set(archive.getnames())
    assert git(checkout, "tag") == ""  # the script only says how


def test_files_that_are_not_committed_are_refused(checkout, tmp_path):
    (checkout / "new.txt").write_text("new")
    done = release(checkout, tmp_path / "out")
    assert done.returncode == 1 and "not committed" in done.stderr and not (tmp_path / "out").exists()


@pytest.mark.parametrize("file", [file for file in FILES if not file.startswith("scripts") and file != "CMakeLists.txt"])
def test_another_version_is_refused(checkout, tmp_path, file):
    text = (checkout / file).read_text()
    (checkout / file).write_text(text.replace(VERSION, "9.9.9"))
    commit(checkout)
    done = release(checkout, tmp_path / "out")
    assert done.returncode == 1 and f"says '9.9.9', but CMakeLists.txt says '{VERSION}'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_another_date_is_refused(checkout, tmp_path):
    text = (checkout / "CITATION.cff").read_text()
    (checkout / "CITATION.cff").write_text(re.sub(r"(date-released: ).*", r"\g<1>2001-02-03", text))
    commit(checkout)
    assert "but CITATION.cff says '2001-02-03'" in release(checkout, tmp_path / "out").stderr
