"""`trilemma privacy network`: what nodes that average learn of each other, and what the command refuses."""
import json

import pytest
from conftest import call

RELEASE = ["--sigma", "2", "--delta", "1e-5"]


def ask(*words):
    """The JSON answer to a question."""
    result = call("privacy", "network", *words, *RELEASE, "--json")
    assert result.code == 0 and result.err == "", result.err
    return json.loads(result.out)


def local_epsilon(sigma):
    """Epsilon of one Gaussian release, from the accountant."""
    return json.loads(call("privacy", "epsilon", "--sigma", repr(sigma), "--delta", "1e-5", "--json").out)["value"]


def test_a_hypercube():
    answer = ask("--graph", "hypercube:32", "--steps", "7")
    assert [row["distance"] for row in answer["distances"]] == [1, 2, 3, 4, 5]
    assert [row["pairs"] for row in answer["distances"]] == [5, 10, 10, 5, 1]
    for row, share in zip(answer["distances"], (1, .5, .5, 1, 1), strict=True):
        assert row["share"] == {key: pytest.approx(share, abs=1e-9) for key in ("least", "median", "most")}
        # mu = sqrt(P) / sigma, so noise of sigma / sqrt(P) on the value itself gives the same epsilon.
        assert row["epsilon"]["most"] == pytest.approx(local_epsilon(2 / share ** .5), rel=1e-6)
    assert answer["distances"][2]["published_not_a_bound"]["median"] == pytest.approx(.596217, abs=6e-7)
    assert answer["epsilon_local"] == local_epsilon(2.0)
    assert answer["viewers"] == 1 and answer["nodes_are_alike"] is True


def test_every_viewer_of_like_nodes_gives_the_same_numbers():
    for graph in ("ring:12", "torus:12", "exponential:12", "complete:5", "hypercube:8"):
        one, all_nodes = (ask("--graph", graph, "--steps", "3", "--viewers", str(viewers))
                          for viewers in (1, int(graph.split(":")[1])))
        for a, b in zip(one["distances"], all_nodes["distances"], strict=True):
            assert a["share"] == {key: pytest.approx(value, abs=1e-9) for key, value in b["share"].items()}


def test_distance_and_noise_enter_by_their_ratio():
    one = ask("--graph", "ring:16", "--steps", "2", "--distance", "2")
    assert one["epsilon_local"] == pytest.approx(local_epsilon(1.0), rel=1e-9)


def test_nodes_out_of_reach_learn_nothing():
    answer = ask("--graph", "ring:1024", "--steps", "31")
    far = answer["distances"][31:]
    assert all(row["share"]["most"] == 0 and row["epsilon"]["most"] == 0 for row in far)
    text = call("privacy", "network", "--graph", "ring:1024", "--steps", "31", *RELEASE).out
    assert "1 to 31" in text and "32 to 512" in text and "not a bound" in text
    assert "No run can claim it" in text and max(map(len, text.splitlines())) <= 100


def test_a_star_is_seen_from_all_nodes():
    answer = ask("--graph", "star:16", "--steps", "12")
    assert answer["viewers"] == 16 and answer["nodes_are_alike"] is False
    assert answer["distances"][1]["share"]["median"] == pytest.approx(1 / 14, abs=1e-9)


@pytest.mark.parametrize("words, part", [
    (["--graph", "ring", "--steps", "3"], "KIND:NODES"),
    (["--graph", "ring:1", "--steps", "3"], "KIND:NODES"),
    (["--graph", "rin:8", "--steps", "3"], "graph.kind = 'rin'"),
    (["--graph", "ring:8", "--steps", "0"], "--steps 0"),
    (["--graph", "ring:8", "--steps", "3", "--distance", "0"], "--distance 0"),
    (["--graph", "ring:8", "--steps", "3", "--viewers", "9"], "--viewers 9"),
    (["--graph", "ring:1000000", "--steps", "1000"], "too many to compute"),
    (["--graph", "torus:15", "--rows", "4", "--steps", "3"], "15 nodes in 4 rows"),
])
def test_refusals(words, part):
    result = call("privacy", "network", *words, *RELEASE)
    assert result.code == 2 and part in result.sentence and result.out == ""


@pytest.mark.parametrize("words, part", [
    (["--sigma", "0", "--delta", "1e-5"], "--sigma 0"),
    (["--sigma", "1", "--delta", "2"], "delta = 2"),
])
def test_refused_noise(words, part):
    result = call("privacy", "network", "--graph", "ring:8", "--steps", "3", *words)
    assert result.code == 2 and part in result.sentence and result.out == ""
