"""Shuffled messages (privacy.view = "V_shuffled"): messages that are private alone, seen without their senders."""
import json

import h5py
import numpy as np
import pytest

from conftest import call
from test_joint import PLAIN, run
from test_local_mechanisms import privacy_of
from test_ranks import assert_same_bits

MANY = PLAIN.replace("clients = 7", "clients = 70").replace("epsilon = 5.0", "epsilon = 2.0")
SHUFFLED = "privacy.view=V_shuffled"
KINDS = pytest.mark.parametrize("kind", ["sqkr", "privunit"])


@pytest.fixture
def experiment(tmp_path):
    path = tmp_path / "shuffled.toml"
    path.write_text(MANY)
    return path


@KINDS
def test_the_claim_counts_on_the_shuffler_and_bits_are_those_sent(experiment, tmp_path, kind):
    file, seen = tmp_path / "x.h5", tmp_path / "seen.h5"
    run(experiment, file, f"joint.kind={kind}", SHUFFLED, ranks=2)
    privacy = privacy_of(file)
    assert privacy["dp_claim"] == "accounted" and privacy["view"] == "V_shuffled"
    assert privacy["aggregation"] == "simulated_shuffler" and privacy["noise_kind"] == kind
    assert 2 * (1 - 1e-4) < privacy["epsilon"] <= 2 and privacy["accountant_method"] == "pld"
    with h5py.File(file) as h5:
        assert h5["environment"].attrs["uplink"] == "shuffle"
        # D = 512: a sign and its coordinate take 10 bits. Messages travel in whole bytes.
        up = h5["rounds/bits_up_payload"][-1] / (6 * 70)
        assert up == 32 * len(h5["model/final"]) if kind == "privunit" else up > 0 and up % 10 == 0
        assert h5["mpi/bits_up"][-1] == 6 * 70 * 8 * np.ceil(up / 8)
    claim = call("show", file).out
    assert "not its sender, if the shuffler is trusted" in " ".join(claim.split())
    assert call("verify", file, "--rerun").code == 0
    run(experiment, seen, f"joint.kind={kind}")
    assert privacy_of(seen)["noise_std_on_released"] > 1.5 * privacy["noise_std_on_released"]


@KINDS
def test_runs_do_not_depend_on_ranks_or_breaks(experiment, tmp_path, kind):
    settings = [f"joint.kind={kind}", SHUFFLED]
    whole = tmp_path / "1.h5"
    run(experiment, whole, *settings)
    for ranks in (2, 3, 4):
        file = tmp_path / f"{ranks}.h5"
        run(experiment, file, *settings, ranks=ranks)
        assert_same_bits(whole, file)
    with h5py.File(whole) as h5:
        assert np.isfinite(h5["model/final"]).all() and np.any(h5["model/final"])
    # A failing write of round 4's checkpoint ends the run in its middle: round 2's is there.
    parts, chosen = tmp_path / "parts.h5", [word for s in settings for word in ("--set", s)]
    blocker = tmp_path / "parts.h5.checkpoint-4"
    (blocker / "in the way").mkdir(parents=True)
    assert call("run", experiment, *chosen, "--set", "checkpoint.rounds=2", "--output", parts, ranks=2).code != 0
    (blocker / "in the way").rmdir()
    blocker.rmdir()
    result = call("run", experiment, *chosen, "--resume", "--quiet", "--output", parts, ranks=3)
    assert result.code == 0, result.err
    assert_same_bits(whole, parts)


def test_the_server_gets_the_same_sum_under_a_secret(experiment, tmp_path):
    """Clients draw coordinates from their secrets, which no other end needs to know."""
    file = tmp_path / "x.h5"
    run(experiment, file, "joint.kind=sqkr", SHUFFLED, "privacy.rng=chacha20", ranks=2)
    assert privacy_of(file)["dp_claim"] == "accounted"
    assert privacy_of(file)["rng"] == "chacha20"


def test_errors_are_those_of_the_formulas():
    """500 vectors in 1,000 dimensions: 24 bits and 6.72, 48 bits and 3.36 (section 10 of the specification)."""
    for epsilon, bits, error in ((1, 24, 6.72), (4, 48, 3.36)):
        result = call("mean", "--epsilon", epsilon, "--delta", 1e-6, "--mechanism", "sqkr-shuffled",
                      "--repetitions", 2, "--json")
        assert result.code == 0, result.err
        row, = json.loads(result.out)["mechanisms"]
        assert row["trusted"] == "shuffler" and row["bits"] == bits
        assert abs(row["expected"] - error) < 0.01
        assert abs(row["error"] - error) < 0.15 * error
        assert epsilon * (1 - 1e-5) < row["epsilon"] <= epsilon


@pytest.mark.parametrize(("settings", "key", "words"), [
    (["joint.kind=none", "privacy.noise_at=client"], "privacy.view", 'choose joint.kind = "sqkr"'),
    (["joint.kind=ddgauss"], "privacy.view", "only if each is private alone"),
    (["joint.kind=csgm"], "privacy.view", "only if each is private alone"),
    (["privacy.noise_at=server"], "privacy.noise_at", "choose client"),
    (["privacy.relation=add_remove"], "privacy.relation", "choose zero_out or replace_one"),
    (["participation.kind=poisson", "participation.rate=0.5"], "participation.kind", "choose full"),
    (["participation.kind=drop-outs"], "participation.kind", "choose full"),
    (["exchange.up=gather"], "exchange.up", "choose shuffle"),
    (["exchange.up=auto"], "exchange.up", "choose shuffle"),
    (["method=dp-normfedavg", "memory.kind=error-feedback"], "memory.kind", "choose none"),
])
def test_what_no_theorem_covers_is_refused(experiment, settings, key, words):
    chosen = [part for s in ["joint.kind=sqkr", SHUFFLED, *settings] for part in ("--set", s)]
    result = call("run", experiment, *chosen)
    assert result.code == 2 and key in result.sentence and words in result.sentence, result.err


@KINDS
def test_an_audit_of_shuffled_messages_is_the_same_on_any_number_of_ranks(experiment, kind):
    chosen = ["--set", f"joint.kind={kind}", "--set", SHUFFLED, "--set", "rounds=1", "--set", "privacy.delta=0.01",
              "--dimension", 4, "--runs", 100, "--json", "--quiet"]
    found = [json.loads(call("audit", experiment, *chosen, ranks=ranks).out) for ranks in (1, 2)]
    assert found[0]["verdict"] == "not refuted" and "without their senders" in found[0]["observed"]
    assert found[0]["epsilon_claimed"] == pytest.approx(2, rel=1e-4) and found[0]["clients"] == 16
    assert {**found[0], "ranks": 2} == found[1]


def test_an_audit_of_messages_needs_no_delta(experiment):
    experiment.write_text(MANY.replace("delta = 1e-3\n", ""))
    result = call("audit", experiment, "--set", "joint.kind=privunit", "--set", "rounds=1", "--dimension", 4,
                  "--runs", 1000, "--json", "--quiet")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert found["delta"] == 0 and found["epsilon_claimed"] == pytest.approx(2)
    assert 0.5 < found["ratio"] < 1


def test_delta_is_needed_and_a_shuffler_is_for_its_view(experiment):
    result = call("run", experiment, "--set", "exchange.up=shuffle")
    assert result.code == 2 and "V_shuffled" in result.sentence and "exchange.up" in result.sentence, result.err
    experiment.write_text(MANY.replace("delta = 1e-3\n", ""))
    result = call("run", experiment, "--set", "joint.kind=sqkr", "--set", SHUFFLED)
    assert result.code == 2 and "needs privacy.delta too" in result.sentence, result.err
