"""Joint mechanisms that need a trusted server: the layered quantiser and masked random signs (csgm)."""
import json
import math

import h5py
import pytest

from conftest import call
from test_joint import PLAIN as SHARED
from test_joint import run

PLAIN = SHARED.replace("features = 31", "features = 63").replace("delta = 1e-3", 'delta = 1e-3\nrelation = "replace_one"')


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "coordinates.toml"
    path.write_text(PLAIN)
    return path


def privacy(file):
    with h5py.File(file) as h5:
        return dict(h5["privacy"].attrs)


@pytest.mark.parametrize(("kind", "place", "aggregation"), [
    ("layered", "client", "trusted_decoding"), ("csgm", "server", "simulated_trusted"),
    ("blocks", "server", "simulated_trusted")])
def test_the_claim_trusts_the_server_and_bits_are_those_of_the_messages(experiment, tmp_path, kind, place, aggregation):
    file = tmp_path / "x.h5"
    more = ["joint.block=4", "joint.rate=0.3"] if kind == "blocks" else []
    run(experiment, file, f"joint.kind={kind}", "exchange.up=gather", *more, ranks=2)
    found = privacy(file)
    assert found["dp_claim"] == "accounted" and found["view"] == "V_aggregate" and found["noise_kind"] == "gaussian"
    assert found["noise_place"] == place and found["aggregation"] == aggregation and 4.95 < found["epsilon"] <= 5
    with h5py.File(file) as h5:
        assert "if the server is trusted" in h5.attrs["claim"]
        bits = h5["rounds/bits_up_payload"][-1]
        assert bits == h5["rounds/bits_up_model"][-1] and 0 < bits < 32 * 6 * 7 * 64
        if kind == "csgm":
            mean = 0.05 * 6 * 7 * 64
            assert abs(bits - mean) < 4 * math.sqrt(mean)
        # Each message is filled up to whole bytes, and its end takes 8 of them.
        assert bits <= h5["mpi/bits_up"][-1] <= bits + 6 * 7 * (8 + 64)
    result = call("verify", file, "--rerun")
    assert result.code == 0, result.err


def test_the_layered_quantiser_has_the_claim_and_the_noise_of_the_gaussian_mechanism(experiment, tmp_path):
    run(experiment, tmp_path / "layered.h5", "joint.kind=layered")
    run(experiment, tmp_path / "gauss.h5", "privacy.noise_at=client", "privacy.view=V_aggregate",
        "compressor.kind=identity")
    layered, gauss = privacy(tmp_path / "layered.h5"), privacy(tmp_path / "gauss.h5")
    for name in ("epsilon", "theorem", "noise_multiplier", "noise_std_on_sum"):
        assert layered[name] == gauss[name], name


def test_all_coordinates_cost_what_the_gaussian_mechanism_costs(experiment, tmp_path):
    """With gamma = 1 and kappa = 1 every coordinate has c = C / sqrt(d)."""
    run(experiment, tmp_path / "signs.h5", "joint.kind=csgm", "joint.rate=1.0", "joint.range=1.0")
    run(experiment, tmp_path / "gauss.h5", "privacy.noise_at=server", "compressor.kind=identity")
    signs, gauss = privacy(tmp_path / "signs.h5"), privacy(tmp_path / "gauss.h5")
    assert signs["accountant_method"] == gauss["accountant_method"] == "gaussian"
    assert signs["noise_std_on_released"] == pytest.approx(gauss["noise_std_on_released"], rel=1e-6)
    assert signs["epsilon"] == pytest.approx(gauss["epsilon"], rel=1e-6)
    with h5py.File(tmp_path / "signs.h5") as h5:
        assert h5["rounds/bits_up_payload"][-1] == 6 * 7 * 64


def test_a_bound_on_the_norm_saves_noise_of_signs(experiment, tmp_path):
    """Clipping at kappa times the mean size of a coordinate costs less than kappa times the noise."""
    noise = []
    for kappa in (1.0, 3.0):
        run(experiment, tmp_path / f"{kappa}.h5", "joint.kind=csgm", "joint.rate=0.5", f"joint.range={kappa}")
        noise.append(privacy(tmp_path / f"{kappa}.h5")["noise_std_on_released"])
    assert noise[0] < noise[1] < 2 * noise[0]


def test_one_block_in_every_round_is_the_gaussian_mechanism(experiment, tmp_path):
    run(experiment, tmp_path / "block.h5", "joint.kind=blocks", "joint.rate=1.0", "joint.block=64", "joint.rotate=false")
    run(experiment, tmp_path / "gauss.h5", "privacy.noise_at=server", "compressor.kind=identity")
    block, gauss = privacy(tmp_path / "block.h5"), privacy(tmp_path / "gauss.h5")
    assert block["epsilon"] == pytest.approx(gauss["epsilon"], rel=1e-6)
    assert block["noise_std_on_released"] == pytest.approx(gauss["noise_std_on_released"], rel=1e-6)
    with h5py.File(tmp_path / "block.h5") as one, h5py.File(tmp_path / "gauss.h5") as other:
        assert one["model/final"][:] == pytest.approx(other["model/final"][:], rel=1e-4, abs=1e-5)


def test_a_draw_of_blocks_hardly_costs_noise(tmp_path):
    """One of 64 of 8192 blocks of 1024 coordinates, as in PREAMBLE: 1 % more noise than all of them, and 64 times less
    to send. The ratio is that of the accountant's multipliers, sqrt(1 / 8192) * 64 * 6.0376 / 4.2247."""
    noise = []
    for more in (["--sampling", "poisson", "--rate", "0.015625", "--steps", "8192"], ["--steps", "1"]):
        result = call("privacy", "sigma", "--epsilon", "1", "--delta", "1e-6", *more)
        noise.append(float(result.out.split()[1]))
    assert noise[0] * 64 / 8192**0.5 / noise[1] == pytest.approx(1.0105, abs=5e-4)


@pytest.mark.parametrize(("settings", "key", "words"), [
    (["joint.kind=blocks", "privacy.noise_at=client"], "privacy.noise_at", "choose server"),
    (["joint.kind=blocks", "joint.block=0"], "joint.block", "expected"),
    (["joint.kind=blocks", "participation.kind=poisson"], "participation.kind", "choose full"),
    (["joint.kind=layered", "privacy.noise_at=server"], "privacy.noise_at", "choose client"),
    (["joint.kind=layered", "privacy.view=V_server"], "privacy.view", "choose V_aggregate"),
    (["joint.kind=layered", "method=pmtl", "privacy.view=V_others"], "privacy.view", "leave it out"),
    (["joint.kind=layered", "secagg.kind=masks"], "secagg.kind", "do not read this key"),
    (["joint.kind=layered", "privacy.rng=chacha20"], "privacy.rng", "choose philox"),
    (["joint.kind=layered", "participation.kind=poisson", "participation.rate=0.5"], "participation.kind",
     "choose full"),
    (["joint.kind=layered", "method=dp-normfedavg", "memory.kind=error-feedback"], "memory.kind", "choose none"),
    (["joint.kind=layered", "joint.range=0.5"], "joint.range", "1"),
    (["joint.kind=csgm", "privacy.noise_at=client"], "privacy.noise_at", "choose server"),
    (["joint.kind=csgm", "privacy.view=V_server"], "privacy.view", "choose V_aggregate"),
    (["joint.kind=csgm", "method=pmtl", "privacy.view=V_others"], "privacy.view", "choose V_aggregate"),
    (["joint.kind=csgm", "privacy.relation=zero_out"], "privacy.relation", "choose add_remove or replace_one"),
    (["joint.kind=csgm", "secagg.kind=masks"], "secagg.kind", "do not read this key"),
    (["joint.kind=csgm", "privacy.rng=chacha20"], "privacy.rng", "choose philox"),
    (["joint.kind=csgm", "participation.kind=fixed-size", "participation.size=3"], "participation.kind",
     "choose full"),
    (["joint.kind=csgm", "compressor.kind=rand-k"], "compressor.kind", "do not read this key"),
    (["joint.kind=csgm", "joint.rate=0"], "joint.rate", "(0, 1]"),
    (["joint.kind=csgm", "bound.of=message"], "bound.of", "choose update"),
])
def test_what_no_theorem_covers_is_refused(experiment, settings, key, words):
    result = call("run", experiment, *(part for s in settings for part in ("--set", s)))
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err


def mean(*arguments):
    result = call("mean", "--json", *arguments)
    assert result.code == 0, result.err
    return {one["mechanism"]: one for one in json.loads(result.out)["mechanisms"]}


@pytest.mark.parametrize(("epsilon", "bits", "error"), [(1, 67, 0.28557), (4, 237, 0.022792)])
def test_layered_means_have_the_published_size_and_the_error_of_the_gaussian_mechanism(epsilon, bits, error):
    """500 flat vectors of 1000 coordinates, delta 1e-6: joint mechanisms, section 10 of the specification."""
    found = mean("--mechanism", "layered", "--epsilon", epsilon, "--set", "joint.range=1", "--set",
                 "joint.rotate=false")["layered"]
    assert found["bits"] == pytest.approx(bits, rel=0.01)
    assert found["expected"] == pytest.approx(error, rel=1e-3)
    # A squared error of 1000 coordinates has a relative deviation of sqrt(2 / 1000) = 4.5 %, its mean of 10 has 1.4 %.
    assert found["error"] == pytest.approx(error, rel=0.02 + 4 * 0.014)


@pytest.mark.parametrize(("relation", "rate", "noise", "sampling"), [
    ("add_remove", 1, 0.07139, 0), ("add_remove", 0.1, 0.07218, 0.018), ("add_remove", 0.05, 0.07344, 0.038),
    ("replace_one", 0.1, 0.28555, 0.018), ("replace_one", 0.05, 0.28552, 0.038)])
def test_means_of_signs_have_the_published_error(relation, rate, noise, sampling):
    found = mean("--mechanism", "csgm", "--bits", rate, "--relation", relation, "--set", "joint.range=1", "--set",
                 "joint.rotate=false")["csgm"]
    assert found["bits"] == pytest.approx(1000 * rate, rel=0.01)
    assert found["expected"] == pytest.approx(noise + sampling, rel=1e-3)
    assert found["error"] == pytest.approx(noise + sampling, rel=0.02 + 4 * 0.014)


def test_means_of_blocks_have_the_error_of_the_formula():
    found = mean("--mechanism", "blocks", "--bits", "0.2", "--set", "joint.block=50", "--repetitions", "40")["blocks"]
    assert found["bits"] == pytest.approx(32 * 1000 * 0.2, rel=0.02)
    assert found["error"] == pytest.approx(found["expected"], rel=0.02 + 4 * 0.007)


def test_rotated_means_are_clipped_a_little(experiment):
    """At kappa = 3 the layered quantiser takes 200 bits, and the error is still that of the noise."""
    found = mean("--mechanism", "layered")["layered"]
    assert found["bits"] == pytest.approx(200, rel=0.02)
    assert found["error"] == pytest.approx(0.28557, rel=0.02 + 4 * 0.014)
