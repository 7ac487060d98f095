"""`trilemma mean`: the error of private mechanisms on the mean of vectors, at equal epsilon."""
import json

import pytest

from conftest import call

SMALL = ["mean", "--clients", "60", "--dimension", "64"]


def means(*options):
    """The answer as JSON: mechanism -> what it says."""
    result = call(*SMALL, "--json", *options)
    assert result.code == 0, result.err
    return {one["mechanism"]: one for one in json.loads(result.out)["mechanisms"]}


def test_every_error_is_that_of_the_formula():
    """Within 2 % and 4 standard errors; a half-width is about 2 of these."""
    for name, one in means("--repetitions", "400", "--epsilon", "3", "--bits", "16").items():
        assert 2.9 < one["epsilon"] <= 3, name
        if one["expected"] is not None:
            assert abs(one["error"] - one["expected"]) < 0.02 * one["expected"] + 2.1 * one["half_width"], (name, one)


@pytest.mark.parametrize(("law", "norm"), [("sphere", 10), ("groups", 1)])
def test_other_laws_have_the_same_errors_in_units_of_the_norm(law, norm):
    for name, one in means("--law", law, "--norm", str(norm), "--repetitions", "100").items():
        if one["expected"] is not None:
            assert abs(one["error"] - one["expected"]) < 0.02 * one["expected"] + 2.1 * one["half_width"], (name, one)


def test_bits_are_those_of_the_words_and_few_cost_accuracy():
    fine, coarse = (means("--mechanism", "skellam", "--bits", bits)["skellam"] for bits in ("16", "10"))
    assert fine["bits"] == 16 * 64 and coarse["bits"] == 10 * 64
    assert coarse["expected"] > 1.5 * fine["expected"]


def test_what_does_not_fit_is_refused_in_its_row():
    options = ["--mechanism", "ddgauss", "--mechanism", "gaussian", "--bits", "4", "--epsilon", "0.1"]
    result = call(*SMALL, *options)
    assert result.code == 0 and "joint.bits" in result.out, result.out
    found = means(*options)
    assert "refused" in found["ddgauss"] and "error" in found["gaussian"]
    alone = call(*SMALL, "--mechanism", "ddgauss", "--bits", "4", "--epsilon", "0.1")
    assert alone.code == 2 and "joint.bits = 4" in alone.sentence, alone.err


def test_text_names_every_mechanism():
    shown = call(*SMALL).out
    assert all(f"\n{name} " in shown for name in means())


@pytest.mark.parametrize(("options", "words"), [
    (["--mechanism", "skelam"], ["--mechanism skelam", "skellam"]),
    (["--repetitions", "1"], ["--repetitions 1", "from 2"]),
    (["--law", "gauss"], ["data.law", "signs"]),
    (["--clients", "0"], ["clients"]),
    (["--bits", "-2"], ["--bits -2", "at most 1"]),
    (["--mechanism", "layered", "--bits", "3"], ["--bits 3", "no chosen mechanism"]),
    (["--set", "joint.kind=pbm"], ["--set joint.kind", "own options"]),
    (["--set", "privacy.epsilon=2"], ["--set privacy.epsilon", "own options"]),
])
def test_what_is_not_possible_is_refused(options, words):
    result = call("mean", *options)
    assert result.code == 2 and all(word in result.sentence for word in words), result.err
