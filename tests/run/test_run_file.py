"""The run file: self-describing, complete or marked, never lost."""
import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import PROGRAM, ROOT, call, environment, read, summary


def test_every_data_set_is_described(logistic, tmp_path):
    file = tmp_path / "x.h5"
    call("run", logistic, "--output", file, ranks=2)
    with h5py.File(file) as h5:
        def check(name, item):
            if isinstance(item, h5py.Dataset):
                assert item.attrs["units"] and item.attrs["description"], name
        h5.visititems(check)
        assert h5.attrs["complete"] == 1 and h5.attrs["schema_version"] == 4
        assert h5["phases/seconds"].shape == (7, 2, len(h5["phases/name"]))
        names = [name.decode() for name in h5["phases/name"][:]]
        spent = dict(zip(names, h5["phases/seconds"][1:].sum(axis=(0, 1))))
        assert all(spent[name] > 0 for name in names if name not in ("wait", "checkpoint")), spent
        assert h5["rounds/round"][:].tolist() == list(range(7))
        assert len(h5["environment/hosts"].asstr()[()].splitlines()) == 2
        times = dict(h5["environment"].attrs)
        assert times["timed_rounds"] == 6 and times["node_ranks"] == 2 and times["node_cores"] >= 1
        assert times["cores_per_rank"] <= times["node_cores"] / 2 and times["time_evidence"] != "unknown"
        assert h5["phases/peak_memory"].shape == (2,) and all(4e6 < h5["phases/peak_memory"][:]), "less than a library"


def documented(page, *titles):
    """The names and types of columns in the tables with these titles, "Columns of ..."."""
    tables = [re.search(rf"^## Columns of {re.escape(title)}\n(.*?)(?=^## )", page, re.M | re.S)[1] for title in titles]
    return {name: kind for table in tables for name, kind in re.findall(r"^\| `(\w+)` \| (\w+) \|", table, re.M)}


def test_the_documented_columns_are_those_of_a_file(logistic, tmp_path):
    page = call("reference", "run-file").out
    common, server, own = "`/rounds`", "`/rounds` of methods with a server", "`/rounds` of methods with a model of each client"
    timed = ["`/rounds` of methods on the clock", "`/rounds` on the simulated clock"]
    decentralised = ["`/rounds` of decentralised methods", "`/rounds` of decentralised methods with `evaluate.nodes`"]
    nodes = ["--set", "method=dsgd", "--set", "evaluate.nodes=all"]
    clock = ["--set", "method=fedbuff", "--set", "local.rate=0.1", "--set", "server.buffer=2"]
    own_models = ["--set", "method=pmtl"]
    for settings, titles in (([], [server]), (own_models, [server, own]), (clock, [server, *timed]),
                             (nodes, decentralised)):
        file = tmp_path / "x.h5"
        assert call("run", logistic, *settings, "--output", file, "--overwrite").code == 0
        traffic = ["`/mpi`"] + ["`/mpi` of decentralised methods"] * (settings == nodes)
        with h5py.File(file) as h5:
            assert {name: str(column.dtype) for name, column in h5["rounds"].items()} == \
                {"round": "int64"} | documented(page, common, *titles)
            assert {name: str(column.dtype) for name, column in h5["mpi"].items()} == documented(page, *traffic)


def test_columns_have_the_attributes_of_the_page(logistic, tmp_path):
    page = call("reference", "run-file").out
    listed = re.search(r"^## Attributes of columns\n(.*?)(?=^## )", page, re.M | re.S)[1]
    call("run", logistic, "--output", tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as h5:
        for group in ("rounds", "mpi"):
            for name in set(h5[group]) - {"round"}:
                assert sorted(h5[group][name].attrs) == sorted(re.findall(r"^\| `(\w+)` \|", listed, re.M)), name
        accuracy, messages = h5["rounds/accuracy"].attrs, h5["rounds/messages"].attrs
        assert (accuracy["least"], accuracy["most"], accuracy["course"], accuracy["evaluated"]) == (0, 1, "free", 1)
        assert (messages["least"], messages["most"], messages["course"]) == (0, np.inf, "cumulative")
        assert accuracy["runs"] == "all" and h5["rounds/noise_norm"].attrs["runs"] == "with_server"


def test_the_analysis_has_directions_and_ranges_for_files_without_them(logistic, tmp_path):
    sys.path.insert(0, str(ROOT / "analysis"))
    from trilemma_analysis.model.metrics import COMPARED, METRICS
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "method=dsgd", "--set", "evaluate.nodes=all", "--output", file).code == 0
    with h5py.File(file) as h5:
        assert set(METRICS) <= set(h5["rounds"])
        for name in set(COMPARED) & set(h5["rounds"]):
            metric, declared = COMPARED[name], h5["rounds"][name].attrs
            assert metric.higher_is_better == (declared["better"] == "higher"), name
            assert metric.possible == (declared["least"], declared["most"]), name


def test_the_documented_checksum_is_that_of_the_program(network, logistic, tmp_path):
    """Computed again by analysis/, which follows docs/reference/run-file.md."""
    spec = importlib.util.spec_from_file_location("content", ROOT / "analysis/trilemma_analysis/io/content.py")
    content = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(content)
    for experiment in (logistic, network):
        file = tmp_path / "x.h5"
        assert call("run", experiment, "--data-dir", tmp_path, "--output", file, "--overwrite", ranks=2).code == 0
        with h5py.File(file, "a") as h5:
            assert h5.attrs["content_sha256"] == content.content_sum(h5)
            h5.attrs["seed"] += 1
            assert content.is_changed(h5)


DRIFT = "name = 'drift'\nrounds = 1\nclients = 1\n[data]\nrows = 60\nfeatures = 9\nnonzeros = 3\n[local]\nsteps = 3\n"


@pytest.mark.parametrize("settings", [
    ["method=fedavg"],
    ["method=dp-fedavg-clip", "bound.threshold=1e6", "privacy.sigma=0"],  # sends the sum of its gradients
    ["method=dp-fedavg-smooth", "bound.alpha=0", "bound.threshold=1", "privacy.sigma=0"],  # a unit vector
])
def test_drift_is_the_way_of_the_local_steps(tmp_path, settings):
    experiment, file = tmp_path / "drift.toml", tmp_path / "x.h5"
    experiment.write_text(DRIFT)
    call("run", experiment, "--output", file, *[word for s in ["local.rate=0.7", *settings] for word in ("--set", s)])
    with h5py.File(file) as h5:
        drift, way = h5["rounds/drift"][:], np.linalg.norm(h5["model/final"][:] - h5["model/start"][:])
    assert np.isnan(drift[0])
    if settings[0] == "method=dp-fedavg-smooth":  # the same way as without a bound
        call("run", experiment, "--output", file, "--set", "method=fedavg", "--set", "local.rate=0.23333333333")
        with h5py.File(file) as h5:
            way = h5["rounds/drift"][1]
    assert drift[1] == pytest.approx(way, rel=1e-5) and way > 0.1


def test_drift_in_epochs_is_that_of_their_steps(tmp_path):
    """60 records, 25 in a minibatch: three steps in an epoch. The update is the mean of the gradients, and each step has
    its share of the rate."""
    experiment = tmp_path / "drift.toml"
    experiment.write_text(DRIFT)
    drifts = []
    for unit, steps in (("epoch", 2), ("step", 6)):
        call("run", experiment, "--output", tmp_path / f"{unit}.h5", *[word for s in [
            "method=fed-alpha-normec", "privacy.sigma=0", "local.solver=sgd", "local.batch=25", "local.rate=0.7",
            f"local.unit={unit}", f"local.steps={steps}"] for word in ("--set", s)])
        with h5py.File(tmp_path / f"{unit}.h5") as h5:
            drifts.append(h5["rounds/drift"][1])
    assert drifts[0] == drifts[1] > 0.01


def test_no_drift_without_local_steps(logistic, tmp_path):
    call("run", logistic, "--output", tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as h5:
        assert np.isnan(h5["rounds/drift"][:]).all()


def test_show_agrees_with_the_file(logistic, tmp_path):
    file = tmp_path / "x.h5"
    result = call("run", logistic, "--output", file)
    assert "squared gradient norm" in result.out and result.err == ""
    found = summary(file)
    model, columns = read(file)
    assert found["model_sha256"] == hashlib.sha256(model.tobytes()).hexdigest()
    assert found["objective_final"] == columns["objective"][-1]
    assert found["objective_best"] == columns["objective"].min()
    assert found["utility"] == pytest.approx(columns["gradient_norm_squared"].mean(), rel=1e-12)
    assert found["rounds"] == found["rounds_done"] == 6 and found["complete"] is True
    assert 4.9 < found["epsilon_accounted"] <= 5 and found["epsilon_nominal"] == 5
    assert 0.99 * found["epsilon_accounted"] < found["epsilon_lower"] <= found["epsilon_accounted"]
    assert found["accountant_status"] == "ok"
    assert found["epsilon_accounted"] == columns["epsilon"][-1] and found["dp_claim"] == "accounted"
    path = sum(phase["critical_path"] for phase in found["seconds_per_phase"].values())
    assert path == pytest.approx(found["seconds_critical_path"], rel=1e-12) and path <= found["seconds_total"]
    assert found["claim"].startswith("holds: (5, 0.001)-DP for one record")


def test_estimator_clipping_is_labelled(logistic, tmp_path):
    file = tmp_path / "x.h5"
    result = call("run", logistic, "--set", "bound.kind=clip-estimator",
                  "--set", "privacy.calibration=paper", "--output", file)
    assert "not a private run: the finished estimator is clipped" in result.out
    assert summary(file)["claim"].startswith("not a private run")


def test_quiet_run_prints_nothing(logistic, tmp_path):
    result = call("run", logistic, "--quiet", "--output", tmp_path / "x.h5")
    assert result.out == "" and result.err == ""


def test_a_quiet_run_tells_that_an_epsilon_is_refused(logistic, tmp_path):
    result = call("run", logistic, "--quiet", "--set", "privacy.delta=0.05", "--output", tmp_path / "x.h5")
    assert result.code == 0 and result.out == ""
    assert "note: privacy.epsilon = 5 is requested: not a private run: delta = 0.05 is not below 1/m" in result.err


@pytest.mark.parametrize("when, rounds", [("every=4", [0, 4, 6]), ("at=[1, 3]", [0, 1, 3, 6])])
def test_utility_over_evaluated_states_only(logistic, tmp_path, when, rounds):
    file = tmp_path / "x.h5"
    call("run", logistic, "--set", f"evaluate.{when}", "--output", file)
    _, columns = read(file)
    evaluated = ~np.isnan(columns["objective"])
    assert np.flatnonzero(evaluated).tolist() == rounds
    assert columns["utility"][-1] == pytest.approx(columns["gradient_norm_squared"][evaluated].mean(), rel=1e-12)


def test_nan_stops_with_round_and_cause(logistic, tmp_path):
    file = tmp_path / "x.h5"
    for ranks in (None, 3):
        result = call("run", logistic, "--set", "server.rate=1e300", "--output", file, ranks=ranks)
        assert result.code == 3
        assert "round 1: the objective is" in result.sentence and "lower server.rate" in result.sentence
        assert not file.exists()
        found = summary(f"{file}.partial")
        assert found["complete"] is False and found["failure"].startswith("round 1:")


def test_unwritable_output(logistic, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = call("run", logistic, "--output", blocked / "x.h5")
    assert result.code == 2 and "cannot be written" in result.sentence


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 300 kB; needs the right to mount."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("ranks", [None, 2])
def test_full_disk_ends_with_one_message(logistic, small_disk, ranks):
    result = call("run", logistic, "--set", "rounds=20000", "--set", "evaluate.every=0", "--output",
                  small_disk / "x.h5", ranks=ranks)
    assert result.code == 3
    # Rows or a flush may be the first to hit the end of the disk.
    full = r"cannot write .*: the disk is full \(No space left on device\); free some space"
    assert re.search(full, result.sentence), result.sentence
    assert not (small_disk / "x.h5").exists()


def test_killed_run_leaves_a_readable_file(logistic, tmp_path):
    file = tmp_path / "x.h5"
    process = subprocess.Popen([PROGRAM, "run", logistic, "--set", "rounds=100000000", "--output", file, "--quiet"],
                               env=environment())
    partial = f"{file}.partial"
    for _ in range(1500):
        time.sleep(0.2)
        if os.path.exists(partial) and summary_or_none(partial):
            break
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=300)
    found = summary(partial)
    assert found["complete"] is False and found["rounds_done"] > 0
    assert not file.exists()


def summary_or_none(path):
    """The summary once the first rows are flushed; the file is locked by its writer."""
    result = call("show", path, "--json", env={"HDF5_USE_FILE_LOCKING": "FALSE"})
    return result.code == 0 and json.loads(result.out)["rounds_done"] > 0


def test_what_is_not_a_run_file_is_not_replaced(logistic, tmp_path):
    text = tmp_path / "thesis.tex"
    text.write_text("precious")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (text, tmp_path, pipe):
        result = call("run", logistic, "--output", target)
        assert result.code == 2 and "not a run file" in result.sentence
    assert text.read_text() == "precious"


def test_two_runs_do_not_share_a_file(logistic, tmp_path):
    file = tmp_path / "x.h5"
    process = subprocess.Popen([PROGRAM, "run", logistic, "--set", "rounds=100000000", "--output", file, "--quiet"],
                               env=environment())
    try:
        for _ in range(1500):
            time.sleep(0.1)
            if os.path.exists(f"{file}.partial") and summary_or_none(f"{file}.partial"):
                break
        result = call("run", logistic, "--output", file)
        assert result.code == 2 and "another run is writing to it" in result.sentence
        assert summary_or_none(f"{file}.partial")
    finally:
        process.kill()
        process.wait(timeout=300)
    assert call("run", logistic, "--output", file).code == 0


def test_default_names_do_not_replace_each_other(logistic, tmp_path):
    for _ in range(2):
        assert call("run", logistic, "--quiet", cwd=tmp_path).code == 0
    names = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert names == ["small-soteriafl-sgd-s1-2.h5", "small-soteriafl-sgd-s1.h5"]


def test_noise_of_the_command_line_replaces_epsilon(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "privacy.sigma=0.25", "--output", file).code == 0
    found = summary(file)
    assert found["noise_sigma"] == 0.25 and found["epsilon_nominal"] is None
    assert found["claim"].startswith("holds: (") and found["epsilon_accounted"] < 1


def test_config_is_annotated_and_complete(logistic, tmp_path):
    defaults = call("config", "--defaults")
    assert defaults.code == 0
    for text in ("rounds = 100", "[compressor]", "# coordinates in a message; 0 = d / divisor", "snapshot_probability"):
        assert text in defaults.out, text
    shown = call("config", logistic).out
    assert "rounds = 6" in shown and "default 100" in shown
    (tmp_path / "again.toml").write_text(shown)
    assert call("config", tmp_path / "again.toml").out == shown


def test_a_budget_is_kept_to_the_bit(logistic, tmp_path):
    """4 values of 32 bits per round and client fit 15 times into 250 bytes; of the 16th there is no room."""
    file = tmp_path / "x.h5"
    result = call("run", logistic, "--set", "budget.upload=250B", "--output", file)
    assert result.code == 0, result.err
    with h5py.File(file) as h5:
        assert h5.attrs["rounds"] == 15
        assert h5["rounds/bits_up_payload"][-1] == 7 * 15 * 4 * 32 <= 7 * 250 * 8 < 7 * 16 * 4 * 32
    assert "15 of 15" in call("show", file).out


def test_no_thread_of_openblas_waits_for_work(logistic, tmp_path):
    limits = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    unlimited = {key: value for key, value in os.environ.items() if key not in limits}
    run = subprocess.Popen([PROGRAM, "run", logistic, "--set", "rounds=2000000", "--quiet", "--output",
                            tmp_path / "x.h5"], env=unlimited, stderr=subprocess.DEVNULL)
    try:
        waiting = time.monotonic() + 300
        while not (tmp_path / "x.h5.partial").exists() and time.monotonic() < waiting:
            time.sleep(0.05)
        status = Path(f"/proc/{run.pid}/status").read_text()
    finally:
        run.kill()
        run.wait()
    assert "Threads:\t1\n" in status
