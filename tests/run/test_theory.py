"""Settings that are left to the theory of SoteriaFL, and the bound on the utility (docs/reference/methods.md)."""
import math
import os
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from test_ranks import assert_same_bits

THEORY = ["--set", "method=soteriafl-svrg", "--set", "server.rate=theory", "--set", "local.batch=theory", "--set",
          "local.snapshot_probability=theory", "--set", "start.scale=0", "--quiet"]


def number(text, key):
    """The value of a key of the resolved configuration."""
    lines = [line for line in text.splitlines() if line.startswith(f"{key} = ")]
    return float(lines[0].split("=")[1])


def test_config_shows_the_numbers(logistic):
    """100 records of 6 nonzeros, k = 4 of d = 31, n = 7: b = 100^(2/3)/4 = 5.4, p = 5/100."""
    found = call("config", logistic, *THEORY[:-1])
    assert found.code == 0, found.err
    assert number(found.out, "batch") == 5 and number(found.out, "snapshot_probability") == 0.05
    smoothness = number(found.out, "smoothness")
    assert number(found.out, "suboptimality") == pytest.approx(math.log(2))
    tau = (31 / 4) ** 1.5 / math.sqrt(7)
    rate = 0.05 ** (2 / 3) * 5 ** (1 / 3) / tau / 2 / smoothness
    assert number(found.out, "rate") == pytest.approx(rate, rel=1e-12)
    assert "smoothness_from = 'records'" in found.out


def test_rounds_of_the_theory(logistic, tmp_path):
    """c = 96 for SVRG; at epsilon = 0.1 there are few rounds."""
    more = ["--set", "rounds=theory", "--set", "privacy.epsilon=0.1", "--set", "server.smoothness=2"]
    text = call("config", logistic, *THEORY[:-1], *more).out
    omega, n, m, d, smoothness = 31 / 4 - 1, 7, 100, 31, 2
    factor = 0.05 ** (2 / 3) * 5 ** (1 / 3)
    beta = factor**2 * (1 + omega) ** 2 / ((1 + omega) ** 3 / n) / n
    potential = math.log(2) + beta * 0.25 / smoothness
    noise = 96 * 0.25 * math.log(1e3) / (m * 0.1) ** 2
    rounds = math.ceil(math.sqrt(2 * (1 + omega) * smoothness * potential / (3 * beta * d * noise)))
    assert number(text, "rounds") == rounds > 1
    file = tmp_path / "x.h5"
    assert call("run", logistic, *THEORY, *more, "--output", file).code == 0
    assert summary(file)["rounds"] == rounds


def test_the_bound_stands_beside_the_utility(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, *THEORY, "--set", "bound.threshold=10", "--output", file).code == 0
    found = summary(file)
    assert found["theory_status"] == "holds" and found["record_norm_largest"] < 10 and found["theory_bound_holds"]
    assert found["utility"] < found["theory_bound"]
    factor = 0.05 ** (2 / 3) * 5 ** (1 / 3)
    assert found["theory_beta"] == pytest.approx(factor**2 / 7.75, rel=1e-12)
    potential = found["theory_suboptimality"] + found["theory_beta"] * 100 / found["theory_smoothness"]
    bound = (2 * potential / found["theory_rate"] / 6 + 3 * found["theory_beta"] / 7.75
             / found["theory_smoothness"] / found["theory_rate"] * 31 * found["noise_sigma"] ** 2)
    assert found["theory_bound"] == pytest.approx(bound, rel=1e-9)
    shown = call("show", file).out
    assert f"measured {found['utility']:.6g} in the mean over" in shown
    assert f"bound {found['theory_bound']:.6g} for the mean over all rounds" in shown
    verified = call("verify", file)
    assert verified.code == 0, verified.out
    assert "the smoothness constant" in found["claim"]


@pytest.mark.parametrize("more, status, words", [
    (["server.rate=0.3", "server.smoothness=1"], "step_too_large", "server.rate = 0.3 is above"),
    (["server.rate=0.3"], "no_smoothness", "server.smoothness"),
    (["shift.step=0.5"], "other_shift_step", "shift.step")])
def test_other_settings_have_no_bound(logistic, tmp_path, more, status, words):
    file = tmp_path / "x.h5"
    choice = [word for setting in more for word in ("--set", setting)]
    assert call("run", logistic, "--set", "method=soteriafl-sgd", *choice, "--quiet", "--output", file).code == 0
    assert summary(file)["theory_status"] == status and summary(file)["theory_bound"] is None
    assert not summary(file)["theory_bound_holds"]
    shown = call("show", file).out
    assert "bound none: " in shown and words in shown
    other = tmp_path / "other.h5"
    assert call("run", logistic, "--set", "method=ldp-sgd", "--quiet", "--output", other).code == 0
    assert "utility and its bound" not in call("show", other).out


def test_shortened_gradients_have_no_bound(logistic, tmp_path):
    """From zero, gradients of records have half the norm of the record, which exceeds 0.1."""
    file = tmp_path / "x.h5"
    assert call("run", logistic, *THEORY, "--set", "bound.threshold=0.1", "--output", file).code == 0
    assert "the bound shortened some" in call("show", file).out
    assert summary(file)["theory_status"] == "holds" and not summary(file)["theory_bound_holds"]


def test_on_any_number_of_ranks_and_after_a_restart(logistic, tmp_path):
    alone = tmp_path / "alone.h5"
    assert call("run", logistic, *THEORY, "--output", alone).code == 0
    for ranks in (1, 2, 3, 4):
        file = tmp_path / f"{ranks}.h5"
        result = call("run", logistic, *THEORY, "--output", file, ranks=ranks)
        assert result.code == 0, result.err
        assert_same_bits(alone, file)
        with h5py.File(alone) as one, h5py.File(file) as other:
            assert one["config"][()] == other["config"][()]
            assert {name: one.attrs[name] for name in one.attrs if name.startswith("theory_")} == {
                name: other.attrs[name] for name in other.attrs if name.startswith("theory_")}
    with h5py.File(alone) as file:
        (tmp_path / "again.toml").write_bytes(file["config"][()])
    again = tmp_path / "again.h5"
    assert call("run", tmp_path / "again.toml", "--quiet", "--output", again).code == 0
    assert_same_bits(alone, again)
    assert summary(again)["fingerprint"] == summary(alone)["fingerprint"]
    assert call("run", logistic, *THEORY, "--resume", "--output", alone).code == 0


def test_longer_runs_keep_the_values(logistic, tmp_path):
    file, long = tmp_path / "x.h5", tmp_path / "long.h5"
    logistic.write_text(logistic.read_text().replace("epsilon = 5.0", "sigma = 0.05"))
    assert call("run", logistic, *THEORY, "--output", file).code == 0
    before = summary(file)["theory_bound"]
    assert call("run", file, "--rounds-more", 3).code == 0
    assert call("run", logistic, *THEORY, "--set", "rounds=9", "--output", long).code == 0
    assert summary(file)["theory_bound"] == summary(long)["theory_bound"] < before
    assert_same_bits(file, long)


def test_mistakes_are_refused_in_one_sentence(logistic, network, tmp_path):
    for experiment, more, words in [
            (logistic, ["method=cdp-sgd", "server.rate=theory"], ("server.rate", "method cdp-sgd has no theory")),
            (logistic, ["method=fedavg", "rounds=theory"], ("rounds", "method fedavg has no theory")),
            (logistic, ["method=soteriafl-gd", "rounds=theory"], ("rounds", "server.suboptimality")),
            (network, ["method=soteriafl-gd", "server.rate=theory"], ("server.rate", "set server.smoothness")),
            (logistic, ["method=soteriafl-gd", "server.rate=theory", "privacy.strict=true", "data.scaling=none"],
             ("server.smoothness_from", "norms of all records"))]:
        choice = [word for setting in more for word in ("--set", setting)]
        result = call("config", experiment, *choice)
        assert result.code == 2 and all(word in result.sentence for word in words), result.err


def test_a_changed_bound_is_found(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, *THEORY, "--output", file).code == 0
    with h5py.File(file, "r+") as h5:
        h5.attrs["theory_bound"] = np.float64(1e-3)
    found = call("verify", file)
    assert found.code != 0 and "theory_bound" in found.out


@pytest.mark.skipif("TRILEMMA_DATA_DIR" not in os.environ, reason="needs a9a")
@pytest.mark.parametrize("epsilon, batch", [(1, 10), (5, 51), (10, 103)])
def test_figures_of_a9a(epsilon, batch):
    """n = 10, m = 3,256, d = 124, k = 6, G = 0.5, L = 1, delta = 1e-3."""
    experiment = Path(__file__).resolve().parents[2] / f"jobs/experiments/sot-a9a-eps{epsilon}.toml"
    data = ["--data-dir", os.environ["TRILEMMA_DATA_DIR"], "--set", "privacy.delta=1e-3"]
    found = call("config", experiment, *data, "--set", "method=soteriafl-sgd", "--set", "local.batch=theory", "--set",
                 "server.smoothness=1")
    assert found.code == 0 and number(found.out, "batch") == batch, found.err
    found = call("config", experiment, *data, *THEORY[:-3], "--set", "start.file=", "--set", "start.scale=0")
    assert found.code == 0, found.err
    assert number(found.out, "batch") == 54 and number(found.out, "snapshot_probability") == 54 / 3256
