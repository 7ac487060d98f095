"""What a bound changes: its share and size in every round, for records and for clients, and the remarks of `show`."""
import h5py
import numpy as np
import pytest

from conftest import call, read, summary
from forged_runs import forge

RECORDS = ["method=dp-sgd"]
CLIENTS = ["method=dp-fedavg-clip", "local.solver=gd"]
NOT_PRIVATE = 5  # exit code of `verify`
NOISY = "the private model is worse than a constant answer"
CLIPPED = "more than 90 % are clipped in all rounds"


def run(experiment, file, *settings, ranks=None):
    words = [word for setting in settings for word in ("--set", setting)]
    result = call("run", experiment, *words, "--output", file, ranks=ranks)
    assert result.code == 0, result.err
    return file, " ".join(result.out.split())


@pytest.mark.parametrize("method", [RECORDS, CLIENTS, ["method=ldp-svrg"], ["method=soteriafl-saga"]])
def test_the_share_of_clipped_vectors_follows_the_bound(logistic, tmp_path, method):
    tight, shown = run(logistic, tmp_path / "tight.h5", *method, "bound.threshold=1e-3")
    columns = read(tight)[1]
    assert (columns["clipped_share"][1:] > 0.99).all() and columns["clipped"][-1] > 0
    assert CLIPPED in shown and CLIPPED in " ".join(call("show", tight).out.split())
    loose, shown = run(logistic, tmp_path / "loose.h5", *method, "bound.threshold=1e3", "privacy.sigma=0")
    columns = read(loose)[1]
    assert (columns["clipped_share"][1:] == 0).all() and columns["clipped"][-1] == 0 and CLIPPED not in shown
    assert (columns["norm_ratio_median"][1:] < 1).all()
    assert summary(tight)["clipped_share_least"] > 0.99 and summary(loose)["clipped_share_final"] == 0
    assert call("verify", tight).code == 0


def test_the_median_is_that_of_the_updates(logistic, tmp_path):
    """Seven clients: the smallest and the largest norm are recorded, and one client has the median itself."""
    columns = read(run(logistic, tmp_path / "a.h5", *CLIENTS, "bound.threshold=0.5")[0])[1]
    least, most = columns["update_norm_least"][1:] / 0.5, columns["update_norm_most"][1:] / 0.5
    median = columns["norm_ratio_median"][1:]
    assert (median >= least * 3 / 4).all() and (median <= most * 5 / 4).all()
    one = read(run(logistic, tmp_path / "one.h5", *CLIENTS, "bound.threshold=0.5", "clients=1")[0])[1]
    norms = one["update_norm_most"][1:] / 0.5
    assert np.allclose(one["norm_ratio_median"][1:], norms, rtol=1 / 4)


@pytest.mark.parametrize("method", [RECORDS, CLIENTS])
def test_any_number_of_ranks_gives_the_same_shares_and_medians(logistic, tmp_path, method):
    alone = read(run(logistic, tmp_path / "1.h5", *method)[0])[1]
    three = read(run(logistic, tmp_path / "3.h5", *method, ranks=3)[0])[1]
    for name in ("clipped", "clipped_share", "norm_ratio_median"):
        assert alone[name].tobytes() == three[name].tobytes(), name
    assert not np.isnan(alone["norm_ratio_median"][1:]).any()


def test_files_of_other_builds_may_lack_the_columns(logistic, tmp_path):
    file = run(logistic, tmp_path / "a.h5", *RECORDS)[0]

    def lacking(*names, revision=None):
        def change(h5):
            for name in names:
                del h5["rounds"][name]
            if revision:
                del h5["environment/git_revision"]
                h5["environment"].create_dataset("git_revision", data=revision, dtype=h5py.string_dtype())
        other = tmp_path / "b.h5"
        forge(file, other, change)
        result = call("verify", other, "--rerun")
        return result.code, result.out + result.err

    recent = ("clipped_share", "norm_ratio_median")
    assert lacking(*recent, revision="0" * 12)[0] == 0
    code, text = lacking(*recent)
    assert code != 0 and "/rounds/clipped_share" in text
    code, text = lacking("clipped", revision="0" * 12)
    assert code != 0 and "/rounds/clipped" in text


def test_a_bound_that_normalises_clips_nothing(logistic, tmp_path):
    file, shown = run(logistic, tmp_path / "a.h5", "method=dp-normfedavg", "local.solver=gd", "bound.threshold=1e-3")
    columns = read(file)[1]
    assert np.isnan(columns["clipped_share"]).all() and (columns["norm_ratio_median"][1:] > 1).all()
    assert CLIPPED not in shown and "clipped" not in shown


def test_norms_beyond_the_classes_are_shown_as_such(logistic, tmp_path):
    tight, shown = run(logistic, tmp_path / "a.h5", *CLIENTS, "bound.threshold=1e-6")
    assert "100.0 % in every round; median norm above 128 times the bound" in shown
    assert (read(tight)[1]["norm_ratio_median"][1:] == 128).all()
    loose, shown = run(logistic, tmp_path / "b.h5", *CLIENTS, "bound.threshold=1e6", "privacy.sigma=0")
    assert "median norm below 1/16 of the bound" in shown
    assert call("verify", tight).code == 0 and call("verify", loose).code == NOT_PRIVATE


def test_a_noisy_run_without_a_claim_is_not_called_private(logistic, tmp_path):
    file, shown = run(logistic, tmp_path / "a.h5", "method=ldp-sgd", "bound.kind=none", "privacy.sigma=30", "server.rate=30")
    found = summary(file)
    assert found["accuracy_final"] < found["baseline_score"]
    assert "the noisy model is worse than a constant answer" in shown and "private model" not in shown


def test_strict_withholds_them(logistic, tmp_path):
    with h5py.File(run(logistic, tmp_path / "a.h5", *RECORDS, "privacy.strict=true", "data.scaling=none")[0]) as file:
        assert not {"clipped", "clipped_share", "norm_ratio_median"} & set(file["rounds"])


def test_without_a_bound_nothing_is_shown(logistic, tmp_path):
    file, shown = run(logistic, tmp_path / "a.h5", "method=gd")
    assert np.isnan(read(file)[1]["clipped_share"]).all() and "clipped" not in shown


def test_a_private_run_below_the_constant_answer_gets_a_remark(logistic, tmp_path):
    worse = run(logistic, tmp_path / "a.h5", *RECORDS, "privacy.epsilon=0.01", "server.rate=30", "bound.threshold=1", "seed=2")
    better = run(logistic, tmp_path / "b.h5", "method=dp-sgd", "privacy.epsilon=1000", "rounds=40")
    for (file, shown) in (worse, better):
        found = summary(file)
        assert (NOISY in shown) == (found["accuracy_final"] < found["baseline_score"]), shown
    assert NOISY in worse[1] and NOISY not in better[1]
