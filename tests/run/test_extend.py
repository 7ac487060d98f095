"""Finished runs that get more rounds (--rounds-more), and runs that start from another run's model."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from paused import checkpoints, half_way, paused
from test_ranks import assert_same_bits

KEPT = ["--set", "checkpoint.at_end=true"]
CONDITION = ("; extended from {} rounds: the claim is that of {} rounds fixed beforehand, not of deciding on more after "
             "a look at the results")


def fixed_noise(experiment):
    """The experiment with noise that is given, not made for an epsilon."""
    experiment.write_text(experiment.read_text().replace("epsilon = 5.0", "sigma = 0.05"))
    return experiment


def finished(experiment, file, *more, rounds=4, ranks=None):
    result = call("run", experiment, "--quiet", "--set", f"rounds={rounds}", *more, "--output", file, ranks=ranks)
    assert result.code == 0, result.err
    return file


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("method", ["soteriafl-svrg", "ldp-sgd", "dp-scaffold", "fed-alpha-normec"])
def test_an_extended_run_has_the_bits_of_a_long_one(logistic, tmp_path, method, kept):
    fixed_noise(logistic)
    choice = ["--set", f"method={method}"]
    whole = finished(logistic, tmp_path / "whole.h5", *choice, rounds=7)
    file = finished(logistic, tmp_path / "a.h5", *choice, *(KEPT if kept else []))
    assert [path.name for path in checkpoints(file)] == (["a.h5.checkpoint-4"] if kept else [])
    result = call("run", file, "--rounds-more", 3)
    assert result.code == 0, result.err
    assert ("are repeated" in result.err) == (not kept)
    assert "extended from 4 to 7 rounds" in result.err
    assert_same_bits(whole, file)
    assert summary(file)["restarts"] == ([4] if kept else [])
    with h5py.File(file) as new, h5py.File(whole) as long:
        for name in ("fingerprint", "rounds", "noise_sigma"):
            assert new.attrs[name] == long.attrs[name], name
        assert new.attrs["claim"].removesuffix(CONDITION.format(4, 7)) == long.attrs["claim"]
        assert new.attrs["claim"].startswith("holds") == new.attrs["claim"].endswith(CONDITION.format(4, 7))
        assert (new.attrs["extended_from"], long.attrs["extended_from"]) == (4, 0)
        assert dict(new["privacy"].attrs).keys() == dict(long["privacy"].attrs).keys()
        for name, value in long["privacy"].attrs.items():
            assert np.array_equal(new["privacy"].attrs[name], value, equal_nan=isinstance(value, float)), name
    assert call("verify", file).code == call("verify", whole).code
    assert [path.name for path in checkpoints(file)] == (["a.h5.checkpoint-7"] if kept else [])


def test_on_other_ranks_and_twice(logistic, tmp_path):
    fixed_noise(logistic)
    whole = finished(logistic, tmp_path / "whole.h5", rounds=8)
    file = finished(logistic, tmp_path / "a.h5", *KEPT, rounds=3, ranks=2)
    assert call("run", file, "--rounds-more", 2, "--quiet", ranks=3).code == 0
    assert [path.name for path in checkpoints(file)] == ["a.h5.checkpoint-5"]
    assert call("run", file, "--rounds-more", 3, "--quiet").code == 0
    assert_same_bits(whole, file)
    assert summary(file)["restarts"] == [3, 5]


def test_noise_made_for_an_epsilon_gets_a_new_claim(logistic, tmp_path):
    file = finished(logistic, tmp_path / "a.h5", *KEPT)
    before, (_, rows) = summary(file), read(file)
    other = tmp_path / "b.h5"
    result = call("run", file, "--rounds-more", 4, "--output", other)
    assert result.code == 0, result.err
    after, (_, longer) = summary(other), read(other)
    assert summary(file) == before and checkpoints(file), "the old run is left as it was"
    assert after["noise_sigma"] == before["noise_sigma"]
    assert before["epsilon_nominal"] == 5 and after["epsilon_nominal"] is None
    epsilon, long = before["epsilon_accounted"], after["epsilon_accounted"]
    assert epsilon <= 5 and 1.2 * epsilon < long < 2 * epsilon
    assert longer["epsilon"][4] == pytest.approx(rows["epsilon"][4], rel=0.01)
    assert (np.diff(longer["epsilon"]) > 0).all() and longer["epsilon"][-1] == pytest.approx(long, rel=0.01)
    assert (longer["objective"][:5] == rows["objective"]).all()
    assert call("verify", other).code == 0
    assert f"{long:.4g}"[:4] in result.err
    for command in ("show", "verify"):
        assert CONDITION.format(4, 8) in call(command, other).out


def test_an_extended_run_can_be_extended_again(logistic, tmp_path):
    """Where noise was made for an epsilon, and where the command line gave it."""
    file = finished(logistic, tmp_path / "a.h5")
    for rounds in (6, 8):
        result = call("run", file, "--rounds-more", 2, "--quiet")
        assert result.code == 0, result.err
        assert summary(file)["rounds"] == rounds and call("verify", file).code == 0
    given = finished(logistic, tmp_path / "b.h5", "--set", "privacy.sigma=0.05")
    assert call("run", given, "--rounds-more", 2, "--quiet").code == 0
    assert call("verify", given).code == 0


@pytest.mark.parametrize("old, new", [(CONDITION.format(4, 8), ""), ("from 4 rounds", "from 3 rounds")])
def test_a_claim_with_another_condition_is_refused(logistic, tmp_path, old, new):
    file = finished(logistic, tmp_path / "a.h5")
    assert call("run", file, "--rounds-more", 4, "--quiet").code == 0
    with h5py.File(file, "r+") as h5:  # without its end, since only that is watched by a checksum
        h5.attrs["complete"] = np.uint8(0)
        del h5.attrs["content_sha256"]
    assert call("verify", file).code == 0
    with h5py.File(file, "r+") as h5:
        claim = h5.attrs["claim"]
        h5.attrs["claim"] = claim.replace(old, new)
        assert h5.attrs["claim"] != claim
    result = call("verify", file)
    assert result.code == 4 and "claim is recorded as" in result.out


def test_a_changed_file_is_not_extended(logistic, tmp_path):
    file = finished(logistic, tmp_path / "a.h5", *KEPT)
    with h5py.File(file, "r+") as h5:
        h5.attrs["noise_sigma"] = 0.5
    result = call("run", file, "--rounds-more", 1)
    assert result.code == 2 and "has changed since it was written" in result.sentence


def test_of_two_at_once_neither_is_lost(logistic, tmp_path):
    """The shorter one waits for the place that the longer one takes, and then finds another run there."""
    file = finished(logistic, tmp_path / "a.h5", "--set", "evaluate.every=100", *KEPT)
    with paused("run", file, "--rounds-more", 4000, "--set", "checkpoint.rounds=200", "--quiet") as long:
        short = call("run", file, "--rounds-more", 3, "--quiet")
        long.release()
        long.communicate(timeout=60)
    codes = (long.returncode, short.code)
    assert codes.count(0) == 1, (codes, short.err)
    assert summary(file)["rounds"] == (4004 if long.returncode == 0 else 7)


def test_resuming_the_short_run_leaves_the_long_one_alone(logistic, tmp_path):
    secret = ["--set", "privacy.rng=chacha20", *KEPT]
    file = finished(logistic, tmp_path / "a.h5", *secret)
    half_way("run", file, "--rounds-more", 4000, "--set", "checkpoint.rounds=200", "--quiet", saved=2)
    there = checkpoints(file)
    assert len(there) == 3 and there[0].name.endswith("-4"), "the end of the short run stays until the long one is there"
    assert call("run", logistic, "--set", "rounds=4", *secret, "--output", file, "--resume").code == 0
    assert checkpoints(file) == there
    # Another number of rounds: elsewhere, or after giving up the first.
    assert call("run", file, "--rounds-more", 2, "--quiet").code == 2
    assert call("run", file, "--rounds-more", 2, "--quiet", "--output", tmp_path / "b.h5").code == 0
    assert call("run", file, "--rounds-more", 2, "--quiet", "--overwrite").code == 0
    assert summary(file)["rounds"] == 6 and (read(file)[0] == read(tmp_path / "b.h5")[0]).all()


def test_rounds_made_again_must_lead_to_the_same_model(tmp_path):
    """Under privacy.strict a file has no sums of its data, but its model tells other data."""
    rows = "".join(f"{'+-'[i % 2]}1 1:{i % 7} 2:{i % 5}\n" for i in range(90))
    (tmp_path / "t.svm").write_text(rows)
    (tmp_path / "x.toml").write_text("""
rounds = 3
clients = 3
[data]
source = "libsvm"
train = "t.svm"
test = ""
features = 2
index_from = 1
scaling = "none"
[local]
batch = 5
[privacy]
epsilon = 3
delta = 1e-3
strict = true
""")
    file = finished(tmp_path / "x.toml", tmp_path / "a.h5", "--data-dir", tmp_path, rounds=3)
    old = file.read_bytes()
    (tmp_path / "t.svm").write_text(rows.replace("1:3", "1:9"))
    result = call("run", file, "--rounds-more", 2, "--data-dir", tmp_path)
    assert result.code == 3 and "do not lead to the model" in result.err
    assert file.read_bytes() == old


def test_a_killed_extension_goes_on(logistic, tmp_path):
    fixed_noise(logistic)
    every = ["--set", "evaluate.every=100"]
    whole = finished(logistic, tmp_path / "whole.h5", *every, rounds=4004)
    file = finished(logistic, tmp_path / "a.h5", *every, *KEPT)
    old = file.read_bytes()
    command = ["run", file, "--rounds-more", 4000, "--set", "checkpoint.rounds=200"]
    half_way(*command, "--quiet")
    assert len(checkpoints(file)) > 1
    assert file.read_bytes() == old
    result = call(*command)
    assert result.code == 0, result.err
    assert "resuming after round" in result.err and "resuming after round 4 " not in result.err
    assert (read(whole)[0] == read(file)[0]).all()
    assert call("verify", file).code == call("verify", whole).code


def test_secrets(logistic, tmp_path):
    """Noise from a secret goes on where its state was kept, and cannot be made again."""
    secret = ["--set", "privacy.rng=chacha20"]
    gone = finished(logistic, tmp_path / "gone.h5", *secret)
    result = call("run", gone, "--rounds-more", 2)
    assert result.code == 2 and "secret that is gone" in result.sentence and "checkpoint.at_end" in result.sentence
    file = finished(logistic, tmp_path / "a.h5", *secret, *KEPT)
    model, rows = read(file)
    assert call("run", file, "--rounds-more", 2, "--quiet").code == 0
    assert (read(file)[1]["objective"][:5] == rows["objective"]).all() and not (read(file)[0] == model).all()
    assert call("verify", file).code == 0


def test_what_cannot_be_extended(logistic, tmp_path):
    def refusal(*arguments):
        result = call("run", *arguments)
        assert result.code == 2, result.out + result.err
        return result.sentence

    file = finished(logistic, tmp_path / "a.h5")
    old = file.read_bytes()
    assert "server.rate = 0.3 there, 0.5 here" in refusal(file, "--rounds-more", 2, "--set", "server.rate=0.5")
    assert "an experiment (TOML), not a run file" in refusal(logistic, "--rounds-more", 2)
    assert "no such file" in refusal(tmp_path / "none.h5", "--rounds-more", 2)
    assert call("run", file, "--rounds-more", 0).code != 0
    assert call("run", file, "--rounds-more", 2, "--resume").code != 0
    other = finished(logistic, tmp_path / "other.h5", rounds=2)
    assert "add --overwrite" in refusal(file, "--rounds-more", 2, "--output", other)
    link = tmp_path / "link.h5"
    link.symlink_to(file)
    assert "symbolic link" in refusal(link, "--rounds-more", 2)
    assert "at most 4000000000" in refusal(file, "--rounds-more", 4000000000)
    with h5py.File(other, "r+") as changed:
        changed.attrs["complete"] = np.uint8(0)
    assert "not complete" in refusal(other, "--rounds-more", 2)
    assert file.read_bytes() == old
    mean = finished(logistic, tmp_path / "mean.h5", "--set", "method=favano", "--set", "server.output=mean")
    assert "gave the mean of all models" in refusal(mean, "--rounds-more", 2)


def test_start_from_another_runs_model(logistic, tmp_path):
    fixed_noise(logistic)
    first = finished(logistic, tmp_path / "first.h5")
    from_run = ["--set", f"start.file={first}", "--set", "start.scale=0"]
    second = finished(logistic, tmp_path / "second.h5", *from_run)
    with h5py.File(first) as one, h5py.File(second) as two:
        assert (one["model/final"][:] == two["model/start"][:]).all()
    assert "the data behind the start model" in call("show", second).out
    assert call("verify", second).code == call("verify", first).code
    # A model of several clients is their mean; one of a control variate leaves that out.
    for method in ("pmtl", "dp-scaffold"):
        one = finished(logistic, tmp_path / f"{method}.h5", "--set", f"method={method}")
        two = finished(logistic, tmp_path / f"{method}-2.h5", "--set", f"start.file={one}", "--set", "start.scale=0")
        final, begun = read(one)[0], h5py.File(two)["model/start"][:]
        d = summary(one)["dimension"]
        expected = final[:d] if method != "pmtl" else final.reshape(-1, d).astype(float).mean(axis=0)
        assert begun[:d] == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_start_from_a_file_that_does_not_fit(logistic, tmp_path):
    first = finished(logistic, tmp_path / "first.h5")
    wide = call("run", logistic, "--set", f"start.file={first}", "--set", "start.scale=0", "--set", "data.features=31",
                "--output", tmp_path / "b.h5")
    assert wide.code == 2 and "a model of 31 coordinates, but this run's model has 32" in wide.sentence
    with h5py.File(first, "r+") as file:
        file["model/final"][3] = 5.0
    changed = call("run", logistic, "--set", f"start.file={first}", "--set", "start.scale=0", "--output",
                   tmp_path / "c.h5")
    assert changed.code == 2 and "has changed since it was written" in changed.sentence
