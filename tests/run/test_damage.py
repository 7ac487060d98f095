"""Checkpoints that are damaged or of another kind: never other bits, never a silent start from zero."""
import signal

import h5py
import pytest

from conftest import call
from paused import checkpoints, half_way, paused
from test_ranks import assert_same_bits
from test_resume import SLOW, STOPPED


def damage(path, how):
    data = bytearray(path.read_bytes())
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "no checkpoint":
        path.write_bytes(b"some text\n" * 100)
    else:
        with h5py.File(path) as h5:
            at = h5["common"].id.get_chunk_info(0).byte_offset
        data[at + 100] ^= 1
        path.write_bytes(data)


@pytest.mark.parametrize("how", ["truncated", "empty", "no checkpoint", "one bit"])
def test_a_damaged_checkpoint(logistic, tmp_path, how):
    whole, file = tmp_path / "whole.h5", tmp_path / "x.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=50", "--set", "checkpoint.keep=1")
    saved = checkpoints(file)
    for path in saved[:-1]:
        path.unlink()
    saved[-1] = saved[-1].rename(file.with_name(file.name + ".checkpoint-3900"))
    damage(saved[-1], how)
    damaged = saved[-1].read_bytes()
    refused = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert refused.code == 2 and "damaged checkpoint" in refused.sentence and saved[-1].name in refused.sentence
    assert "delete it to start over" in refused.sentence
    # It is the user's to delete.
    assert checkpoints(file) == [saved[-1]] and saved[-1].read_bytes() == damaged
    # With an older one the run goes on, and says what it left out.
    half_way_older = tmp_path / "y.h5"
    half_way("run", logistic, "--output", half_way_older, *SLOW, "--set", "checkpoint.rounds=50", "--set", "checkpoint.keep=1")
    older_saved = checkpoints(half_way_older)[-1]
    older_saved.rename(file.with_name(older_saved.name.replace("y.h5", "x.h5")))
    result = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert result.code == 0 and "trying an older one" in result.err
    assert_same_bits(whole, file)
    assert not checkpoints(file)


def test_where_all_are_damaged_the_remedy_is_for_all(logistic, tmp_path):
    file = tmp_path / "x.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=50")
    for path in checkpoints(file):
        path.unlink()
    for round_number in (50, 100):
        file.with_name(f"x.h5.checkpoint-{round_number}").write_bytes(b"nothing")
    refused = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert refused.code == 2
    warning, sentence = refused.err.splitlines()
    assert "x.h5.checkpoint-100: damaged" in warning and "trying an older one" in warning
    assert "x.h5.checkpoint-50: damaged" in sentence and f"delete {file}.checkpoint-* to start over" in sentence
    fresh = call("run", logistic, *SLOW, "--output", file)
    assert fresh.code == 2 and fresh.sentence.endswith("add --resume to continue it, or --overwrite to start over")
    assert call("run", logistic, *SLOW, "--output", file, "--overwrite").code == 0 and not checkpoints(file)


def test_what_was_passed_over_as_damaged_makes_room(logistic, tmp_path):
    """A later damaged checkpoint must not push out those that the run writes now."""
    file = tmp_path / "x.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=100")
    damaged = file.with_name("x.h5.checkpoint-3900")
    damaged.write_bytes(b"nothing")
    with paused("run", logistic, *SLOW, "--set", "checkpoint.keep=1", "--set", "checkpoint.rounds=100",
              "--output", file, "--resume") as process:
        process.send_signal(signal.SIGUSR1)
        process.release()
        process.communicate(timeout=300)
    assert process.returncode == STOPPED
    assert not damaged.exists() and len(checkpoints(file)) == 1
    assert call("run", logistic, *SLOW, "--output", file, "--resume").code == 0


def test_a_default_name_with_a_damaged_checkpoint_is_found(logistic, tmp_path):
    whole = tmp_path / "whole.h5"
    assert call("run", logistic, *SLOW, "--output", whole).code == 0
    folder = tmp_path / "runs"
    file = folder / "small-soteriafl-sgd-s1.h5"
    half_way("run", logistic, "--output", file, *SLOW, "--set", "checkpoint.rounds=50")
    file.with_name(file.name + ".checkpoint-3900").write_bytes(b"nothing")
    partial = folder / f"{file.name}.partial"
    partial.write_bytes(partial.read_bytes()[:5000])
    result = call("run", logistic, *SLOW, "--resume", cwd=tmp_path)
    assert result.code == 0 and "resuming after round" in result.err
    assert_same_bits(whole, file)
    assert len(list(folder.glob("*.h5"))) == 1


def test_another_schema_is_refused(logistic, tmp_path):
    file = tmp_path / "x.h5"
    with h5py.File(tmp_path / "x.h5.checkpoint-50", "w") as h5:
        h5.attrs["schema_version"] = 99
    result = call("run", logistic, *SLOW, "--output", file, "--resume")
    assert result.code == 2 and "schema version 99" in result.sentence
