"""`trilemma_analysis scaling`: output, files, and what it refuses."""
import csv
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from figure_parts import overlapping
from study_folder import write_network, write_study
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.placement import Placement
from trilemma_analysis.scaling.figure import draw_scaling, places_of
from trilemma_analysis.scaling.folder import read_study
from trilemma_analysis.scaling.points import Line, Point


def simple(folder, ranks=(1, 2, 4), **more):
    return write_study(folder, [{"ranks": p, "repetition": i, "phases": {"local": 8 / p}} | more for p in ranks
                                for i in range(6)])


def refused(capsys, *arguments):
    assert main(["scaling", *map(str, arguments)]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("trilemma_analysis: ")]
    assert len(lines) == 1
    return lines[0]


def test_table_files_and_pictures(tmp_path, capsys):
    folder = simple(tmp_path / "s")
    files = [tmp_path / f"a.{ending}" for ending in ("csv", "json", "png")]
    pictures = [word for file in files[2:] for word in ("-o", str(file))]
    assert main(["scaling", str(folder), "--csv", str(files[0]), "--json", str(files[1]), *pictures]) == 0
    out = capsys.readouterr().out
    assert out.startswith("strong is 4 times as fast on 4 as on 1 rank (efficiency 1.00)\n\n") and "2 s [2 to 2 s]" in out
    assert all(file.stat().st_size > 0 for file in files)
    rows = list(csv.DictReader(files[0].open()))
    assert [float(row["speed_up"]) for row in rows] == [1, 2, 4] and [row["repetitions"] for row in rows] == ["6"] * 3
    assert [row["base_seconds"] for row in rows] == ["8.0"] * 3
    assert json.loads(files[1].read_text())[2]["efficiency"] == 1


def test_lines_are_short_and_wide_has_the_parts(tmp_path, capsys):
    folder = str(simple(tmp_path / "s", cores=4, others=2.5))
    assert main(["scaling", folder]) == 0
    printed = capsys.readouterr()
    assert "load from others" in printed.out and "imbalance  " not in printed.out and "others used 2.5" in printed.err
    assert max(map(len, (printed.out + printed.err).replace(folder, "").splitlines())) <= 100
    assert main(["scaling", folder, "--wide"]) == 0
    assert "work of clients  imbalance  " in capsys.readouterr().out


@pytest.mark.parametrize("ranks, cores, there", [((1, 2), 64, "2"), ((1, 2, 4), 2, "2"), ((1,), 64, "1")])
def test_fewer_than_three_usable_ranks_make_no_picture(tmp_path, capsys, ranks, cores, there):
    folder, picture = simple(tmp_path / "s", ranks, cores=cores), tmp_path / "a.png"
    assert main(["scaling", str(folder), "-o", str(picture)]) == 0
    assert not picture.exists()
    said = " ".join(capsys.readouterr().err.split())
    assert f"{picture} is not written; no picture: it takes 3 numbers of ranks" in said and said.endswith(f"{there}.")


def test_the_caption_says_what_it_rests_on(tmp_path):
    folder = simple(tmp_path / "s", (1, 2, 4, 8), cores=4)
    write_network(folder, 2, 500, 500, 500)
    figure = draw_scaling(read_study(folder))
    title, *rest = figure.get_label().splitlines()
    label = "\n".join(rest)
    assert title == "strong is 4 times as fast on 4 as on 1 rank"
    assert "8 ranks share 4 cores" in label and "not shown: evaluation" in label
    assert "95 % interval of the median by order statistics (6 repetitions)" in label
    # 1000 s as calibrated do not stretch the axis.
    assert "off the axis: 1004 s with messages as calibrated, strong on 2 ranks" in label
    assert figure.axes[0].get_ylim()[1] < 20


def test_ranks_that_share_cores_take_a_quarter_of_the_axis():
    def line(cores):
        runs = pd.DataFrame({"round": [1.0], "others": [0.0]})
        timing = SimpleNamespace(placement=Placement(), is_exact=False, evidence=None)
        points = tuple(Point(ranks, 1, (timing,), runs, ranks, cores) for ranks in (1, 2, 4, 8, 1024))
        return Line("s", "strong", "strong", None, {}, points)
    assert places_of([line(4)])[4] == 2 and (places_of([line(4)])[1024] - 2) / places_of([line(4)])[1024] < 0.25
    assert places_of([line(2000)]) == {1: 0, 2: 1, 4: 2, 8: 3, 1024: 10}


def test_two_folders_are_drawn(tmp_path, capsys):
    picture, table = tmp_path / "a.png", tmp_path / "a.csv"
    folders = [str(simple(tmp_path / name)) for name in "ab"]
    assert main(["scaling", *folders, "-o", str(picture), "--csv", str(table)]) == 0
    assert "1.000 [1.000, 1.000] times as long (6 pairs): tied" in " ".join(capsys.readouterr().out.split())
    assert picture.exists()
    assert [row["says"] for row in csv.DictReader(table.open())] == ["tied"] * 3


def test_strong_and_weak_series_in_one_picture(tmp_path):
    runs = [{"ranks": p, "series": kind, "clients": 4 * p if kind == "weak" else 8,
             "phases": {"local": 1 if kind == "weak" else 1 / p}} for kind in ("strong", "weak") for p in (1, 2, 4)]
    series = ({"name": "strong", "kind": "strong"}, {"name": "weak", "kind": "weak", "clients_per_rank": 4})
    figure = draw_scaling(read_study(write_study(tmp_path / "s", runs, series)))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Time of a round, 8 clients", "Time of a round, 4 clients a rank", "Parallel efficiency (dots: nothing lost)",
        "What a round consists of"]
    assert not overlapping(figure)


def test_an_interrupted_study_is_shown_as_far_as_it_is(tmp_path, capsys):
    runs = [{"ranks": p, "repetition": i, "phases": {"local": 8 / p}, "state": "missing" if i else "done"}
            for p in (1, 2)
            for i in range(2)]
    runs.append({"ranks": 4, "phases": {"local": 2}, "state": "missing"})
    assert main(["scaling", str(write_study(tmp_path / "s", runs))]) == 0
    captured = capsys.readouterr()
    assert "incomplete: 3 of 5 runs are missing" in captured.err and "1 of 2" in captured.out


@pytest.mark.parametrize("run, why", [({"starts": 2}, "resumed from a checkpoint"),
                                      ({"complete": np.uint8(0)}, "incomplete"),
                                      ({"ranks": np.int64(3)}, "made on 3 ranks, and the study has it on 2")])
def test_runs_that_are_no_evidence_are_left_out(tmp_path, capsys, run, why):
    folder = tmp_path / "s"
    good = {"ranks": 1, "phases": {"local": 8}}
    bad = {"ranks": 2, "phases": {"local": 4}, "run": {key: value for key, value in run.items() if key != "ranks"}}
    write_study(folder, [good, bad])
    if "ranks" in run:  # the runs of a folder that was used for something else
        manifest = json.loads((folder / "study.json").read_text())
        other = write_study(tmp_path / "o", [{"ranks": 3, "phases": {"local": 4}}])
        next(other.glob("*.h5")).replace(folder / manifest["runs"][1]["file"])
    assert main(["scaling", str(folder)]) == 0
    assert why in " ".join(capsys.readouterr().err.split())


def test_other_folders_are_refused(tmp_path, capsys):
    assert "there is no such folder" in refused(capsys, tmp_path / "no")
    assert "no study.json" in refused(capsys, tmp_path)
    assert "one folder, or two" in refused(capsys, tmp_path, tmp_path, tmp_path)


@pytest.mark.parametrize("change, why", [
    ("{", "not JSON"), ("[]", "not a 'trilemma-study' of version 1"),
    ({"schema": "trilemma-sweep"}, "not a 'trilemma-study'"), ({"schema_version": 2}, "of version 1"),
    ({"axes": 1}, "'axes' is not an object"), ({"runs": []}, "'runs' is not a list"),
    ({"series": [{"name": "x", "kind": "odd"}]}, "'series' is not a list"), ({"warm_up": -1}, "'warm_up' no number"),
    ({"runs": [{"series": "strong"}]}, "run 0")])
def test_other_manifests_are_refused(tmp_path, capsys, change, why):
    path = simple(tmp_path / "s") / "study.json"
    path.write_text(change if isinstance(change, str) else json.dumps(json.loads(path.read_text()) | change))
    assert why in refused(capsys, path.parent)


def test_nothing_done_is_refused(tmp_path, capsys):
    folder = write_study(tmp_path / "s", [{"ranks": 1, "phases": {}, "state": "missing"}])
    assert "none of the 1 runs of the study can be used; run it with jobs/submit study" in refused(capsys, folder)


def test_more_warm_up_than_rounds_is_refused(tmp_path, capsys):
    folder = write_study(tmp_path / "s", [{"ranks": 1, "phases": {"local": 1}}], warm_up=2)
    assert "2 rounds, and the first 2 are warm-up" in refused(capsys, folder)


def test_runs_without_times_are_refused(tmp_path, capsys):
    folder = write_study(tmp_path / "s", [{"ranks": 1, "phases": {"evaluate": 0}}])
    assert "timing.enabled = true" in refused(capsys, folder)


def test_damaged_run_files_are_told(tmp_path, capsys):
    folder = simple(tmp_path / "s")
    sorted(folder.glob("*.h5"))[0].write_bytes(b"no HDF5")
    assert main(["scaling", str(folder)]) == 0
    assert "skipped:" in capsys.readouterr().err


def test_folders_without_a_common_point_are_refused(tmp_path, capsys):
    assert "shares no point" in refused(capsys, simple(tmp_path / "a", (1,)), simple(tmp_path / "b", (2,)))


def test_measured_and_simulated_studies_are_not_compared(tmp_path, capsys):
    measured = simple(tmp_path / "m")
    simulated = simple(tmp_path / "s", run={"environment": {"simulation": "edge.xml, 2 ranks on 2 hosts, here; SMPI"}})
    said = refused(capsys, measured, simulated)
    assert f"{measured} is measured and {simulated} is simulated: nothing follows" in said
    assert main(["scaling", str(simulated)]) == 0
    assert capsys.readouterr().out.startswith("SIMULATED times, no measurements: edge.xml, here\n")
