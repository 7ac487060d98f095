"""The sentence above a figure."""

from dataclasses import dataclass, field
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


@dataclass(frozen=True, eq=False)
class Line:
    """What a title needs of a line."""

    name: str
    level: float = 2.0
    gone: bool = False
    combination: SimpleNamespace = field(default_factory=SimpleNamespace)

    @property
    def epsilon(self):
        return self.level, True

    @property
    def no_privacy(self):
        return self.level == 0

    @property
    def path_name(self):
        return self.name


def line(name, epsilon=2.0):
    return Line(name, epsilon, combination=SimpleNamespace(runs=(), method=name))


def values(*of_seeds):
    return dict(enumerate(of_seeds, 1))


A, B, C = (values(*of_seeds) for of_seeds in ((0.90, 0.91, 0.92), (0.80, 0.81, 0.83), (0.88, 0.93, 0.91)))


@pytest.mark.parametrize("found, sentence", [
    ([("a", A), ("b", B)], "After 9 rounds, a leads with 91.0 %"),
    ([("a", A), ("b", B), ("c", C)], "After 9 rounds, a and c are tied at 91.0 %"),
    ([("a", A), ("b", B), ("c", C), ("d", values(0.9, 0.92, 0.93))],
     "After 9 rounds, 3 of 4 methods are tied at 91.0 to 92.0 %"),
    ([("a", A), ("b", values(0.8))], "After 9 rounds, one seed cannot tell which of 2 methods is best (80.0 to 91.0 %)"),
    ([("a", values(0.9, 0.9)), ("b", values(0.8, 0.8))],
     "After 9 rounds, 2 seeds cannot tell which of 2 methods is best (80.0 to 90.0 %)"),
    ([("a", A), ("b", B), ("c", values(0.8))], "After 9 rounds, a leads with 91.0 %; the seeds cannot tell about c"),
    ([("a", A)], ""),
])
def test_a_lead_is_told_by_the_paired_differences(found, sentence):
    assert findings.who_leads("After 9 rounds", [(line(name), each) for name, each in found], "accuracy") == sentence


def test_errors_are_better_when_lower():
    assert findings.who_leads("At the end", [(line("a"), A), (line("b"), B)], "test_error") == "At the end, b leads with test error 0.81"
    assert findings.who_leads("At the end", [(line("a"), A), (line("c"), C)], "test_error") == \
        "At the end, c and a are tied at test error 0.91"


def test_methods_without_privacy_do_not_compete_with_private_ones():
    found = [(line("gd", 0), A), (line("a"), B), (line("b"), values(0.7, 0.71, 0.72))]
    assert findings.who_leads("At the end", found, "accuracy") == "At the end, a leads the private methods with 81.0 %"
    assert findings.who_leads("At the end", found[:2], "accuracy") == ""


def test_methods_are_compared_at_each_epsilon():
    found = [(line("a", 1.0), B), (line("b", 1.0), C), (line("a", 2.0), A), (line("b", 2.0), C), (line("c", 2.0), B)]
    assert findings.who_leads("At the end", found, "accuracy") == \
        "At the end, a and b are tied at 91.0 % at ε = 2; b leads with 91.0 % at ε = 1"
    assert findings.who_leads("At the end", [(line("a", 1.0), A), (line("b", 2.0), B)], "accuracy") == ""


def test_a_lead_that_the_drawn_medians_contradict_is_no_title():
    """b is better in the mean, and seed by seed, and has the lower median."""
    a = {seed: value for seed, value in enumerate((0.10, 0.11, 0.50, 0.50, 0.50), 1)}
    b = {seed: value for seed, value in enumerate((0.40, 0.42, 0.4999, 0.70, 0.71), 1)}
    assert findings.judged([(line("a"), a), (line("b"), b)], "accuracy").first.item.name == "b"
    assert findings.who_leads("At the end", [(line("a"), a), (line("b"), b)], "accuracy") == ""


def test_what_a_small_upload_costs_is_stated_where_the_seeds_distinguish_it():
    rows = [(line("a"), A, 1000.0), (line("b"), B, 100.0)]
    assert findings.cost_of_small_uploads(rows, "accuracy") == "With a tenth of a's upload, b loses 10.0 points at ε = 2"
    assert findings.cost_of_small_uploads([rows[0], (line("c"), C, 100.0)], "accuracy") == ""
    assert findings.cost_of_small_uploads([rows[0], (line("b"), B, 600.0)], "accuracy") == ""
    two = [(line("a"), values(0.9, 0.91), 1000.0), (line("b"), values(0.8, 0.81), 100.0)]
    assert findings.cost_of_small_uploads(two, "accuracy") == ""
    assert findings.cost_of_small_uploads([rows[0], (line("b"), B, 80.0)], "accuracy").startswith(
        "With an upload 12 times smaller than a's, b loses 10.0")


def test_of_tied_ones_the_smallest_upload_is_told():
    rows = [(line("a"), A, 1000.0), (line("c"), C, 500.0), (line("d"), C, 2000.0), (line("b"), B, 100.0)]
    assert findings.least_of_the_tied(rows, "accuracy") == \
        "3 of 4 methods are tied for the best test accuracy (91.0 %); c sends least of them (500 bit)"
    few = [(each, {seed: value for seed, value in found.items() if seed < 3}, bits) for each, found, bits in rows]
    assert findings.least_of_the_tied(few, "accuracy") == ""
    public = [(line("a", 0), A, 1000.0), *((line(name), C, bits) for name, bits in (("c", 500.0), ("d", 2000.0), ("e", 9.0)))]
    assert findings.least_of_the_tied(public, "accuracy") == \
        "All 3 private methods are tied for the best test accuracy (91.0 %); e sends least of them (9 bit)"
