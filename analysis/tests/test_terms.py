"""What tables and figures say of epsilons that mean different things, and of choosing among runs."""

from __future__ import annotations

import math

import pytest

from trilemma_analysis import read_run, read_sweep
from trilemma_analysis.cli.cost import cost_text
from trilemma_analysis.cli.sweep import summary_text
from trilemma_analysis.cli.table import as_text
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.guarantees import accounted, by_method, choice, footer, guarantee_of
from trilemma_analysis.model.origins import remarks
from trilemma_analysis.plot import style
from trilemma_analysis.plot.cost_figure import draw_cost
from trilemma_analysis.plot.figures import draw_curves
from trilemma_analysis.plot.sweep_figure import Choice, draw_sweep
from trilemma_analysis.stats.final_table import final_figures
from trilemma_analysis.stats.summary import summary

TRUSTED = {"unit": "client", "view": "V_aggregate", "noise_place": "server"}


def spent(epsilon):
    return {"epsilon": epsilon, "columns": {"epsilon": [0.0, epsilon, epsilon]}}


@pytest.fixture
def mixed(make_run):
    """The same accounted epsilon, once against everybody and once for a trusted server; and no privacy."""
    return [read_run(make_run("a.h5", method="ldp-sgd", **spent(2.0))),
            read_run(make_run("b.h5", method="dp-fedavg-clip", privacy=TRUSTED, **spent(2.0))),
            read_run(make_run("c.h5", method="gd", claim="not a private run: no noise"))]


@pytest.fixture
def mixed_sweep(make_sweep):
    return read_sweep(make_sweep(
        [{"values": {"method": method, "privacy.epsilon": epsilon, "seed": 1}, "run": {"privacy": privacy}}
         for method, privacy in (("ldp-sgd", {}), ("dp-fedavg-clip", TRUSTED)) for epsilon in (1.0, 2.0)]))


def joined(text):
    return " ".join(text.split())


def words(figure):
    return joined(figure.get_label())


def legend(figure):
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


@pytest.mark.parametrize("view, aggregation, place, against", [
    ("V_server", "none", "client", "every message"),
    ("V_aggregate", "simulated_trusted", "server", "models, trusted server"),
    ("V_aggregate", "trusted_decoding", "client", "models, trusted server"),
    ("V_aggregate", "simulated_trusted", "client", "sums of messages"),
    ("V_aggregate", "simulated_secagg", "client", "sums, secure aggregation"),
    ("V_aggregate", "counted_secagg", "client", "sums, secure aggregation (counted)"),
    ("V_others", "simulated_trusted", "server", "others, trusted server"),
    ("V_output", "simulated_trusted", "server", "last model, trusted server"),
    ("V_shuffled", "simulated_shuffler", "client", "shuffled messages"), ("V_new", "none", "client", "V_new")])
def test_every_view_has_words(make_run, view, aggregation, place, against):
    privacy = {"view": view, "aggregation": aggregation, "noise_place": place}
    guarantee = guarantee_of(read_run(make_run(privacy=privacy)))
    assert (guarantee.unit, guarantee.relation, guarantee.delta, guarantee.against) == \
        ("record", "add_remove", "0.001", against)
    assert guarantee.words().startswith("one record, add_remove, delta 0.001, against ")


def test_equal_terms_stand_once_below_the_table(make_run):
    text = as_text(final_figures([read_run(make_run("a.h5")), read_run(make_run("b.h5", method="ldp-sgd"))]))
    assert "all epsilons: one record, add_remove, delta 0.001, against whoever sees every message\n" in text
    assert "unit" not in text.splitlines()[0] and "different things" not in text


def test_different_terms_are_columns_and_said(mixed):
    text = as_text(final_figures(mixed))
    head, _, gd, ldp, fedavg = text.splitlines()[:5]
    assert head.split()[-3:] == ["private", "unit", "adversary"]
    assert ldp.endswith("yes      record  every message") and gd.endswith("NO       -       -")
    assert fedavg.endswith("yes      client  models, trusted server")
    assert "rows promise different things: unit and adversary differ; compare epsilons only between rows that " \
        "agree in these columns all epsilons: add_remove, delta 0.001 each" in joined(text)


def test_a_table_of_one_kind_of_delta_is_not_one_of_two(make_run):
    runs = [read_run(make_run("a.h5")), read_run(make_run("b.h5", method="ldp-sgd", delta=1e-5))]
    text = as_text(final_figures(runs))
    assert "delta" in text.splitlines()[0] and "delta differs" in text


def test_local_training_claims_no_epsilon(make_run):
    run = read_run(make_run(claim="holds: nothing leaves a client", privacy={"dp_claim": "nothing_released"}))
    row = final_figures([run]).iloc[0]
    assert (row["claim_status"], row["private"], row["against"]) == ("nothing_released", True, "-")
    assert guarantee_of(run) is None and footer([[run]]) == []


@pytest.mark.parametrize("claim, word", [("holds: so", "none"), ("not a private run: why", "accounted"),
                                         ("nominal only: so", "accounted"), ("so it is", "accounted")])
def test_a_file_that_contradicts_itself_is_refused(make_run, claim, word):
    with pytest.raises(RunFileError, match=f"but dp_claim of /privacy is '{word}'"):
        read_run(make_run(claim=claim, privacy={"dp_claim": word}))


@pytest.mark.parametrize("status, dp_claim, word, private", [
    ("holds", "accounted", "yes", True), ("holds", "nothing_released", "yes", True),
    ("nominal_only", "paper_nominal_only", "nominal only", False), ("not_private", "none", "NO", False)])
def test_a_claim_is_known_by_its_status_whatever_its_sentence(make_run, status, dp_claim, word, private):
    for sentence in ("holds: so", "nominal only: so", "not a private run: why", "gilt: so ist es"):
        run = read_run(make_run(claim=sentence, claim_status=status, privacy={"dp_claim": dp_claim}))
        assert (run.claim_word, run.private) == (word, private)


def test_what_no_claim_covers_stands_once(make_run):
    outside = "norms of updates, of their mean; and phase times"  # one thing, whatever its words are
    runs = [read_run(make_run(f"{i}.h5", method=method, privacy={
        "preprocessing": (f"features divided by {i}.5",), "releases_outside": (outside,)}))
        for i, method in ((1, "ldp-sgd"), (3, "cdp-sgd"))]
    text = joined(as_text(final_figures(runs)))
    assert text.count("outside of every claim: features divided by 1.5 to 3.5, " + outside) == 1
    assert "outside of every claim" not in as_text(final_figures([read_run(make_run())]))


def test_what_some_claims_do_not_cover_stands_apart(make_run):
    runs = [read_run(make_run(f"{i}.h5", method=method, privacy={"releases_outside": outside}))
            for i, (method, outside) in enumerate((("ldp-sgd", ("labels by client", "times of phases", "sizes are public")),
                                                   ("cdp-sgd", ("times of phases", "sizes are public"))))]
    text = joined(as_text(final_figures(runs)))
    assert "outside of every claim: times of phases, sizes are public outside of the claims of some runs: labels by " \
        "client" in text


def test_choosing_costs_and_counts_runs_of_the_same_data(make_run):
    def runs(files):
        return [read_run(make_run(f"{i}.h5", seed=i, environment={"data_files": sums})) for i, sums in enumerate(files)]
    (note,) = choice(runs(["aa  x\n", "aa  x\n", "aa  y\n", "bb  x\n"]))
    assert "not of choosing the best of the 3 with a claim over the same data" in note
    assert "`trilemma privacy tuning`" in note
    assert choice(runs(["aa  x\n", "bb  x\n"])) == []
    assert "the best of the 2 with a claim" in choice(runs(["aa  x\n", "bb  x\n"] * 2))[0]
    assert "the best of the 2 to 4 with a claim" in choice(runs(["aa  x\n"] * 4 + ["bb  x\n"] * 2))[0]
    public = [read_run(make_run(f"p{i}.h5", claim="not a private run: why")) for i in (1, 2)]
    assert choice(public) == []


def test_generated_data_are_told_by_their_settings(make_run):
    def run(name, seed, scaling):
        return read_run(make_run(name, config=f"[data]\nseed = {seed}\nscaling = '{scaling}'\n"))
    assert choice([run("a.h5", 1, "none"), run("b.h5", 1, "unit")]) and not choice(
        [run("a.h5", 1, "none"), run("b.h5", 2, "none")])


def made(make_run, *environments):
    return [read_run(make_run(f"{i}.h5", seed=i, environment=each, **spent(2.0))) for i, each in enumerate(environments)]


def test_runs_of_changed_files_are_told(make_run):
    runs = made(make_run, {"data_files": "aa  train\nbb  test\n"}, {"data_files": "aa  train\ncc  test\n"})
    (note,) = remarks(runs, axes=("data.source",))
    assert note == "the runs were made from different data: test changed between them (environment/data_files)"
    assert note in joined(as_text(final_figures(runs))) and note in words(draw_curves(runs))
    moved = made(make_run, {"data_files": "aa  train\n"}, {"data_files": "aa  other/train\n"})
    assert remarks(moved) == []


def test_runs_of_other_files_are_told_unless_an_axis_names_them(make_run):
    runs = made(make_run, {"data_files": "aa  a9a\n"}, {"data_files": "bb  mnist\n"})
    assert remarks(runs) == ["the runs were made from different data (environment/data_files)"]
    assert remarks(runs, axes=("method", "data.train")) == [] and remarks(runs[:1]) == []
    assert len(remarks([*runs[:1], read_run(make_run("generated.h5", config="[data]\nseed = 1\n"))])) == 1


def test_a_start_model_is_no_data(make_run):
    runs = [read_run(make_run("a.h5", environment={"data_files": "aa  a9a\n"})),
            read_run(make_run("b.h5", environment={"data_files": "aa  a9a\nbb  x0.txt\n"},
                              config='[start]\nfile = "x0.txt"\n'))]
    assert remarks(runs) == []


def test_runs_of_other_problems_are_told_unless_an_axis_names_them(make_run):
    runs = [read_run(make_run(f"{i}.h5", method=method, config=f'[problem]\nkind = "logistic"\nlambda = {value}\n',
                              **spent(2.0)))
            for i, (method, value) in enumerate((("cdp-sgd", 0.2), ("ldp-sgd", 0.05), ("gd", 0.2)))]
    note = "the runs solve different problems (problem.lambda is 0.05 and 0.2), so their objectives do not compare"
    assert remarks(runs) == [note] and note in joined(as_text(final_figures(runs))) and note in words(draw_curves(runs))
    assert remarks(runs, axes=("problem.lambda",)) == [] and remarks([runs[0], runs[2]]) == []


def test_runs_of_other_instructions_are_told(make_run):
    wide, narrow = "AVX3, 512 bits; OpenBLAS Zen", "AVX2, 256 bits; OpenBLAS Zen"
    runs = made(make_run, {"processors": f"{wide}\n{wide}"}, {"processors": wide}, {"processors": f"{narrow}\n{narrow}"})
    note = (f"the runs were made with different instructions ({narrow} and {wide}), so neither their times nor their last "
            "digits compare (environment/processors)")
    assert remarks(runs) == [note] and note in joined(cost_text(runs, "utility"))
    assert remarks(runs[:2]) == [] and remarks(runs, axes=("processor.vector_bits",)) == []


def test_runs_of_other_widths_are_told(make_run, make_sweep):
    runs = made(make_run, {"real": "float32"}, {"real": "float64"}, {"real": "float32"})
    note = "the runs were made with different numbers: float32 and float64 (environment/real)"
    assert remarks(runs) == [note] and note in joined(cost_text(runs, "utility"))
    sweep = read_sweep(make_sweep([{"values": {"method": "gd", "seed": seed}, "run": {"environment": {"real": real}}}
                                   for seed, real in ((1, "float32"), (2, "float64"))], axes=("method", "seed")))
    assert note in joined(summary_text(sweep)) and note in words(draw_sweep(sweep, Choice(metrics=["utility"])))
    assert note in summary(sweep).attrs["notes"]


def test_curves_name_what_each_line_promises(mixed):
    figure = draw_curves(mixed)
    assert legend(figure) == ["gd", "ldp-sgd [record; every message]", "dp-fedavg-clip [client; models, trusted server]"]
    assert "lines promise different things: unit and adversary differ; compare epsilons only within equal brackets " \
        "of the legend" in words(figure)
    assert "2 for one client, add_remove, delta 0.001, against whoever sees the models, if the server" in words(figure)
    assert any("promise" in text.get_text() and text.get_color() == style.WARNING for text in figure.texts)
    alike = draw_curves(mixed[:1])
    assert legend(alike) == [] and "different things" not in words(alike)


def test_long_captions_leave_the_panels_their_height(make_run):
    claim = "not a private run: " + "because it is so, " * 200
    figures = [draw_curves([read_run(make_run(claim=text))]) for text in ("holds: so", claim)]
    heights = [figure.axes[0].get_position().height * figure.get_figheight() for figure in figures]
    assert heights[1] > 0.9 * heights[0] and claim in figures[1].get_label()


def test_sweeps_tell_terms_apart(mixed_sweep):
    text = summary_text(mixed_sweep, "utility")
    assert "unit" in text.splitlines()[0] and "adversary" in text.splitlines()[0]
    assert "rows promise different things" in text and "the best of the 4 with a claim" in joined(text)
    assert summary(mixed_sweep, "utility")["against"].tolist() == 2 * ["every message"] + 2 * ["models, trusted server"]
    assert mixed_sweep.table["unit"].tolist() == ["record", "record", "client", "client"]


def test_the_figure_of_a_sweep_tells_terms_apart(mixed_sweep):
    figure = draw_sweep(mixed_sweep, Choice(metrics=["utility"], panels=["epsilon"]))
    assert "ldp-sgd [record; every message]" in legend(figure)
    assert "dp-fedavg-clip [client; models, trusted server]" in legend(figure)
    label = joined(figure.axes[0].get_xlabel())
    assert label.startswith("accounted ε") and "(compare only within equal brackets of the legend)" in label
    assert "lines promise different things" in words(figure) and "the best of the 4" in words(figure)


def test_the_figure_of_costs_tells_terms_apart(mixed):
    figure = draw_cost(mixed, "utility")
    assert "ldp-sgd [record; every message]" in [text.get_text() for text in figure.axes[0].texts] and "lines promise different things" in words(figure)
    assert "claim: holds: local model, per record" in words(figure)
    assert "the claim does not hold" not in legend(draw_cost(mixed[:1], "utility"))
    text = cost_text(mixed[:2], "utility")
    assert "unit" in text.splitlines()[0] and "adversary" in text.splitlines()[0]
    assert "all epsilons: add_remove, delta 0.001" in text


def test_one_method_with_two_units_is_two_curves(make_run):
    runs = [read_run(make_run(f"{i}.h5", privacy=privacy, **spent(2.0))) for i, privacy in enumerate(({}, TRUSTED))]
    left = draw_cost(runs, "utility").axes[0]
    assert len(left.lines) == 2 and left.lines[0].get_color() != left.lines[1].get_color()


def test_accounted_epsilons_come_with_their_terms(make_run):
    runs = [read_run(make_run(f"{i}.h5", epsilon=epsilon)) for i, epsilon in enumerate((1.0, 3.0, math.nan))]
    assert accounted(runs) == "accounted ε: 1 | 3 for one record, add_remove, delta 0.001, against whoever sees every " \
        "message"
    assert accounted(runs[2:]) == "accounted ε: not computed"


def test_verdicts_name_the_terms_of_every_method(mixed):
    (note,) = by_method(mixed)
    assert note == "methods promise different things: ldp-sgd: one record, add_remove, delta 0.001, against whoever " \
        "sees every message; dp-fedavg-clip: one client, add_remove, delta 0.001, against whoever sees the models, if the " \
        "server is trusted"
    assert by_method(mixed[:1]) == ["all epsilons: one record, add_remove, delta 0.001, against whoever sees every "
                                    "message"]
    assert by_method(mixed[2:]) == []


def test_runs_without_checksums_are_not_called_different(make_run):
    runs = made(make_run, {"data_files": "aa  train\n"}, {"data_files": "not-recorded  train\n"})
    assert remarks(runs) == ["of some runs the checksums of the data are not recorded (privacy.strict), so whether all "
                             "saw the same is not known"]
