"""cmake/revision.cmake: the commit of a checkout, of an archive, and of a source without either; on a repository made
for the test."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def git(folder, *arguments):
    who = {f"GIT_{role}_{what}": "someone" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **who}, check=True, capture_output=True)
    return done.stdout


def found(source):
    """The revision, its state, and whether the source counts as unchanged."""
    header = source.parent / "revision.hpp"
    subprocess.run(["cmake", "-D", f"SOURCE={source}", "-D", f"REVISION_FILE={header}", "-P",
                    source / "cmake/revision.cmake"], check=True)
    values = [line.split(" ", 2)[2].strip('"') for line in header.read_text().splitlines()]
    return tuple(values)


@pytest.fixture
def checkout(tmp_path):
    """A repository of the files that decide the revision, committed."""
    folder = tmp_path / "checkout"
    (folder / "cmake").mkdir(parents=True)
    for file in (".gitattributes", "cmake/revision.cmake", "cmake/archive_revision.txt"):
        shutil.copy(ROOT / file, folder / file)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Everything")
    return folder


def unpack(checkout, folder):
    folder.mkdir()
    subprocess.run(["tar", "x"], input=git(checkout, "archive", "HEAD"), cwd=folder, check=True)
    return folder


def commit_of(checkout):
    return git(checkout, "rev-parse", "HEAD").decode()[:12]


def test_a_checkout_and_a_changed_one(checkout):
    assert found(checkout) == (commit_of(checkout), "no", "true")
    (checkout / "cmake/revision.cmake").write_text((checkout / "cmake/revision.cmake").read_text() + "# changed\n")
    assert found(checkout) == (commit_of(checkout) + "-dirty", "yes", "false")


def test_an_archive_knows_its_commit(checkout, tmp_path):
    assert found(unpack(checkout, tmp_path / "archive")) == (commit_of(checkout), "not known (archive)", "true")


def test_an_archive_inside_another_repository_has_its_own_commit(checkout, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    git(site, "init", "--quiet")
    git(site, "commit", "--quiet", "--allow-empty", "--message", "Another")
    assert found(unpack(checkout, site / "archive"))[0] == commit_of(checkout)


def test_a_copy_without_git_is_unknown(checkout, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
    assert found(copy) == ("unknown", "not available", "false")
