"""Scaling studies: volume, phases, factors of the efficiency, serial fraction and memory, checked by hand."""
import csv
import json
import math

import h5py
import numpy as np
import pytest

from study_folder import write_network, write_study
from trilemma_analysis.cli.main import main
from trilemma_analysis.scaling.folder import read_study
from trilemma_analysis.scaling.losses import computation_scaling, messages, phase_efficiencies, serial_fraction
from trilemma_analysis.scaling.table import rows

WEAK = ({"name": "weak", "kind": "weak", "clients_per_rank": 4},)
# Two ranks: rank 1 computes 3 s and rank 0 one; all wait for 2 s of the server; the exchange takes 1 s.
UNEVEN = {"ranks": 2, "phases": {"local": [1, 3], "wait": [2, 0], "exchange": 1, "server": [2, 0], "broadcast": [0, 2]}}


def only(folder):
    study = read_study(folder)
    assert len(study.lines) == 1
    return study.lines[0]


def values(folder, *names):
    """The columns `names` of the last row of a study."""
    return [rows(read_study(folder))[-1][name] for name in names]


def with_memory(folder, *memory):
    """Adds the peak memory of each rank to all files of a study."""
    for path in folder.glob("*-r1.h5"):
        with h5py.File(path, "r+") as file:
            file["phases/peak_memory"] = np.array(memory, float)
    return folder


def test_factors_of_the_efficiency(tmp_path):
    folder = write_study(tmp_path / "s", [UNEVEN])
    names = ("load_balance", "communication_efficiency", "serialisation_efficiency", "transfer_efficiency",
             "parallel_efficiency", "useful_seconds")
    # Both ranks compute 3 of 6 s, one after the other: without messages a round takes 5 s.
    assert values(folder, *names) == pytest.approx([1, 3 / 6, 3 / 5, 5 / 6, 3 / 6, 6])


def test_uneven_work_is_load_balance(tmp_path):
    folder = write_study(tmp_path / "s", [{"ranks": 2, "phases": {"local": [1, 3], "wait": [2, 0]}}])
    assert values(folder, "load_balance", "communication_efficiency", "parallel_efficiency") == [2 / 3, 1, 2 / 3]


def test_factors_that_need_an_ideal_network_are_unknown_where_work_overlaps(tmp_path):
    found = values(write_study(tmp_path / "s", [UNEVEN | {"up": "overlap"}]), "serialisation_efficiency",
                   "transfer_efficiency", "communication_efficiency")
    assert math.isnan(found[0]) and math.isnan(found[1]) and found[2] == 0.5


def test_phases_have_their_mean_and_their_slowest_rank(tmp_path):
    folder = write_study(tmp_path / "s", [UNEVEN])
    assert values(folder, "local_mean_seconds", "local_max_seconds", "broadcast_mean_seconds", "broadcast_max_seconds",
                  "wait_max_seconds") == [2, 3, 1, 2, 2]


def test_bits_and_bytes_of_a_round(tmp_path):
    run = {"ranks": 2, "bytes_up": 500, "bytes_down": 300, "phases": {"local": 2.0},
           "run": {"columns": {"messages": [0, 10, 20], "batch_records": [0, 50, 130]}}}
    folder = write_study(tmp_path / "s", [run])
    assert values(folder, "mpi_bytes_up", "mpi_bytes_down", "mpi_bytes_evaluation") == [500, 300, 8]
    assert values(folder, "payload_bits_up", "payload_bits_down", "model_bits_up") == [640, 1600, 1280]
    assert values(folder, "updates_per_second", "records_per_second") == [5, 40]  # of the round after the warm-up
    assert math.isnan(values(folder, "mpi_bytes_control")[0])


def test_memory_and_start_up(tmp_path):
    folder = with_memory(write_study(tmp_path / "s", [UNEVEN]), 1e6, 3e6)
    path = next(folder.glob("*-r1.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seconds": 2.25}))
    # The rounds take 0.5 s (wall_seconds of the made-up files).
    assert values(folder, "memory_mean", "memory_max", "start_up") == [2e6, 3e6, 1.75]


def test_files_without_memory_or_a_record_have_neither(tmp_path):
    assert all(map(math.isnan, values(write_study(tmp_path / "s", [UNEVEN]), "memory_mean", "memory_max", "start_up")))


def test_the_serial_fraction_of_amdahls_law_is_recovered(tmp_path):
    """A tenth of 10 s is serial: 1 + 9 / p seconds on p ranks."""
    line = only(write_study(tmp_path / "s", [{"ranks": p, "phases": {"local": 1 + 9 / p}} for p in (1, 2, 8)]))
    assert math.isnan(serial_fraction(line, line.points[0]))
    assert [serial_fraction(line, point) for point in line.points[1:]] == pytest.approx([0.1, 0.1])


def test_the_serial_fraction_of_gustafsons_law_is_recovered(tmp_path):
    """Of 10 s on p ranks one is serial, so one rank would take 1 + 9 p seconds: a speed-up of p - 0.1 (p - 1)."""
    runs = [{"ranks": p, "clients": 4 * p, "phases": {"local": seconds}} for p, seconds in ((1, 10), (4, 40 / 3.7))]
    line = only(write_study(tmp_path / "s", runs, WEAK))
    assert serial_fraction(line, line.points[1]) == pytest.approx(0.1)


def test_efficiency_of_phases(tmp_path):
    """Local work is shared, compression half of it, and the server not at all."""
    line = only(write_study(tmp_path / "s", [
        {"ranks": 1, "phases": {"local": 8, "compress": 4, "server": 2}},
        {"ranks": 4, "phases": {"local": 2, "compress": [2, 1, 1, 1], "server": [2, 0, 0, 0]}}]))
    found = phase_efficiencies(line, line.points[1])
    assert found["efficiency_local"] == 1 and found["efficiency_compress"] == 0.5
    assert found["efficiency_server"] == 0.25 and math.isnan(found["efficiency_encode"])
    assert computation_scaling(line, line.points[1]) == pytest.approx(14 / 15)


def test_efficiency_of_phases_in_a_weak_series(tmp_path):
    runs = [{"ranks": p, "clients": 4 * p, "phases": {"local": seconds}} for p, seconds in ((1, 3), (4, 4))]
    line = only(write_study(tmp_path / "s", runs, WEAK))
    assert phase_efficiencies(line, line.points[1])["efficiency_local"] == 0.75
    assert computation_scaling(line, line.points[1]) == pytest.approx(0.75)


@pytest.mark.parametrize("barrier", [True, False])
def test_achieved_share_of_a_calibrated_network(tmp_path, barrier):
    """0.75 s as calibrated, and as measured 0.5 s of exchange and 1 s of broadcast."""
    config = {"separate_wait": str(barrier).lower()}
    run = {"ranks": 2, "bytes_up": 1000, "bytes_down": 300, "config": config,
           "phases": {"local": 1, "broadcast": 1.0, "exchange": 0.5}}
    folder = write_study(tmp_path / "s", [run])
    write_network(folder, 2, broadcast=0.5, gather=0.25, reduce=9)
    study = read_study(folder)
    found = messages(study.lines[0], study.lines[0].points[0], study.networks[2])
    assert found["calibrated_messages"] == 0.75 and found["achieved_messages"] == pytest.approx(0.5)
    if barrier:
        assert found["achieved_exchange"] == 0.5 and found["exchange_bandwidth"] == 2000
    else:
        assert math.isnan(found["achieved_exchange"]) and math.isnan(found["exchange_bandwidth"])
    assert math.isnan(messages(study.lines[0], study.lines[0].points[0], None)["achieved_messages"])


def test_csv_has_the_numbers_and_the_screen_the_answer(tmp_path, capsys):
    folder = write_study(tmp_path / "s", [{"ranks": p, "bytes_up": 125 * (p - 1), "phases": {"local": 1 + 9 / p}}
                                          for p in (1, 2)])
    assert main(["scaling", str(folder), "--csv", str(tmp_path / "a.csv")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Load balance 1.00, serialisation 1.00, transfer 1.00; serial fraction 0.10." in out
    assert "A round hands 1 kbit up and 0 bit down to MPI." in out and "start-up" not in out
    found = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert [row["serial_fraction"] for row in found][0] == "" and float(found[1]["serial_fraction"]) == \
        pytest.approx(0.1)
    assert main(["scaling", str(folder), "--wide"]) == 0
    assert "load balance  serialisation  transfer  serial" in capsys.readouterr().out
