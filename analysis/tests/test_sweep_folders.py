"""Several folders as one sweep, run files as a sweep, and ranks that are no repetitions."""

from __future__ import annotations

import shutil

import h5py
import numpy as np
import pytest
from conftest import write_run, write_sweep

from trilemma_analysis import read_run, read_sweep
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.content import CHECKSUM, content_sum
from trilemma_analysis.model.combinations import combinations
from trilemma_analysis.model.sweep import sweep_of_runs
from trilemma_analysis.model.sweep_files import differing

CONFIG = "seed = {seed}\nrounds = {rounds}\n[server]\nrate = {rate}\n"


def cell(seed=1, mark="0123456789ab", rate=0.5, rounds=2, **run):
    return {"values": {"method": "gd", "seed": seed}, "hash": f"{mark[:-1]}{seed}",
            "run": {"config": CONFIG.format(seed=seed, rate=rate, rounds=rounds)} | run}


def folder(path, *cells):
    return write_sweep(path, list(cells), axes=("method", "seed"))


def told(sweep):
    return [(each.values, len(each.seeds)) for each in combinations(sweep)]


def test_copies_of_run_files_count_once(tmp_path):
    one = folder(tmp_path / "one", *(cell(seed, "a" * 12, rate=0.1) for seed in (1, 2)))
    for path in one.glob("*.h5"):
        with h5py.File(path, "r+") as file:
            file.attrs[CHECKSUM] = content_sum(file)
    sweep = read_sweep(one, shutil.copytree(one, tmp_path / "copy"))
    assert len(sweep.table) == 2 and sweep.notes == ("2 run files of one folder, copied from another; counted once",)


def test_what_differs_between_folders_becomes_an_axis(tmp_path):
    slow = folder(tmp_path / "slow", *(cell(seed, "a" * 12, rate=0.1) for seed in (1, 2)))
    fast = folder(tmp_path / "fast", *(cell(seed, "b" * 12, rate=1.0) for seed in (1, 2)))
    sweep = read_sweep(slow, fast)
    assert sweep.axes == ("server.rate", "seed") and sweep.name == "made" and sweep.notes == ()
    assert told(sweep) == [({"server.rate": 0.1}, 2), ({"server.rate": 1.0}, 2)]
    assert sweep.table["file"].tolist()[0] == "made/aaaaaaaaaaa1.h5" and sweep.table["index"].is_unique


@pytest.mark.parametrize("ranks, expected", [((1, 2), [(1, 2), (2, 2)]), ((2, 2), None)])
def test_runs_on_other_numbers_of_ranks_are_no_repetitions(tmp_path, ranks, expected):
    folders = [folder(tmp_path / str(i), *(cell(seed, ranks=np.int64(count), wall_seconds=float(i + 1))
                                           for seed in (1, 2))) for i, count in enumerate(ranks)]
    sweep = read_sweep(*folders)
    if expected:
        assert [(values["ranks"], seeds) for values, seeds in told(sweep)] == expected
        assert [each.median("wall_seconds") for each in combinations(sweep)] == [1.0, 2.0]
    else:
        assert told(sweep)[0][1] == 2 and "ranks" not in sweep.axes
        assert combinations(sweep)[0].median("wall_seconds") == 1.5, "repetitions on as many ranks are one seed"
        assert (combinations(sweep)[0].done, combinations(sweep)[0].cells) == (4, 4)


def test_ranks_are_told_apart_within_one_folder_too(tmp_path, capsys):
    path = folder(tmp_path / "one", cell(1, ranks=np.int64(1)), cell(2, ranks=np.int64(3)))
    assert read_sweep(path).axes == ("method", "ranks", "seed")
    assert main(["sweep", str(path), "--by", "ranks", "-o", str(tmp_path / "a.png")]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:2] == ["ranks", "test"]


def test_runs_become_a_sweep_whose_axes_are_what_differs(tmp_path):
    runs = [read_run(write_run(tmp_path / f"{method}{epsilon}{seed}.h5", method=method, epsilon_nominal=epsilon,
                               seed=np.int64(seed)))
            for method in ("ldp-sgd", "gd") for epsilon in (5.0, 1.0) for seed in (1, 2)]
    sweep = sweep_of_runs(runs)
    assert sweep.axes[:2] == ("method", "privacy.epsilon")
    assert [tuple(values.values())[:2] for values, _ in told(sweep)] == [
        ("gd", 1.0), ("gd", 5.0), ("ldp-sgd", 1.0), ("ldp-sgd", 5.0)]
    assert {seeds for _, seeds in told(sweep)} == {2}


def test_a_seed_of_one_combination_counts_once_and_incomplete_runs_stand_apart(tmp_path):
    write = lambda name, **root: read_run(write_run(tmp_path / name, **root))  # noqa: E731
    with pytest.warns(UserWarning, match="incomplete run"):
        runs = [write("a.h5"), write("b.h5"), write("c.h5", complete=np.uint8(0), rounds=np.int64(9))]
    sweep = sweep_of_runs(runs)
    assert sweep.notes == (f"{tmp_path / 'b.h5'} repeats seed 1 of another file; counted once",)
    assert [each.label for each in combinations(sweep)] == ["complete", "incomplete"]


def test_curves_reads_folders_and_options(tmp_path, capsys):
    path = folder(tmp_path / "one", cell(1), cell(2))
    picture = tmp_path / "a.pdf"
    assert main(["curves", str(path), "-o", str(picture), "--panel", "bits,seconds", "--width", "3.4", "--no-caption",
                 "--font-size", "7", "--title", "Mine", "--metric", "accuracy"]) == 0
    out = capsys.readouterr().out
    assert "claim: holds" in out and out.splitlines()[-1] == str(picture) and picture.read_bytes()[:4] == b"%PDF"


@pytest.mark.parametrize("command", ["curves", "sweep", "cost", "table"])
def test_help_has_no_doubled_signs(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "%%" not in capsys.readouterr().out


def test_runs_on_different_data_are_told_apart_by_their_data_first():
    settings = [{"method": "gd", "clients": clients, "privacy.epsilon": epsilon, "data.source": source, "seed": 1}
                for clients, epsilon, source in ((10, 2, "synthetic"), (4, 2, "csv"), (10, 3, "libsvm"))]
    assert differing(settings) == ("data.source",)
    assert differing([known | {"data.source": "csv"} for known in settings]) == ("privacy.epsilon", "clients")
