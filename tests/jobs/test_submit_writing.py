"""Files of jobs/ are written whole or not at all, never through a link; wall times and options that are wrong."""
import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs"))

from trilemma_jobs.values import UserError, seconds  # noqa: E402
from trilemma_jobs.writing import WriteError, open_log, write_file  # noqa: E402


@pytest.fixture
def precious(tmp_path):
    path = tmp_path / "precious"
    path.write_text("untouched")
    return path


def test_a_link_or_a_pipe_is_replaced_itself(tmp_path, precious):
    file = tmp_path / "x"
    for make in (lambda: file.symlink_to(precious), lambda: os.mkfifo(file), lambda: None):
        file.unlink(missing_ok=True)
        make()
        write_file(file, "content", 0o777)
        assert file.read_text() == "content" and not file.is_symlink() and precious.read_text() == "untouched"
        assert os.access(file, os.X_OK)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious", "x"]


def test_faults_are_data(tmp_path):
    with pytest.raises(WriteError, match="no such folder; create it") as caught:
        write_file(tmp_path / "none" / "x", "content")
    assert caught.value.errno == errno.ENOENT
    (tmp_path / "folder").mkdir()
    with pytest.raises(WriteError, match="folder"):
        write_file(tmp_path / "folder", "content")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_limit_on_the_size_leaves_the_old_content(tmp_path):
    file = tmp_path / "x"
    file.write_text("old")
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'jobs')!r})\nfrom pathlib import Path\n"
            "from trilemma_jobs.writing import write_file\n"
            f"try: write_file(Path({str(file)!r}), 'x' * 9000)\nexcept Exception as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert "the limit on the size of a file is reached; raise it (ulimit -f)" in done.stdout, done
    assert file.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_log_goes_through_no_link(tmp_path, precious):
    log = tmp_path / "log"
    log.symlink_to(precious)
    with pytest.raises(WriteError, match="symbolic link"):
        open_log(log)
    log.unlink()
    os.mkfifo(log)
    with pytest.raises(WriteError, match="not a regular file"):
        open_log(log)
    log.unlink()
    for _ in range(2):
        with open_log(log) as out:
            out.write(b"line\n")
    assert log.read_text() == "line\nline\n" and precious.read_text() == "untouched"


@pytest.mark.parametrize("text, expected", [
    ("90", 5400), ("10:30", 630), ("100:00", 6000), ("36:00:00", 129600), ("1-23:59:59", 172799), ("1-0", 86400),
    ("0", 0), ("unlimited", None)])
def test_wall_times(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text, meant", [("10:99", "00:11:39"), ("1:60:00", "02:00:00"), ("1:00:60", "01:01:00"),
                                         ("1-24", "2-00:00:00"), ("2-12:60", "2-13:00:00")])
def test_wall_times_with_a_part_that_is_too_large(text, meant):
    with pytest.raises(UserError, match=f"--time {text}: .*did you mean {meant}"):
        seconds(text)


def test_a_misspelt_option_gets_the_nearest_one():
    command = [sys.executable, ROOT / "jobs/submit", "run", "x.toml", "--ranks", "2", "--rank-per-node", "3"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "did you mean --ranks-per-node?" in done.stderr
