"""Scaling studies: what is computed from the phases of runs, by values that can be checked by hand."""
import math

import h5py
import numpy as np
import pytest

from conftest import write_run
from study_folder import WARM, config_of, seconds_of, write_network, write_study
from trilemma_analysis import read_run
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.model.phases import phase_figures
from trilemma_analysis.scaling.folder import read_study
from trilemma_analysis.scaling.model import calibrated, fit
from trilemma_analysis.scaling.points import Doubt, efficiency, judged, of_axis, speed_up
from trilemma_analysis.scaling.table import rows
from trilemma_analysis.scaling.text import answer, answer_compared, answers, compared_lines, details, doubts, of_model, shares_of
from trilemma_analysis.scaling.timing import PARTS, timing_of
from trilemma_analysis.stats.intervals import interval

ALPHA, BETA, MODEL, MESSAGE = 1e-3, 1e-8, 10_000, 500
WEAK = ({"name": "weak", "kind": "weak", "clients_per_rank": 4},)


def only(folder):
    study = read_study(folder)
    assert len(study.lines) == 1
    return study.lines[0]


def test_perfect_speed_up_has_efficiency_1(tmp_path):
    line = only(write_study(tmp_path / "s", [{"ranks": p, "phases": {"local": 8 / p}} for p in (1, 2, 4)]))
    assert [point.seconds.median for point in line.points] == [8, 4, 2]  # without evaluation, warm-up and the start
    assert [speed_up(line, point).median for point in line.points] == [1, 2, 4]
    assert [efficiency(line, point).median for point in line.points] == [1, 1, 1]


def test_a_serial_server_is_amdahls_law(tmp_path):
    runs = [{"ranks": p, "phases": {"local": 8 / p, "server": [2] + [0] * (p - 1), "broadcast": [0] + [2] * (p - 1)}}
            for p in (1, 4)]
    line = only(write_study(tmp_path / "s", runs))
    assert speed_up(line, line.points[1]).median == pytest.approx(10 / 4)
    assert efficiency(line, line.points[1]).median == pytest.approx(10 / 16)
    parts = shares_of(line.points[1])
    assert parts["server"] == pytest.approx(0.5) and parts["clients"] == pytest.approx(0.5) and parts["messages"] == 0


def test_who_waits_for_whom(tmp_path):
    """Rank 1 computes 3 s, rank 0 one, and waits."""
    line = only(write_study(tmp_path / "s", [{"ranks": 2, "phases": {"local": [1, 3], "wait": [2, 0], "exchange": 1}}]))
    point = line.points[0]
    assert {name: point.median(name) for name in PARTS} == \
        {"clients": 2, "imbalance": 1, "waiting": 0, "messages": 1, "server": 0}
    assert point.slowest == (1, 1.0) and point.seconds.median == 4


def test_waiting_beyond_imbalance_is_told_apart(tmp_path):
    line = only(write_study(tmp_path / "s", [{"ranks": 2, "phases": {"local": [1, 3], "wait": [2.5, 0.5]}}]))
    assert line.points[0].median("waiting") == pytest.approx(0.5)
    assert line.points[0].median("messages") == pytest.approx(0)


@pytest.mark.parametrize("up, server", [("gather", 2.0), ("reduce", 0.0)])
def test_decoding_belongs_to_who_does_it(tmp_path, up, server):
    phases = {"local": 4, "decode": [2, 0] if up == "gather" else 2}
    line = only(write_study(tmp_path / "s", [{"ranks": 2, "up": up, "phases": phases}]))
    assert line.points[0].median("server") == server


def test_weak_series_are_held_against_the_base(tmp_path):
    runs = [{"ranks": p, "clients": 4 * p, "phases": {"local": seconds}} for p, seconds in ((1, 3), (4, 4))]
    line = only(write_study(tmp_path / "s", runs, WEAK))
    assert efficiency(line, line.points[1]).median == pytest.approx(0.75)
    assert speed_up(line, line.points[1]).median == pytest.approx(3)


def test_speed_up_is_that_of_pairs(tmp_path):
    """The machine slows down by half and more, and each pair alike."""
    runs = [{"ranks": p, "repetition": i, "phases": {"local": (8 + i) / p * (1.1 if i == p == 2 else 1)}}
            for p in (1, 2) for i in range(3)]
    line = only(write_study(tmp_path / "s", runs))
    ratio = speed_up(line, line.points[1])
    assert (ratio.median, ratio.low, ratio.high) == pytest.approx((2, 2 / 1.1, 2))


def star(p, up="gather", clients=64):
    """A run on p ranks of a star: client work 0.5 s in all, the server 1 ms."""
    depth = math.ceil(math.log2(p))
    if up == "gather":
        bytes_up = MESSAGE * clients * (1 - 1 / p)
        seconds = ALPHA * (depth + 1) + BETA * ((p - 1) * MODEL + bytes_up)
    else:
        bytes_up = (p - 1) * MODEL
        seconds = ALPHA * 4 * depth + BETA * ((p - 1) * MODEL + depth * MODEL)
    seconds = seconds if p > 1 else 0
    # Rank 0 sends and receives; the others wait for its server too.
    return {"ranks": p, "up": up, "clients": clients, "bytes_up": bytes_up, "bytes_down": (p - 1) * MODEL,
            "phases": {"local": 0.5 / p, "exchange": seconds, "server": [0.001] + [0] * (p - 1),
                       "broadcast": [0] + [0.001] * (p - 1)}}


@pytest.mark.parametrize("up", ["gather", "reduce"])
def test_alpha_and_beta_are_recovered(tmp_path, up):
    line = only(write_study(tmp_path / "s", [star(p, up) for p in (1, 2, 4, 8, 16)]))
    model = fit(line)
    assert model.fitted == (2, 8) and list(model.errors) == [1, 4, 16]
    assert model.alpha == pytest.approx(ALPHA, rel=1e-6) and model.beta == pytest.approx(BETA, rel=1e-6)
    assert model.work == pytest.approx(0.5 / 64) and model.server == pytest.approx(0.001)
    assert model.worst[1] < 1e-9 and model.fits
    half = model.half
    assert model.messages(half) >= model.seconds(half) / 2 and model.messages(half - 1) < model.seconds(half - 1) / 2
    assert f"from {half} ranks on, an extrapolation" in of_model(line)


def test_the_model_of_a_weak_series_knows_the_growing_decoding(tmp_path):
    runs = [{"ranks": p, "clients": 4 * p, "phases": {"local": 1, "decode": [0.1 * p] + [0] * (p - 1),
                                                      "broadcast": [0] + [0.1 * p] * (p - 1)}} for p in (1, 2, 4, 8)]
    model = fit(only(write_study(tmp_path / "s", runs, WEAK)))
    assert model.decode == pytest.approx(0.025) and model.seconds(16) == pytest.approx(2.6)
    assert model.half is None


def test_two_numbers_of_ranks_make_no_model(tmp_path):
    study = read_study(write_study(tmp_path / "s", [star(1), star(2)]))
    assert fit(study.lines[0]) is None and "No model" in details(study)[0]


def test_a_calibrated_network_is_put_beside(tmp_path):
    folder = write_study(tmp_path / "s", [star(1), star(2)])
    write_network(folder, 2, broadcast=0.5, gather=0.25, reduce=0.125)
    study = read_study(folder)
    line, network = study.lines[0], study.networks[2]
    assert calibrated(line, line.points[1], network) == pytest.approx(0.25 + 0.001 + 0.5 + 0.25)
    found = rows(study)
    assert math.isnan(found[0]["calibrated_seconds"]) and found[1]["calibrated_seconds"] == pytest.approx(1.001)


def test_sums_and_a_barrier_on_a_calibrated_network(tmp_path):
    folder = write_study(tmp_path / "s", [star(p, "reduce") | {"config": {"separate_wait": "true"}} for p in (1, 2)])
    write_network(folder, 2, broadcast=0.5, gather=9, reduce=0.125)
    study = read_study(folder)
    # Model down, agreement there and back, sums up, barrier.
    assert calibrated(study.lines[0], study.lines[0].points[1], study.networks[2]) == \
        pytest.approx(0.251 + 0.5 + 0.625 + 0.125 + 0.625)


def test_networks_of_shared_cores_are_left_out(tmp_path):
    folder = write_study(tmp_path / "s", [star(1), star(2)])
    write_network(folder, 2, 1, 1, 1, warning=True)
    study = read_study(folder)
    assert not study.networks and "shared cores" in study.notes[0]


def test_ranks_that_share_cores_are_marked(tmp_path):
    study = read_study(write_study(tmp_path / "s", [star(p) | {"cores": 2} for p in (1, 2, 4)]))
    assert [point.crowded for point in study.lines[0].points] == [False, False, True]
    assert doubts(study) == ["unreliable times: 4 ranks share 2 cores of a node"]
    assert " on 2 as on 1 rank (efficiency " in answers(study)[0]
    assert "No model: that takes 3 numbers of ranks whose times are evidence, and there are 2." in details(study)[0]
    assert fit(study.lines[0]) is None


def test_the_model_rests_on_ranks_with_a_core_each_where_there_are_three(tmp_path):
    study = read_study(write_study(tmp_path / "s", [star(p) | {"cores": 4} for p in (1, 2, 4, 8)]))
    assert fit(study.lines[0]).fitted == (2,) and list(fit(study.lines[0]).errors) == [1, 4]
    assert "says nothing about more ranks, for one fitted point does not tell" in details(study)[0]


def test_other_load_is_told(tmp_path):
    study = read_study(write_study(tmp_path / "s", [star(p) | {"cores": 4, "others": 2.5} for p in (1, 2)]))
    assert [point.doubt for point in study.lines[0].points] == [None, Doubt.LOAD]
    assert "others used 2.5 of 4 cores" in doubts(study)[0] and "unreliable times (load from others)" in answers(study)[0]


ONLY = "two-sites.xml, {} ranks on {} hosts, communication only; SMPI 3.32"
SLOWER = "two-sites.xml, {} ranks on {} hosts, computing takes 2 times as long as on here; SMPI 3.32"


@pytest.mark.parametrize(("text", "disturbed"), [(ONLY, False), (SLOWER, True)])
def test_other_load_matters_where_computing_takes_time(tmp_path, text, disturbed):
    runs = [star(p) | {"cores": 2, "here": 1, "others": 1.5,
                       "run": {"environment": {"simulation": text.format(p, p)}}} for p in (2, 4)]
    study = read_study(write_study(tmp_path / "s", runs))
    assert [point.doubt is Doubt.LOAD for point in study.lines[0].points] == [disturbed, disturbed]
    assert f"SIMULATED: no time of {tmp_path / 's'} was measured (two-sites.xml, " in study.notes[0]
    assert "ranks on" not in study.notes[0]


@pytest.mark.parametrize(("simulation", "said"), [
    (ONLY, None), ("", "not distinguished from reduce")])
def test_one_repetition_tells_where_times_are_exact(tmp_path, simulation, said):
    runs = [star(p) | {"values": {"exchange.up": up}, "up": up,
                       "run": {"environment": {"simulation": simulation.format(p, p)} if simulation else {}},
                       "phases": {"local": 0.1, "exchange": seconds}}
            for p in (2, 4) for up, seconds in (("gather", 0.1), ("reduce", 0.2))]
    found = answers(read_study(write_study(tmp_path / "s", runs, axes=("exchange.up",))))[0]
    assert found.startswith("gather is ") and (said in found if said else "reduce" not in found)


@pytest.mark.parametrize(("ratios", "says"), [
    ([1.1], "one pair says nothing"), ([1.1, 1.2, 1.3], "too few pairs to tell"), ([1.1] * 3, "slower"),
    ([1.1, 1.2, 1.3, 1.1, 1.2, 1.3], "slower"), ([0.9, 1.2, 1.3, 1.1, 1.2, 1.3], "tied")])
def test_few_pairs_do_not_tell_unless_all_are_the_same(ratios, says):
    assert judged(interval(ratios)) == says


def test_a_model_that_does_not_fit_predicts_nothing(tmp_path):
    seconds = {1: 1.0, 2: 0.9, 4: 0.1, 8: 0.8, 16: 0.05}
    runs = [{"ranks": p, "phases": {"local": s}} for p, s in seconds.items()]
    study = read_study(write_study(tmp_path / "s", runs))
    where, error = fit(study.lines[0]).worst
    assert f"checked on 1, 4 and 16, is off by up to {100 * error:.0f} % (on {where}): it does not fit" in details(study)[0]
    assert error == max(fit(study.lines[0]).errors.values()) > 0.25


def test_rows_say_what_is_simulated(tmp_path):
    runs = [star(p) | {"run": {"environment": {"simulation": ONLY.format(p, p)}}} for p in (2, 4)]
    for row in rows(read_study(write_study(tmp_path / "s", runs))):
        assert row["simulated"] == "two-sites.xml, communication only"
    assert [row["simulated"] for row in rows(read_study(write_study(tmp_path / "m", [star(2), star(4)])))] == [None] * 2


def test_runs_that_lead_to_different_models_are_told(tmp_path):
    folder = write_study(tmp_path / "s", [star(1), star(2)])
    assert not read_study(folder).notes
    with h5py.File(sorted(folder.glob("0*.h5"))[1], "r+") as file:
        file["model/final"][0] = 7
    assert "have the same settings but not the same model" in read_study(folder).notes[0]


@pytest.mark.parametrize("setting", ["[privacy]\nrng = 'chacha20'\n", "[clock]\ntime = 'real'\n"])
def test_models_that_differ_by_design_are_no_fault(tmp_path, setting):
    folder = write_study(tmp_path / "s", [star(p) | {"config": {"more": setting}} for p in (1, 2)])
    with h5py.File(sorted(folder.glob("0*.h5"))[1], "r+") as file:
        file["model/final"][0] = 7
    assert not read_study(folder).notes


def test_lines_that_pairs_do_not_tell_apart_are_tied(tmp_path):
    """gather is faster in the median, and not in every pair."""
    times = {"gather": [4.0] * 7, "reduce": [5.0] * 4 + [3.0] * 3, "hierarchical": [9.0] * 7}
    runs = [{"ranks": p, "repetition": i, "values": {"exchange.up": up}, "up": up, "phases": {"local": seconds / p}}
            for p in (1, 2) for up in ("gather", "reduce", "hierarchical")
            for i, seconds in enumerate(times[up])]
    study = read_study(write_study(tmp_path / "s", runs, axes=["exchange.up"]))
    assert answer(study.lines, study.lines).endswith("(efficiency 1.00, tied with reduce)")
    assert answer(study.lines, study.lines, brief=True) == "gather is 2 times as fast on 2 as on 1 rank, tied with reduce"


def test_comparisons_do_not_judge_by_ranks_that_share_cores(tmp_path):
    runs = [{"ranks": p, "repetition": i, "values": {"exchange.up": up}, "up": up, "cores": 2,
             "phases": {"local": factor}}
            for i in range(6) for p in (2, 4) for up, factor in (("gather", 2), ("reduce", 1))]
    compared = of_axis(read_study(write_study(tmp_path / "s", runs, axes=["exchange.up"])), "exchange.up")
    assert answer_compared(compared) == "reduce is faster than gather on 2 ranks"
    said = compared_lines(compared)
    assert "shared cores" not in said[0] and said[1].endswith("faster; unreliable times: shared cores")


def test_simulated_runs_are_marked_and_never_mixed_with_measured_ones(tmp_path):
    def study(name, simulated):
        return write_study(tmp_path / name, [
            {"ranks": p, "phases": {"local": 8 / p},
             "run": {"environment": {"simulation": "edge.xml, 2 ranks on 2 hosts, here; SMPI"}} if p in simulated else {}} for p in (1, 2)])
    assert not any("SIMULATED" in note for note in read_study(study("measured", [])).notes)
    assert any("SIMULATED" in note and "edge.xml" in note for note in read_study(study("simulated", [1, 2])).notes)
    with pytest.raises(RunFileError, match="1 of 2 runs are simulated"):
        read_study(study("both", [2]))


@pytest.mark.parametrize(("name", "word"), [("git_revision", "program version"), ("cpu", "processor")])
def test_runs_of_several_builds_or_processors_are_no_evidence(tmp_path, name, word):
    def notes(folder, other):
        runs = [{"ranks": p, "phases": {"local": 8 / p}, "run": {"environment": {name: value}}}
                for p, value in ((1, "this"), (2, other))]
        return [note for note in read_study(write_study(tmp_path / folder, runs)).notes if "unreliable times" in note]
    assert not notes("same", "this")
    assert [f"by {word} 'this' and" in note and "by 'that'" in note for note in notes("mixed", "that")] == [True]


def test_all_ranks_crowded_is_no_verdict_on_speed(tmp_path):
    study = read_study(write_study(tmp_path / "s", [star(p) | {"cores": 1} for p in (1, 2, 4)]))
    assert answers(study) == ["strong: unreliable times (shared cores)"] and not details(study)


def test_a_slower_round_is_told_by_the_reciprocal(tmp_path):
    """1.5 times as long, and not 0.67 times as fast."""
    study = read_study(write_study(tmp_path / "s", [{"ranks": p, "phases": {"local": s}} for p, s in ((1, 2), (2, 3))]))
    assert answers(study) == ["strong takes 1.5 times as long on 2 as on 1 rank (efficiency 0.33)"]


def test_equal_times_are_as_fast(tmp_path):
    """Not "1 times as fast"."""
    study = read_study(write_study(tmp_path / "s", [{"ranks": p, "phases": {"local": s}} for p, s in ((1, 2), (2, 2.01))]))
    assert answers(study) == ["strong is as fast on 2 as on 1 rank (efficiency 0.50)"]


def test_the_judgement_of_the_program_counts(tmp_path):
    measured = {"cores_per_rank": 1.0, "node_cores": 4.0, "load_from_others": 0.0, "waiting_share": 0.0, "steal_share": 0.1,
                "node_ranks": np.int64(2), "timed_rounds": np.int64(45)}
    runs = [{"ranks": p, "repetition": i, "phases": {"local": 1}, "run": {"asked": {"time_evidence": status} | measured}}
            for p, statuses in ((1, ["evidence"] * 2), (2, ["steal", "evidence"])) for i, status in enumerate(statuses)]
    study = read_study(write_study(tmp_path / "s", runs))
    assert [point.doubt for point in study.lines[0].points] == [None, Doubt.STEAL]


def test_times_summarised_over_the_ranks_are_refused(tmp_path):
    """timing.ranks = "summary": the mean is there, and no rank."""
    path = write_run(tmp_path / "a.h5", ranks=np.int64(2), seconds=seconds_of(1, local=3.0),
                     config=config_of("gather", more='ranks = "summary"\n'), mpi={"bits_up": [0, 0, 0], "bits_down": [0, 0, 0]})
    run = read_run(path)
    with pytest.raises(RunFileError, match='timing.ranks = "each"'):
        timing_of(run, 1)
    figures = phase_figures(run)
    assert figures["seconds_local_mean"] == WARM + 3.0 and np.isnan(figures["seconds_local"])
