"""`trilemma_analysis scaling`: output, files, and what it refuses."""
import csv
import json

import numpy as np
import pytest

from study_folder import write_study
from trilemma_analysis.cli.main import main
from trilemma_analysis.scaling.figure import draw_scaling
from trilemma_analysis.scaling.folder import read_study


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
    files = [tmp_path / f"a.{ending}" for ending in ("csv", "json", "png", "svg", "pdf")]
    pictures = [word for file in files[2:] for word in ("-o", str(file))]
    assert main(["scaling", str(folder), "--csv", str(files[0]), "--json", str(files[1]), *pictures]) == 0
    out = capsys.readouterr().out
    assert "4.00 s" in out and "2 times as fast" not in out and "4 times as fast as on 1 rank (8.00 s" in out
    assert all(file.stat().st_size > 0 for file in files)
    rows = list(csv.DictReader(files[0].open()))
    assert [float(row["speed_up"]) for row in rows] == [1, 2, 4] and [row["repetitions"] for row in rows] == ["6"] * 3
    assert [row["base_seconds"] for row in rows] == ["8.0"] * 3
    assert json.loads(files[1].read_text())[2]["efficiency"] == 1


def test_the_verdict_has_three_sentences(tmp_path, capsys):
    assert main(["scaling", str(simple(tmp_path / "s"))]) == 0
    verdict = capsys.readouterr().out.strip().splitlines()[-1]
    assert verdict.count(". ") == 2 and verdict.endswith(".")


def test_the_caption_says_what_it_rests_on(tmp_path):
    folder = simple(tmp_path / "s", cores=2)
    label = draw_scaling(read_study(folder)).get_label()
    assert "4 ranks share 2 cores" in label and "base: strong 8.00 s" in label and "not shown: evaluation" in label
    assert "95 % interval of the median by order statistics (6 repetitions)" in label


def test_a_picture_without_caption_prints_it(tmp_path, capsys):
    folder = simple(tmp_path / "s")
    assert main(["scaling", str(folder), "-o", str(tmp_path / "a.png"), "--no-caption", "--title", "", "--width",
                 "3.4"]) == 0
    assert "not shown: evaluation" in capsys.readouterr().out


def test_two_folders_are_drawn(tmp_path, capsys):
    picture, table = tmp_path / "a.png", tmp_path / "a.csv"
    folders = [str(simple(tmp_path / name)) for name in "ab"]
    assert main(["scaling", *folders, "-o", str(picture), "--csv", str(table)]) == 0
    assert "1.000 [1.000, 1.000] times as long (6 pairs): tied" in capsys.readouterr().out and picture.exists()
    assert [row["says"] for row in csv.DictReader(table.open())] == ["tied"] * 3


def test_strong_and_weak_series_in_one_picture(tmp_path):
    runs = [{"ranks": p, "series": kind, "clients": 4 * p if kind == "weak" else 8,
             "phases": {"local": 1 if kind == "weak" else 1 / p}} for kind in ("strong", "weak") for p in (1, 2, 4)]
    series = ({"name": "strong", "kind": "strong"}, {"name": "weak", "kind": "weak", "clients_per_rank": 4})
    picture = tmp_path / "a.png"
    assert main(["scaling", str(write_study(tmp_path / "s", runs, series)), "-o",
                 str(picture)]) == 0 and picture.exists()


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
    assert why in capsys.readouterr().err


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
