"""`trilemma graph`: degrees, spectral gap and consensus rate of a graph, and what the command refuses."""
import json
import math
import re

import pytest

from conftest import call


def ask(*words):
    """The JSON answer to a question."""
    result = call("graph", *words, "--json")
    assert result.code == 0 and result.err == "", result.err
    return json.loads(result.out)


def test_a_ring():
    answer = ask("ring", "16")
    rate = (1 + 2 * math.cos(math.pi / 8)) / 3
    assert answer["kind"] == "ring" and answer["nodes"] == 16 and answer["edges"] == 16
    assert answer["degree_least"] == answer["degree_most"] == answer["degree_mean"] == 2
    assert answer["consensus_rate"] == pytest.approx(rate, rel=1e-12)
    assert answer["spectral_gap"] == pytest.approx(1 - rate, rel=1e-12)
    assert answer["least_eigenvalue"] == pytest.approx(-1 / 3, rel=1e-12)
    assert answer["rounds_per_tenth"] == pytest.approx(-math.log(10) / math.log(rate), rel=1e-12)
    assert answer["is_converged"] and answer["redraws"] == 0 and answer["weights"] == "metropolis"


def test_the_text_has_the_same_numbers():
    answer = ask("erdos-renyi", "40", "--probability", "0.08", "--seed", "1")
    text = call("graph", "erdos-renyi", "40", "--probability", "0.08", "--seed", "1").out
    assert max(map(len, text.splitlines())) <= 100
    shown = dict(re.findall(r"^  (\w+(?: \w+)?) {2,}([\d.e+-]+)", text, re.M))
    assert float(shown["spectral gap"]) == pytest.approx(answer["spectral_gap"], rel=1e-5)
    assert float(shown["consensus rate"]) == pytest.approx(answer["consensus_rate"], rel=1e-7)
    assert float(shown["second eigenvalue"]) == pytest.approx(answer["second_eigenvalue"], rel=1e-7)
    assert f"{answer['degree_least']} to {answer['degree_most']}, mean" in text
    assert answer["redraws"] > 0 and f"{answer['redraws']} time" in text


def test_one_round_of_a_complete_graph_reaches_the_mean():
    assert ask("complete", "5")["rounds_per_tenth"] == 0
    assert "1 to reach the mean" in call("graph", "complete", "5").out


def test_ten_thousand_nodes():
    for words in (["ring"], ["torus"], ["star"], ["exponential"], ["erdos-renyi", "--probability", "0.002"]):
        answer = ask(words[0], "10000", *words[1:])
        assert answer["is_converged"] and 0 < answer["spectral_gap"] < 1


def test_a_graph_in_a_file(tmp_path):
    file = tmp_path / "path.txt"
    file.write_text("0 1\n1 2\n")
    assert ask("file", "3", "--file", file)["consensus_rate"] == pytest.approx(2 / 3)
    assert ask("file", "3", "--file", file, "--weights", "lazy")["least_eigenvalue"] == pytest.approx(0.5)
    file.write_text("0 1\n1 2\n1 1\n")
    result = call("graph", "file", "3", "--file", file)
    assert result.code == 2 and "path.txt:3: an edge from node 1 to itself" in result.sentence


@pytest.mark.parametrize("words, part", [
    (["rin", "5"], "graph.kind = 'rin'"),
    (["ring", "1"], "2"),
    (["ring", "5", "--rows", "3"], "graph.rows"),
    (["torus", "15", "--rows", "4"], "15 nodes in 4 rows"),
    (["star", "5", "--weights", "uniform"], "different degrees"),
    (["erdos-renyi", "5", "--probability", "2"], "graph.probability = 2"),
    (["file", "5"], "name the file"),
])
def test_refusals(words, part):
    result = call("graph", *words)
    assert result.code == 2 and part in result.sentence and result.out == ""


def test_the_graph_of_an_experiment(tmp_path):
    file = tmp_path / "ring.toml"
    file.write_text('method = "dsgd"\nclients = 16\nrounds = 2\ngraph.kind = "ring"\n'
                    'privacy.sigma = 1\nprivacy.delta = 1e-5\n')
    assert ask(file) == ask("ring", "16")
    assert ask(file, "--set", "clients=9", "--weights", "lazy") == ask("ring", "9", "--weights", "lazy")
    text = call("graph", file)
    assert text.code == 0 and text.out == call("graph", "ring", "16").out
    for more, words in ((["7"], "--set clients=..."), (["--seed", "2"], "--set seed=..."),
                        (["--set", "method=fedavg"], "fedavg has a server and no graph")):
        refused = call("graph", file, *more)
        assert refused.code == 2 and words in refused.sentence, refused.err
    missing = call("graph", "ring")
    assert missing.code == 2 and "the number of nodes is missing" in missing.sentence
