"""`trilemma sweep --all`: what is missing, in one go and in several processes, to the same bits as cell by cell."""
import signal

import pytest

from conftest import call
from paused import checkpoints, paused, start, wait_for
from test_ranks import assert_same_bits
from test_sweep import SWEEP, listing, split, states

GOOD = SWEEP.replace("local.batch = [20, 101]", "local.batch = [20]").split("#")[0]


@pytest.fixture
def sweep(logistic, tmp_path):
    """Four cells."""
    path = tmp_path / "probe.toml"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("jobs", [1, 3])
def test_all_cells_have_the_bits_of_single_runs(sweep, tmp_path, jobs):
    result = call("sweep", sweep, "--all", "--jobs", jobs, "--output-dir", tmp_path / "all")
    assert result.code == 0, result.err
    assert result.out.startswith("4 of 4 cells done") and len(result.out.splitlines()) == 1
    assert (tmp_path / "all" / "sweep.json").exists()
    for cell in listing(sweep)["cells"]:
        assert call("sweep", sweep, "--run", cell["index"], "--quiet", "--output-dir", tmp_path / "one").code == 0
        assert_same_bits(tmp_path / "one" / cell["file"], tmp_path / "all" / cell["file"])
    again = call("sweep", sweep, "--all", "--output-dir", tmp_path / "all")
    assert again.code == 0 and again.out == result.out and again.err == ""


def test_runs_of_other_settings_in_the_folder_are_told(sweep, tmp_path):
    first = call("sweep", sweep, "--all", "--output-dir", tmp_path)
    assert "note:" not in first.out
    second = call("sweep", sweep, "--all", "--set", "rounds=2", "--output-dir", tmp_path)
    assert second.code == 0 and "note: 4 other run files in that folder, of other settings" in second.out
    assert "note: 4 other run files" in call("sweep", sweep, "--output-dir", tmp_path).out


def test_refused_cells_fail_and_the_others_are_run(logistic, tmp_path):
    sweep = tmp_path / "probe.toml"
    sweep.write_text(SWEEP)
    good, refused = split(sweep)
    result = call("sweep", sweep, "--all", "--jobs", 2, "--output-dir", tmp_path / "all")
    assert result.code == 3 and result.out.startswith(f"{len(good)} of 8 cells done")
    assert len(refused) == 4 and result.err.count("local.batch = 101") == 1  # all for one reason
    found = states(sweep, tmp_path / "all")
    assert [i for i, (state, _) in found.items() if state == "done"] == good


LONG = ["--set", "rounds=200000", "--set", "checkpoint.rounds=100", "--set", "evaluate.every=1000"]


def at_two_cells(sweep, folder):
    """A sweep in two processes, each in the middle of a long cell."""
    process = start("sweep", sweep, "--all", "--jobs", 2, "--output-dir", folder, *LONG)
    files = [folder / cell["file"] for cell in listing(sweep, *LONG)["cells"]]
    wait_for(lambda: sum(bool(checkpoints(file)) for file in files) >= 2)
    return process


def test_a_stopped_sweep_goes_on(sweep, tmp_path):
    process = at_two_cells(sweep, tmp_path / "all")
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 85, err
    assert out.startswith("0 of 4 cells done") and "2 interrupted" in out and "0 failed" in out
    assert "resume with the same command\n" in err  # a sweep goes on unasked


def test_no_process_of_a_killed_sweep_goes_on(sweep, tmp_path):
    folder = tmp_path / "all"
    process = at_two_cells(sweep, folder)
    process.kill()  # the process alone, not its group
    process.wait(timeout=300)
    wait_for(lambda: all(state != "running" for state, _ in states(sweep, folder, *LONG).values()))
    found = [state for state, _ in states(sweep, folder, *LONG).values()]
    assert sorted(found) == ["interrupted", "interrupted", "missing", "missing"]


def test_cells_of_another_sweep_are_left_to_it(sweep, tmp_path):
    """One sweep waits in its first cell, so that another begins with the second; the first comes there later."""
    words = ["sweep", sweep, "--all", "--output-dir", tmp_path / "all", "--set", "checkpoint.rounds=1"]
    with paused(*words) as first, paused(*words) as second:
        first.release()
        out, err = first.communicate(timeout=60)
        assert first.returncode == 0 and out.startswith("3 of 4 cells done, 1 running, 0 interrupted, 0 failed"), err
        assert "skipped, since another process runs it\n" in err
        second.release()
        out, err = second.communicate(timeout=60)
    assert second.returncode == 0 and out.startswith("4 of 4 cells done") and err == ""
    assert not list((tmp_path / "all").glob("*.failed"))


def test_one_rank_only(sweep, tmp_path):
    result = call("sweep", sweep, "--all", "--output-dir", tmp_path / "all", ranks=2)
    assert result.code == 2 and "start it without mpirun" in result.err
    assert not (tmp_path / "all").exists()
    assert call("sweep", sweep, "--all", "--run", 0).code == 2
    assert "--all" in call("sweep", sweep, "--jobs", 2).err
