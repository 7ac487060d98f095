"""Files of rules: what is wrong with one is a clear sentence."""
import pytest

from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.verdicts import RULES, papers

GOOD = '''
[rows.runs.columns]
method = {meaning = "method", attribute = "method"}
seed = {meaning = "seed", kind = "whole number", attribute = "seed"}
utility = {meaning = "utility", unit = "1", kind = "number", last = "utility", better = "smaller"}

[rules.made]
title = "MADE"
ids = ["MADE"]
paper = "ours ahead"
rows = "runs"
ours = [{line = "ahead by {of[A][first][gap]:.1f}"}]

[rules.made.views.main]
by = ["method"]

[[rules.made.statements]]
name = "A"
text = "ours is ahead"
ours = {method = "a"}
theirs = {method = "b"}
columns = ["utility"]
item = "{gap:+.2f}"

[rules.more]
like = "made"
title = "MORE"
changes = {A = {test = "gap", most = 0.5}}
'''


@pytest.fixture
def rules(tmp_path):
    """The rules of a file with some words in place of others."""
    def read(old="", new=""):
        assert old in GOOD
        path = tmp_path / "made.toml"
        path.write_text(GOOD.replace(old, new, 1))
        return {rule.name: rule for rule in papers.read(path)}
    return read


def test_a_rule_may_be_like_another(rules):
    import pandas as pd

    rows = pd.DataFrame([{"method": method, "seed": seed, "utility": utility + 0.01 * seed * (method == "a")}
                         for method, utility in (("a", 0.1), ("b", 1.0)) for seed in (1, 2, 3)])
    made, more = (rule.judge(rows) for rule in rules().values())
    assert (made.experiment, made.statements[0].holds, made.statements[0].evidence) == ("MADE", True, "-0.88")
    assert (more.experiment, more.statements[0].holds, more.ours) == ("MORE", True, "ahead by -0.9")
    worse = rows.assign(utility=-rows["utility"])
    assert [rule.judge(worse).statements[0].outcome.value for rule in rules().values()] == ["REVERSED", "REVERSED"]


@pytest.mark.parametrize(("old", "new", "sentence"), [
    ("[rules.made]", "[rules.made", r"not a readable TOML file \(.*\); restore it"),
    ('title = "MADE"\n', "", r"\[rules.made\] has no 'title'; add it"),
    ('paper = "ours', 'papers = "ours', r"\[rules.made\] has the unknown key 'papers'; take it out, or use one of title, "),
    ('paper = "ours ahead"\nrows = "runs"', 'paper = "x"\nrows = "run"', "rows is 'run', which is not known; use one of runs"),
    ('item = ', 'tset = "gap"\nitem = ', r"\[rules.made\], statement A has the unknown key 'tset'"),
    ('item = ', 'test = "beat"\nitem = ', "statement A: test is 'beat', which is not known; use one of beats, "),
    ('item = ', 'check = "fit"\nitem = ', "statement A: check is 'fit', which is not known; use one of spread, "),
    ('item = ', 'view = "mane"\nitem = ', "statement A: view is 'mane', which is not known; use one of main"),
    ('item = ', 'reversed = "some"\nitem = ', "statement A: reversed is 'some', which is not known; use one of any, all"),
    ('item = ', 'skip = "yes"\nitem = ', "statement A: skip is 'yes'; make it true or false"),
    ('item = "', 'item = 3 # "', "statement A: item is 3; make it a text"),
    ('name = "A"', "", "statement None has no 'name'; add it"),
    ('by = ["method"]', 'by = ["method"]\nchoose = "best"', "view main: choose is 'best', which is not known; use one of all, "),
    ('columns = ["utility"]', 'columns = ["utilty"]', "statement A: column is 'utilty', which is not known"),
    ('kind = "number"', 'kind = "real"', "column utility: kind is 'real', which is not known; use one of word, number"),
    ('like = "made"', 'like = "mad"', r"\[rules.more\] is like 'mad', which is not above it; name one of made"),
    ("changes = {A", "changes = {B", "changes is 'B', which is not known; use one of A"),
])
def test_what_is_wrong_with_a_file_is_said(rules, old, new, sentence):
    with pytest.raises(RunFileError, match=sentence) as found:
        rules(old, new)
    assert str(found.value).startswith(str(found.value).split("made.toml")[0] + "made.toml: ")


def test_all_rules_have_their_words():
    assert all(rule.paper and rule.ids and all(column.meaning for column in rule.columns.values()) for rule in RULES.values())
