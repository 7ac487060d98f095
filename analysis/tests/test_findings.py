"""The sentence above a figure."""

from types import SimpleNamespace

import pandas as pd
import pytest

from trilemma_analysis.model.uploads import Upload
from trilemma_analysis.plot import findings
from trilemma_analysis.plot.ways import Way


def test_the_end_of_the_way_is_named_only_where_all_lines_end_there():
    def way(*ends, equal=False):
        curves = [(line(str(end)), pd.DataFrame({"x": [0.0, end]})) for end in ends]
        return Way("accuracy", "rounds", Upload(), curves, float(max(ends)), equal, [], lambda run: run)

    assert way(200, 199).where == "After 200 rounds"
    assert way(200, 50).where == "At the end of each run"


def line(name, epsilon=2.0):
    return SimpleNamespace(name=name, path_name=name, epsilon=(epsilon, True), no_privacy=epsilon == 0, gone=False,
                           combination=SimpleNamespace(runs=()))


def values(*of_seeds):
    return dict(enumerate(of_seeds, 1))


A, B, C = (values(*of_seeds) for of_seeds in ((0.90, 0.91, 0.92), (0.80, 0.81, 0.83), (0.88, 0.93, 0.91)))


@pytest.mark.parametrize("found, sentence", [
    ([("a", A), ("b", B)], "After 9 rounds a leads with 91.0 %"),
    ([("a", A), ("b", B), ("c", C)], "After 9 rounds a is first with 91.0 %, but 3 seeds do not distinguish it from c"),
    ([("a", A), ("b", values(0.8))], "After 9 rounds a is first with 91.0 %, but 3 seeds do not distinguish it from b"),  # one common seed tells nothing
    ([("a", A)], ""),
])
def test_a_lead_is_told_by_the_paired_differences(found, sentence):
    assert findings.who_leads("After 9 rounds", [(line(name), each) for name, each in found], "accuracy") == sentence


def test_errors_are_better_when_lower():
    assert findings.who_leads("At the end", [(line("a"), A), (line("b"), B)], "test_error") == "At the end b leads with test error 0.81"


def test_methods_without_privacy_do_not_compete_with_private_ones():
    found = [(line("gd", 0), A), (line("a"), B), (line("b"), values(0.7, 0.71, 0.72))]
    assert findings.who_leads("At the end", found, "accuracy") == "At the end a leads the private methods with 81.0 %"
    assert findings.who_leads("At the end", [(line("a", 1.0), A), (line("b", 2.0), B)], "accuracy") == ""


def test_what_a_small_upload_costs_is_stated_where_the_seeds_distinguish_it():
    rows = [(line("a"), A, 1000.0), (line("b"), B, 100.0)]
    assert findings.cost_of_small_uploads(rows, "accuracy") == "With a tenth of a's upload, b loses 10.0 points at ε = 2"
    assert findings.cost_of_small_uploads([rows[0], (line("c"), C, 100.0)], "accuracy") == ""
    assert findings.cost_of_small_uploads([rows[0], (line("b"), B, 600.0)], "accuracy") == ""
    assert findings.cost_of_small_uploads([rows[0], (line("b"), B, 80.0)], "accuracy").startswith(
        "With an upload 12 times smaller than a's, b loses 10.0")


def test_of_tied_ones_the_smallest_upload_is_told():
    rows = [(line("a"), A, 1000.0), (line("c"), C, 500.0), (line("d"), C, 2000.0), (line("b"), B, 100.0)]
    assert findings.least_of_the_tied(rows, "accuracy") == \
        "3 of 4 are tied for the best test accuracy; c sends least of them (500 bit)"
