"""Joint mechanisms: integers with shares of the noise, summed modulo 2^b."""
import h5py
import pytest

from conftest import call

PLAIN = """
name = "words"
method = "dp-fedavg-clip"
rounds = 6
clients = 7
[data]
source = "synthetic"
rows = 700
test_rows = 301
features = 31
nonzeros = 5
[local]
batch = 20
[bound]
threshold = 0.5
[privacy]
epsilon = 5.0
delta = 1e-3
[server]
rate = 0.3
"""


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "words.toml"
    path.write_text(PLAIN)
    return path


def run(experiment, file, *settings, ranks=None):
    """Makes a run with these settings."""
    result = call("run", experiment, "--output", file, "--quiet", *(part for s in settings for part in ("--set", s)),
                  ranks=ranks)
    assert result.code == 0, result.err


@pytest.mark.parametrize("kind", ["ddgauss", "skellam"])
def test_the_claim_holds_for_sums_and_bits_are_those_of_the_words(experiment, tmp_path, kind):
    file = tmp_path / "x.h5"
    run(experiment, file, f"joint.kind={kind}", "joint.bits=14", "exchange.up=gather", ranks=2)
    with h5py.File(file) as h5:
        privacy = h5["privacy"].attrs
        assert privacy["dp_claim"] == "accounted" and privacy["view"] == "V_aggregate"
        assert 4.95 < privacy["epsilon"] <= 5 and privacy["float_dp"] == "integers"
        assert privacy["noise_kind"] == {"ddgauss": "discrete_gaussian", "skellam": "skellam"}[kind]
        dimension = len(h5["model/final"])
        assert h5["rounds/bits_up_payload"][-1] == h5["mpi/bits_up"][-1] == 6 * 7 * 14 * dimension
    assert call("verify", file).code == 0


@pytest.mark.parametrize("kind", ["ddgauss", "skellam", "pbm", "sqkr", "privunit"])
def test_secret_draws_do_not_follow_from_the_seed(experiment, tmp_path, kind):
    models = []
    for name, rng in (("a.h5", "chacha20"), ("b.h5", "chacha20"), ("c.h5", "philox"), ("d.h5", "philox")):
        run(experiment, tmp_path / name, f"joint.kind={kind}", f"privacy.rng={rng}")
        with h5py.File(tmp_path / name) as h5:
            models.append(h5["model/final"][:])
    assert (models[0] != models[1]).any() and (models[2] == models[3]).all()


def test_the_noise_is_that_of_the_gaussian_mechanism(experiment, tmp_path):
    """Exact accounting of integers costs hardly more than of real numbers, if the grid is fine."""
    run(experiment, tmp_path / "words.h5", "joint.kind=ddgauss", "joint.bits=20")
    run(experiment, tmp_path / "real.h5", "privacy.noise_at=client", "privacy.view=V_aggregate",
        "compressor.kind=identity")
    noise = []
    for name in ("words.h5", "real.h5"):
        with h5py.File(tmp_path / name) as h5:
            noise.append(h5["privacy"].attrs["noise_std_on_sum"])
    assert 1 <= noise[0] / noise[1] < 1.002


def test_a_coarse_grid_takes_more_noise(experiment, tmp_path):
    noise = []
    for bits in (8, 12, 24):
        file = tmp_path / f"{bits}.h5"
        run(experiment, file, "joint.kind=skellam", f"joint.bits={bits}")
        with h5py.File(file) as h5:
            noise.append(h5["privacy"].attrs["noise_std_on_sum"])
            assert f"modulo 2^{bits}" in h5.attrs["mechanism"] and "skellam" in h5.attrs["mechanism"]
            assert "integer noise" in h5["privacy"].attrs["theorem"]
    assert noise[0] > 1.02 * noise[1] > 1.02 * 0.999 * noise[2]


@pytest.mark.parametrize("more", [["privacy.relation=replace_one"], ["privacy.strict=true", "data.scaling=none"],
                                  ["data.features=100", "method=dp-normfedavg"]])
def test_other_relations_strict_runs_and_dimensions_are_covered(experiment, tmp_path, more):
    file = tmp_path / "x.h5"
    run(experiment, file, "joint.kind=ddgauss", *more)
    with h5py.File(file) as h5:
        assert h5["privacy"].attrs["dp_claim"] == "accounted" and 4.95 < h5["privacy"].attrs["epsilon"] <= 5
    result = call("verify", file, "--rerun")
    assert result.code == 0, result.err


@pytest.mark.parametrize(("settings", "key", "words"), [
    (["privacy.noise_at=server"], "privacy.noise_at", "its share of the noise; choose client"),
    (["privacy.view=V_server"], "privacy.view", "choose V_aggregate"),
    (["participation.kind=poisson", "participation.rate=0.5"], "participation.kind", "choose full"),
    (["bound.of=message"], "bound.of", "choose update"),
    (["method=clip21"], "joint.kind", "choose another method"),
    (["method=dp-normfedavg", "memory.kind=error-feedback"], "memory.kind", "choose none"),
    (["privacy.sigma=1.0"], "privacy.sigma", "leave sigma out"),
    (["privacy.calibration=paper"], "privacy.calibration", "choose accountant"),
    (["joint.bits=4", "joint.wrap=20"], "joint.bits", "use more bits, or a smaller wrap"),
    (["compressor.kind=qsgd"], "compressor.kind", "do not read this key"),
    (["joint.bits=25"], "joint.bits", "24"),
])
def test_what_no_theorem_covers_is_refused(experiment, settings, key, words):
    chosen = [part for s in ["joint.kind=ddgauss", *settings] for part in ("--set", s)]
    result = call("run", experiment, *chosen)
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err


def test_a_finished_run_is_not_extended(experiment, tmp_path):
    """Its noise was chosen for an epsilon of all rounds."""
    file = tmp_path / "x.h5"
    run(experiment, file, "joint.kind=skellam", "checkpoint.at_end=true")
    result = call("run", file, "--rounds-more", "6")
    assert result.code == 2 and "were chosen for 6 rounds" in result.sentence, result.err


def test_records_are_refused(logistic):
    result = call("run", logistic, "--set", "joint.kind=ddgauss", "--set", "compressor.k=4")
    assert result.code == 2 and "protects whole clients" in result.sentence, result.err
