import warnings

import h5py
import numpy as np
import pytest

from trilemma_analysis import IncompleteRunWarning, RunFileError, read_run
from trilemma_analysis.io import guard


def test_reads_accuracies_by_class_where_there_are_any(make_run):
    file = make_run(columns={"test_loss": [0.7, np.nan, 0.5]})
    assert read_run(file).class_accuracy is None
    with h5py.File(file, "r+") as h5:
        h5["classes/round"] = np.array([0, 2])
        h5["classes/accuracy"] = np.array([[0.5, np.nan, 1.0], [0.75, np.nan, 0.25], [9, 9, 9]])  # its round is not written
    with warnings.catch_warnings(action="ignore"):  # the checksum, if there is one
        run = read_run(file)
    assert run.class_accuracy.index.tolist() == [0, 2] and run.class_accuracy.index.name == "round"
    assert run.class_accuracy[0].tolist() == [0.5, 0.75] and np.isnan(run.class_accuracy[1]).all()
    assert run.evaluated("test_loss").tolist() == [0.7, 0.5]


def test_reads_every_part_of_a_run(make_run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(make_run())

    assert run.complete and run.private
    assert run.attributes["method"] == "cdp-sgd"
    assert run.attributes["delta"] == 1e-3
    assert run.attributes["rounds"] == run.rounds_done == 2
    assert run.config == 'method = "cdp-sgd"\n'
    assert run.environment == {"compiler": "GNU 12.2"}
    assert run.rounds["objective"].tolist() == [1.0, 0.5, 0.625]
    assert run.rounds["bits_up_model"].tolist() == [0, 1280, 2560]
    assert run.rounds["bits_up_mpi"].tolist() == [0, 640, 1280]
    assert run.units["bits_up_mpi"] == "bit" and run.units["objective"] == "1"
    assert run.phase_names[6] == "exchange" and run.phase_seconds.shape == (3, 3, 13)
    assert run.phase_seconds[1, 2, 6] == 39 + 26 + 6
    assert run.model.tolist() == [0, 1, 2, 3, 4] and run.model.dtype == np.float32


def test_reads_lists_and_ignores_attributes_of_unknown_shapes(make_run):
    file = make_run()
    with h5py.File(file, "r+") as h5:
        texts = h5py.string_dtype()
        h5.attrs.create("own_model_modules", ["one", "two"], dtype=texts)
        h5.attrs.create("own_model_packages", ["numpy 1.24"], dtype=texts)
        h5.attrs.create("none", [], dtype=texts)
        h5.attrs["numbers"] = np.array([1.5, 2])
        h5.attrs["table"] = np.zeros((2, 2))
        h5.attrs["complex"] = 1j
        h5.attrs["empty"] = h5py.Empty("f")
    with warnings.catch_warnings(action="ignore"):  # the checksum, if there is one
        attributes = read_run(file).attributes
    assert attributes["own_model_modules"] == ("one", "two")
    assert attributes["own_model_packages"] == ("numpy 1.24",) and attributes["none"] == ()
    assert attributes["numbers"] == (1.5, 2.0)
    assert not {"table", "complex", "empty"} & set(attributes)


def test_claim_decides_about_privacy(make_run):
    assert not read_run(make_run(claim="not a private run: estimator clipping")).private


def test_refuses_another_schema_version(make_run):
    path = make_run(schema_version=np.int64(99), program_version="9.9")
    with pytest.raises(RunFileError) as refusal:
        read_run(path)
    sentence = str(refusal.value)
    assert str(path) in sentence and "version is 99, expected 4" in sentence and "9.9" in sentence
    assert "\n" not in sentence


def test_refuses_another_schema(make_run):
    with pytest.raises(RunFileError, match="schema is 'other', expected 'trilemma-run'"):
        read_run(make_run(schema="other"))


def test_refuses_a_missing_file(tmp_path):
    with pytest.raises(RunFileError, match="no such file"):
        read_run(tmp_path / "absent.h5")


@pytest.mark.parametrize("kept", [0, 100, 2000])
def test_refuses_a_truncated_file(make_run, kept):
    path = make_run()
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(RunFileError, match="truncated"):
        read_run(path)


TEXT = h5py.string_dtype()


def withhold(group, names):
    """Removes columns as privacy.strict does."""
    columns = [name for name in group.attrs["columns"] if name not in names]
    for name in names:
        del group[name]
    group.attrs["columns"] = np.array(columns, TEXT)
    group.attrs["withheld"] = np.array(names, TEXT)


def test_what_privacy_strict_leaves_out_reads_as_nan(make_run):
    path = make_run(config="[privacy]\nstrict = true\n")
    with h5py.File(path, "r+") as file:
        withhold(file["rounds"], ("objective", "utility", "batch_records", "clipped", "mean_norm"))
    run = read_run(path)
    assert run.rounds["utility"].isna().all() and run.rounds["clipped"].isna().all()
    assert list(run.rounds["bits_up_model"]) == [0, 1280, 2560]


def test_bits_that_privacy_strict_leaves_out_read_as_nan(make_run):
    path = make_run(config="[privacy]\nstrict = true\n")
    with h5py.File(path, "r+") as file:
        withhold(file["rounds"], ("bits_up_model", "bits_up_payload", "messages"))
        withhold(file["mpi"], ("bits_up",))
    run = read_run(path)
    assert run.rounds["bits_up_payload"].isna().all() and run.rounds["bits_up_mpi"].isna().all()
    assert run.rounds["bits_down_mpi"].notna().all()


@pytest.mark.parametrize("name", ["rounds/utility", "mpi/bits_up", "phases/name", "model/final", "config"])
def test_names_a_missing_data_set(make_run, name):
    path = make_run()
    with h5py.File(path, "a") as file:
        del file[name]
    with pytest.raises(RunFileError, match=f"lacks the data set '/{name}'"):
        read_run(path)


def test_names_a_missing_attribute(make_run):
    path = make_run()
    with h5py.File(path, "a") as file:
        del file.attrs["claim"]
    with pytest.raises(RunFileError, match="lacks the attribute 'claim'"):
        read_run(path)


def test_warns_about_an_incomplete_run_and_keeps_the_common_rows(make_run):
    path = make_run(complete=np.uint8(0), failure="round 2: NaN objective", rounds=np.int64(7),
                    columns={"utility": [0.9, 0.6]})
    with h5py.File(path, "a") as file:
        del file["model/final"]
    with pytest.warns(IncompleteRunWarning, match=r"1 of 7 rounds \(round 2: NaN objective\)"):
        run = read_run(path)
    assert not run.complete and run.model is None
    assert run.rounds["objective"].tolist() == [1.0, 0.5]
    assert len(run.phase_seconds) == 2


def test_refuses_a_complete_file_with_columns_of_different_length(make_run):
    with pytest.raises(RunFileError, match="differ in length"):
        read_run(make_run(columns={"utility": [0.9, 0.6]}))


def test_a_file_that_is_open_here_can_be_read(make_run):
    path = make_run("a.h5")
    with h5py.File(path) as file:
        read_run(make_run("b.h5"))
        guard._child.end()
        guard._child = None  # so that the next one inherits the open file
        assert read_run(path).rounds_done == int(file["rounds/round"][-1])
