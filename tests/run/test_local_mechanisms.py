"""Joint mechanisms whose messages are private alone: SQKR and PrivUnit."""
import json

import h5py
import numpy as np
import pytest

from conftest import call
from test_joint import PLAIN, run


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "local.toml"
    path.write_text(PLAIN)
    return path


def privacy_of(file):
    with h5py.File(file) as h5:
        return dict(h5["privacy"].attrs)


@pytest.mark.parametrize("kind", ["sqkr", "privunit"])
def test_the_claim_is_about_every_message_and_bits_are_counted(experiment, tmp_path, kind):
    file = tmp_path / "x.h5"
    run(experiment, file, f"joint.kind={kind}", "exchange.up=gather", ranks=2)
    privacy = privacy_of(file)
    assert privacy["dp_claim"] == "accounted" and privacy["view"] == "V_server"
    assert privacy["relation"] == "replace_one" and privacy["noise_kind"] == kind
    assert 5 * (1 - 1e-6) < privacy["epsilon"] <= 5 and privacy["accountant_method"] == "trinomial"
    with h5py.File(file) as h5:
        # Six rounds leave less than 1 of the epsilon for a message, so that of sqkr has one bit.
        bits = 1 if kind == "sqkr" else 32 * len(h5["model/final"])
        assert h5["rounds/bits_up_payload"][-1] == 6 * 7 * bits
    assert call("verify", file, "--rerun").code == 0


def test_one_round_has_the_whole_epsilon_and_needs_no_delta(experiment, tmp_path):
    experiment.write_text(PLAIN.replace("delta = 1e-3\n", "").replace("rounds = 6", "rounds = 1"))
    for kind in ("sqkr", "privunit"):
        run(experiment, tmp_path / f"{kind}.h5", f"joint.kind={kind}")
        privacy = privacy_of(tmp_path / f"{kind}.h5")
        assert privacy["epsilon"] == 5 and privacy["delta"] == 0 and privacy["dp_claim"] == "accounted"
    with h5py.File(tmp_path / "sqkr.h5") as h5:
        assert h5["rounds/bits_up_payload"][-1] == 7 * 5


@pytest.mark.parametrize("kind", ["sqkr", "privunit"])
def test_rounds_without_delta_add_their_epsilons(experiment, tmp_path, kind):
    run(experiment, tmp_path / "x.h5", f"joint.kind={kind}")
    with_delta = privacy_of(tmp_path / "x.h5")["noise_std_on_released"]
    experiment.write_text(PLAIN.replace("delta = 1e-3\n", ""))
    run(experiment, tmp_path / "y.h5", f"joint.kind={kind}")
    without = privacy_of(tmp_path / "y.h5")
    assert np.isclose(without["epsilon"], 5, rtol=1e-12) and without["delta"] == 0
    assert without["noise_std_on_released"] > with_delta


@pytest.mark.parametrize("kind", ["sqkr", "privunit"])
def test_models_do_not_depend_on_ranks_or_exchange(experiment, tmp_path, kind):
    models = []
    for number, (ranks, up) in enumerate([(None, "gather"), (3, "gather"), (2, "reduce"), (3, "hierarchical")]):
        file = tmp_path / f"{number}.h5"
        run(experiment, file, f"joint.kind={kind}", f"exchange.up={up}", ranks=ranks)
        with h5py.File(file) as h5:
            models.append(h5["model/final"][:])
    assert all(np.array_equal(models[0], model) for model in models[1:])
    assert np.isfinite(models[0]).all() and (models[0] != 0).any()


def test_errors_are_those_of_the_formulas():
    """500 vectors in 1,000 dimensions: 37.5 and 3.37 for sqkr, 12.65 and .869 for privunit."""
    for epsilon, expected in ((1, {"sqkr": (37.46, 1), "privunit": (12.65, 32000)}),
                              (4, {"sqkr": (3.37, 4), "privunit": (0.869, 32000)})):
        result = call("mean", "--epsilon", epsilon, "--mechanism", "sqkr", "--mechanism", "privunit",
                      "--repetitions", 4, "--json")
        assert result.code == 0, result.err
        rows = {row["mechanism"]: row for row in json.loads(result.out)["mechanisms"]}
        for kind, (error, bits) in expected.items():
            row = rows[kind]
            assert row["trusted"] == "none" and row["bits"] == bits
            assert abs(row["expected"] - error) < 0.005 * error
            assert abs(row["error"] - row["expected"]) < 0.1 * row["expected"]
            assert row["epsilon"] <= epsilon and row["epsilon"] > epsilon * (1 - 1e-5)


@pytest.mark.parametrize("kind", ["sqkr", "privunit"])
@pytest.mark.parametrize(("settings", "key", "words"), [
    (["privacy.noise_at=server"], "privacy.noise_at", "randomises its own messages; choose client"),
    (["privacy.view=V_aggregate"], "privacy.view", "choose V_server"),
    (["privacy.relation=add_remove"], "privacy.relation", "choose zero_out or replace_one"),
    (["method=dp-normfedavg", "memory.kind=error-feedback"], "memory.kind", "choose none"),
    (["privacy.calibration=paper"], "privacy.calibration", "accountant"),
    (["compressor.kind=qsgd"], "compressor.kind", "do not read this key"),
    (["budget.upload=1MB"], "budget.upload", "set rounds"),
])
def test_what_no_theorem_covers_is_refused(experiment, kind, settings, key, words):
    chosen = [part for s in [f"joint.kind={kind}", *settings] for part in ("--set", s)]
    result = call("run", experiment, *chosen)
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err


def test_noise_of_a_given_size_and_records_are_refused(experiment, logistic):
    experiment.write_text(PLAIN.replace("epsilon = 5.0", "sigma = 1.0"))
    result = call("run", experiment, "--set", "joint.kind=sqkr")
    assert result.code == 2 and "leave sigma out, and set privacy.epsilon" in result.sentence, result.err
    result = call("run", logistic, "--set", "joint.kind=privunit", "--set", "compressor.k=4")
    assert result.code == 2 and "protects whole clients" in result.sentence, result.err
