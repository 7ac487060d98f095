"""What a run file says that a round was planned to cost, against what was sent: budgets are planned with the one, and
`best` judges by it."""
import h5py
import numpy as np
import pytest

from conftest import call

POISSON = ["participation.kind=poisson", "participation.rate=0.5"]
FIXED = ["participation.kind=fixed-size", "participation.size=3"]
# Who takes part is certain, so what was planned is what crosses, to the bit.
CERTAIN = {
    "all clients": ["method=ldp-sgd"],
    "some of them": ["method=ldp-sgd", *FIXED],
    "compressed messages": ["method=soteriafl-sgd"],
    "messages of two vectors": ["method=scaffold", *FIXED],
    "memories, which hear every model": ["method=fed-alpha-normec", *FIXED],
    "a compressed model, for all": ["method=compressed-gd", "exchange.down=compressed", "downlink.kind=rand-k",
                                    "downlink.k=3", *FIXED],
    "training alone": ["method=local"],
    "models handed out before the first step": ["method=fedasync"],
    "the clock without such models": ["method=fedavg-timed"],
}


def run(experiment, file, settings):
    words = [word for setting in settings for word in ("--set", setting)]
    result = call("run", experiment, *words, "--quiet", "--output", file)
    assert result.code == 0, result.err
    assert call("verify", file).code in (0, 5)
    with h5py.File(file) as h5:
        planned = [h5.attrs[f"planned_bits_{name}"] for name in ("up", "down", "down_before")]
        columns = [h5["rounds"][name][:].astype(float) for name in ("bits_up_payload", "bits_down_payload", "messages")]
        return planned, columns, h5.attrs["clients"]


@pytest.mark.parametrize("name", CERTAIN)
def test_what_is_certain_is_what_crosses(logistic, tmp_path, name):
    (up, down, before), (sent, received, _), clients = run(logistic, tmp_path / "a.h5", CERTAIN[name])
    rounds = np.arange(len(sent))
    assert sent == pytest.approx(clients * up * rounds)
    assert received == pytest.approx(clients * (np.where(rounds > 0, before, 0) + down * rounds))


def test_what_is_drawn_is_planned_in_expectation(logistic, tmp_path):
    """7 clients with probability 1/2 and 31 coordinates of 32 bits each, whoever was drawn."""
    (up, _, _), (sent, _, messages), clients = run(logistic, tmp_path / "a.h5", ["method=ldp-sgd", *POISSON,
                                                                                 "wire.value=float32", "seed=2"])
    assert up == 31 * 32 / 2
    assert sent == pytest.approx(messages * 31 * 32)
    assert messages[-1] != 3.5 * 6, "choose a seed whose draws differ from what is expected"


@pytest.mark.parametrize("settings", [["method=ef21"], ["method=marina"], ["method=fedcompass"]])
def test_what_does_not_follow_from_the_settings_is_not_planned(logistic, tmp_path, settings):
    (up, _, _), (sent, _, _), _ = run(logistic, tmp_path / "a.h5", settings)
    assert np.isnan(up) and sent[-1] > 0
