"""Questions that the page answers (rank.js), against the answers of `best`. Needs node; without it these tests are
skipped."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from test_report import collected

import trilemma_analysis
from trilemma_analysis import read_sweep
from trilemma_analysis.io import forms
from trilemma_analysis.model.budgets import Budget, Target
from trilemma_analysis.model.origins import broken_promises
from trilemma_analysis.report.content import collect
from trilemma_analysis.report.headline import at_least_upload, headline, lead_words
from trilemma_analysis.report.packed import pack
from trilemma_analysis.report.page import as_script
from trilemma_analysis.report.paths import all_without_folders
from trilemma_analysis.report.sections import notes
from trilemma_analysis.report.summary import summary
from trilemma_analysis.stats.answers import fewer_seeds, on_rounds, result_words, verdict
from trilemma_analysis.stats.findings import grown, overall
from trilemma_analysis.stats.judgement import GROWN
from trilemma_analysis.stats.rankings import answer

NODE = shutil.which("node")
FOLDER = Path(trilemma_analysis.__file__).parent / "report"
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
ASK = """
const zlib = require("zlib");
const page = JSON.parse(require("fs").readFileSync(0, "utf8"));
const {runs} = core.unpack(zlib.gunzipSync(Buffer.from(page.curves, "base64")));
console.log(JSON.stringify(page.questions.map((question) => {
  const found = core.rank(page.summary, runs, question), {rankings, skipped} = found;
  return {notes: core.notesOf(found, page.summary, runs), below: rankings.map((ranking) => core.belowOf(found, ranking)),
    headline: core.headlineOf(found, core.levelOf(found, page.summary, runs), page.summary),
    heading: core.headingOf(found, page.summary), skipped: [...skipped.values()].reduce((sum, n) => sum + n, 0), rankings: rankings.map((ranking) => ({
    verdict: core.verdict(ranking, page.summary), entries: ranking.entries.map((entry) => ({
      method: page.summary.methods[entry.setting.method], place: entry.setting.place, seeds: entry.seeds,
      settings: entry.settings, rivals: entry.rivals, reached: entry.reached, result: core.resultWords(entry),
      value: entry.over.centre, low: entry.over.low, high: entry.over.high,
      difference: entry.difference && entry.difference.n ? entry.difference.centre : null,
      difference_low: entry.difference && entry.difference.low,
      rounds: entry.seeds.map((seed) => entry.setting.found.get(seed).round)}))}))};
})));
"""
# The scripts that need no page, as one, with what they export under the name `core`.
CORE = "const core = (() => {const module = {exports: {}};" + "".join(
    (FOLDER / name).read_text() for name in ("rank.js", "headline.js")) + "return module.exports;})();"
# Charts of the page for its own question, scales, and places of names.
DRAW = CORE.replace("return module.exports;", "").removesuffix("})();").removeprefix("const core = ") + "".join(
    (FOLDER / name).read_text() for name in ("chart.js", "answer.js")) + """
const zlib = require("zlib"), page = JSON.parse(require("fs").readFileSync(0, "utf8")), data = page.summary;
const {runs} = unpack(zlib.gunzipSync(Buffer.from(page.curves, "base64"))), found = rank(data, runs, {});
const state = {question: found.question}, formOf = () => "percent", colourOf = (entry) => entry.setting.method;
const planes = planesOf(720).map(({title, axes, marks}) => ({title, axes,
  settings: marks.filter(({kind}) => kind === "dot").map(({setting}) => setting)}));
const scale = (values, form, log) => { const {log: isLog, low, high} = axisOf(values, "", form, log); return {log: isLog, low, high}; };
return {planes, ticks: [[0, 1, false], [1e3, 1e6, true]].map(([low, high, log]) => ticksOf({low, high, log})),
  wide: scale([1, 100]), share: scale([0.5, 0.9], "percent"), unknown: scale([NaN, Infinity]),
  apart: [spread([10, 12, 80], 0, 100), spread([98, 99, 100], 0, 100)]};
})();"""
ROUNDS = 12


@dataclass(frozen=True)
class Question:
    """A question for the page, and the same one for `best`."""

    page: dict
    budget: Budget
    metric: str = "accuracy"
    tuning: tuple[int, ...] = (0,)


QUESTIONS = {
    "everything": Question({}, Budget(per_client=True)),
    "bits per client": Question({"bits": 400}, Budget(400, True)),
    "bits of all clients": Question({"bits": 6000, "perClient": False}, Budget(6000, False)),
    "little": Question({"bits": 100}, Budget(100, True)),
    "epsilon": Question({"epsilon": 1.0}, Budget(per_client=True, epsilon=1.0)),
    "bits and epsilon": Question({"bits": 500, "epsilon": 2.0}, Budget(500, True, epsilon=2.0)),
    "objective": Question({"metric": "objective"}, Budget(per_client=True), "objective"),
    "objective within bits": Question({"metric": "objective", "bits": 300}, Budget(300, True), "objective"),
    "target": Question({"target": 0.7}, Budget(per_client=True, target=Target("accuracy", 0.7))),
    "hard target": Question({"target": 0.84, "perClient": False}, Budget(per_client=False, target=Target("accuracy", 0.84))),
    "target below epsilon": Question({"target": 0.6, "epsilon": 1.5},
                                     Budget(per_client=True, epsilon=1.5, target=Target("accuracy", 0.6))),
    "all seeds choose": Question({"tuning": []}, Budget(per_client=True), tuning=()),
    "two seeds choose": Question({"tuning": [0, 1], "bits": 450}, Budget(450, True), tuning=(0, 1)),
}


def run_of(method, epsilon, rate, seed):
    """A made run: accuracy rises faster for large epsilons, and noise depends on method, rate and seed."""
    noise = np.random.default_rng([len(method), int(10 * epsilon), int(10 * rate), seed]).normal(0, 0.02, ROUNDS + 1)
    rounds = np.arange(ROUNDS + 1)
    accuracy = np.round(0.5 + 0.3 * (1 - np.exp(-rounds / (2 + rate))) * min(1, 0.5 + epsilon / 4) + noise, 4)
    objective = 0.7 * np.exp(-rounds / 9) + noise ** 2
    if method == "ldp-svrg" and rate == 3.0:
        objective[-1] = 1e9  # diverged
    if method == "cdp-sgd" and seed in (1, 3) or method == "ldp-sgd" and (seed, epsilon) == (2, 0.5):
        objective[-1] = 0.75  # above that of the start, which is at most 0.71
    bits = {"cdp-sgd": 320, "ldp-sgd": 640, "ldp-svrg": 960, "gd": 1280, "local": 0}[method] * rounds
    spent = epsilon * np.sqrt(rounds / ROUNDS)
    columns = {"round": rounds, "accuracy": accuracy, "objective": objective, "gradient_norm_squared": noise ** 2,
               "utility": noise ** 2, "epsilon": np.full(ROUNDS + 1, np.nan) if method in ("gd", "local") else spent,
               "batch_records": rounds, **{f"bits_{way}_{count}": bits for way in ("up", "down")
                                           for count in ("model", "payload")}}
    config = f'method = "{method}"\nseed = {seed}\n[server]\nrate = {rate}\n[privacy]\nepsilon = {epsilon}\n'
    claim = {"gd": "not a private run", "local": "holds: nothing is released"}.get(method, "holds: made")
    last = math.nan if method in ("gd", "local") else epsilon
    privacy = {"dp_claim": "nothing_released"} if method == "local" else {}
    own = {"own_model_name": "LeNet", "own_model_adds_up": np.uint8(seed == 3), "own_model_repeats": np.uint8(1)}
    run = {**(own if method == "gd" else {}), "config": config, "columns": columns, "mpi": dict.fromkeys(("bits_up", "bits_down", "bits_evaluation"), bits),
           "rounds": np.int64(ROUNDS), "baseline_score": {"gd": 0.95, "local": 0.96}.get(method, math.nan), "epsilon": last, "epsilon_nominal": last, "claim": claim, "privacy": privacy}
    return {"values": {"method": method, "privacy.epsilon": epsilon, "server.rate": rate, "seed": seed}, "run": run}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A made sweep, its page, and what node answers to all questions."""
    from conftest import write_sweep
    cells = [run_of(method, epsilon, rate, seed) for method, epsilons in (
        ("gd", (0.0,)), ("local", (0.0,)), ("ldp-sgd", (0.5, 2.0)), ("cdp-sgd", (0.5, 2.0)), ("ldp-svrg", (2.0,)))
        for epsilon in epsilons for rate in (1.0, 3.0) for seed in (0, 1, 2, 3) if not (method == "gd" and seed > 1)]
    folder = write_sweep(tmp_path_factory.mktemp("asked") / "sweep", cells,
                         ("method", "privacy.epsilon", "server.rate", "seed"), tune={"seeds": [0]})
    sweep = read_sweep(folder)
    content = collect([sweep], Budget(per_client=True), "accuracy", (0,))
    answers = by_node(CORE + ASK, content, [{**question.page} for question in QUESTIONS.values()])
    return sweep, content, dict(zip(QUESTIONS, answers))


def by_node(script, content, questions=()):
    """What a script prints that reads the data of the page and questions."""
    page = {"summary": json.loads(as_script(all_without_folders(summary(content)))), "curves": pack(content).text,
            "questions": questions}
    done = subprocess.run([NODE, "-e", script], input=json.dumps(page), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_charts_have_round_ticks_and_names_apart(asked):
    """Values without a place on an axis do not change it."""
    _, content, _ = asked
    drawn = by_node(f"console.log(JSON.stringify({DRAW.removesuffix(';')}))", content)
    assert drawn["ticks"] == [pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1]), pytest.approx([1e3, 1e4, 1e5, 1e6])]
    assert drawn["wide"]["log"] and not drawn["share"]["log"] and drawn["unknown"]["low"] < 0.1 < 0.9 < drawn["unknown"]["high"]
    assert drawn["apart"] == [[10, 25, 80], [70, 85, 100]]


def test_the_plane_of_each_task_names_it(make_sweep):
    content = collected(make_sweep, "partition.alpha", (10.0, 2.0))
    planes = by_node(f"console.log(JSON.stringify({DRAW.removesuffix(';')}))", content)["planes"]
    assert [chart["title"] for chart in planes] == [f"alpha = {value}: ldp-sgd is first" for value in (2, 10)]
    assert [chart["axes"].split(": ")[1].split(";")[0] for chart in planes] == \
        [f"partition.alpha = {value}" for value in (2, 10)]
    for chart, value in zip(planes, (2, 10)):
        assert {content.settings[place].values["partition.alpha"] for place in chart["settings"]} == {value}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_page_answers_as_best_does(asked, name):
    sweep, content, found = asked
    question = QUESTIONS[name]
    expected = answer([sweep], question.budget, question.metric, question.tuning)
    assert len(found[name]["rankings"]) == len(expected.rankings)
    for mine, ranking in zip(found[name]["rankings"], expected.rankings):
        assert [row["method"] for row in mine["entries"]] == [entry.method for entry in ranking.entries]
        for row, entry in zip(mine["entries"], ranking.entries):
            assert row["place"] == content.place(entry.setting) and tuple(row["seeds"]) == entry.seeds
            assert (row["settings"], row["rivals"], row["reached"]) == (entry.settings, entry.rivals, entry.reached)
            assert row["result"] == result_words(entry)
            assert row["rounds"] == [entry.setting.found[seed].round for seed in entry.seeds]
            close(row["value"], entry.over.centre)
            close(row["low"], entry.over.low)
            close(row["high"], entry.over.high)
            if entry.difference is not None and entry.difference.n:
                close(row["difference"], entry.difference.centre)
                close(row["difference_low"], entry.difference.low)
        names = {content.names[content.place(entry.setting)]: entry.method for entry in ranking.entries}
        assert words_of(mine["verdict"], names) == words_of(verdict(ranking), names)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_page_says_what_python_says(asked, name):
    """One sentence, heading of figures, notes, and what stands below each ranking."""
    sweep, content, found = asked
    question = QUESTIONS[name]
    expected = answer([sweep], question.budget, question.metric, question.tuning)
    level = at_least_upload([sweep], expected)
    names = {content.names[content.place(entry.setting)]: entry.method
             for each in (expected, level) if each for ranking in each.rankings for entry in ranking.entries}
    short = content.names_in(expected)
    assert words_of(found[name]["headline"], names) == words_of(headline(expected, level, short), names)
    assert words_of(found[name]["heading"], names) == words_of(
        overall(expected, expected.rankings, short) if len(short) > 1 else lead_words(expected, expected.rankings[0]), names)
    assert [words_of(note, names) for note in found[name]["notes"]] == [words_of(note, names) for note in notes(expected)]
    assert found[name]["below"] == [[*fewer_seeds(ranking), *on_rounds(expected, ranking)] for ranking in expected.rankings]


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_page_names_runs_whose_models_break_a_promise(asked, name):
    """Those of the question alone, and the same in Python and on the page."""
    sweep, _, found = asked
    question = QUESTIONS[name]
    expected = broken_promises(answer([sweep], question.budget, question.metric, question.tuning).runs)
    assert [note for note in found[name]["notes"] if note.startswith("own model")] == expected
    assert len(expected) == (question.budget.epsilon is None and name != "little")


def test_grown_objectives_are_told_in_one_sentence(asked):
    """Of all rankings together, and the same in Python and on the page."""
    sweep, _, found = asked
    told = [note for note in found["everything"]["notes"] if note.startswith(GROWN.format(""))]
    assert told == grown(answer([sweep], QUESTIONS["everything"].budget, "accuracy", (0,)))
    assert told == ["objective above start at the end: ldp-sgd in 1 run, cdp-sgd in 4 runs"]


def words_of(sentence, names):
    """The sentence without what stands in brackets or behind commas of names: only the page names all settings."""
    for name, method in names.items():
        sentence = sentence.replace(name, method)
    return re.sub(r" \([^)]*=[^)]*\)", "", sentence)


def close(mine, expected):
    """Equal to what the page has of a number: null stands for what is unknown or infinite."""
    if not math.isfinite(expected):
        assert mine is None
    else:
        assert mine == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_every_run_that_is_in_no_ranking_is_counted(asked):
    sweep, _, found = asked
    assert found["little"]["skipped"] > 0 and found["everything"]["skipped"] == 0
    expected = answer([sweep], QUESTIONS["little"].budget, "accuracy", (0,))
    assert found["little"]["skipped"] == len(sweep.runs) - len(expected.runs)


def test_numbers_read_as_in_tables():
    values = [0.0, 1.0, 0.8446, 76800.0, 999.6, 1e6, 5e-05, 0.7180713625753464, 2.1e13, 123456.0, 0.00012345, 13.24, 1e-7]
    code = "const {forms} = core; console.log(JSON.stringify(JSON.parse(process.argv[1]).map((v) => " \
        "[forms.percent(v), forms.points(v), forms.number(v), forms.bits(v), forms.seconds(v), forms.epsilon(v)])))"
    done = subprocess.run([NODE, "-e", CORE + code, json.dumps(values)], capture_output=True, text=True, timeout=30)
    for value, mine in zip(values, json.loads(done.stdout)):
        assert mine[2:] == [forms.figure(value), forms.bits(value), forms.seconds(value), forms.epsilon(value)]
        assert value > 1 or mine[:2] == [forms.percent(value), forms.signed_points(value)]


def test_sizes_read_as_on_the_command_line():
    from trilemma_analysis.model.sizes import bits_of
    sizes = ["9kB", "1 MB", "64KiB", "2.5Mbit", "100000bits", "1e3 bytes", "7 bit"]
    code = "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(core.bitsOf)))"
    done = subprocess.run([NODE, "-e", CORE + code, json.dumps([*sizes, "9", "kB", "-1 kB"])], capture_output=True,
                          text=True, timeout=30)
    assert json.loads(done.stdout) == [*map(bits_of, sizes), None, None, None]
