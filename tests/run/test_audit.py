"""`trilemma audit`: healthy claims stand, figures are the same on any number of ranks, bad input is refused."""
import json
import re

import h5py
import numpy as np
import pytest

from conftest import call

EXPERIMENT = """
name = "audited"
method = "soteriafl-gd"
rounds = 5
clients = 4
[data]
source = "synthetic"
rows = 40
test_rows = 4
features = 30
nonzeros = 5
[bound]
threshold = 0.5
[privacy]
epsilon = 2.5
delta = 0.01
[compressor]
kind = "identity"
"""
POISSON = ["method=soteriafl-sgd", "local.batch=4"]
MANY = ["--runs", "10000"]


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "audited.toml"
    path.write_text(EXPERIMENT)
    return path


def audit(experiment, *more, settings=(), ranks=None, code=0):
    """The report as a dictionary."""
    chosen = [part for setting in settings for part in ("--set", setting)]
    result = call("audit", experiment, "--json", "--quiet", *chosen, *more, ranks=ranks)
    assert result.code == code, result.err
    return json.loads(result.out)


def assert_stands(found):
    assert found["verdict"] == "not refuted" and "never proves privacy" in found["sentence"]
    assert found["verdict_epsilon_lower_bound"] <= found["epsilon_lower_bound_empirical"] <= found["epsilon_claimed"]
    assert found["influence_observed"] == pytest.approx(found["influence_declared"], rel=1e-4)


@pytest.mark.parametrize("down", [["exchange.down=compressed", "downlink.kind=top-k", "downlink.k=20"],
                                  ["exchange.down=direct", "downlink.kind=rand-k", "downlink.k=20"]])
def test_a_compressed_downlink_is_post_processing(experiment, down):
    """The model under attack has fewer coordinates than that of the experiment."""
    found, plain = (audit(experiment, "--runs", "2000", settings=settings) for settings in (down, ()))
    assert_stands(found)
    assert found["epsilon_lower_bound_empirical"] == plain["epsilon_lower_bound_empirical"]


@pytest.mark.parametrize("relation", ["add_remove", "zero_out", "replace_one"])
def test_a_gaussian_claim_stands_and_is_tight(experiment, relation):
    found = audit(experiment, *MANY, settings=[f"privacy.relation={relation}"])
    assert_stands(found)
    assert 2.49 < found["epsilon_claimed"] <= 2.5
    assert found["ratio"] > 0.5
    assert found["gdp_assumed"] is True and 0.75 < found["ratio_gdp"] < 1
    assert found["relation"] == relation and found["runs_counted"] == 6667


@pytest.mark.parametrize("relation", ["add_remove", "replace_one"])
def test_a_poisson_claim_stands(experiment, relation):
    found = audit(experiment, *MANY, settings=POISSON + [f"privacy.relation={relation}"])
    assert_stands(found)
    assert found["ratio"] > 0.5 and found["gdp_assumed"] is False and found["epsilon_lower_bound_gdp"] is None
    assert found["sampling_rate"] == 0.4 and "poisson" in found["statistic"]


def test_the_nominal_epsilon_is_judged_beside_the_accounted(experiment):
    """A closed form for finished vectors that are clipped: no error of the program, so the exit code stays 0."""
    settings = ["method=ldp-sgd", "data.rows=4000", "local.batch=50", "local.sampling=with-replacement",
                "bound.kind=clip-estimator", "privacy.calibration=paper"]
    found = audit(experiment, "--runs", "3000", settings=settings)
    assert found["verdict"] == "not refuted" and found["epsilon_claimed"] > 1000
    assert found["epsilon_nominal"] == 2.5 and found["nominal_verdict"] == "refuted"
    assert found["verdict_epsilon_lower_bound"] > 2.5
    words = call("audit", experiment, "--runs", "3000", *(part for s in settings for part in ("--set", s)))
    assert words.code == 0 and found["nominal_sentence"] in words.out and found["sentence"] in words.out
    private = audit(experiment, "--runs", "60")
    assert private["epsilon_nominal"] is None and private["nominal_verdict"] == "none"


@pytest.mark.parametrize("settings", [
    POISSON + ["local.sampling=without-replacement", "privacy.relation=replace_one"],
    POISSON + ["local.sampling=with-replacement"],
    POISSON + ["bound.kind=clip-estimator", "privacy.epsilon=0.0", "privacy.sigma=0.5"],
    POISSON + ["method=soteriafl-svrg"],
    POISSON + ["method=soteriafl-saga"],
    POISSON + ["privacy.rng=chacha20"],
    ["compressor.kind=rand-k", "compressor.k=20"],
    ["wire.value=float64"],
], ids=lambda settings: settings[-1])
def test_every_part_can_be_audited(experiment, settings):
    if "privacy.sigma=0.5" in settings:
        experiment.write_text(EXPERIMENT.replace("epsilon = 2.5\n", ""))
        settings = [s for s in settings if "epsilon" not in s]
    found = audit(experiment, "--runs", "300", settings=settings)
    assert found["verdict"] == "not refuted"


def test_differences_of_gradients_are_tried(experiment):
    """A record in a minibatch of 4 of 10, bound 0.5: 2G/b - G/m can be reached, 2G/b + G/m is accounted."""
    for method in ("svrg", "saga"):
        found = audit(experiment, "--runs", "30", settings=POISSON + [f"method=soteriafl-{method}"])
        assert found["influence_observed"] == pytest.approx(0.25 - 0.05, rel=1e-4)
        assert found["influence_declared"] == pytest.approx(0.25 + 0.05, rel=1e-6)


def test_what_is_as_in_the_experiment_is_no_change(experiment):
    assert "coordinates instead of" not in audit(experiment, "--runs", "30", "--dimension", "31")["changes"]
    assert "8 coordinates instead of 31" in audit(experiment, "--runs", "30", "--dimension", "8")["changes"]


def test_half_of_the_runs_stay_unsent_under_rand_k(experiment, tmp_path):
    file = tmp_path / "a.h5"
    found = audit(experiment, "--runs", "400", "--output", file, "--dimension", "8",
                  settings=["compressor.kind=rand-k", "compressor.k=15", "rounds=1"])
    assert "k = 4 of 8" in found["compressor"] and "in the experiment 15 of 31" in found["changes"]
    with h5py.File(file, "r") as h5:
        unsent = np.mean(h5["runs/all_rounds_present"][:] == 0)
    assert 0.4 < unsent < 0.6


def test_a_sparse_compressor_is_advised_against(experiment):
    few = ["audit", experiment, "--runs", 1000, "--set", "rounds=1"]
    sparse = call(*few, "--set", "compressor.kind=rand-k", "--set", "compressor.k=3")
    assert sparse.code == 0 and "without compressor.kind on the command line all coordinates are sent" in sparse.out
    assert "advice" not in call(*few).out


def test_the_same_on_any_number_of_ranks(experiment):
    for more in (["--runs", "100"], ["--one-run", "--canaries", "100"]):
        alone = audit(experiment, *more, settings=POISSON)
        other = audit(experiment, *more, settings=POISSON, ranks=2)
        assert (alone.pop("ranks"), other.pop("ranks")) == (1, 2)
        assert alone == other


def test_one_run(experiment):
    found = audit(experiment, "--one-run", "--canaries", "2000", settings=["privacy.delta=1e-5"])
    assert found["verdict"] == "not refuted" and found["mode"] == "one run"
    assert found["guesses"] == 200 and found["correct"] > 130
    assert 0.2 < found["epsilon_lower_bound_empirical"] < found["epsilon_claimed"]
    assert found["clients"] == 200 and found["dimension"] == 10


def test_fewer_records_keep_rate_and_claim(experiment):
    settings = POISSON + ["data.rows=4000", "local.batch=200"]
    whole = audit(experiment, "--runs", "30", "--records", "1000", settings=settings)
    small = audit(experiment, "--runs", "30", settings=settings)
    assert whole["records"] == 1000 and small["records"] == 255
    assert small["sampling_rate"] == pytest.approx(whole["sampling_rate"], rel=1e-12)
    assert small["epsilon_claimed"] == pytest.approx(whole["epsilon_claimed"], rel=1e-3)
    assert "255 records per client instead of 1000, batch 51 instead of 200" in small["changes"]


@pytest.mark.parametrize("settings, view, observed", [
    (["method=dp-fedavg-clip", "participation.kind=poisson", "participation.rate=0.5"], "V_aggregate", "means"),
    (["method=pmtl", "participation.kind=fixed-size", "participation.size=2"], "V_others", "knows all other clients"),
    (["method=fed-alpha-normec", "privacy.noise_at=client", "privacy.view=V_server"], "V_server", "messages"),
    (["method=dp-normfedavg", "privacy.noise_at=client", "privacy.view=V_aggregate"], "V_aggregate", "sums"),
], ids=lambda part: part[0] if isinstance(part, list) else "")
def test_whole_clients(experiment, settings, view, observed):
    found = audit(experiment, "--runs", "600", settings=settings)
    assert_stands(found)
    assert found["unit"] == "client" and found["view"] == view and observed in found["observed"]
    assert found["records"] == 1
    other = audit(experiment, "--runs", "600", settings=settings, ranks=3)
    assert {k: v for k, v in found.items() if k != "ranks"} == {k: v for k, v in other.items() if k != "ranks"}


def test_records_come_from_the_data(experiment, tmp_path):
    """A source that does not say how many records it has: 23 lines for 4 clients, of which the smallest holds 5."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "rows").write_text("".join(f"{(-1) ** i} {i % 9 + 1}:1\n" for i in range(23)))
    settings = ["data.source=libsvm", "data.train=rows", "data.test=", "data.features=9", "data.rows=0"]
    found = audit(experiment, "--runs", "30", "--data-dir", tmp_path / "here", settings=settings)
    assert found["records"] == 5
    asked = audit(experiment, "--runs", "30", "--data-dir", tmp_path, "--records", "6", settings=settings)
    assert asked["records"] == 6 and "data files are not in" in asked["changes"]


def test_other_files_are_not_overwritten(experiment, tmp_path):
    for name, schema in (("run.h5", "trilemma-run"), ("other.h5", None), ("audit.h5", "trilemma-audit")):
        with h5py.File(tmp_path / name, "w") as h5:
            if schema:
                h5.attrs["schema"] = schema
        result = call("audit", experiment, "--runs", "30", "--quiet", "--overwrite", "--output", tmp_path / name)
        assert result.code == (0 if schema == "trilemma-audit" else 2), result.err
        assert result.code == 0 or "not an audit file; choose another --output" in result.sentence


def test_the_file_describes_itself(experiment, tmp_path):
    file = tmp_path / "new" / "audit.h5"
    found = audit(experiment, "--runs", "60", "--output", file)
    with h5py.File(file, "r") as h5:
        assert h5.attrs["schema"] == "trilemma-audit" and h5.attrs["schema_version"] == 2

        def check(name, item):
            if isinstance(item, h5py.Dataset):
                assert item.attrs["units"] and item.attrs["description"], name
        h5.visititems(check)
        assert set(h5["facts"]) == set(found)
        assert h5["facts/epsilon_lower_bound_empirical"][0] == found["epsilon_lower_bound_empirical"]
        assert {len(column) for column in h5["runs"].values()} == {60}
        above = np.sum(h5["runs/all_rounds_absent"][20:] > found["threshold"])
        assert above == found["false_positives"]
    assert not file.with_suffix(".h5.partial").exists()


def test_words(experiment):
    result = call("audit", experiment, "--runs", "60")
    assert result.code == 0
    for part in ("audit of soteriafl-gd", "false alarms", "gdp_assumed", "claim not refuted", "never proves privacy"):
        assert part in result.out
    assert call("audit", experiment, "--runs", "60", "--quiet").out == ""


BAD = [
    (["--runs", "29"], r"--runs 29: expected"),
    (["--confidence", "1"], r"--confidence 1: expected"),
    (["--one-run", "--canaries", "5"], r"--canaries 5: expected"),
    (["--dimension", "0"], r"--dimension 0: expected"),
    (["--records", "-3"], r"--records -3: expected a number from 1 to 1e7"),
    (["--records", "0"], r"--records 0: expected a number from 1 to 1e7"),
    (["--one-run", "--set", "privacy.relation=replace_one"], r"an audit in one run needs add_remove"),
    (["--one-run", "--set", "method=pmtl"], r"protects whole clients, and an audit in one run places records"),
    (["--set", "method=pmtl", "--set", "privacy.noise_at=client"], r"sends something even without data"),
    (["--set", "method=gd"], r"adds no noise, so there is no claim to audit"),
    (["--set", "privacy.sigma=0"], r"sigma is 0, so no epsilon is claimed"),
    (["--set", "bound.kind=none", "--set", "privacy.sigma=1"], r"not bounded, so no epsilon is claimed"),
    (["--set", "rounds=0"], r"rounds = 0: expected a whole number"),
    (["--set", "data.rows=0", "--set", "data.source=libsvm", "--set", "data.train=no/such"], r"no such data file"),
    (["--output", "/dev/null"], r"not an audit file; choose another --output"),
    (["--output", "/proc/none/x.h5"], r"cannot be written"),
]


@pytest.mark.parametrize("arguments, pattern", BAD, ids=[" ".join(row[0]) for row in BAD])
def test_bad_arguments(experiment, arguments, pattern):
    result = call("audit", experiment, *arguments)
    assert result.code == 2 and result.out == ""
    assert re.search(pattern, result.sentence), result.sentence


def test_one_sentence_from_many_ranks(experiment):
    result = call("audit", experiment, "--runs", "1", ranks=2)
    assert result.code == 2 and "--runs 1" in result.sentence
