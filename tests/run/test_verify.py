"""`trilemma verify`: computes the claim again from the configuration in the file; every tampering is found out."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from forged_runs import attribute, forge


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


def test_a_file_of_an_older_program(private, tmp_path):
    """It does not say what clients compute. A wrong text is found out."""
    file = tmp_path / "forged.h5"
    forge(private, file, attribute("/", "local_work", "estimator gd on all records"))
    code, said = answer(file)
    assert code == 4 and "local_work" in said
    forge(private, file, lambda h5: h5.attrs.__delitem__("local_work"))
    assert answer(file)[0] == 0
    assert "local work" not in call("show", file).out


@pytest.mark.parametrize("method", ["dp-sgd", "dp-gd", "rrpsgd", "dp-srm", "dp-srm-distributed", "ldp-spider"])
def test_claims_of_a_trusted_server_and_of_rounds_that_differ(logistic, tmp_path, method):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", f"method={method}", "--set", "privacy.delta=1e-5", "--output", file).code == 0
    code, said = answer(file)
    assert code == 0 and said.startswith("claim holds: ("), said
    assert ("if the server is trusted" in said) == (method != "ldp-spider")
    with h5py.File(file) as h5:
        assert h5["privacy"].attrs["units_most"] == (100 if method == "ldp-spider" else 700)
    tamper(file, units_most=70.0)
    assert answer(file)[0] == 4


def test_what_limits_a_claim_is_told(logistic, tmp_path):
    """As in the claim itself: noise for simulation only, a large delta, and how many contacts are accounted."""
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "method=fedbuff", "--set", "bound.kind=clip-client", "--set", "rounds=5",
                "--set", "server.buffer=2", "--set", "local.rate=0.1", "--set", "privacy.delta=0.05", "--set",
                "privacy.epsilon=5", "--output", file).code == 0
    code, said = answer(file)
    assert code == 0 and "noise from a generator for simulation only" in said
    assert "delta should be well below 1/n" in said and "contacts of the client with the most contacts" in said


def test_several_files_are_told_apart(private, tmp_path):
    forged = tmp_path / "forged.h5"
    forged.write_bytes(private.read_bytes())
    tamper(forged, noise_std_on_released=0.5)
    missing = tmp_path / "missing.h5"
    result = call("verify", missing, private, forged, "--long")
    assert result.code == 4 and "no such file" in result.err
    holds, fails = result.out.splitlines()
    assert holds.startswith(f"{private}: claim holds: (") and fails.startswith(f"{forged}: claim fails")
    assert call("verify", private, private).code == 0


def test_an_unfinished_run_is_named(private):
    assert "unfinished" not in answer(private)[1]
    with h5py.File(private, "a") as h5:
        del h5.attrs["content_sha256"]
        h5.attrs["complete"] = h5.attrs.get("complete") - 1
        for group in ("rounds", "mpi"):
            for column in h5[group].values():
                column.resize(5, axis=0)
        h5["phases/seconds"].resize(5, axis=0)
    code, said = answer(private)
    assert code == 0 and said.endswith(" (accounted for all 6 rounds; the run is unfinished: rounds done: 4)\n")


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
    assert code == 0 and "one record of a client replaced" in said


# Fields of /privacy, whatever else they agree with: all follow from the configuration.
@pytest.mark.parametrize("fields, reason", [
    ({"epsilon": 4.0}, "epsilon is recorded as 4"),
    ({"noise_std_on_released": 1.0}, "noise_std_on_released"),
    ({"sensitivity_sampled": 1e-3}, "sensitivity_sampled"),
    ({"sampling_rate": 0.01}, "sampling_rate"),
    ({"sampling_scheme": "none"}, "sampling_scheme"),
    ({"batch": 10.0}, "batch"),
    ({"units": 1000.0}, "units"),
    ({"units_most": 1.0}, "units"),
    ({"rounds_executed": 7.0}, "rounds_executed is recorded as 7, but is at most 6"),
    ({"rounds_executed": float("nan")}, "rounds_executed is recorded as nan"),
    ({"rounds_accounted": 5.0}, "rounds_accounted"),
    ({"divisor_kind": "realised"}, "divisor_kind"),
    ({"noise_mode": "total_norm"}, "noise_mode"),
    ({"noise_kind": "none"}, "noise_kind"),
    ({"bound_per": "estimator"}, "bound_per"),
    ({"bound_norm": float("nan")}, "bound_norm"),
    ({"paired_noise": "true"}, "paired_noise"),
    ({"rng": "chacha20"}, "rng"),
    ({"float_dp": "exact"}, "float_dp"),
    ({"preprocessing": np.array([], h5py.string_dtype())}, "preprocessing"),
    ({"delta": 1e-6}, "delta"),
    ({"calibration_epsilon": 1.0}, "calibration_epsilon"),
    ({"bound_observed": 0.6, "bound_norm": 0.5}, "bound_observed is recorded as 0.6, but is at most 0.5"),
    ({"unit": "everybody"}, '"everybody"'),
    ({"view": "V_nobody"}, '"V_nobody"'),
    ({"view": "V_aggregate"}, '"V_aggregate"'),
    ({"theorem": "magic"}, '"magic"'),
])
def test_tampering_fails(private, fields, reason):
    tamper(private, **fields)
    code, said = answer(private)
    assert code == 4 and said.startswith("claim fails: ") and reason in said, said


@pytest.mark.parametrize("name, value", [
    ("claim", "holds: everybody is safe"), ("method", "gd"), ("mode", "authors"), ("rounds", 9999), ("clients", 1),
    ("delta", 1e-9), ("noise_sigma", 10.0), ("mechanism", "none"), ("bound", "none"), ("seed", 7), ("dimension", 3),
    ("epsilon_nominal", 1.0)])
def test_attributes_of_the_run_are_compared(private, name, value):
    with h5py.File(private, "a") as h5:
        h5.attrs[name] = value
    code, said = answer(private)
    assert code == 4 and f"{name} is recorded as" in said, said


def replace_text(file, name, change):
    with h5py.File(file, "a") as h5:
        text = h5[name][()].decode()
        del h5[name]
        h5.create_dataset(name, data=change(text))


def test_a_changed_configuration_does_not_go_with_the_rest(private):
    replace_text(private, "config", lambda text: text.replace("rounds = 6", "rounds = 60"))
    assert answer(private)[0] == 4
    replace_text(private, "config", lambda text: "rounds = \n")
    code, said = answer(private)
    assert code == 5 and "does not accept its configuration" in said


# Noise, its record and its place in the list of components: the promised epsilon tells.
def test_noise_that_is_forged_everywhere(private):
    with h5py.File(private, "a") as h5:
        told = h5["privacy"].attrs
        for name in ("noise_std_on_released", "noise_std_on_sum", "noise_multiplier"):
            told[name] = 10 * told[name]
        h5["privacy/components/sigma"][...] = 10 * h5["privacy/components/sigma"][...]
        h5.attrs["noise_sigma"] = 10 * h5.attrs["noise_sigma"]
    code, said = answer(private)
    assert code == 4 and "noise_std_on_released" in said


@pytest.mark.parametrize("column", ["rounds/objective", "rounds/batch_records", "model/final"])
def test_values_that_nothing_depends_on_are_summed(private, column):
    with h5py.File(private, "a") as h5:
        values = h5[column][:]
        values[-1] += 1
        h5[column][:] = values
    code, said = answer(private)
    assert code == 4 and "changed since" in said


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
         "privacy.epsilon=8", "--set", "local.batch=5", "--output", file)
    found = summary(file)
    assert found["dp_claim"] == "paper_nominal_only" and found["epsilon_accounted"] > 8
    code, said = answer(file)
    assert code == 4 and "epsilon 8 was promised" in said


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
