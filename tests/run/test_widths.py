"""Registers of other widths: the same bits from 256 on with `numerics = "portable"`; the file says what computed."""
import re

import numpy
import pytest

from conftest import call, read


LAYERS = '["conv 6 3 1 1","groupnorm 2","relu","skip","conv 6 3","gelu","conv 6 5 1 3","add","avgpool 2","dense"]'
SEQUENCES = '["embedding 256 6","positions","attention 2","layernorm","last","dense"]'


def widest():
    return int(re.search(r"(\d+) bits", call("--version").out).group(1))


def final_model(experiment, file, width, *settings):
    arguments = [word for setting in settings for word in ("--set", setting)]
    done = call("run", experiment, *arguments, "--data-dir", file.parent, "--output", file,
                env={"TRILEMMA_VECTOR_BITS": str(width)})
    assert done.code == 0, done.err
    import h5py
    with h5py.File(file) as run:
        processors = run["environment/processors"][()]
        return run["model/final"][:], processors if isinstance(processors, str) else processors.decode()


def require_512():
    if widest() < 512:
        pytest.skip("this processor has no registers of 512 bits")


def expect_same_bits(experiment, tmp_path, name, *settings):
    found = [final_model(experiment, tmp_path / f"{name}-{width}.h5", width, "numerics=portable", *settings)
             for width in (256, 512)]
    assert found[0][0].tobytes() == found[1][0].tobytes(), name
    assert "256 bits" in found[0][1] and "512 bits" in found[1][1]


def test_every_method_has_the_same_bits(logistic, tmp_path, methods):
    require_512()
    for method in methods:
        expect_same_bits(logistic, tmp_path, method, f"method={method}")


@pytest.mark.parametrize("problem", [["network"], ["softmax"], ["cnn", "problem.padding=2"],
                                     ["layers", f"problem.layers={LAYERS}"], ["layers", f"problem.layers={SEQUENCES}"]])
def test_products_of_matrices_have_the_same_bits(network, tmp_path, problem):
    require_512()
    kind, *more = problem
    for method in ("ldp-sgd", "fedavg"):
        expect_same_bits(network, tmp_path, f"{kind}-{method}", f"method={method}", f"problem.kind={kind}", *more)


def test_narrow_registers_differ_by_rounding_alone(logistic, tmp_path):
    narrow, said = final_model(logistic, tmp_path / "narrow.h5", 128)
    wide, _ = final_model(logistic, tmp_path / "wide.h5", 512)
    assert "128 bits" in said
    assert numpy.allclose(narrow, wide, rtol=1e-3, atol=1e-5)


def test_a_run_that_goes_on_with_other_instructions_says_so(logistic, tmp_path):
    file = tmp_path / "run.h5"
    final_model(logistic, file, 512, "checkpoint.at_end=true")

    def said_on(width):
        done = call("run", file, "--rounds-more", 2, "--data-dir", tmp_path, env={"TRILEMMA_VECTOR_BITS": str(width)})
        assert done.code == 0, done.err
        return done.err
    assert "the run began with other instructions" not in said_on(512)
    assert "the run began with other instructions" in said_on(128)


def test_a_key_limits_the_width(logistic, tmp_path):
    _, said = final_model(logistic, tmp_path / "key.h5", 512, "processor.vector_bits=128")
    assert "128 bits" in said
    refused = call("run", logistic, "--set", "processor.vector_bits=64", "--output", tmp_path / "no.h5")
    assert refused.code == 2 and "choose 128, 256 or 512" in refused.err


def test_an_unknown_width_is_refused():
    refused = call("--version", env={"TRILEMMA_VECTOR_BITS": "1024"})
    assert refused.code == 2 and "set 128, 256 or 512" in refused.err
