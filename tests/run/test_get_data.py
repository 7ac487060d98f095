"""scripts/get-data: whole files, files out of archives, and what it refuses (no network: addresses are file://)."""
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
CONTENT = {"one.bin": b"first", "two.bin": b"second"}

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def rows(name, address):
    return [f"{name}\tset/{file}\t{hashlib.sha256(content).hexdigest()}\t{address(file)}"
            for file, content in CONTENT.items()]


@pytest.fixture
def fixture(tmp_path):
    """A copy of the scripts with a table of its own, two archives, and an empty data directory."""
    (tmp_path / "scripts").mkdir()
    for name in ("get-data", "common.sh"):
        shutil.copy(SCRIPTS / name, tmp_path / "scripts" / name)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name, content in CONTENT.items():
            entry = tarfile.TarInfo(f"inner/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, content in CONTENT.items():
            archive.writestr(f"inner/{name}", content)
            (tmp_path / name).write_bytes(content)
    here = f"file://{tmp_path}"
    table = (rows("plain", lambda f: f"{here}/{f}") + rows("tar", lambda f: f"{here}/a.tar.gz#inner/{f}")
             + rows("zip", lambda f: f"{here}/gone.zip#inner/{f} {here}/a.zip#inner/{f}")
             + rows("wrong", lambda f: f"{here}/a.tar.gz#inner/two.bin")
             + rows("absent", lambda f: f"{here}/a.tar.gz#inner/no.bin"))
    with tarfile.open(tmp_path / "b.tar.bz2", "w:bz2") as archive:
        for name in CONTENT:
            archive.add(tmp_path / name, f"./inner/{name}")
    md5, sha256 = (hashlib.new(kind, (tmp_path / "b.tar.bz2").read_bytes()).hexdigest() for kind in ("md5", "sha256"))
    (tmp_path / "cut.zip").write_bytes((tmp_path / "a.zip").read_bytes()[:-30])
    for name, target, checksum, address in [
            ("md5-of-archive", "set/one.bin", f"archive:md5:{md5}", f"{here}/b.tar.bz2#inner/one.bin"),
            ("sum-of-archive", "set/two.bin", f"archive:{sha256}", f"{here}/b.tar.bz2#inner/two.bin"),
            ("wrong-archive", "set/one.bin", f"archive:md5:{md5}", f"{here}/a.tar.gz#inner/one.bin"),
            ("no-sum", "set/one.bin", "none", f"{here}/one.bin"),
            ("folder", "set/", "none", f"{here}/a.zip#inner/"),
            ("folder-of-tar", "set/", f"archive:{sha256}", f"{here}/b.tar.bz2#./inner/"),
            ("cut-folder", "set/", "none", f"{here}/cut.zip#inner/"),
            ("by-hand", "set/one.bin", "none", "by-hand:http://example.org/page")]:
        table.append(f"{name}\t{target}\t{checksum}\t{address}")
    (tmp_path / "scripts/datasets.tsv").write_text("\n".join(table) + "\n")
    return tmp_path


def get(fixture, name):
    return subprocess.run([fixture / "scripts/get-data", name], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, TRILEMMA_DATA_DIR=str(fixture / "data")))


@pytest.mark.parametrize("name", ["plain", "tar", "zip"])
def test_brings_whole_files_and_members_of_archives(fixture, name):
    if name == "zip" and shutil.which("unzip") is None:
        pytest.skip("unzip is not installed")
    done = get(fixture, name)
    assert done.returncode == 0, done.stderr
    assert {file.name: file.read_bytes() for file in (fixture / "data/set").iterdir()} == CONTENT
    again = get(fixture, name)  # nothing to bring
    assert again.returncode == 0 and "file://" not in again.stdout


@pytest.mark.parametrize("name, words", [("wrong", "another checksum"), ("absent", "could not be downloaded")])
def test_refuses_what_is_not_the_file(fixture, name, words):
    done = get(fixture, name)
    assert done.returncode == 1
    assert words in done.stderr and "SHA-256" in done.stderr
    assert not list((fixture / "data/set").iterdir())


@pytest.mark.parametrize("name, brought", [("md5-of-archive", ["one.bin"]), ("sum-of-archive", ["two.bin"]),
                                           ("no-sum", ["one.bin"]), ("folder", list(CONTENT)),
                                           ("folder-of-tar", list(CONTENT))])
def test_brings_what_has_no_checksum_of_its_own(fixture, name, brought):
    if name == "folder" and shutil.which("unzip") is None:
        pytest.skip("unzip is not installed")
    done = get(fixture, name)
    assert done.returncode == 0, done.stderr
    assert {file.name: file.read_bytes() for file in (fixture / "data/set").iterdir()} == {
        file: CONTENT[file] for file in brought}
    assert ("no checksum of" in done.stdout) == (name in ("no-sum", "folder"))
    assert [entry.name for entry in (fixture / "data").iterdir()] == ["set"]
    kept = fixture / "data/set" / brought[0]
    kept.write_bytes(b"other")  # kept, since nothing says that it is wrong
    again = get(fixture, name)
    assert again.returncode == 0 and "file://" not in again.stdout and kept.read_bytes() == b"other"


@pytest.mark.parametrize("name, words", [
    ("wrong-archive", ["an archive with another checksum", "MD5 of the archive"]),
    ("cut-folder", ["could not be downloaded", "no checksum is published"]),
    ("by-hand", ["a command cannot download", "data/set/one.bin", "http://example.org/page"])])
def test_refuses_wrong_archives_and_names_pages(fixture, name, words):
    if name == "cut-folder" and shutil.which("unzip") is None:
        pytest.skip("unzip is not installed")
    done = get(fixture, name)
    assert done.returncode == 1
    for word in words:
        assert word in done.stderr
    assert not [file for file in fixture.glob("data/**/*") if file.is_file()]


def test_takes_what_was_saved_by_hand(fixture):
    (fixture / "data/set").mkdir(parents=True)
    (fixture / "data/set/one.bin").write_bytes(b"first")
    assert get(fixture, "by-hand").returncode == 0
