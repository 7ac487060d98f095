"""Files that settings name (traces of step times, start models): their content in the fingerprint and data_files."""
import hashlib
import json

import h5py
import pytest

from conftest import call, read
from paused import half_way

FEDBUFF = """
name = "traced"
method = "fedbuff"
rounds = 40
clients = 4
[data]
source = "synthetic"
rows = 200
test_rows = 40
features = 8
nonzeros = 3
[server]
buffer = 2
[local]
rate = 0.1
batch = 10
[clock]
law = "trace"
file = "times.csv"
[checkpoint]
rounds = 10
"""
FAST = "client,time\n0,1\n1,1.5\n2,2\n3,0.5\n"
SLOW = "client,time\n0,8\n1,1.5\n2,2\n3,0.5\n"


def begin(text):
    """The first digits of the SHA-256, as messages show them."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] + "..."


@pytest.fixture
def traced(tmp_path):
    """An experiment with a trace next to it."""
    (tmp_path / "times.csv").write_text(FAST)
    path = tmp_path / "traced.toml"
    path.write_text(FEDBUFF)
    return path


def attributes(file):
    with h5py.File(file) as h5:
        return h5.attrs["fingerprint"], h5["environment/data_files"][()].decode(), h5["config"][()].decode()


def test_content_counts_and_names_do_not(traced, tmp_path):
    def run(name, *more):
        assert call("run", traced, *more, "--output", tmp_path / name).code == 0
        return attributes(tmp_path / name)
    fingerprint, files, config = run("a.h5")
    assert files == f"{hashlib.sha256(FAST.encode()).hexdigest()}  {tmp_path}/times.csv\n"
    assert f"file = '{tmp_path}/times.csv'" in config
    (tmp_path / "copy.csv").write_text(FAST)
    assert run("b.h5", "--set", "clock.file=copy.csv")[0] == fingerprint
    (tmp_path / "times.csv").write_text(SLOW)
    assert run("c.h5")[0] != fingerprint
    assert list(read(tmp_path / "a.h5")[0]) == list(read(tmp_path / "b.h5")[0])
    assert list(read(tmp_path / "a.h5")[0]) != list(read(tmp_path / "c.h5")[0])


def test_a_strict_run_records_them_too(traced, tmp_path):
    assert call("run", traced, "--set", "bound.kind=clip-client", "--set", "privacy.sigma=1", "--set",
                "privacy.strict=true", "--set", "data.scaling=none", "--output", tmp_path / "x.h5").code == 0
    assert attributes(tmp_path / "x.h5")[1].startswith(hashlib.sha256(FAST.encode()).hexdigest())


@pytest.mark.parametrize("output", [True, False])
def test_a_run_does_not_go_on_with_another_trace(traced, tmp_path, output):
    """Neither under its own name nor under one chosen by the program."""
    options = ["--output", tmp_path / "x.h5"] if output else []
    half_way("run", traced, *options, cwd=tmp_path)
    (tmp_path / "times.csv").write_text(SLOW)
    result = call("run", traced, *options, "--resume", cwd=tmp_path)
    assert result.code == 2
    assert f"{tmp_path}/times.csv: SHA-256 {begin(FAST)} there, {begin(SLOW)} here" in result.sentence
    (tmp_path / "times.csv").write_text(FAST)
    result = call("run", traced, *options, "--resume", cwd=tmp_path)
    assert result.code == 0 and "resuming after round" in result.err


def test_a_finished_run_is_not_that_of_another_trace(traced, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", traced, "--output", file).code == 0
    (tmp_path / "times.csv").write_text(SLOW)
    for more in (["--resume", "--output", file], ["--output", file]):
        result = call("run", traced, *more)
        assert result.code == 2 and f"times.csv: SHA-256 {begin(FAST)} there, {begin(SLOW)} here" in result.sentence
    result = call("run", file, "--rounds-more", 5, "--output", tmp_path / "y.h5")
    assert result.code == 2 and f"times.csv: SHA-256 {begin(FAST)} there, {begin(SLOW)} here" in result.sentence
    (tmp_path / "times.csv").write_text(FAST)
    assert call("run", file, "--rounds-more", 5, "--output", tmp_path / "y.h5").code == 0


def test_a_start_file_is_named_with_both_sums(traced, tmp_path):
    for name, value in (("one", "0.1\n"), ("two", "0.2\n")):
        (tmp_path / name).write_text(9 * value)
    start = ["--set", "start.file=start", "--output", tmp_path / "x.h5"]
    (tmp_path / "start").write_bytes((tmp_path / "one").read_bytes())
    half_way("run", traced, *start)
    (tmp_path / "start").write_bytes((tmp_path / "two").read_bytes())
    result = call("run", traced, *start, "--resume")
    first, second = begin(9 * "0.1\n"), begin(9 * "0.2\n")
    assert result.code == 2 and f"{tmp_path}/start: SHA-256 {first} there, {second} here" in result.sentence


def test_cells_of_a_sweep_differ_where_the_content_does(traced, tmp_path):
    sweep = tmp_path / "s.toml"
    sweep.write_text('experiment = "traced.toml"\nseeds = [1, 2]\n')
    def hashes():
        return [cell["hash"] for cell in json.loads(call("sweep", sweep, "--list", "--json").out)["cells"]]
    fast = hashes()
    (tmp_path / "times.csv").write_text(SLOW)
    assert not set(fast) & set(hashes())
    # Two names of the same content are one experiment.
    (tmp_path / "copy.csv").write_text(SLOW)
    sweep.write_text('experiment = "traced.toml"\n[axes]\n"clock.file" = ["times.csv", "copy.csv"]\n')
    result = call("sweep", sweep, "--list")
    assert result.code == 2 and "are the same experiment" in result.sentence


def test_changed_data_are_named_with_both_sums(network, tmp_path):
    options = ["--data-dir", tmp_path, "--set", "checkpoint.rounds=1", "--output", tmp_path / "x.h5"]
    half_way("run", network, *options)
    labels = tmp_path / "labels.gz"
    before = hashlib.sha256(labels.read_bytes()).hexdigest()[:12]
    data = bytearray(labels.read_bytes())
    data[4] ^= 1  # the time in the head of the archive
    labels.write_bytes(data)
    after = hashlib.sha256(data).hexdigest()[:12]
    result = call("run", network, *options, "--resume")
    assert result.code == 2 and f"labels.gz: SHA-256 {before}... there, {after}... here" in result.sentence
