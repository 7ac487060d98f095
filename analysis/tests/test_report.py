"""The report of a sweep as a file: complete without JavaScript, the same bytes each time, and nothing from a name in it
that a browser would run."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis import RunFileError, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.model.budgets import Budget
from trilemma_analysis.report import stills
from trilemma_analysis.report.charts import tunings
from trilemma_analysis.report.colours import contrast, readable
from trilemma_analysis.report.content import collect
from trilemma_analysis.report.packed import pack, thin
from trilemma_analysis.report.page import HEADINGS, as_script, render
from trilemma_analysis.report.paths import without_folders

METHODS = ("ldp-sgd", "cdp-sgd")
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def cell(method, seed, accuracy, epsilon=2.0, **run):
    config = f'method = "{method}"\nseed = {seed}\n[privacy]\nepsilon = {epsilon}\n'
    columns = {"accuracy": [0.5, *accuracy], "epsilon": [0.0, epsilon / 2, epsilon]}
    return {"values": {"method": method, "privacy.epsilon": epsilon, "seed": seed},
            "run": {"config": config, "columns": columns, "epsilon": epsilon} | run}


def cells():
    return [cell(method, seed, (0.6, 0.7 + 0.01 * seed + ahead), epsilon) for epsilon in (0.5, 2.0)
            for method, ahead in (("ldp-sgd", 0.1), ("cdp-sgd", 0.0)) for seed in (1, 2, 3)]


@pytest.fixture
def pictures():
    """Lets a test draw the pictures of its reports."""


@pytest.fixture(autouse=True)
def without_pictures(request, monkeypatch):
    """Pictures take seconds a report: only tests that ask for `pictures` draw them."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr(stills, "_still", lambda draw: "")


class Page(HTMLParser):
    """Elements of a page: tags with their attributes, and texts by the section they are in."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.section = [], {}, ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.section = dict(attributes)["id"] if tag == "section" else self.section

    def handle_data(self, data):
        self.texts[self.section] = self.texts.get(self.section, "") + data


def test_sections_are_complete_without_javascript(pictures, make_sweep):
    text = render(collect([read_sweep(make_sweep(cells()))], Budget()))
    page = Page(text)
    assert [each["id"] for tag, each in page.tags if tag == "section"] == list(HEADINGS)
    # Once in the sentence at the top, and once in each of two rankings.
    assert page.texts["answer"].count("ldp-sgd wins") == 3 and "83" not in page.texts["answer"].split("wins")[0]
    assert page.texts["answer"].count("82.0 %") >= 2  # mean of 0.81, 0.82, 0.83
    assert page.texts["runs"].count("ldp-sgd") == 6 and "12 of 12 cells done" in page.texts["runs"]
    assert "one record" in text and page.texts["privacy"].count("add_remove") >= 1
    pictures = [each for tag, each in page.tags if tag == "img"]
    assert len(pictures) == 4 and "ldp-sgd wins" in pictures[0]["alt"] and "round; " in pictures[0]["alt"]  # of the answer, plane, ways, epsilon
    for each in pictures:
        kind, _, content = unquote(each["src"]).partition(",")
        assert kind == "data:image/svg+xml;base64" and b"<svg" in base64.b64decode(content)


def test_the_same_folder_gives_the_same_bytes(pictures, make_sweep, tmp_path, capsys):
    folder = str(make_sweep(cells()[:4]))
    for name in ("a.html", "b.html"):
        assert main(["report", folder, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_names_cannot_leave_their_place(pictures, make_sweep):
    """A method, a claim and a sweep with tags in their names, and one of 300 letters, add no element to the page."""
    hostile = [cell(name, seed, (0.6, 0.7), claim=f"holds: {HOSTILE}") for seed in (1, 2)
               for name in (HOSTILE, "x$y${z}" + 300 * "n")]
    for each in hostile:
        each["run"]["config"] = "seed = 1\n"
    text = render(collect([read_sweep(make_sweep(hostile, name=HOSTILE))], Budget()))
    page = Page(text)
    assert sum(tag == "script" for tag, _ in page.tags) == 3 and {each["class"] for tag, each in page.tags if tag == "img"} == {"still"}
    assert not [name for _, each in page.tags for name in each if name.startswith("on") or name == "style"]
    assert "alert(1)" in page.texts["runs"] and "x$y${z}" in page.texts["runs"]


def test_only_own_script_and_style_may_run(make_sweep):
    text = render(collect([read_sweep(make_sweep(cells()[:2]))], Budget()))
    policy = next(each["content"] for tag, each in Page(text).tags if each.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy
    assert not re.search(r"(src|href)=[\"']?(https?:)?//|@import|url\(", text.replace("http://www.w3.org/2000/svg", ""))


def test_data_in_a_script_element_cannot_end_it():
    text = as_script({"a": "</script>&", "b": [math.nan, math.inf, 1.5]})
    assert "<" not in text and ">" not in text and "&" not in text
    assert json.loads(text) == {"a": "</script>&", "b": [None, None, 1.5]}


def unpacked(text):
    """The states as rank.js reads them."""
    whole = gzip.decompress(base64.b64decode(text))
    size = int.from_bytes(whole[:4], "little")
    head, place, columns = json.loads(whole[4:4 + size]), 4 + size, []
    for wide, length in head["columns"]:
        planes = np.frombuffer(whole[place:place + wide * length], np.uint8).reshape(wide, length)
        columns.append(np.frombuffer(planes.T.tobytes(), f"<f{wide}"))
        place += wide * length
    return [{name: columns[i] for name, i in run.items()} for run in head["runs"]]


def test_states_come_back_from_the_page(make_sweep):
    content = collect([read_sweep(make_sweep(cells()))], Budget())
    runs = unpacked(pack(content).text)
    assert len(runs) == 12
    for member, run in zip(content.members, runs):
        assert run["round"].tolist() == [0, 1, 2] and run["up"].tolist() == [0, 640, 1280]  # exact
        assert run["accuracy"] == pytest.approx(member.run.rounds["accuracy"], rel=1e-7)
        assert run["objective"] == pytest.approx([1.0, 0.5, 0.625], rel=1e-7)
        assert "seconds" not in run  # no evidence of time


def test_thinned_states_keep_the_extremes():
    table = pd.DataFrame({"utility": [*np.linspace(0, 1, 50), 7.0, -3.0, *np.linspace(0, 1, 50)]})
    kept = thin(table, "utility", 12)
    assert len(kept) <= 12 and {0, 50, 51, 101} <= set(kept.index)


def test_a_long_report_is_thinned_and_says_so(make_sweep, monkeypatch):
    from trilemma_analysis.report import packed
    monkeypatch.setattr(packed, "MOST_LETTERS", 2000)
    monkeypatch.setattr(packed, "FEWEST_STATES", 3)
    rows = 400
    noisy = np.random.default_rng(1).random(rows)
    columns = {"round": range(rows), "accuracy": noisy, **dict.fromkeys(
        ("objective", "gradient_norm_squared", "utility"), noisy), **dict.fromkeys(
        ("epsilon", "bits_up_model", "bits_down_model", "bits_up_payload", "bits_down_payload", "batch_records"),
        range(rows))}
    made = cell("cdp-sgd", 1, (0, 0), rounds=np.int64(rows), mpi=dict.fromkeys(
        ("bits_up", "bits_down", "bits_evaluation"), range(rows)))
    made["run"]["columns"] = columns
    text = render(collect([read_sweep(make_sweep([made]))], Budget()))
    assert re.search(r"The page holds at most \d+ of up to 400 evaluated states", text)


def test_nothing_to_report_and_nothing_to_compare(make_sweep):
    sweep = make_sweep([cell("cdp-sgd", 1, (0.6, 0.7)) | {"state": "missing"}])
    with pytest.raises(RunFileError, match="no cell is done"):
        collect([read_sweep(sweep)], Budget())


def test_runs_without_metrics_are_reported_without_an_answer(make_sweep):
    strict = cell("cdp-sgd", 1, (math.nan, math.nan))
    nothing = dict.fromkeys(("objective", "gradient_norm_squared", "utility", "accuracy", "suboptimality"), [math.nan] * 3)
    strict["run"]["columns"] = nothing
    text = render(collect([read_sweep(make_sweep([strict]))], Budget()))
    assert "No answer: no run can be compared" in text and "1 of 1 cells done" in text


def test_values_that_are_not_finite_do_not_break_a_figure(pictures, make_sweep):
    """Infinite and unknown values have no place on an axis, and no text has them."""
    made = [cell("ldp-sgd", seed, (0.6, math.nan)) for seed in (1, 2)]
    made += [cell("cdp-sgd", seed, (0.6, 0.7)) for seed in (1, 2)]
    for each in made:
        each["run"]["columns"]["objective"] = [1.0, math.inf, math.inf]
    for metric in ("accuracy", "objective"):
        text = render(collect([read_sweep(make_sweep(made))], Budget(), metric)) if metric == "accuracy" else text
    assert not re.search(r'="[^"]*\bnan\b|="[^"]*\binf\b', text)


@pytest.mark.parametrize("ground", ["#ffffff", "#16181d"])
def test_colours_are_readable_on_both_grounds(ground):
    from trilemma_analysis.plot.style import COLOURS
    assert all(contrast(readable(colour, ground), ground) >= 4.5 for colour in COLOURS.values())


def test_a_diverged_run_is_named_and_crossed(make_sweep):
    made = [cell(method, seed, (0.6, 0.7)) for method in ("ldp-sgd", "cdp-sgd") for seed in (1, 2, 3)]
    for each in made[3:]:
        each["run"]["columns"]["objective"] = [0.7, 0.9, 5000.0]
    text = render(collect([read_sweep(make_sweep(made))], Budget()))
    page = Page(text)
    assert "diverged: 3 of 6 runs" in page.texts["answer"] and "diverged (3 of 3)" in page.texts["answer"]
    assert '"style":"diverged"' in text and page.texts["runs"].count("diverged") == 3


@pytest.mark.parametrize("folder", ["{}/secret", "{}/secret (my own) files", "file://{}/secret [1]"])
def test_the_page_names_no_folder_of_the_machine(make_sweep, tmp_path, folder):
    made, folder = cells()[:6], folder.format(tmp_path)
    for each in made:
        each["run"]["config"] += f'[data]\ntrain = "{folder}/a.csv"\n'
        each["run"]["environment"] = {"launch": f"mpirun {tmp_path}/secret/trilemma run {tmp_path}/x.toml",
                                      "started": "2026-01-02T03:04:05Z"}
    made.append(cells()[7] | {"state": "failed", "reason": f"{folder}/x.h5: cannot be written\n"})
    text = render(collect([read_sweep(make_sweep(made, experiment=f"{folder}/made.toml"))], Budget()))
    packed_ = gzip.decompress(base64.b64decode(re.search(r'id="curves">([^<]*)<', text)[1])).decode(errors="replace")
    for whole in (text, packed_):
        assert str(tmp_path) not in whole and "secret" not in whole
    assert "12 runs" not in text and "made.toml" in text and "mpirun trilemma run x.toml" in text and "x.h5: cannot be written" in text
    assert 'train = \\"a.csv\\"' in packed_


@pytest.mark.parametrize("text, expected", [
    ("/home/my runs/x.h5: cannot be written", "x.h5: cannot be written"),
    ("1 run of /a b/c: passed over for those in /a b/d (old), which came first",
     "1 run of c: passed over for those in d (old), which came first"),
    ("<td>/home/my runs (old)/x y.h5</td>", "<td>x y.h5</td>"),
    ("mpirun /a/b/trilemma run /c(1)/[d]/x.toml --output runs/x.h5", "mpirun trilemma run x.toml --output runs/x.h5"),
    ('train = "/home/my data/R&D [1], new/a.csv" # kept', 'train = "a.csv" # kept'),
    ("train = &quot;/home/my data/R&amp;D/a.csv&quot;", "train = &quot;a.csv&quot;"),
    ("from '/home/my data/O\"Brien/a.csv'", "from 'a.csv'"),
    ("/home/O&#x27;Brien/R&amp;D/a.csv is", "a.csv is"), ("/home/O'Brien/a.csv is", "a.csv is"),
    ("see file:///home/a/x.h5 and file://host/b/c/y.h5", "see x.h5 and y.h5"),
    ("file:/home/my data/x.h5: broken", "x.h5: broken"), ('"file:///home/my data/x.h5"', '"x.h5"'),
    ("PATH=/usr/a/bin:/home/me/bin -I/home/me/include", "PATH=bin:bin -Iinclude"), ("~me/secret/x.h5", "x.h5"),
    ("https://x.org/a/b c/d, 3 kbit/s, up/client, </p>, ./a/b, docs/a/b.md", None), ("a / b / c, /tmp, 1/2/3", None)])
def test_folders_are_found_in_every_text(text, expected):
    """Names of folders have blanks, brackets and quotes; what is no absolute path stays."""
    assert without_folders(text) == (text if expected is None else expected)


def test_the_command_of_the_page_runs(make_sweep, tmp_path, monkeypatch, capsys):
    """What the page names is the folder as a command can name it where the report was written."""
    from trilemma_analysis.io.words import relative
    folder = make_sweep(cells())
    monkeypatch.chdir(tmp_path)
    assert relative(folder) == "sweep"
    assert main(["best", relative(folder), "--bits", "400bits", "--metric", "accuracy"]) == 0


def test_the_text_of_the_author_stands_at_the_top(make_sweep, tmp_path, capsys):
    (tmp_path / "text.md").write_text("# Aim\n\nIs *less* **really** `a*b*` [more](https://x.org)? "
                                      "[no](javascript:alert(1)) <script>alert(3)</script>\n\n1. one\n2. two\n   again\n\n```\n<b>\n```\n")
    assert main(["report", str(make_sweep(cells())), "-o", str(tmp_path / "a.html"), "--text", str(tmp_path / "text.md")]) == 0
    text = (tmp_path / "a.html").read_text()
    assert '<h2>Aim</h2><p>Is <em>less</em> <strong>really</strong> <code>a*b*</code> <a href="https://x.org">more</a>? [no](' in text
    assert "<ol><li>one</li><li>two again</li></ol><pre><code>&lt;b&gt;</code></pre>" in text
    assert text.index("<h2>Aim") < text.index('class="headline"') and sum(tag == "script" for tag, _ in Page(text).tags) == 3
    assert main(["report", str(tmp_path / "sweep"), "-o", str(tmp_path / "b.html"), "--text", str(tmp_path / "none.md")]) == 2


def test_the_first_screen_has_value_bits_and_the_constant_model(make_sweep, tmp_path):
    made = cells()
    for each in made:
        each["run"] |= {"baseline_score": 0.6}
        if each["values"]["method"] == "cdp-sgd":
            each["run"]["columns"] |= {"bits_up_payload": [0, 64, 128]}
    text = render(collect([read_sweep(make_sweep(made))], Budget()))
    said = re.search(r'class="headline">([^<]*)<', text)[1]
    assert said == "ε = 2: ldp-sgd wins with 82.0 % [79.5, 84.5] and 128 bit per client; at 12.8 bit per client cdp-sgd reaches 72.0 %, " \
        "with nothing to compare (ldp-sgd: never evaluated within the budget: the first evaluated round after the start, 1, has spent " \
        "8 B per client); a constant model scores 60.0 %"
    # The question itself may leave one method alone.
    alone = render(collect([read_sweep(tmp_path / "sweep")], Budget(bits=13.0)))
    assert "ε = 2: cdp-sgd reaches 72.0 %, with nothing to compare (12.8 bit per client) (ldp-sgd: never evaluated within" in alone


def on_tasks(name, values, rates=(1.0,)):
    """Two methods with one epsilon for each value of a setting, at step sizes of which the last one is best."""
    made = [cell(method, seed, (0.6, 0.7 + 0.01 * seed + ahead + rate / 100)) | {"rate": rate, "value": value}
            for value in values for method, ahead in (("ldp-sgd", 0.1), ("cdp-sgd", 0.0)) for rate in rates
            for seed in (1, 2, 3)]
    for each in made:
        value, rate = each.pop("value"), each.pop("rate")
        each["values"] |= {name: value, "server.rate": rate}
        table, key = name.split(".")
        tables = {"server": {"rate": rate}, "privacy": {"epsilon": 2.0}}
        tables.setdefault(table, {})[key] = value
        config = "".join(f"[{table}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
                         for table, keys in tables.items())
        each["run"] |= {"epsilon_nominal": 2.0, "config": f"method = '{each['values']['method']}'\n{config}"}
    return made


def collected(make_sweep, name, values, rates=(1.0,)):
    folder = make_sweep(on_tasks(name, values, rates), axes=("method", "privacy.epsilon", name, "server.rate", "seed"))
    return collect([read_sweep(folder)], Budget(), "accuracy")


def test_rankings_are_named_by_what_differs_and_in_the_order_of_its_values(make_sweep):
    """All have one epsilon, which no name repeats; 10 is not before 2."""
    content = collected(make_sweep, "partition.alpha", (10.0, 2.0))
    assert content.names_in(content.answer) == ["alpha = 2", "alpha = 10"]


def test_strict_runs_are_a_ranking_of_their_own_and_no_choice(make_sweep):
    content = collected(make_sweep, "privacy.strict", (False, True), (1.0, 2.0))
    assert content.names_in(content.answer) == ["privacy.strict = false", "privacy.strict = true"]
    captions = [chart.title for chart in tunings(content)[0]]
    assert captions == [f"{method}: server.rate = 2 chosen of 2 values" for _ in range(2) for method in METHODS]


def test_doubts_about_times_are_one_line(make_sweep):
    text = render(collect([read_sweep(make_sweep(cells()))], Budget()))
    assert len(re.findall("<li>12 of 12 runs: no evidence of time [(]", text)) == 1
