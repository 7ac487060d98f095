"""Numbers of features and classes that are left to the data files: the same run as with the numbers given."""
import subprocess

import h5py
import pytest

from conftest import NETWORK, PROGRAM, call, environment, launcher, summary, write_idx
from test_ranks import assert_same_bits
from paused import half_way

LIBSVM = """
method = "fedavg"
rounds = 3
clients = 2
[data]
source = "libsvm"
train = "train"
test = "test"
scaling = "none"
"""


@pytest.fixture
def libsvm(tmp_path):
    (tmp_path / "train").write_text("-1 1:1 3:1\n+1 2:1 12:0.5\n-1 5:1\n+1 4:2\n")
    (tmp_path / "test").write_text("-1 1:1 13:1\n+1 2:1\n")
    path = tmp_path / "e.toml"
    path.write_text(LIBSVM)
    return path


def run(file, output, *more, **options):
    result = call("run", file, "--data-dir", file.parent, "--output", output, "--quiet", *more, **options)
    assert result.code == 0, result.err
    return output


def test_the_dimension_is_that_of_the_files(libsvm, tmp_path):
    found = run(libsvm, tmp_path / "found.h5")
    given = run(libsvm, tmp_path / "given.h5", "--set", "data.features=13")
    assert summary(found)["dimension"] == 14
    assert_same_bits(found, given)
    assert_same_bits(found, run(libsvm, tmp_path / "ranks.h5", ranks=3))
    with h5py.File(found) as one, h5py.File(given) as other:
        assert "\nfeatures = 13\n" in one["config"][()].decode()
        assert one.attrs["fingerprint"] == other.attrs["fingerprint"]


def test_images_tell_pixels_and_classes(tmp_path):
    write_idx(tmp_path)
    file = tmp_path / "network.toml"
    file.write_text(NETWORK)
    given = run(file, tmp_path / "given.h5")
    file.write_text(NETWORK.replace("features = 36\n", "").replace("classes = 3\n", ""))
    assert_same_bits(given, run(file, tmp_path / "found.h5"))
    shown = call("partition", file, "--data-dir", tmp_path)
    assert "36 pixels, 3 classes" in shown.out


def test_config_says_what_was_found_and_needs_no_data_for_what_is_given(libsvm, tmp_path):
    shown = call("config", libsvm, "--data-dir", tmp_path)
    assert shown.code == 0 and "\nfeatures = 13\n" in shown.out
    for command in ("config", "run", "partition", "audit"):
        told = call(command, libsvm, "--data-dir", tmp_path / "none")
        assert told.code == 2
        for words in ("e.toml: [data]: there is no", "from which data.features would follow", "none/train", "scripts/get-data"):
            assert words in told.sentence
    assert call("config", libsvm, "--data-dir", tmp_path / "none", "--set", "data.features=13").code == 0


def test_an_audit_finds_the_dimension_too(libsvm, tmp_path):
    libsvm.write_text(LIBSVM.replace("fedavg", "ldp-sgd") + "rows = 4\n[local]\nbatch = 2\n[privacy]\nsigma = 0.1\n"
                      "delta = 1e-3\n")
    result = call("audit", libsvm, "--data-dir", tmp_path, "--runs", "30", "--quiet")
    assert result.code in (0, 4), result.err


def test_a_sweep_lists_its_cells_with_and_without_data(libsvm, tmp_path):
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('experiment = "e.toml"\nseeds = 2\n')
    listed = call("sweep", sweep, "--list", "--data-dir", tmp_path)
    assert listed.code == 0 and "refused" not in listed.out
    none = call("sweep", sweep, "--list", "--data-dir", tmp_path / "none")
    assert none.code == 0 and none.out.count("refused: ") == 2 and "would follow" in none.out
    given = call("sweep", sweep, "--list", "--data-dir", tmp_path / "none", "--set", "data.features=13")
    assert [line.split()[1] for line in given.out.splitlines()] == [line.split()[1] for line in listed.out.splitlines()]
    result = call("sweep", sweep, "--run", 1, "--data-dir", tmp_path, "--output-dir", tmp_path / "out", "--quiet")
    assert result.code == 0, result.err
    assert "1 of 2 cells done" in call("sweep", sweep, "--data-dir", tmp_path, "--output-dir", tmp_path / "out").out


def test_ranks_that_see_other_files_are_refused(libsvm, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "train").write_text("-1 1:1 3:1\n+1 2:1 17:0.5\n-1 5:1\n+1 4:2\n")
    (other / "test").write_text("-1 1:1 13:1\n+1 2:1\n")

    def program(folder):
        return [str(PROGRAM), "run", str(libsvm), "--data-dir", str(folder), "--output", str(tmp_path / "x.h5")]

    command = launcher(2) + program(tmp_path)
    command[2] = "1"
    command += [":", "-n", "1"] + program(other)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                          env=environment())
    assert done.returncode == 2
    assert "rank 1 has 18 features" in done.stderr and "rank 0 has 14 features" in done.stderr
    assert not list(tmp_path.glob("x.h5*"))


PRIVATE = ["--set", "method=ldp-sgd", "--set", "privacy.sigma=0.1", "--set", "privacy.delta=1e-3",
           "--set", "local.batch=2"]


def test_a_claim_is_verified_without_the_data(libsvm, tmp_path):
    file = run(libsvm, tmp_path / "x.h5", *PRIVATE)
    with h5py.File(file) as h5:
        assert h5.attrs["dimension"] == 14
    (tmp_path / "train").unlink()
    (tmp_path / "test").unlink()
    for folder in ([], ["TRILEMMA_DATA_DIR"]):
        told = call("verify", file, env={name: str(tmp_path / "none") for name in folder})
        assert told.code == 0 and told.out.startswith("claim holds: ("), told.out + told.err
    assert call("show", file).code == 0
    with h5py.File(file, "a") as h5:
        config = h5["config"][()].decode()
        del h5["config"]
        h5.create_dataset("config", data=config.replace("\nfeatures = 13\n", "\nfeatures = \"files\"\n"))
    told = call("verify", file)
    assert told.code == 5 and "data.features" in told.out and "not read here" in told.out


def test_a_finished_run_of_other_data_is_not_taken_for_this_one(libsvm, tmp_path):
    file = run(libsvm, tmp_path / "x.h5")
    again = ["run", libsvm, "--data-dir", tmp_path, "--output", file, "--resume"]
    done = call(*again)
    assert done.code == 0 and "complete already" in done.out
    text = (tmp_path / "train").read_text()
    (tmp_path / "train").write_text(text.replace("3:1", "3:2"))
    told = call(*again)
    assert told.code == 2 and "the data files have changed since (train: SHA-256 " in told.sentence
    (tmp_path / "train").write_text(text.replace("12:", "17:"))
    told = call(*again)
    assert told.code == 2 and "data.features = 13 there, 17 here" in told.sentence


def test_a_stopped_run_goes_on_with_what_was_found(libsvm, tmp_path):
    more = ["--set", "rounds=4000", "--set", "evaluate.every=100"]
    whole = run(libsvm, tmp_path / "whole.h5", *more)
    parts = tmp_path / "parts.h5"
    half_way("run", libsvm, "--output", parts, *more, "--set", "checkpoint.rounds=50", "--data-dir", tmp_path)
    text = (tmp_path / "train").read_text()
    (tmp_path / "train").write_text(text.replace("12:", "17:"))
    told = call("run", libsvm, *more, "--data-dir", tmp_path, "--output", parts, "--resume")
    assert told.code == 2 and "data.features = 13 there, 17 here" in told.sentence
    (tmp_path / "train").write_text(text)
    assert_same_bits(whole, run(libsvm, parts, *more, "--resume"))


def test_a_strict_claim_wants_the_numbers_in_the_experiment(libsvm, tmp_path):
    strict = [*PRIVATE, "--set", "privacy.strict=true"]
    told = call("run", libsvm, "--data-dir", tmp_path, "--output", tmp_path / "x.h5", *strict)
    assert told.code == 2 and "data.features" in told.sentence and "privacy.strict forbids it" in told.sentence
    assert told.sentence.endswith("It also forbids: data.index_from")
    run(libsvm, tmp_path / "x.h5", *strict, "--set", "data.features=13", "--set", "data.index_from=1")


def test_text_in_the_target_column_makes_classes(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,kind\n1,2,cat\n2,1,dog\n3,5,cat\n4,4,dog\n")
    file = tmp_path / "e.toml"
    file.write_text('method = "fedavg"\nrounds = 2\nclients = 2\n[data]\nsource = "csv"\ntrain = "t.csv"\n'
                    'target = "kind"\n')
    for words in ([], ["--set", "data.classes=2"]):
        shown = call("partition", file, "--data-dir", tmp_path, *words)
        assert shown.code == 0 and "2 classes of" in shown.out
    told = call("run", file, "--data-dir", tmp_path, "--set", "data.classes=0", "--output", tmp_path / "x.h5")
    assert told.code == 2 and "data.classes = 2 (cat, dog)" in told.sentence and "data.drop" not in told.sentence
