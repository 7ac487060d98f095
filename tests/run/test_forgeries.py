"""Damaged and forged files: one sentence or the truth; no crash, no hang, no wrong belief."""
import json
import os
import re
import shutil
import struct

import h5py
import numpy as np
import pytest

from conftest import LOGISTIC, call, summary
from forgeries import forge_checkpoint, forge_run, resum, rewrite
from paused import checkpoints, half_way
from test_ranks import assert_same_bits

# 50 of each where there is time: TRILEMMA_FORGERIES=50.
COUNT = int(os.environ.get("TRILEMMA_FORGERIES", "8"))
SHORT = ["--set", "rounds=1500", "--set", "evaluate.every=100"]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """An experiment, a finished run of it, and two checkpoints of an unfinished one."""
    folder = tmp_path_factory.mktemp("honest")
    experiment = folder / "small.toml"
    experiment.write_text(LOGISTIC)
    assert call("run", experiment, *SHORT, "--output", folder / "whole.h5").code == 0
    half_way("run", experiment, *SHORT, "--set", "checkpoint.rounds=30", "--output", folder / "part.h5", saved=2)
    assert len(checkpoints(folder / "part.h5")) == 2
    return folder


def check_words(result, codes):
    assert result.code in codes, (result.code, result.err)
    assert "\x1b" not in result.out + result.err and "Sanitizer" not in result.err
    if result.code == 2:
        assert result.sentence
    return result


def test_forged_run_files(honest, tmp_path):
    """Shown as whole is only what says what the honest file says."""
    truth = summary(honest / "whole.h5")
    refused = 0
    for seed in range(COUNT):
        file = tmp_path / f"{seed}.h5"
        shutil.copy(honest / "whole.h5", file)
        done = forge_run(file, seed)
        shown = check_words(call("show", file, "--json"), (0, 2))
        check_words(call("show", file), (0, 2))
        check_words(call("verify", file), (0, 2, 4, 5))
        resumed = check_words(call("run", honest / "small.toml", *SHORT, "--output", file, "--resume"), (0, 2))
        assert resumed.code == 2 or "complete already" in resumed.out, (seed, done)
        refused += shown.code == 2
        if shown.code == 0:
            found = json.loads(shown.out)
            assert found["content"] == "unsummed" or {**found, "file": truth["file"]} == truth, (seed, done)
    assert refused > COUNT / 2


def with_checkpoints(honest, folder):
    """The two checkpoints of the unfinished run in a folder of their own, the newer one first."""
    folder.mkdir()
    for path in checkpoints(honest / "part.h5"):
        shutil.copy(path, folder / path.name)
    return checkpoints(folder / "part.h5")[:-3:-1]


def test_forged_checkpoints(honest, tmp_path):
    """The run goes on, from this one or from the older one, to the bits of the honest run; or it says why not."""
    kept = 0
    for seed in range(COUNT):
        folder = tmp_path / str(seed)
        newer, _ = with_checkpoints(honest, folder)
        done = forge_checkpoint(newer, seed)
        file = folder / "part.h5"
        result = check_words(call("run", honest / "small.toml", *SHORT, "--output", file, "--resume"), (0, 2, 3))
        forged = done == "forged_set"  # with a sum that fits: it may be believed, but does no harm
        assert result.code == 0 or forged or "schema version" in result.err, (seed, done, result.err)
        if result.code == 0 and not forged:
            assert_same_bits(honest / "whole.h5", file)
            kept += 1
    assert kept > COUNT / 2


def forge_head(path, round_number):
    """A checkpoint that says it is after another round, in its head and in its counters."""
    with h5py.File(path, "r+") as file:
        head = bytearray(file["head"][...].tobytes())
        at = 0
        for _ in range(2):  # two texts stand before the round
            at += 8 + struct.unpack_from("<Q", head, at)[0]
        struct.pack_into("<q", head, at, round_number)
        rewrite(file, "head", head)
        common = bytearray(file["common"][...].tobytes())
        struct.pack_into("<I", common, 0, round_number)
        rewrite(file, "common", common)
        resum(file)


def test_a_round_beyond_the_plan_is_damage(honest, tmp_path):
    newer, _ = with_checkpoints(honest, tmp_path / "a")
    forge_head(newer, 4000)
    newer.rename(newer.with_name("part.h5.checkpoint-4000"))
    file = tmp_path / "a/part.h5"
    result = call("run", honest / "small.toml", *SHORT, "--output", file, "--resume")
    assert result.code == 0 and "checkpoint-4000: damaged" in result.err and "trying an older one" in result.err
    assert_same_bits(honest / "whole.h5", file)


def test_the_round_is_that_of_the_content(honest, tmp_path):
    newer, _ = with_checkpoints(honest, tmp_path / "a")
    newer.rename(newer.with_name("part.h5.checkpoint-1499"))
    file = tmp_path / "a/part.h5"
    result = call("run", honest / "small.toml", *SHORT, "--output", file, "--resume")
    assert result.code == 0 and "checkpoint-1499: damaged" in result.err
    with h5py.File(file) as h5:
        assert h5["starts/round"][1] < 1499
    assert_same_bits(honest / "whole.h5", file)


def test_every_damaged_head_falls_back(honest, tmp_path):
    """Fingerprint, width, revision, data files: a flipped bit there is no other experiment."""
    newer, older = with_checkpoints(honest, tmp_path / "a")
    whole = newer.read_bytes()
    with h5py.File(newer) as h5:
        head = h5["head"][...].tobytes()
    at = whole.index(head)
    for offset in np.linspace(0, len(head) - 1, 8).astype(int):
        data = bytearray(whole)
        data[at + offset] ^= 1
        newer.write_bytes(data)
        folder = tmp_path / f"at-{offset}"
        shutil.copytree(tmp_path / "a", folder)
        result = call("run", honest / "small.toml", *SHORT, "--output", folder / "part.h5", "--resume")
        assert result.code == 0 and f"{newer.name}: damaged" in result.err, (offset, result.err)
        assert f"from {folder / older.name}" in result.err


def test_names_do_not_reach_the_terminal_raw(honest, tmp_path):
    file = tmp_path / "x.h5"
    shutil.copy(honest / "whole.h5", file)
    with h5py.File(file, "r+") as h5:
        h5.attrs["name"] = "\x1b[2J\x1b[31mred\nclaim holds"
        del h5.attrs["content_sha256"]
    shown = call("show", file)
    assert shown.code == 0 and "\\x1b[2J\\x1b[31mred\\nclaim holds" in shown.out and "\x1b" not in shown.out


def test_changed_content_is_said(honest, tmp_path):
    file = tmp_path / "x.h5"
    shutil.copy(honest / "whole.h5", file)
    assert json.loads(call("show", file, "--json").out)["content"] == "whole"
    with h5py.File(file, "r+") as h5:
        h5["rounds/objective"][-1] = 0
    result = call("show", file)
    assert result.code == 2 and "content has changed since it was written" in result.sentence
    assert "CHANGED" in result.out and "noise sigma" in result.out
    assert re.search(r"claim +not reliable in a changed file, which states: ", result.out)
