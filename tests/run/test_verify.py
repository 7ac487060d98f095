"""`trilemma verify`: recomputes epsilon from the recorded fields alone; every tampering is found out."""
import h5py
import pytest

from conftest import call, read, summary


@pytest.fixture
def private(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "privacy.delta=1e-5", "--output", file).code == 0
    return file


def answer(file):
    result = call("verify", file)
    return result.code, result.out


def tamper(file, **fields):
    with h5py.File(file, "a") as h5:
        for name, value in fields.items():
            h5["privacy"].attrs[name] = value


def test_a_sound_claim_holds(private):
    code, said = answer(private)
    assert code == 0 and said.startswith("claim holds: (")


@pytest.mark.parametrize("method", ["ldp-svrg", "soteriafl-gd", "soteriafl-saga"])
def test_it_holds_for_every_kind_of_release(logistic, tmp_path, method):
    file = tmp_path / "x.h5"
    call("run", logistic, "--set", "privacy.delta=1e-5", "--set", f"method={method}", "--output", file)
    assert answer(file)[0] == 0


def test_replaced_records_and_fixed_size_draws(logistic, tmp_path):
    file = tmp_path / "x.h5"
    call("run", logistic, "--set", "privacy.delta=1e-5", "--set", "local.sampling=without-replacement",
         "--output", file)
    assert summary(file)["relation"] == "replace_one"
    code, said = answer(file)
    assert code == 0 and "replace_one" in said


@pytest.mark.parametrize("fields, reason", [
    ({"epsilon": 4.0}, "epsilon is recorded as 4"),
    ({"noise_std_on_released": 1.0}, "noise multiplier"),
    ({"sensitivity_sampled": 1e-3}, "noise multiplier"),
    ({"sampling_rate": 0.01}, "sampling rate"),
    ({"sampling_scheme": "none"}, "drawn with none"),
    ({"batch": 10.0}, "sampling_rate"),
    ({"rounds_executed": 7.0}, "7 rounds were run, 6 accounted"),
    ({"rounds_accounted": 5.0}, "number of releases"),
    ({"divisor_kind": "realised"}, "divisor is realised"),
    ({"noise_mode": "total_norm"}, "noise mode is total_norm"),
    ({"bound_per": "estimator"}, "bound limits the estimator"),
    ({"paired_noise": "true"}, "another run"),
    ({"delta": 1e-6}, "delta_times_units"),
    ({"calibration_epsilon": 1.0}, "promised"),
    ({"bound_observed": 0.6, "bound_norm": 0.5}, "was seen"),
])
def test_tampering_fails(private, fields, reason):
    tamper(private, **fields)
    code, said = answer(private)
    assert code == 4 and said.startswith("claim fails: ") and reason in said, said


def test_what_cannot_be_checked(private, logistic, tmp_path):
    tamper(private, colour="blue")
    assert answer(private) == (5, "claim cannot be checked: the field /privacy/colour is unknown to this program\n")
    with h5py.File(private, "a") as h5:
        del h5["privacy"].attrs["colour"]
        del h5["privacy"].attrs["view"]
    assert "/privacy/view is missing" in answer(private)[1]
    file = tmp_path / "y.h5"
    call("run", logistic, "--set", "method=gd", "--output", file)
    code, said = answer(file)
    assert code == 5 and "adds no noise" in said


def test_the_closed_form_is_found_out(logistic, tmp_path):
    file = tmp_path / "x.h5"
    call("run", logistic, "--set", "privacy.calibration=paper", "--set", "privacy.delta=1e-5", "--set",
         "privacy.epsilon=20", "--set", "local.batch=5", "--output", file)
    found = summary(file)
    assert found["dp_claim"] == "paper_nominal_only" and found["epsilon_accounted"] > 20
    code, said = answer(file)
    assert code == 4 and "nominal epsilon is exceeded" in said


def test_the_column_ends_at_the_account_and_never_falls(private):
    epsilon = read(private)[1]["epsilon"]
    assert epsilon[0] == 0 and all(a <= b for a, b in zip(epsilon, epsilon[1:]))
    assert epsilon[-1] == summary(private)["epsilon_accounted"] <= 5


def test_draws_are_recorded(private):
    with h5py.File(private) as h5:
        told = h5["privacy"].attrs
        drawn = h5["rounds/batch_records"][:].astype(int)
        steps = drawn[1:] - drawn[:-1]
        assert (told["drawn_least"], told["drawn_most"]) == (steps.min(), steps.max())
        assert 0 < told["bound_observed"] <= told["bound_norm"] * (1 + 1e-6)
        assert told["drawn_mean"] == pytest.approx(steps.mean()) and told["rounds_executed"] == 6
