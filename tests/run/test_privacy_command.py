"""`trilemma privacy`: every reference row through the command line, and everything the command can be asked or refuse.

TRILEMMA_REFERENCE names another file of reference rows with the same columns (more are ignored), to check the program
against values it has not been developed with.
"""
import csv
import json
import os
import re
from pathlib import Path

import pytest
from conftest import ROOT, call

REFERENCE = Path(os.environ.get("TRILEMMA_REFERENCE", ROOT / "tests/privacy/accountant/reference.csv"))
# A guarantee may miss the truth by no more than this share.
SOUND = 1e-5
# Standard case of the tests that follow: eps = 1.82823666652 (reference row c000).
RELEASES = ["--sampling", "poisson", "--rate", "0.01", "--sigma", "1", "--steps", "1000", "--delta", "1e-5"]


def rows(path):
    """The rows of a reference file."""
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def ask(*words):
    """The JSON answer to a question."""
    result = call("privacy", *words, "--json")
    assert result.code == 0 and result.err == "", result.err
    return json.loads(result.out)


def releases(row):
    """The options that describe what a row is about."""
    relation = "replace_one" if row["neighbour"].startswith("replace_one") else "add_remove"
    sampling = {"none": "none", "fixed_size_wor": "fixed_wor"}.get(row["sampling"], "poisson")
    words = ["--relation", relation, "--sampling", sampling]
    if row["neighbour"] == "replace_one_dist1":
        words += ["--sigma-per", "distance"]
    if row["components"]:
        return words + [word for part in row["components"].split(";") for word in ("--component", part)]
    words += ["--rate", row["q"], "--steps", row["T"]]
    return words + (["--sigma", row["sigma"]] if row["sigma"] else [])


def check_answer(row, answer):
    """A guarantee must be sound and tight, its bounds must hold the truth."""
    reference = float(row["reference"])
    assert answer["certified"] and answer["upper"] == answer["value"]
    if row["sampling"] == "fixed_size_wor":  # theorem 27, which the dominating pair improves on
        assert 0 < answer["lower"] <= answer["value"] < reference
        return
    assert answer["value"] >= reference * (1 - SOUND)
    assert answer["lower"] <= reference * (1 + 1e-9)
    assert answer["value"] == pytest.approx(reference, rel=float(row["rel_tol"]))
    assert float(row["lower"]) * (1 - 1e-3) <= answer["value"] <= float(row["upper"]) * (1 + 1e-3)


def check_row(row):
    """One row by the automatic method and, where a value is given, by the Renyi one."""
    words = releases(row)
    if row["kind"].startswith("eps"):
        answer = ask("epsilon", *words, "--delta", row["delta"])
        check_answer(row, answer)
        assert answer["status"] == "ok"
        if row["rdp_eps_exact"]:
            exact = pytest.approx(float(row["rdp_eps_exact"]), rel=1e-6)
            renyi = ask("epsilon", *words, "--delta", row["delta"], "--method", "rdp")
            assert renyi["value"] == exact and renyi["order"] == pytest.approx(float(row["rdp_order_exact"]))
            assert answer["crosscheck"] == {"method": "rdp", "value": exact,
                                            "order": pytest.approx(float(row["rdp_order_exact"]))}
    elif row["kind"] == "sigma":
        claim = ["--epsilon", row["eps"], "--delta", row["delta"]]
        answer = ask("sigma", *words, *claim)
        check_answer(row, answer)
        assert answer["evaluations"] <= 20
        # What is printed is enough: no digit is lost on the way.
        back = ask("epsilon", *words, "--sigma", repr(answer["value"]), "--delta", row["delta"])
        assert back["value"] <= float(row["eps"])
        if row["sigma_rdp"]:
            renyi = ask("sigma", *words, *claim, "--method", "rdp")
            assert renyi["value"] == pytest.approx(float(row["sigma_rdp"]), rel=1e-6)
    elif row["kind"].startswith("rdp"):
        answer = ask("rdp", *words, "--order", row["alpha"])
        assert answer["value"] == pytest.approx(float(row["reference"]), rel=float(row["rel_tol"]))
    else:
        assert row["kind"].startswith("delta")
        check_answer(row, ask("delta", *words, "--epsilon", row["eps"]))


@pytest.mark.parametrize("row", rows(REFERENCE), ids=lambda row: row["case_id"])
def test_reference(row):
    check_row(row)


def test_text():
    text = call("privacy", "epsilon", *RELEASES).out
    answer = ask("epsilon", *RELEASES)
    fields = dict(re.split(r"\s{2,}|(?<=cross-check) ", line, maxsplit=1) for line in text.splitlines())
    assert answer["value"] == pytest.approx(1.82823666652, rel=1e-3)
    # Six digits, rounded so that the text promises no more than the full numbers.
    assert re.fullmatch(r"1\.\d{5}", fields["epsilon"])
    assert answer["value"] <= float(fields["epsilon"]) < answer["value"] + 1.1e-5
    low, high = (float(x) for x in re.findall(r"[\d.]+", fields["bounds"]))
    assert answer["lower"] - 1.1e-5 < low <= answer["lower"] and answer["upper"] <= high < answer["upper"] + 1.1e-5
    assert fields["method"].startswith("pld, ")
    assert fields["cross-check"].startswith("rdp 2.10137 ")
    # epsilon and delta stand together, with the relation.
    assert fields["claim"].startswith(f"({fields['epsilon']}, 1e-05)-differential privacy holds when one unit is added")
    assert "warning" not in fields and "status" not in fields


def test_json_says_what_was_asked():
    answer = ask("epsilon", *RELEASES, "--relation", "replace_one", "--sigma-per", "distance")
    assert answer["relation"] == "replace_one" and answer["sigma_per"] == "distance"
    assert answer["components"] == [{"sampling": "poisson", "rate": 0.01, "sigma": 1, "steps": 1000}]
    assert (answer["quantity"], answer["delta"], answer["method"]) == ("epsilon", 1e-5, "pld")
    assert answer["epsilon"] == answer["value"] and answer["grid_points"] > 0
    # The distance is twice the norm bound.
    bound = [{"1": "2"}.get(word, word) for word in RELEASES]
    assert answer["value"] == ask("epsilon", *bound, "--relation", "replace_one")["value"]


def test_sigma_per_distance_is_the_bound_for_add_remove():
    assert ask("epsilon", *RELEASES, "--sigma-per", "distance")["value"] == ask("epsilon", *RELEASES)["value"]


def test_sigma_in_the_unit_that_was_asked_for():
    words = ["--relation", "replace_one", "--steps", "10", "--epsilon", "1", "--delta", "1e-5"]
    bound, distance = ask("sigma", *words), ask("sigma", *words, "--sigma-per", "distance")
    assert bound["value"] == pytest.approx(2 * distance["value"], rel=1e-6)
    assert distance["components"][0]["sigma"] == pytest.approx(distance["value"], rel=1e-12)


def test_components():
    parts = ["--component", "0.1:2:50", "--component", "0.001:0.6:1000", "--component", "1:10:1"]
    answer = ask("epsilon", *parts, "--delta", "1e-6")
    assert answer["value"] == pytest.approx(2.4729880218, rel=1e-3)
    assert [c["sampling"] for c in answer["components"]] == ["poisson", "poisson", "none"]
    turned = ask("epsilon", *parts[4:], *parts[:4], "--delta", "1e-6")
    assert turned["value"] == pytest.approx(answer["value"], rel=1e-7)
    # The answer is a factor on all noises.
    factor = ask("sigma", *parts, "--epsilon", "2.4729880218", "--delta", "1e-6")
    assert factor["value"] == pytest.approx(1, abs=1e-3) and factor["value"] >= 1
    assert factor["components"][0]["sigma"] == 2 * factor["value"]


def test_rounds():
    words = ["--sampling", "poisson", "--rate", "0.01", "--sigma", "1", "--delta", "1e-5"]
    answer = ask("rounds", *words, "--epsilon", "1.8283")
    assert 995 <= answer["value"] <= 1000 and answer["components"][0]["steps"] == answer["value"]
    assert ask("epsilon", *words, "--steps", int(answer["value"]))["value"] <= 1.8283
    assert ask("epsilon", *words, "--steps", int(answer["value"]) + 1)["value"] > 1.8283
    assert ask("rounds", "--sigma", "0.5", "--epsilon", "1", "--delta", "1e-5")["value"] == 0


def test_rate():
    words = ["--sampling", "poisson", "--sigma", "1", "--steps", "1000", "--delta", "1e-5"]
    answer = ask("rate", *words, "--epsilon", "1.8283")
    assert answer["value"] == pytest.approx(0.01, rel=2e-3)
    assert ask("epsilon", *words, "--rate", repr(answer["value"]))["value"] <= 1.8283
    assert ask("rate", "--sampling", "poisson", "--sigma", "100", "--epsilon", "1", "--delta", "1e-5")["value"] == 1


def test_rate_leaves_what_is_not_sampled_alone():
    answer = ask("rate", "--component", "0.1:2:50", "--component", "1:10:1", "--epsilon", "1", "--delta", "1e-5")
    assert [c["rate"] for c in answer["components"]] == [answer["value"], 1]


def test_curve():
    answer = ask("curve", *RELEASES, "--points", "5")
    assert answer["rounds"] == [1, 5, 31, 177, 1000]
    assert answer["value"] == sorted(answer["value"]) and answer["value"][0] > 0
    assert all(low <= value == high for low, value, high in zip(answer["lower"], answer["value"], answer["upper"]))
    assert answer["value"][-1] == ask("epsilon", *RELEASES)["value"]
    text = call("privacy", "curve", *RELEASES, "--points", "5").out.splitlines()
    assert len(text) == 7 and text[1].split()[0] == "1" and text[5].split()[0] == "1000"
    assert text[6].startswith("claim of the last row: (1.828")


def test_curve_of_a_component_covers_its_steps():
    one = ask("curve", "--component", "0.01:1:1000", "--delta", "1e-5", "--points", "5")
    assert one["rounds"] == [1, 5, 31, 177, 1000]


def test_delta_of_many_steps():
    answer = ask("delta", *RELEASES[:-2], "--epsilon", "1.82823666652")
    assert answer["lower"] <= 1e-5 <= answer["value"] == pytest.approx(1e-5, rel=5e-3)


@pytest.mark.parametrize("words", [["--sigma", "10"], ["--sampling", "poisson", "--rate", "0.1", "--sigma", "10"]])
def test_delta_is_never_zero(words):
    answer = ask("delta", *words, "--epsilon", "500")
    assert answer["value"] > 0 and ", 0)-differential" not in answer["claim"]


def test_edges():
    unbounded = ask("epsilon", "--sigma", "5", "--delta", "0")
    assert unbounded["value"] == "inf" and unbounded["status"] == "unbounded"
    assert unbounded["claim"] == "no finite epsilon holds at this delta"
    for idle in (["--rate", "0", "--sampling", "poisson"], ["--steps", "0"]):
        assert ask("epsilon", *idle, "--delta", "1e-5")["value"] == 0
    assert ask("epsilon", "--sigma", "0.01", "--delta", "1e-5")["status"] == "no_meaningful_privacy"


@pytest.mark.parametrize("question", [["epsilon"], ["sigma", "--epsilon", "1"], ["rounds", "--epsilon", "1"]])
def test_delta_times_units(question):
    words = [*question, "--delta", "1e-3"] + (["--sigma", "9"] if question[0] != "sigma" else [])
    assert ask(*words)["warnings"] == []
    assert ask(*words, "--units", "10")["warnings"] == []
    assert ask(*words, "--units", "200")["warnings"] == [
        "delta times the number of units is 0.2; it should be well below 1"]
    assert ask(*words, "--units", "3000")["warnings"] == [
        "delta_too_large: delta times the number of units is 3: publishing one unit at random would satisfy it"]


# The names of keys of an experiment (local.sampling, participation.kind), and hyphens for underscores.
@pytest.mark.parametrize("name", ["fixed-wor", "without-replacement", "without_replacement", "fixed-size"])
def test_draws_without_replacement_have_one_meaning(name):
    words = ["--rate", "0.1", "--sigma", "2", "--steps", "10", "--delta", "1e-5", "--relation", "replace_one"]
    assert ask("epsilon", "--sampling", name, *words) == ask("epsilon", "--sampling", "fixed_wor", *words)


def test_hyphens_mean_underscores():
    words = ["--sigma-per", "distance", "--sigma", "2", "--delta", "1e-5"]
    assert ask("epsilon", "--relation", "replace-one", *words) == ask("epsilon", "--relation", "replace_one", *words)


@pytest.mark.parametrize("option", ["--releases", "--rounds"])
def test_steps_releases_and_rounds_are_one_option(option):
    words = ["--sigma", "5", "--delta", "1e-5"]
    assert ask("epsilon", option, "7", *words) == ask("epsilon", "--steps", "7", *words)


@pytest.mark.parametrize("question", ["epsilon", "sigma", "rounds", "rate", "curve", "delta", "rdp", "tuning"])
def test_help_shows_defaults(question):
    out = " ".join(call("privacy", question, "--help").out.split())
    defaults = {"--sampling": "none", "--relation": "add_remove", "--method": "automatic", "--orders": "standard",
                "--units": "0", "--sigma-per": "bound"}
    for option, default in defaults.items():
        assert re.search(rf"{option} \w+[ =]\[?{default}\b", out), f"{option}: {out}"
    assert ("--sigma FLOAT" in out) == (question != "sigma")


# The question, and what the sentence must say.
REFUSALS = {
    "rate": ("epsilon --delta 1e-5 --sampling poisson --rate 1.5", "rate = 1.5: must be a number from 0 to 1"),
    "rate nan": ("epsilon --delta 1e-5 --sampling poisson --rate nan", "rate = nan: must be a number from 0 to 1"),
    "rate unsampled": ("epsilon --delta 1e-5 --rate 0.5", "--rate 0.5: without --sampling every unit is in every release; add --sampling poisson"),
    "sigma zero": ("epsilon --delta 1e-5 --sigma 0", "sigma = 0: must be a finite number above 0"),
    "sigma inf": ("epsilon --delta 1e-5 --sigma inf", "sigma = inf: must be a finite number above 0"),
    "sigma negative": ("epsilon --delta 1e-5 --sigma=-1", "sigma = -1: must be a finite number above 0"),
    "steps": ("epsilon --delta 1e-5 --steps 1.5", "steps = 1.5: must be a whole number from 0 to 1e15"),
    "steps negative": ("epsilon --delta 1e-5 --steps=-1", "steps = -1: must be a whole number from 0 to 1e15"),
    "delta": ("epsilon --delta 1", "delta = 1: must be a number from 0 to below 1"),
    "delta negative": ("epsilon --delta=-1e-5", "delta = -1e-05: must be a number from 0 to below 1"),
    "delta nan": ("epsilon --delta nan", "delta = nan: must be a number from 0 to below 1"),
    "epsilon": ("delta --epsilon=-1", "epsilon = -1: must be a finite number, 0 or more"),
    "epsilon inf": ("sigma --epsilon inf --delta 1e-5", "epsilon = inf: must be a finite number, 0 or more"),
    "epsilon zero": ("sigma --epsilon 0 --delta 1e-5", "epsilon = 0: no Gaussian noise reaches it"),
    "delta zero": ("sigma --epsilon 1 --delta 0", "delta = 0: no Gaussian noise reaches it"),
    "order": ("rdp --order 1", "order = 1: must be a number above 1, at most 1e5"),
    "order nan": ("rdp --order nan", "order = nan: must be a number above 1, at most 1e5"),
    "orders": ("epsilon --delta 1e-5 --orders x", "--orders x: unknown; known are standard, refined"),
    "no theorem": ("epsilon --delta 1e-5 --sampling fixed_wor --rate 0.1", "--sampling fixed_wor: no theorem covers draws of a fixed size"),
    "method": ("epsilon --delta 1e-5 --method x", "--method x: unknown; known are automatic, gaussian"),
    "method sampled": ("epsilon --delta 1e-5 --sampling poisson --rate 0.1 --method gaussian",
                       "method gaussian is for releases without sampling"),
    "sampling": ("epsilon --delta 1e-5 --sampling x", "--sampling x: unknown; known are none, poisson, fixed_wor"),
    "relation": ("epsilon --delta 1e-5 --relation x", "--relation x: unknown; known are add_remove"),
    "sigma per": ("epsilon --delta 1e-5 --sigma-per x", "--sigma-per x: unknown; known are bound, distance"),
    "tolerance": ("epsilon --delta 1e-5 --tolerance 0", "--tolerance 0: give a relative width from 1e-7 to 0.5"),
    "units": ("epsilon --delta 1e-5 --units=-5", "--units -5: give the number of units"),
    "points": ("curve --delta 1e-5 --points 0", "--points 0: give a number from 1 to 10000"),
    "component": ("epsilon --delta 1e-5 --component 1:2", "--component 1:2: expected rate:sigma:steps"),
    "component text": ("epsilon --delta 1e-5 --component 1:x:2", '"x" is not a number; write rate:sigma:steps'),
    "component range": ("epsilon --delta 1e-5 --component 0.1:0:2", "sigma = 0: must be a finite number above 0"),
    "rate of none": ("rate --epsilon 1 --delta 1e-5", "sampling = none: there is no rate to be found"),
    "runs": ("tuning --delta 1e-5 --runs 0.5", "runs = 0.5: must be a number from 1 to 1e9"),
    "runs published": ("tuning --delta 1e-5 --runs 2.5 --distribution composition",
                       "runs = 2.5: must be a whole number where all runs are published"),
    "runs missing": ("tuning --delta 1e-5", "--runs"),
    "distribution": ("tuning --delta 1e-5 --runs 5 --distribution x", "--distribution x: unknown; known are geometric"),
    "eta": ("tuning --delta 1e-5 --runs 5 --distribution negative-binomial --eta=-1",
            "eta = -1: must be a number above -1, at most 1e6"),
    "eta missing": ("tuning --delta 1e-5 --runs 5 --distribution negative-binomial", "--eta: give it with"),
    "eta of another": ("tuning --delta 1e-5 --runs 5 --eta 2", "--eta: give it with --distribution negative-binomial"),
    "tuning method": ("tuning --delta 1e-5 --runs 5 --method gaussian", "choosing among runs"),
    "sigma and epsilon": ("tuning --delta 1e-5 --runs 5 --sigma 1 --epsilon 1", "--epsilon"),
    "tuning epsilon zero": ("tuning --delta 1e-5 --runs 5 --epsilon 0", "epsilon = 0: no Gaussian noise reaches it"),
    "not a number": ("epsilon --delta x", "--delta"),
    "missing": ("epsilon", "--delta"),
    "unknown": ("epsilon --delta 1e-5 --colour red", "--colour"),
    "no question": ("", "subcommand"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusal(case):
    words, wanted = REFUSALS[case]
    result = call("privacy", *words.split())
    assert result.code == 2 and result.out == "", result.out
    assert wanted in result.err
    assert len(result.err.splitlines()) == 1, result.err
    assert "terminate" not in result.err and "std::" not in result.err


def test_sampling_without_a_rate_is_asked_about():
    result = call("privacy", "epsilon", "--sampling", "poisson", "--sigma", "1", "--delta", "1e-5")
    assert result.code == 2 and "at which rate? Add --rate" in result.sentence
