"""`trilemma privacy tuning`: the theorems of Papernot and Steinke 2022 against closed forms, limits, and a mechanism
whose best of K runs is known exactly."""
import math
import re

import pytest

from conftest import call
from test_privacy_command import RELEASES, ask


def conversion(order, delta):
    """What a Renyi divergence gains on its way to epsilon."""
    return math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)


def normal(x):
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def drawn(distribution, eta):
    """The options of a distribution."""
    return ["--distribution", distribution] + ([f"--eta={eta}"] if distribution == "negative-binomial" else [])


@pytest.mark.parametrize("sigma", [2, 0.3])
@pytest.mark.parametrize(("distribution", "eta"), [("geometric", 1), ("logarithmic", 0), ("negative-binomial", -0.5)])
def test_theorem_two_for_gaussians(sigma, distribution, eta):
    """The divergence of order a is a rho: the minimum over the second order lies at sqrt(log(1/gamma)/rho), or at 1."""
    words = ["--sigma", sigma, "--steps", "5", "--delta", "1e-6", "--runs", "10"]
    answer = ask("tuning", *words, *drawn(distribution, eta))
    rho, inverse = 5 / (2 * sigma**2), -math.log(answer["runs"]["gamma"])
    choice = 2 * math.sqrt(inverse * rho) - rho if inverse > rho else inverse
    orders = (1.001 + 0.001 * i for i in range(50000))
    single = min(a * rho + math.log(10) / (a - 1) + conversion(a, 1e-6) for a in orders)
    assert answer["value"] == pytest.approx(single + (1 + eta) * choice, rel=2e-6)


@pytest.mark.parametrize("sigma", [5, 2, 0.8])
def test_theorem_six_for_gaussians(sigma):
    """delta of one release at the epsilon of every order, by Balle and Wang's formula."""
    words = ["tuning", "--sigma", sigma, "--delta", "1e-6", "--runs", "20", "--distribution", "poisson"]
    answer = ask(*words)

    def bound(order):
        own = math.log1p(1 / (order - 1))
        single = normal(0.5 / sigma - own * sigma) - math.exp(own) * normal(-0.5 / sigma - own * sigma)
        return order / (2 * sigma**2) + 20 * single + math.log(20) / (order - 1) + conversion(order, 1e-6)

    orders = [i / 10 for i in range(11, 110)] + list(range(11, 64)) + list(range(72, 121, 8)) + [128, 256, 512, 1024]
    assert answer["value"] == pytest.approx(min(map(bound, orders)), rel=1e-9)
    assert ask(*words, "--method", "rdp")["value"] > answer["value"]


@pytest.mark.parametrize(("eta", "gamma", "mean"), [
    (1, 0.25, 4), (0, 0.1, 9 / math.log(10)), (0.5, 0.1, 0.45 / (0.1 * (1 - math.sqrt(0.1)))),
    (-0.5, 0.1, -0.45 / (0.1 * (1 - math.sqrt(10)))),
])
def test_gamma_follows_from_the_mean(eta, gamma, mean):
    words = ["tuning", "--sigma", "5", "--delta", "1e-5", "--runs", repr(mean)]
    assert ask(*words, *drawn("negative-binomial", eta))["runs"]["gamma"] == pytest.approx(gamma, rel=1e-10)


def test_one_run_is_that_run():
    single = ask("epsilon", *RELEASES)["value"]
    assert ask("tuning", *RELEASES, "--runs", "1")["value"] == single
    assert ask("tuning", *RELEASES, "--runs", "1", "--distribution", "composition")["value"] == single
    # A second run that hardly ever happens hardly costs: the Renyi bound of one is left.
    renyi = ask("epsilon", *RELEASES, "--method", "rdp", "--orders", "refined")["value"]
    assert ask("tuning", *RELEASES, "--runs", "1.000000001")["value"] == pytest.approx(renyi, abs=1e-6)


@pytest.mark.parametrize(("distribution", "eta"), [
    ("geometric", 1), ("logarithmic", 0), ("negative-binomial", -0.5), ("poisson", 0)])
def test_rises_with_the_number_of_runs(distribution, eta):
    found = [ask("tuning", *RELEASES, "--runs", runs, *drawn(distribution, eta))["value"] for runs in (1.5, 3, 10, 100)]
    assert found == sorted(found) and ask("epsilon", *RELEASES)["value"] < found[0] < found[-1]


def largest(answer, sigma, epsilon, means):
    """delta(epsilon) of the largest of K releases N(mean, sigma^2): with G the generating function of K and F the
    distribution of a release, its density is G'(F) F'; without a release both neighbours look the same."""
    runs = answer["runs"]

    def density(x, mean):
        u = (x - mean) / sigma
        below = normal(u)
        single = math.exp(-0.5 * u * u) / (sigma * math.sqrt(2 * math.pi))
        if runs["distribution"] == "poisson":
            return runs["expected"] * math.exp(runs["expected"] * (below - 1)) * single
        eta, gamma = runs["eta"], runs["gamma"]
        rest = 1 - (1 - gamma) * below
        if eta == 0:
            return (1 - gamma) / rest / -math.log(gamma) * single
        return eta * (1 - gamma) * rest ** (-eta - 1) / (gamma**-eta - 1) * single

    step = sigma / 150
    places = (-12 * sigma - 1 + i * step for i in range(int((24 * sigma + 2) / step)))
    return sum(max(0, density(x, means[0]) - math.exp(epsilon) * density(x, means[1])) for x in places) * step


@pytest.mark.parametrize("sigma", [4, 1])
@pytest.mark.parametrize(("distribution", "runs", "eta"), [
    ("geometric", 5, 1), ("logarithmic", 30, 0), ("negative-binomial", 10, -0.5), ("negative-binomial", 8, 3),
    ("poisson", 5, 0), ("poisson", 40, 0)])
def test_covers_the_exact_cost_of_the_largest(sigma, distribution, runs, eta):
    answer = ask("tuning", "--sigma", sigma, "--delta", "1e-4", "--runs", runs, *drawn(distribution, eta))
    both = ((0, 1), (1, 0))
    assert max(largest(answer, sigma, answer["value"], means) for means in both) <= 1e-4
    # What a single run is accounted for does not cover it.
    assert max(largest(answer, sigma, answer["each_run"]["epsilon"], means) for means in both) > 1e-4


def test_edges_and_other_sampling():
    idle = ask("tuning", "--rate", "0", "--sampling", "poisson", "--delta", "1e-5", "--runs", "5")
    assert idle["value"] == 0
    assert ask("tuning", "--sigma", "5", "--delta", "0", "--runs", "5")["status"] == "unbounded"
    assert ask("tuning", "--sigma", "0.05", "--delta", "1e-5", "--runs", "5")["status"] == "no_meaningful_privacy"
    fixed = ["--sampling", "fixed_wor", "--relation", "replace_one", "--rate", "0.02", "--sigma", "4", "--steps", "100"]
    for distribution in ("geometric", "poisson"):
        answer = ask("tuning", *fixed, "--delta", "1e-5", "--runs", "5", "--distribution", distribution)
        assert answer["value"] > answer["each_run"]["epsilon"]


def test_answer():
    answer = ask("tuning", *RELEASES, "--runs", "36")
    single = ask("epsilon", *RELEASES)
    assert answer["each_run"] == {"epsilon": single["value"], "method": "pld"}
    assert answer["quantity"] == "epsilon" and answer["value"] == answer["epsilon"] > single["value"]
    assert answer["runs"]["gamma"] == pytest.approx(1 / 36, rel=1e-12) and answer["runs"]["expected"] == 36
    assert answer["runs"]["distribution"] == "geometric" and "numpy: geometric(0.0277" in answer["runs"]["draw"]
    assert "theorem 2 of Papernot and Steinke 2022" in answer["claim"]
    assert "one unit is added or removed, against an observer of the chosen run alone" in answer["claim"]
    text = call("privacy", "tuning", *RELEASES, "--runs", "36").out
    assert re.search(r"^each run     epsilon 1\.82\d+, pld$", text, re.M)
    assert re.search(r"^runs         36 expected, their number K geometric$", text, re.M)


@pytest.mark.parametrize(("words", "law", "theorem"), [
    (["logarithmic"], "logseries", "theorem 2 "),
    (["negative-binomial", "--eta", "0.5"], "negative_binomial(0.5, g)", "theorem 2 "),
    (["poisson"], "poisson(36)", "theorem 6 "),
])
def test_distributions(words, law, theorem):
    answer = ask("tuning", *RELEASES, "--runs", "36", "--distribution", *words)
    assert law in answer["runs"]["draw"] and theorem in answer["claim"]
    assert answer["value"] > answer["each_run"]["epsilon"]


def test_all_runs_published():
    answer = ask("tuning", *RELEASES, "--runs", "3", "--distribution", "composition")
    together = ["3000" if word == "1000" else word for word in RELEASES]
    assert answer["value"] == ask("epsilon", *together)["value"]
    assert answer["components"][0]["steps"] == 3000 and "draw" not in answer["runs"]
    assert "against an observer of everything released" in answer["claim"]


def test_asks_for_noise():
    words = [w for w in RELEASES if w not in ("--sigma", "1")] + ["--runs", "36"]
    answer = ask("tuning", *words, "--epsilon", "3")
    assert answer["quantity"] == "sigma" and answer["epsilon"] == 3
    assert answer["components"][0]["sigma"] == answer["value"]
    back = ask("tuning", *words, "--sigma", repr(answer["value"]))
    assert back["value"] <= 3 and back["value"] == pytest.approx(3, rel=1e-5)
