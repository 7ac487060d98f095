"""--json of list, partition and verify; what `show` and `run` print next to their figures."""
import json

import h5py
import numpy as np
import pytest

from conftest import call, read, summary


def answer(*arguments, code=0):
    result = call(*arguments, "--json")
    assert result.code == code, result.err
    return json.loads(result.out)


@pytest.fixture
def private(logistic, tmp_path):
    file = tmp_path / "x.h5"
    assert call("run", logistic, "--set", "privacy.delta=1e-5", "--output", file).code == 0
    return file


def test_list():
    families = answer("list")
    text = call("list").out
    assert list(families) == [line for line in text.splitlines() if not line.startswith(" ")]
    for parts in families.values():
        for part in parts:
            assert f"  {part['name']:<26}{part['summary']}\n" in text
    assert answer("list", "bounds") == {"bounds": families["bounds"]}


def test_partition_has_the_fields_of_the_run_file(logistic, private):
    found = answer("partition", logistic, "--ranks", 3)
    with h5py.File(private) as h5:
        group = h5["partition"]
        for name, value in group.attrs.items():
            if name != "imbalance":  # of one rank there
                assert found[name] == (value if isinstance(value, str) else pytest.approx(value)), name
        assert found["records"] == list(group["records"]) and found["held_out"] == list(group["held_out"])
    assert found["clients"] == 7 and found["ranks"] == 3 and found["imbalance"] == pytest.approx(8 / 7)
    assert found["hosts"] == [{"rank": 1, "first_client": 0, "clients": 4, "records": 400},
                              {"rank": 2, "first_client": 4, "clients": 3, "records": 300}]


def test_partition_tells_of_the_common_test_records(logistic):
    assert "\n301 test records common to all clients\n" in call("partition", logistic).out
    assert answer("partition", logistic)["test_records"] == 301
    quadratics = ["--set", "data.source=quadratics", "--set", "data.functions=7", "--set", "problem.kind=linear",
                  "--set", "partition.kind=natural"]
    shown = call("partition", logistic, *quadratics)
    assert "\nno common test records\n" in shown.out, shown.err


def test_partition_keeps_labels_back_where_the_run_does(logistic):
    found = answer("partition", logistic, "--set", "privacy.strict=true", "--set", "partition.kind=shuffled",
                   "--set", "data.scaling=none")
    assert found["labels_median"] is None and found["records_median"] == 100


def test_verify(private):
    found = answer("verify", private)
    assert found["verdict"] == "holds" and found["differences"] == []
    assert found["epsilon"] == summary(private)["epsilon_accounted"] and found["delta"] == 1e-5
    assert (found["unit"], found["relation"], found["view"]) == ("record", "add_remove", "V_server")
    text = call("verify", private).out
    assert text.startswith("claim holds: (") and text.strip() == f"claim holds: {found['reason']}"
    for raw in ("non_private", "add_remove", "V_server"):
        assert raw not in text
    assert "-DP for one record of a client added or removed, against whoever sees every message; outside of it: " in text


def test_verify_names_the_field_that_differs(private):
    with h5py.File(private, "a") as h5:
        h5["privacy"].attrs["sampling_rate"] = 1 / 3
    found = answer("verify", private, code=4)
    assert found["verdict"] == "fails"
    assert found["differences"][0] == {"kind": "configuration", "field": "sampling_rate", "row": None, "recorded": 1 / 3,
                                       "expected": 0.2}
    assert "sampling_rate is recorded as 0.333333, but 0.2 follows" in call("verify", private).out


def test_verify_without_a_claim(logistic, tmp_path):
    file = tmp_path / "x.h5"
    call("run", logistic, "--set", "method=gd", "--output", file)
    found = answer("verify", file, code=5)
    assert found["verdict"] == "no_claim" and found["epsilon"] is None and "adds no noise" in found["reason"]
    assert found["dp_claim"] == "none"


def test_verify_of_a_file_that_cannot_be_checked(private):
    with h5py.File(private, "a") as h5:
        del h5["privacy"].attrs["view"]
    found = answer("verify", private, code=5)
    assert "/privacy/view is missing" in found["reason"] and found["dp_claim"] is None and found["unit"] is None


def test_clipped_vectors_are_not_claimed_where_nothing_is_bounded(logistic, tmp_path):
    def shown(bound, noise="privacy.calibration=paper"):
        file = tmp_path / f"{bound}.h5"
        assert call("run", logistic, "--set", f"bound.kind={bound}", "--set", noise, "--output", file).code == 0
        assert "clipped" in read(file)[1]
        return call("show", file).out, summary(file)["other_columns"]

    text, columns = shown("none", "privacy.sigma=0")
    assert "also recorded" in text and ", clipped " not in text and "clipped" not in columns
    for bound in ("clip-record", "clip-estimator"):
        text, columns = shown(bound)
        assert ", clipped " in text and columns["clipped"] > 0


def test_an_unfinished_run_shows_what_has_been_spent(logistic, tmp_path):
    file = tmp_path / "x.h5"
    (tmp_path / "x.h5.checkpoint-4" / "in the way").mkdir(parents=True)
    assert call("run", logistic, "--set", "checkpoint.rounds=2", "--output", file).code == 3
    partial = tmp_path / "x.h5.partial"
    with h5py.File(partial) as h5:
        spent = h5["rounds/epsilon"][-1]
        done = int(h5["rounds/round"][-1])
    found = summary(partial)
    assert 0 < spent == found["epsilon_spent"] < found["epsilon_accounted"] and done < 6
    text = call("show", partial).out
    assert f" spent in {done} rounds so far, " in text and " after all 6 (" in text and "claim once complete" in text
    assert np.isclose(float(text.split(" spent in ")[0].split()[-1]), spent, rtol=1e-5)


ALONE = 'method = "gd"\nclients = 7\nrounds = 3\n[data]\nrows = 700\ntest_rows = 7\nfeatures = 30\n[compressor]\nk = 4\n'
READERS = "compressor.k (read by compressor rand-k, rand-seq-k, top-k or 3 others)"
NOTE = f"trilemma: note: settings that gd and its parts do not read: {READERS}\n"


def test_settings_without_effect_are_named(tmp_path):
    file = tmp_path / "e.toml"
    file.write_text(ALONE)
    assert NOTE in call("run", file, "--output", tmp_path / "a.h5").err
    assert NOTE in call("run", file, "--output", tmp_path / "b.h5", ranks=2).err
    assert call("run", file, "--output", tmp_path / "c.h5", "--quiet").err == ""
    answer = call("config", file).out.replace("\n# ", " ")
    assert f" Set, but not read by gd and the chosen parts: {READERS}\n" in answer
    private = call("config", file, "--set", "method=cdp-sgd", "--set", "privacy.sigma=1")
    assert private.code == 0 and "\n[compressor]\n" in private.out and "not read" not in private.out


@pytest.mark.parametrize("method, setting, readers", [
    ("scaffold", "local.batch=32", "estimator sgd, svrg, saga, recursive; local.solver sgd, "),
    ("gd", "compressor.kind=top-k", "method compressed-gd, diana, "),
    ("gd", "clock.slow=3", "methods on the simulated clock, favano, quafl, "),
    ("dp-fedavg-clip", "bound.kind=clip-client", "method ldp-sgd, ldp-svrg, ")])
def test_a_key_without_effect_is_refused_with_who_reads_it(logistic, tmp_path, method, setting, readers):
    """Keys that choose a part, and that of the minibatch, are no part's own."""
    result = call("run", logistic, "--set", f"method={method}", "--set", setting, "--output", tmp_path / "a.h5")
    assert result.code == 2 and f"choose parts that use it: {readers}" in result.sentence


def test_files_for_several_methods_get_no_note(logistic, tmp_path):
    assert call("run", logistic, "--set", "method=gd", "--output", tmp_path / "a.h5").err == ""
    file = tmp_path / "e.toml"
    file.write_text(ALONE + "[methods.cdp-sgd]\nserver.rate = 0.1\n")
    assert call("run", file, "--output", tmp_path / "b.h5").err == ""
    assert len(read(tmp_path / "b.h5")[1]["round"]) == 4


def test_privacy_that_is_asked_for_in_vain_is_told_in_any_case(tmp_path):
    file = tmp_path / "e.toml"
    file.write_text(ALONE.replace("[compressor]\nk = 4", "[privacy]\nepsilon = 2"))
    refused = call("run", file, "--output", tmp_path / "a.h5", "--quiet")
    assert refused.code == 2 and "gd bounds no gradients" in refused.sentence
    assert "choose method = dp-gd, or set privacy.sigma = 0" in refused.sentence
    file.write_text(file.read_text().replace('"gd"', '"marina"'))
    said = call("run", file, "--output", tmp_path / "a.h5", "--quiet").err
    assert said == "trilemma: note: settings that marina and its parts do not read: privacy.epsilon (read by methods with " \
        "noise, and with bound.kind = \"clip-client\" those on the simulated clock)\n"
