import io
import json
import math
import os
import struct
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trilemma_analysis.cli import export as exporting
from trilemma_analysis.cli.main import main
from trilemma_analysis.io.event_file import crc32c, event_file
from trilemma_analysis.io.mlflow_store import experiment_id
from trilemma_analysis.io.writing import safe_name

CONFIG = 'method = "cdp-sgd"\nseed = 1\n[privacy]\nepsilon = 5.0\n[server]\nrate = 0.5\n'
STARTED = {"started": "2026-01-02T03:04:05Z", "git_revision": "abcdef"}
UNIX = 1767323045  # 2026-01-02 03:04:05 UTC


@pytest.fixture
def export(make_run, tmp_path, capsys):
    """Exports one run of three states, of which the last is not evaluated; returns the output's path."""
    def call(to, **changes):
        make_run("a.h5", config=CONFIG, environment=STARTED, epsilon=4.5, seconds=np.zeros((3, 3, 13)),
                 columns={"accuracy": [0.5, 0.75, math.nan]}, **changes)
        assert main(["export", str(tmp_path / "a.h5"), "--to", to, "-o", str(tmp_path / "out")]) == 0
        capsys.readouterr()
        return tmp_path / "out"
    return call


def test_csv_has_a_row_a_run_and_a_row_a_round(export):
    folder = export("csv")
    runs, rounds = (pd.read_csv(folder / f"{name}.csv") for name in ("runs", "rounds"))
    assert (len(runs), len(rounds)) == (1, 3)
    row = runs.iloc[0]
    assert (row.hash, row.method, row.seed, row["config.server.rate"]) == ("0123456789ab", "cdp-sgd", 1, 0.5)
    assert (row.epsilon_accounted, row.claim, row.unit) == (4.5, "holds: local model, per record", "record")
    assert (row.accuracy, row.bits_up_payload) == (0.75, 1280)
    assert set(rounds.run) == {row.run} and set(rounds.hash) == {row.hash}
    assert rounds.accuracy.tolist()[:2] == [0.5, 0.75] and math.isnan(rounds.accuracy[2])
    assert "epsilon" not in rounds  # without any value


def test_json_has_units_and_null_for_what_is_unknown(export):
    found = json.loads(export("json").read_text())
    assert (found["units"]["rounds"]["bits_up_payload"], found["units"]["runs"]["epsilon_accounted"]) == ("bit", "1")
    assert found["rounds"][2]["accuracy"] is None and found["rounds"][2]["round"] == 2
    assert len(found["runs"]) == 1


def test_mlflow_reads_names_values_and_steps(export):
    store = export("mlflow")
    experiment = store / experiment_id(store.parent.name)
    meta = dict(line.split(": ", 1) for line in (experiment / "meta.yaml").read_text().splitlines())
    assert json.loads(meta["experiment_id"]) == experiment.name and json.loads(meta["name"]) == store.parent.name
    run = next(path for path in experiment.iterdir() if path.is_dir())
    about = {name: json.loads(value) for name, value in
             (line.split(": ", 1) for line in (run / "meta.yaml").read_text().splitlines())}
    assert (about["run_id"], about["status"], about["start_time"], about["end_time"]) == (
        run.name, 3, 1000 * UNIX, 1000 * UNIX + 500)
    assert len(run.name) == 32 and about["run_name"] == "cdp-sgd eps 5 seed 1"
    assert (run / "params/server.rate").read_text() == "0.5"
    assert (run / "metrics/accuracy").read_text() == f"{1000 * UNIX} 0.5 0\n{1000 * UNIX} 0.75 1\n"
    assert (run / "tags/mlflow.note.content").read_text() == "holds: local model, per record"
    assert (run / "tags/trilemma.relation").read_text() == "add_remove"


def fields(data):
    """The fields of a protocol buffer: (number, value), by the rules of the wire format alone."""
    place = 0
    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while place < len(data):
        number, kind = divmod(varint(), 8)
        size = {1: 8, 5: 4}.get(kind)
        if kind == 0:
            yield number, varint()
            continue
        size = varint() if kind == 2 else size
        yield number, data[place:place + size]
        place += size


def events(content):
    """The events of an event file; checks the length and checksum of every record."""
    stream, found = io.BytesIO(content), []
    while head := stream.read(12):
        length, = struct.unpack("<Q", head[:8])
        data, tail = stream.read(length), stream.read(4)
        for part, sum_ in ((head[:8], head[8:]), (data, tail)):
            rotated = (struct.unpack("<I", sum_)[0] - 0xA282EAD8) % 2**32
            assert (rotated >> 17 | rotated << 15) % 2**32 == crc32c(part)
        found.append(dict(fields(data)))
    return found


def test_the_checksum_is_that_of_the_standard():
    assert crc32c(b"123456789") == 0xE3069283  # RFC 3720, and all catalogues of checksums
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, B.4


def test_an_event_file_is_read_back():
    first, texts, *rows = events(event_file(1.5, {"claim": "holds"}, [(0, 1.5, {"a": 0.25}), (300, 2.5, {"a": 1, "b": 2})]))
    assert first == {1: struct.pack("<d", 1.5), 2: 0, 3: b"brain.Event:2"}
    value = dict(fields(dict(fields(texts[5]))[1]))
    assert value[1] == b"claim" and dict(fields(value[8])) == {1: 7, 2: b"", 8: b"holds"}
    assert (rows[1][1], rows[1][2]) == (struct.pack("<d", 2.5), 300)
    assert [dict(fields(value)) for _, value in fields(rows[1][5])] == [
        {1: b"a", 2: struct.pack("<f", 1)}, {1: b"b", 2: struct.pack("<f", 2)}]


def test_tensorboard_has_evaluated_states_and_the_claim(export):
    folder = export("tensorboard")
    file, = folder.rglob("events.out.tfevents.*")
    assert file.parent.name.startswith("cdp-sgd eps 5 seed 1-") and file.name.split(".")[3] == str(UNIX)
    found = events(file.read_bytes())
    tags = [{bytes(dict(fields(value))[1]).decode() for _, value in fields(event[5])} for event in found[1:]]
    assert tags[0] == {"claim", "config"}
    assert ["accuracy" in names for names in tags[1:]] == [True, True, False]


def test_values_beyond_32_bits_are_infinite_in_an_event_file():
    *_, row = events(event_file(0.0, {}, [(1, 0.0, {"a": 3.4028235e38, "b": 3.5e38, "c": -1e300, "d": math.inf, "e": 1e-300})]))
    assert [struct.unpack("<f", dict(fields(value))[2])[0] for _, value in fields(row[5])] == [
        float(np.float32(3.4028235e38)), math.inf, -math.inf, math.inf, 0.0]


@pytest.mark.parametrize("to", ["csv", "json", "mlflow", "tensorboard"])
def test_a_run_that_cannot_be_exported_keeps_no_other_out(make_run, tmp_path, capsys, monkeypatch, to):
    """Whatever is odd about one run of three, the others are written, and the sentence names that run."""
    for seed in (1, 2, 3):
        make_run(f"{seed}.h5", config=CONFIG, seed=seed, fingerprint=f"{seed:016d}")
    known = {name: getattr(exporting, name) for name in ("_tables", "_stored", "_events")}

    def odd(name):
        def part(run):
            if run.attributes["seed"] == 2:
                raise OverflowError("float too large")
            return known[name](run)
        return part
    for key, name in (("csv", "_tables"), ("json", "_tables"), ("mlflow", "_stored"), ("tensorboard", "_events")):
        monkeypatch.setitem(exporting.FORMATS, key, replace(exporting.FORMATS[key], part=odd(name)))
    assert main(["export", str(tmp_path), "--to", to, "-o", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert f"1 of 3 runs could not be exported: {tmp_path / '2.h5'} (OverflowError: float too large)" in told
    files = [path for path in (tmp_path / "out", *(tmp_path / "out").rglob("*")) if path.is_file()]
    assert files and "Traceback" not in told
    if to == "csv":
        assert pd.read_csv(tmp_path / "out/runs.csv").seed.tolist() == [1, 3]


def test_weights_and_biases_is_refused_with_what_to_use_instead(make_run, tmp_path, capsys):
    make_run("a.h5", config=CONFIG)
    assert main(["export", str(tmp_path / "a.h5"), "--to", "wandb", "-o", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "no export for Weights & Biases" in told and "--to tensorboard" in told and "--to csv" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["csv", "mlflow", "tensorboard", "json"])
def test_nothing_is_replaced_unasked(export, make_run, tmp_path, capsys, to):
    output = export(to)
    again = ["export", str(tmp_path / "a.h5"), "--to", to, "-o", str(output)]
    assert main(again) == 2 and "exists; name another output, or give --overwrite" in capsys.readouterr().err
    assert main([*again, "--overwrite"]) == 0


def test_copies_of_a_file_are_one_run(make_run, tmp_path, capsys):
    make_run("a.h5", config=CONFIG)
    (tmp_path / "b.h5").write_bytes((tmp_path / "a.h5").read_bytes())
    make_run("c.h5", config=CONFIG, seed=2, fingerprint="f" * 16)
    assert main(["export", str(tmp_path), "--to", "csv", "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    assert "1 file with the content of another one, exported once" in printed.err and "wrote 2 files from 2 runs" in printed.out


def test_hostile_names_stay_in_the_folder(make_run, tmp_path):
    (tmp_path / "=x").mkdir()
    make_run("=x/a.h5", config=CONFIG + '[a]\n"../../b" = "=cmd()"\n', method="../../evil\n", environment=STARTED)
    before = set(os.listdir(tmp_path))
    for to in ("mlflow", "tensorboard", "csv"):
        assert main(["export", str(tmp_path / "=x"), "--to", to, "-o", str(tmp_path / "out" / to)]) == 0
    assert set(os.listdir(tmp_path)) - before == {"out"}
    assert [path.read_text() for path in tmp_path.glob("out/mlflow/*/*/params/a..._2f_.._2f_b")] == ["=cmd()"]
    assert "'=cmd()" in (tmp_path / "out/csv/runs.csv").read_text()


def test_names_are_safe_and_differ():
    assert safe_name("a/b") == "a_2f_b" and safe_name("..") == "_.." and safe_name("") == "_"
    long = [safe_name("x" * 300 + end) for end in "ab"]
    assert long[0] != long[1] and max(map(len, long)) <= 120


def test_parquet_names_the_package_that_is_missing(make_run, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("trilemma_analysis.cli.export.find_spec", lambda name: None)
    make_run("a.h5", config=CONFIG)
    assert main(["export", str(tmp_path / "a.h5"), "--to", "parquet", "-o", str(tmp_path / "out")]) == 2
    assert "pyarrow, which writes Parquet, is missing" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
