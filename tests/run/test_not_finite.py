"""Records whose numbers overflow, end to end: they come through no bound and stop no run."""
import numpy as np
import pytest

from conftest import call, read

CLIENT = """
name = "overflow"
rounds = 1
clients = 1
method = "dp-fedavg-clip"
seed = 4
[data]
source = "libsvm"
train = "one.svm"
test = ""
features = 2
scaling = "none"
[local]
rate = 10
steps = 2
[compressor]
kind = "rand-k"
k = 1
[bound]
threshold = 1
[privacy]
epsilon = 1
delta = 0.01
[start]
scale = 0.2
"""

RECORD = """
name = "overflow"
rounds = 3
clients = 1
method = "ldp-sgd"
[data]
source = "csv"
train = "rows.csv"
target = "t"
features = 2
bias = false
scaling = "none"
[problem]
kind = "linear"
[local]
batch = 4
sampling = "poisson"
[bound]
kind = "clip-record"
threshold = 1
[privacy]
epsilon = 1
delta = 0.001
[start]
scale = 2
[evaluate]
objective = false
"""


def call_run(folder, *settings):
    result = call("run", folder / "x.toml", "--output", folder / "x.h5", "--overwrite", "--data-dir", folder,
                  *[word for setting in settings for word in ("--set", setting)])
    assert result.code == 0, result.err
    return folder / "x.h5"


def test_an_update_that_is_no_number_hides_nothing(tmp_path):
    (tmp_path / "one.svm").write_text("+1 1:3e38 2:1e30\n-1 2:1\n")
    (tmp_path / "x.toml").write_text(CLIENT)
    model, columns = read(call_run(tmp_path))
    is_float = model.dtype.itemsize == 4
    # In double nothing overflows and the update is clipped; what is sent has at most the norm C d/k of rand-k.
    assert columns["mean_norm"][1] <= 3 * (1 + 1e-6)
    assert columns["not_finite"][1] == (1 if is_float else 0)
    assert columns["clipped"][1] == (0 if is_float else 1)
    assert call("verify", tmp_path / "x.h5").code == 0


@pytest.mark.parametrize("method", ["ldp-sgd", "soteriafl-saga", "ldp-svrg"])
def test_a_record_that_overflows_stops_no_run(tmp_path, method):
    """The messages are those of the same records with zeros in its place, which has gradient 0 as well."""
    normal = "".join(f"{0.1 * i},{1 - 0.2 * i},{0.3 * i}\n" for i in range(12))
    (tmp_path / "x.toml").write_text(RECORD)
    columns, models = [], []
    for record in ("3e38,3e38,0", "0,0,0"):
        (tmp_path / "rows.csv").write_text("a,b,t\n" + normal + record + "\n")
        file = call_run(tmp_path, f"method={method}")
        model, rounds = read(file)
        if model.dtype.itemsize == 8:
            pytest.skip("overflows as float only")
        models.append(model)
        columns.append(rounds)
    assert np.isfinite(models[0]).all()
    assert (models[0] == models[1]).all()
    assert columns[0]["not_finite"][-1] > 0 and columns[1]["not_finite"][-1] == 0
    assert (columns[0]["mean_norm"] == columns[1]["mean_norm"]).all()
