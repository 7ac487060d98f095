"""Sums of random trials (joint.kind = "pbm"): claims, bits, secure aggregation and refusals."""
import re

import h5py
import numpy as np
import pytest

from conftest import call
from test_joint import PLAIN, run

CLIENTS = 20


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "trials.toml"
    path.write_text(PLAIN.replace("clients = 7", f"clients = {CLIENTS}"))
    return path


@pytest.mark.parametrize(("settings", "bits"), [
    ([], 1),
    (["joint.trials=6"], 3),
    (["secagg.kind=masks"], 5),
    (["secagg.kind=counted", "joint.trials=4"], 7),
])
def test_bits_are_those_of_a_count_or_of_the_sum(experiment, tmp_path, settings, bits):
    file = tmp_path / "x.h5"
    run(experiment, file, "joint.kind=pbm", "exchange.up=gather", *settings, ranks=2)
    with h5py.File(file) as h5:
        privacy = h5["privacy"].attrs
        assert privacy["dp_claim"] == "accounted" and privacy["noise_kind"] == "binomial"
        assert privacy["float_dp"] == "integers" and privacy["relation"] == "zero_out"
        # Theta is found up to 1e-4, and its epsilon up to 2 %.
        assert 4.85 < privacy["epsilon"] <= 5 and privacy["epsilon_lower"] < privacy["epsilon"]
        assert np.all(np.diff(h5["rounds/epsilon"][:]) >= 0) and h5["rounds/epsilon"][-1] == privacy["epsilon"]
        dimension = len(h5["model/final"])
        assert h5["rounds/bits_up_payload"][-1] == h5["mpi/bits_up"][-1] == 6 * CLIENTS * bits * dimension
    assert call("verify", file, "--rerun").code == 0


def test_masks_change_no_bit_of_the_model(experiment, tmp_path):
    models = []
    for kind in ("none", "masks", "counted"):
        run(experiment, tmp_path / f"{kind}.h5", "joint.kind=pbm", "joint.trials=3", f"secagg.kind={kind}")
        with h5py.File(tmp_path / f"{kind}.h5") as h5:
            models.append(h5["model/final"][:])
    assert np.array_equal(models[0], models[1]) and np.array_equal(models[0], models[2])


def test_clients_that_may_be_missing_make_no_trials_that_count(experiment, tmp_path):
    noise = []
    for name, more in (("all.h5", []), ("some.h5", ["secagg.dropouts=0.4", "secagg.corrupt=0.1",
                                                    "participation.kind=drop-outs"])):
        run(experiment, tmp_path / name, "joint.kind=pbm", "secagg.kind=masks", *more)
        with h5py.File(tmp_path / name) as h5:
            assert h5["privacy"].attrs["epsilon"] <= 5
            noise.append(h5["privacy"].attrs["noise_std_on_released"])
    assert noise[1] / noise[0] == pytest.approx(2**0.5, rel=0.1)
    assert call("verify", tmp_path / "some.h5", "--rerun").code == 0


def test_an_audit_does_not_refute_the_claim(experiment):
    result = call("audit", experiment, "--set", "joint.kind=pbm", "--set", "clients=2", "--dimension", "4", "--runs", "2000",
                  "--set", "rounds=1", "--set", "joint.range=1", "--set", "privacy.delta=0.01")
    assert result.code == 0 and "not refuted" in result.out, result.out + result.err
    assert float(re.search(r"if it is Gaussian\s+([0-9.]+)", result.out).group(1)) > 0.2, result.out


@pytest.mark.parametrize(("settings", "key", "words"), [
    (["privacy.relation=add_remove"], "privacy.relation", "zero_out"),
    (["privacy.noise_at=server"], "privacy.noise_at", "choose client"),
    (["privacy.view=V_server"], "privacy.view", "choose V_aggregate"),
    (["participation.kind=poisson"], "participation.kind", "choose full"),
    (["privacy.sigma=1.0"], "privacy.sigma", "leave sigma out"),
    (["joint.trials=0"], "joint.trials", "expected"),
    (["joint.trials=1023"], "joint.kind", "2^14 trials"),
    (["joint.bits=8"], "joint.bits", "do not read this key"),
])
def test_what_no_theorem_covers_is_refused(experiment, settings, key, words):
    chosen = [part for s in ["joint.kind=pbm", *settings] for part in ("--set", s)]
    result = call("run", experiment, *chosen)
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err
