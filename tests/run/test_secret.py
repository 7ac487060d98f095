"""privacy.rng = "chacha20": noise and minibatches from a secret of each process; no run repeats another."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary


def generator(path):
    with h5py.File(path) as file:
        return file["environment/random_generator"].asstr()[()]


@pytest.mark.parametrize("ranks", [1, 3])
def test_runs_differ_and_say_so(logistic, tmp_path, ranks):
    files = [tmp_path / "first.h5", tmp_path / "second.h5"]
    for file in files:
        result = call("run", logistic, "--set", "privacy.rng=chacha20", "--quiet", "--output", file, ranks=ranks)
        assert result.code == 0, result.err
        assert generator(file) == "ChaCha20 seeded by the operating system: cryptographic, not reproducible"
        assert np.isfinite(read(file)[0]).all()
    first, second = (summary(file) for file in files)
    assert first["complete"] and second["complete"]
    assert first["model_sha256"] != second["model_sha256"]
    assert first["claim"] == second["claim"] and first["bits_up"] == second["bits_up"]
    with h5py.File(files[0]) as one, h5py.File(files[1]) as other:
        assert one["model/start"][:].tobytes() == other["model/start"][:].tobytes()
        assert one["config"][()] == other["config"][()]
        assert "rng = 'chacha20'" in one["config"].asstr()[()]


def test_the_default_says_that_it_is_not_cryptographic(logistic, tmp_path):
    default, named = tmp_path / "default.h5", tmp_path / "named.h5"
    call("run", logistic, "--output", default)
    call("run", logistic, "--set", "privacy.rng=philox", "--output", named)
    assert generator(default) == generator(named) == "Philox4x32-10: not cryptographic, for simulation only"
    assert summary(default)["model_sha256"] == summary(named)["model_sha256"]


def test_another_generator_is_refused(logistic, tmp_path):
    result = call("run", logistic, "--set", "privacy.rng=mersenne", "--output", tmp_path / "x.h5")
    assert result.code == 2
    assert "privacy.rng = 'mersenne': expected one of philox, chacha20" in result.sentence
    assert not list(tmp_path.glob("x.h5*"))
