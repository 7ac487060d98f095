"""The program of the preset `clang` (`scripts/build clang trilemma`), with each BLAS library that Debian has: portable
numerics give the bits of the program by GCC, and others its values."""
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "run"))
from conftest import LOGISTIC, NETWORK, ROOT, call, environment, methods, read, write_idx  # noqa: E402, F401

CLANG = ROOT / "build/clang/trilemma"
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
BLAS = {"reference": LIBRARIES / "blas", "BLIS": LIBRARIES / "blis-serial", "OpenBLAS": LIBRARIES / "openblas-pthread"}
pytestmark = pytest.mark.skipif(not CLANG.exists(), reason="there is no program by Clang")


def assert_same_bits(one, other):
    """Of the model and of all columns."""
    (model, columns), (other_model, others) = read(one), read(other)
    assert model.tobytes() == other_model.tobytes() and columns.keys() == others.keys()
    for name in columns:
        assert columns[name].tobytes() == others[name].tobytes(), name


@pytest.fixture(params=BLAS)
def by_clang(request):
    """A function that runs the program by Clang with a BLAS library."""
    folder = BLAS[request.param]
    if not (folder / "libblas.so.3").exists():
        pytest.skip(f"{request.param} is not installed")
    env = environment(LD_LIBRARY_PATH=str(folder))
    listed = subprocess.run([CLANG], env=env | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, timeout=60)
    assert f"libblas.so.3 => {folder}/" in listed.stdout

    def run(*arguments):
        words = [str(word) for word in (CLANG, *arguments)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
    return run


@pytest.fixture
def experiment(tmp_path):
    """Images of digits, so that gradients are matrix products."""
    write_idx(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(NETWORK)
    return path


@pytest.mark.parametrize("method", ["soteriafl-sgd", "dp-fedavg-clip", "gd"])
def test_portable_numerics_give_the_bits_of_gcc(by_clang, experiment, tmp_path, method):
    choice = [experiment, "--set", f"method={method}", "--set", "numerics=portable", "--data-dir", tmp_path, "--quiet"]
    gcc, clang = tmp_path / "gcc.h5", tmp_path / "clang.h5"
    assert call("run", *choice, "--output", gcc).code == 0
    by_clang("run", *choice, "--output", clang)
    assert_same_bits(gcc, clang)
    with h5py.File(clang) as h5:
        assert "Clang" in h5["environment/compiler"].asstr()[()]
        assert "BLAS of libblas" in h5["environment/libraries"].asstr()[()]


def test_every_method_has_the_bits_of_gcc(tmp_path, methods):
    """Of logistic regression, whose gradients need no library."""
    experiment = tmp_path / "logistic.toml"
    experiment.write_text(LOGISTIC)
    for method in methods:
        gcc, clang = tmp_path / f"{method}-gcc.h5", tmp_path / f"{method}-clang.h5"
        choice = [experiment, "--set", f"method={method}", "--set", "numerics=portable", "--quiet"]
        assert call("run", *choice, "--output", gcc).code == 0
        words = [str(word) for word in (CLANG, "run", *choice, "--output", clang)]
        assert subprocess.run(words, env=environment(), capture_output=True, timeout=60).returncode == 0, method
        assert_same_bits(gcc, clang)


def test_fast_numerics_give_its_values(by_clang, experiment, tmp_path):
    gcc, clang = tmp_path / "gcc.h5", tmp_path / "clang.h5"
    choice = [experiment, "--set", "method=gd", "--set", "numerics=fast", "--data-dir", tmp_path, "--quiet"]
    assert call("run", *choice, "--output", gcc).code == 0
    by_clang("run", *choice, "--output", clang)
    by_gcc, found = read(gcc)[0].astype(float), read(clang)[0].astype(float)
    assert np.linalg.norm(found - by_gcc) <= 1e-5 * np.linalg.norm(by_gcc)
