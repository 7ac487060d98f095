"""Secure aggregation: masks that cancel in the sum, and clients that drop out."""
import h5py
import numpy as np
import pytest

from conftest import call
from test_joint import PLAIN, run

CLIENTS = 20
DROPPING = ["participation.kind=drop-outs", "participation.probability=0.1", "secagg.dropouts=0.4"]


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "secagg.toml"
    path.write_text(PLAIN.replace("clients = 7", f"clients = {CLIENTS}"))
    return path


def secure_run(experiment, file, kind, *settings, ranks=None):
    """Makes a run whose sums are hidden in this way, and returns its final model."""
    run(experiment, file, "joint.kind=ddgauss", f"secagg.kind={kind}", *settings, ranks=ranks)
    with h5py.File(file) as h5:
        return h5["model/final"][:]


@pytest.mark.parametrize("bits", [8, 13, 16, 24])
def test_masks_change_no_bit_of_the_model(experiment, tmp_path, bits):
    models = [secure_run(experiment, tmp_path / f"{kind}.h5", kind, f"joint.bits={bits}")
              for kind in ("none", "masks", "counted")]
    assert np.array_equal(models[0], models[1]) and np.array_equal(models[0], models[2])


def test_the_claim_needs_no_trusted_server_and_bits_of_the_protocol_are_counted(experiment, tmp_path):
    file = tmp_path / "x.h5"
    secure_run(experiment, file, "masks", "exchange.up=gather", ranks=2)
    with h5py.File(file) as h5:
        privacy = h5["privacy"].attrs
        assert privacy["dp_claim"] == "accounted" and privacy["aggregation"] == "simulated_secagg"
        # No client is corrupt and none drops out, so 4 neighbours keep the ring connected.
        assert h5["rounds/bits_up_masks"][-1] == 6 * 8 * CLIENTS * (64 + 4 * 80 + 4 * 32)
        assert h5["rounds/bits_down_masks"][-1] == 6 * 8 * CLIENTS * (4 * (64 + 80) + 1)
        assert h5["rounds/bits_up_payload"][-1] == h5["mpi/bits_up"][-1]
    shown = call("show", file)
    assert "the server included, if the server follows the protocol, at most 0 of the clients" in " ".join(
        shown.out.split()), shown.out
    assert call("verify", file, "--rerun").code == 0


def test_planned_drop_outs_change_neither_claim_nor_sum(experiment, tmp_path):
    masked = secure_run(experiment, tmp_path / "masks.h5", "masks", *DROPPING, "secagg.corrupt=0.1")
    plain = secure_run(experiment, tmp_path / "counted.h5", "counted", *DROPPING, "secagg.corrupt=0.1")
    assert np.array_equal(masked, plain)
    with h5py.File(tmp_path / "masks.h5") as h5:
        assert h5["privacy"].attrs["dp_claim"] == "accounted" and 4.9 < h5["privacy"].attrs["epsilon"] <= 5
        messages = np.diff(h5["rounds/messages"][:])
        assert messages.min() < CLIENTS and messages.min() >= CLIENTS - 8
    assert call("verify", tmp_path / "masks.h5", "--rerun").code == 0


def test_clients_that_may_be_missing_add_no_noise_that_counts(experiment, tmp_path):
    """The share of each of the others grows by sqrt(20 / 10)."""
    noise = []
    for name, more in (("all.h5", []), ("some.h5", ["secagg.dropouts=0.4", "secagg.corrupt=0.1"])):
        secure_run(experiment, tmp_path / name, "counted", "joint.bits=24", *more)
        with h5py.File(tmp_path / name) as h5:
            noise.append(h5["privacy"].attrs["noise_std_on_released"])
    assert noise[1] / noise[0] == pytest.approx(2**0.5, rel=1e-3)


def test_more_drop_outs_than_planned_are_refused(experiment):
    """Who drops out follows from the seed, so no round has to begin."""
    settings = ["joint.kind=ddgauss", "secagg.kind=masks", "participation.kind=drop-outs",
                "participation.probability=0.5", "secagg.dropouts=0.1"]
    result = call("run", experiment, *(part for s in settings for part in ("--set", s)))
    assert result.code == 2 and "secagg.dropouts" in result.sentence, result.err
    assert "it allows 2 of 20 clients to drop out" in result.sentence, result.err


def test_counted_masks_are_no_masks_in_the_claim(experiment, tmp_path):
    file = tmp_path / "x.h5"
    secure_run(experiment, file, "counted")
    with h5py.File(file) as h5:
        assert h5["privacy"].attrs["aggregation"] == "counted_secagg"
        assert "of which this run only counts the bits" in h5.attrs["claim"]


def test_an_audit_leaves_drop_outs_out(experiment):
    result = call("audit", experiment, "--set", "joint.kind=skellam", "--set", "secagg.kind=masks", "--runs", "1000",
                  *(part for s in DROPPING for part in ("--set", s)))
    assert result.code == 0 and "no client drops out" in " ".join(result.out.split()), result.out + result.err


@pytest.mark.parametrize(("settings", "key", "words"), [
    (["participation.kind=drop-outs"], "participation.kind", "drop-outs with secagg.kind"),
    (["secagg.kind=masks", "secagg.dropouts=0.95"], "secagg.dropouts", "leaves fewer than two"),
    (["secagg.kind=masks", "secagg.dropouts=0.5", "secagg.corrupt=0.45"], "secagg.dropouts", "or secagg.corrupt"),
    (["secagg.kind=mask"], "secagg.kind", "masks"),
    (["secagg.kind=masks", "privacy.rng=chacha20"], "privacy.rng", "choose philox"),
    (["secagg.kind=masks", "participation.kind=poisson"], "participation.kind", "choose full"),
])
def test_what_is_not_safe_is_refused(experiment, settings, key, words):
    chosen = [part for s in ["joint.kind=ddgauss", *settings] for part in ("--set", s)]
    result = call("run", experiment, *chosen)
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err


def test_gaussian_noise_in_shares_is_refused_where_clients_drop_out(experiment):
    settings = ["participation.kind=drop-outs", "privacy.noise_at=client", "privacy.view=V_aggregate",
                "compressor.kind=identity"]
    result = call("run", experiment, *(part for s in settings for part in ("--set", s)))
    assert result.code == 2 and "privacy.view" in result.sentence, result.err
