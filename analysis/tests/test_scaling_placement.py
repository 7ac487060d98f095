"""Scaling studies: ranks with different placements are different points, and are named everywhere."""
import csv
import json

import h5py
import numpy as np
import pytest

from conftest import write_run
from study_folder import write_study
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.io.placement import Placement
from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.scaling.folder import read_study
from trilemma_analysis.scaling.model import fit
from trilemma_analysis.scaling.points import Doubt, of_studies, renamed
from trilemma_analysis.scaling.table import cells, rows
from trilemma_analysis.scaling.text import answers, details, doubts, on_nodes


def placed(ranks, node, seconds=1.0, repetition=1, as_asked=1, cores=1, **more):
    """A run whose ranks are on the nodes `node`."""
    asked = {"nodes_asked": np.int64(2), "ranks_per_node_asked": np.int64(2), "cores_per_rank_asked": np.int64(cores),
             "threads_per_core_asked": np.int64(1)}
    asked |= {} if as_asked is None else {"placement_as_asked": np.uint8(as_asked)}
    return {"ranks": ranks, "repetition": repetition, "phases": {"local": seconds},
            "run": {"node": node, "asked": asked}} | more


BASE = [placed(1, [0], 4.0, i) for i in range(2)]
SPREAD, PACKED = placed(4, [0, 0, 0, 1], 2.77, 1), placed(4, [0, 0, 0, 0], 1.17, 2)


@pytest.mark.parametrize("node, words, blocks", [
    ([0], "1", [1]), ([0, 0, 1, 1], "2 + 2", [2, 2]), ([0, 0, 0, 1], "3 + 1", [3, 1]),
    ([0, 1, 0, 1], "2 + 2, not in blocks", [2, 2]), (list(range(9)), " + ".join("1" * 8) + " + ...", [1] * 9),
    ([], "", [])])
def test_words_of_placements(node, words, blocks):
    placement = Placement(tuple(node))
    assert (placement.words, placement.blocks, placement.most) == (words, blocks, max(blocks, default=0))


def test_a_run_file_says_where_its_ranks_were(tmp_path):
    made = placed(4, [0, 0, 1, 1], cores=3, as_asked=0)["run"]
    found = read_run(write_run(tmp_path / "a.h5", **made)).placement
    assert found == Placement((0, 0, 1, 1), 3, 1, False) and found.words == "2 + 2, 3 cores each"
    assert read_run(write_run(tmp_path / "b.h5")).placement == Placement()
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["phases/node"]
        file["phases/node"] = "where"
    with pytest.raises(RunFileError, match="/phases/node"):
        read_run(tmp_path / "a.h5")


def test_different_placements_are_never_one_point(tmp_path):
    """Repetition 1 on two nodes and repetition 2 on one once made a point of 19.7 ms, [11.7 ms, 27.7 ms]."""
    study = read_study(write_study(tmp_path / "s", [*BASE, SPREAD, PACKED]))
    points = study.lines[0].points
    assert [(point.ranks, point.placement.words, point.seconds.median, point.seconds.n) for point in points] == \
        [(1, "1", 4.0, 2), (4, "3 + 1", 2.77, 1), (4, "4", 1.17, 1)]
    assert "4 ranks were placed in several ways, which are points of their own: 3 + 1; 4" in study.notes


@pytest.mark.parametrize("change", [{"cores": 2}, {"node": [0, 1, 0, 0]}, {"node": [0, 1, 0, 1]}])
def test_cores_and_order_tell_placements_apart(tmp_path, change):
    first = {"node": [0, 0, 0, 1], "cores": 1}
    runs = [placed(4, repetition=1, **first), placed(4, repetition=2, **(first | change))]
    assert len(read_study(write_study(tmp_path / "s", runs)).lines[0].points) == 2


def test_table_rows_figure_and_verdict_name_the_placement(tmp_path, capsys):
    folder = write_study(tmp_path / "s", [*BASE, SPREAD, PACKED])
    study = read_study(folder)
    found = cells(study)
    assert list(found)[:4] == ["line", "ranks", "clients", "runs"]
    assert found.iloc[1, 1:4].tolist() == ["4 (3 + 1)", "16", "1 of 2"]
    assert [(row["ranks_on_nodes"], row["nodes"], row["most_ranks_of_a_node"], row["cores_per_rank"])
            for row in rows(study)] == [("1", 1, 1, 1), ("3 + 1", 2, 3, 1), ("4", 1, 4, 1)]
    assert on_nodes(study.lines) == ["ranks on the nodes: 1 rank: 1; 4 ranks: 3 + 1; 4 ranks: 4"]
    table = tmp_path / "a.csv"
    assert main(["scaling", str(folder), "--csv", str(table)]) == 0
    assert [row["ranks_on_nodes"] for row in csv.DictReader(table.open())] == ["1", "3 + 1", "4"]
    assert "warning: 4 ranks were placed in several ways" in capsys.readouterr().err


def test_the_verdict_says_how_ranks_were_spread(tmp_path):
    study = read_study(write_study(tmp_path / "s", [*BASE, placed(4, [0, 0, 1, 1])]))
    assert "strong is 4 times as fast on 4 (2 + 2) as on 1 rank" in answers(study)[0]


def test_the_fullest_node_tells_whether_ranks_share_cores(tmp_path):
    """The record next to the run file is that of the first node."""
    runs = [placed(4, [0, 1, 1, 1], cores=1) | {"here": 1}]
    folder = write_study(tmp_path / "s", runs)
    for record in folder.glob("*-r1.json"):
        record.write_text(json.dumps(json.loads(record.read_text()) | {"cores": 2}))
    assert read_study(folder).lines[0].points[0].crowded


def test_ranks_that_are_not_where_they_were_asked_for_are_no_evidence(tmp_path):
    study = read_study(write_study(tmp_path / "s", [*BASE, placed(2, [0, 0], 3.0),
                                                    placed(4, [0, 0, 0, 1], 2.0, as_asked=0)]))
    assert [point.doubt for point in study.lines[0].points] == [None, None, Doubt.MISPLACED]
    assert doubts(study) == ["unreliable times: 4 ranks were placed 3 + 1, which is not what was asked for"]
    assert "on 2 as on 1 rank" in answers(study)[0] and cells(study)["unreliable"].iloc[-1] == "not placed as asked"
    assert [row["misplaced"] for row in rows(study)] == [False, False, True]


def test_where_nothing_was_asked_nothing_is_held_against_it(tmp_path):
    study = read_study(write_study(tmp_path / "s", [placed(4, [0, 0, 0, 1], as_asked=None)]))
    assert study.lines[0].points[0].doubt is None


def test_a_model_takes_one_placement_of_a_number_of_ranks(tmp_path):
    runs = [placed(p, [0] * p, 8.0 / p) for p in (1, 2, 4, 8)]
    assert fit(read_study(write_study(tmp_path / "a", runs)).lines[0]).fitted == (2, 8)
    study = read_study(write_study(tmp_path / "b", [*runs, placed(4, [0, 0, 1, 1], 5.0, 2),
                                                    placed(8, [0] * 4 + [1] * 4, 5.0, 2)]))
    assert fit(study.lines[0]) is None
    assert "there are 2 (4 and 8 ranks were placed in several ways)." in details(study)[0]


def test_folders_are_compared_where_the_placement_is_the_same(tmp_path):
    one = read_study(write_study(tmp_path / "a", [placed(4, [0, 0, 1, 1]), placed(2, [0, 1])]))
    two = read_study(write_study(tmp_path / "b", [placed(4, [0, 0, 0, 1]), placed(2, [0, 1])]))
    compared = of_studies(*renamed([one, two]))
    assert [at.point.ranks for at in compared] == [2]
    three = read_study(write_study(tmp_path / "c", [placed(4, [0, 0, 0, 1]), placed(2, [0, 0])]))
    with pytest.raises(RunFileError, match=r"shares no point \(series, ranks, placement"):
        of_studies(*renamed([one, three]))


def test_older_files_say_nothing_of_nodes(tmp_path):
    study = read_study(write_study(tmp_path / "s", [{"ranks": p, "phases": {"local": 1}} for p in (1, 2)]))
    assert not on_nodes(study.lines) and not study.notes
    mixed = read_study(write_study(tmp_path / "m", [{"ranks": 1, "phases": {"local": 1}}, placed(2, [0, 1])]))
    assert "not known for all runs: on which nodes their ranks were" in mixed.notes
    compared = of_studies(*renamed([study, mixed]))
    assert [at.point.ranks for at in compared] == [1, 2]
