"""Scaling studies: values of an axis, and folders of two builds, compared pair by pair."""
import pytest

from study_folder import write_study
from trilemma_analysis.io.errors import RunFileError
from trilemma_analysis.scaling.folder import read_study
from trilemma_analysis.scaling.points import judged, of_axis, of_studies, renamed
from trilemma_analysis.scaling.text import answer_compared


def test_values_of_an_axis_are_compared_pair_by_pair(tmp_path):
    """Both drift, one is always twice the other."""
    runs = [{"ranks": 2, "repetition": i, "values": {"exchange.up": up}, "up": up,
             "phases": {"local": factor * (5 + i)}}
            for i in range(6) for up, factor in (("reduce", 1), ("gather", 2))]
    study = read_study(write_study(tmp_path / "s", runs, axes=["exchange.up"]))
    at, = of_axis(study, "exchange.up")
    ratio = at.ratio
    assert at.words == "gather over reduce" and (ratio.median, ratio.low, ratio.high, ratio.n) == (2, 2, 2, 6)
    assert judged(ratio) == "slower" and answer_compared([at]) == "gather is slower than reduce on 2 ranks"
    with pytest.raises(RunFileError, match='--compare exchange.upp: no axis of the study; did you mean "exchange.up"'):
        of_axis(study, "exchange.upp")


def test_folders_of_two_builds_are_compared(tmp_path):
    for name, factor in (("a", 4), ("b", 1)):
        write_study(tmp_path / name, [{"ranks": 1, "repetition": i, "phases": {"local": factor * (1 + i)}}
                                      for i in range(6)])
    studies = renamed([read_study(tmp_path / name) for name in "ab"])
    at, = of_studies(*studies)
    assert at.ratio.median == 0.25 and judged(at.ratio) == "faster"
    assert str(tmp_path / "b") in at.words
