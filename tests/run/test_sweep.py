"""`trilemma sweep`: list, count, run, status, missing; finished cells are skipped; bad input gets one sentence."""
import json
import re
from pathlib import Path

import h5py
import pytest

from conftest import ROOT, call
from paused import paused

SWEEP = """
name = "probe"
experiment = "small.toml"
seeds = 2
[set]
rounds = 3
[axes]
method = ["ldp-sgd", "soteriafl-sgd"]
local.batch = [20, 101]   # 101 is more than the 100 records of a client
"""


@pytest.fixture
def sweep(logistic, tmp_path):
    """Four cells that run and four that are refused."""
    path = tmp_path / "probe.toml"
    path.write_text(SWEEP)
    return path


def listing(sweep, *more):
    result = call("sweep", sweep, "--list", "--json", *more)
    assert result.code == 0, result.err
    return json.loads(result.out)


def states(sweep, folder, *more):
    result = call("sweep", sweep, "--status", "--json", "--output-dir", folder, *more)
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert sum(found["counts"].values()) == len(found["cells"])
    return {cell["index"]: (cell["state"], cell["reason"]) for cell in found["cells"]}


def run(sweep, index, folder, *more, **options):
    return call("sweep", sweep, "--run", index, "--output-dir", folder, *more, **options)


def split(sweep):
    """Indices of the cells that run, and of those that are refused."""
    cells = listing(sweep)["cells"]
    return [c["index"] for c in cells if not c["refused"]], [c["index"] for c in cells if c["refused"]]


def test_list_and_count(sweep):
    found = listing(sweep)
    assert found["schema"] == "trilemma-sweep" and found["schema_version"] == 1
    assert found["name"] == "probe" and Path(found["experiment"]).name == "small.toml"
    assert found["axes"] == ["method", "local.batch", "seed"] and found["set"] == {"rounds": 3}
    assert [c["index"] for c in found["cells"]] == list(range(8))
    assert len({c["hash"] for c in found["cells"]}) == 8
    for cell in found["cells"]:
        assert re.fullmatch("[0-9a-f]{12}", cell["hash"]) and cell["file"] == cell["hash"] + ".h5"
        assert set(cell["values"]) == set(found["axes"]) and cell["repetition"] == 1
        assert (cell["refused"] is not None) == (cell["values"]["local.batch"] == 101)
    assert "probe.toml:9: local.batch = 101" in next(c["refused"] for c in found["cells"] if c["refused"])
    assert call("sweep", sweep, "--count").out == "8\n"
    lines = call("sweep", sweep, "--list").out.splitlines()
    assert [line.split()[:2] for line in lines] == [[str(c["index"]), c["hash"]] for c in found["cells"]]
    assert all(c["name"] in line for c, line in zip(found["cells"], lines))


def test_names_do_not_depend_on_the_place(sweep, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    names = [c["hash"] for c in listing(sweep)["cells"]]
    result = call("sweep", "../probe.toml", "--list", "--json", cwd=tmp_path / "elsewhere")
    good = [c["hash"] for c in json.loads(result.out)["cells"]]
    assert good == names


def test_from_missing_to_done(sweep, tmp_path):
    folder = tmp_path / "out"
    good, bad = split(sweep)
    before = states(sweep, folder)
    assert all(before[i] == ("missing", "") for i in good)
    assert all(before[i][0] == "failed" and "local.batch = 101" in before[i][1] for i in bad)
    assert call("sweep", sweep, "--missing", "--output-dir", folder).out == "0-7\n"
    assert not folder.exists()
    for index in good:
        result = run(sweep, index, folder, "--quiet")
        assert result.code == 0 and result.out == "", result.err
    after = states(sweep, folder)
    assert all(after[i] == ("done", "") for i in good)
    spec = call("sweep", sweep, "--missing", "--output-dir", folder).out.strip()
    indices = [i for part in spec.split(",") for i in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
    assert indices == bad
    text = call("sweep", sweep, "--output-dir", folder).out
    assert text.splitlines()[-1].startswith("4 of 8 cells done, 0 running, 0 interrupted, 4 failed, 0 missing; ")
    assert text.splitlines()[-2] == ("every epsilon covers its own run, not the choice among 4 over the same data; "
                                     "see trilemma privacy tuning")
    assert call("sweep", sweep, "--quiet", "--output-dir", folder).out.count("\n") == 1


@pytest.mark.parametrize(("more", "cells"), [
    ('[axes]\nmethod = ["ldp-sgd", "soteriafl-sgd", "gd"]', 4),     # gd states no epsilon
    ("[axes]\ndata.seed = [1, 2, 3]", 2),                         # generated records: of other people
    ("[axes]\nserver.rate = [0.1, 0.2, 0.3]", 6),
])
def test_the_note_counts_runs_to_choose_among(logistic, tmp_path, more, cells):
    path = tmp_path / "choice.toml"
    path.write_text(f'experiment = "small.toml"\nseeds = 2\n{more}\n')
    note = f"every epsilon covers its own run, not the choice among {cells} over the same data; "
    assert note in call("sweep", path, "--output-dir", tmp_path / "none").out


@pytest.mark.parametrize("more", [
    "seeds = [1]\nrepetitions = 3", "seeds = 2\n[set]\nmethod = \"gd\"", "seeds = [1]\n[axes]\ndata.seed = [1, 2]"])
def test_no_note_without_a_choice(logistic, tmp_path, more):
    path = tmp_path / "choice.toml"
    path.write_text(f'experiment = "small.toml"\n{more}\n')
    result = call("sweep", path, "--output-dir", tmp_path / "none")
    assert result.code == 0 and "choosing" not in result.out


def test_a_cell_is_the_experiment_with_its_values(sweep, tmp_path):
    index = split(sweep)[0][0]
    cell = listing(sweep)["cells"][index]
    result = run(sweep, index, tmp_path / "out")
    assert result.code == 0 and cell["name"] in result.out
    with h5py.File(tmp_path / "out" / cell["file"]) as file:
        assert file.attrs["method"] == cell["values"]["method"]
        assert file.attrs["seed"] == cell["values"]["seed"]
        assert file.attrs["rounds"] == 3 and file.attrs["complete"] == 1


def test_the_folder_tells_what_it_holds(sweep, tmp_path):
    run(sweep, split(sweep)[0][0], tmp_path / "out", "--quiet")
    assert json.loads((tmp_path / "out/sweep.json").read_text()) == listing(sweep)
    assert not list((tmp_path / "out").glob("sweep.json.*"))


def test_runs_in_the_default_folder(sweep, tmp_path):
    index = split(sweep)[0][0]
    assert call("sweep", sweep, "--run", index, "--quiet", cwd=tmp_path).code == 0
    assert (tmp_path / "runs/sweeps/probe" / listing(sweep)["cells"][index]["file"]).exists()


def test_a_finished_cell_is_skipped(sweep, tmp_path):
    index = split(sweep)[0][0]
    assert run(sweep, index, tmp_path).code == 0
    file = tmp_path / listing(sweep)["cells"][index]["file"]
    before = file.stat().st_mtime_ns, file.stat().st_ino
    again = run(sweep, index, tmp_path)
    assert again.code == 0 and "complete" in again.out + again.err
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before


def test_a_refused_cell_says_so_once(sweep, tmp_path):
    index = split(sweep)[1][0]
    for ranks in (None, 2):
        result = run(sweep, index, tmp_path / "out", ranks=ranks)
        assert result.code == 2
        assert "probe.toml:9: local.batch = 101: the privacy claim is about minibatches" in result.sentence
        assert "at most 100 of the 700 records" in result.sentence
    cell = listing(sweep)["cells"][index]
    assert (tmp_path / "out" / f"{cell['hash']}.failed").read_text().strip().endswith("or lower clients")
    assert states(sweep, tmp_path / "out")[index][0] == "failed"


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_cell_with_an_axis_that_its_method_does_not_read_is_left_out(logistic, tmp_path, ranks):
    path = tmp_path / "left.toml"
    path.write_text('experiment = "small.toml"\norder_seed = 0\nseeds = 2\n[axes]\n'
                    'method = ["ldp-sgd", "soteriafl-sgd"]\ncompressor.k = [3]\n'
                    '[methods.soteriafl-sgd.axes]\nserver.rate = [0.1, 0.2]\n')
    out = tmp_path / "out"
    result = run(path, 0, out, ranks=ranks)
    assert result.code == 0 and result.err == "", result.err
    assert "skipped: " in result.out and "compressor.k" in result.out
    assert [file.name for file in out.iterdir()] == ["sweep.json"]
    status = call("sweep", path, "--output-dir", out)
    assert status.out.count("skipped: ") == 1 and "2 cells skipped: " in status.out
    assert "0 of 6 cells done, 0 running, 0 interrupted, 0 failed, 4 missing, 2 skipped; " in status.out
    missing = call("sweep", path, "--missing", "--output-dir", out)
    assert missing.code == 0 and missing.out == "2-5\n"
    assert json.loads((out / "sweep.json").read_text())["axes"] == ["method", "compressor.k", "server.rate", "seed"]


def test_a_run_that_ends_early_is_failed_until_it_is_fixed(logistic, tmp_path):
    sweep = tmp_path / "idx.toml"
    sweep.write_text('experiment = "small.toml"\n[set]\ndata.source = "libsvm"\ndata.train = "gone"\ndata.test = ""\n')
    logistic.write_text(logistic.read_text().replace("test_rows = 301\n", "").replace("nonzeros = 5\n", ""))
    assert states(sweep, tmp_path / "out")[0][0] == "missing"
    assert run(sweep, 0, tmp_path / "out", "--data-dir", tmp_path).code == 2
    state, reason = states(sweep, tmp_path / "out")[0]
    assert state == "failed" and "gone: no such data file" in reason
    (tmp_path / "gone").write_text("".join(f"{sign} {i}:1\n" for sign in ("+1", "-1") for i in range(1, 31)) * 12)
    fixed = run(sweep, 0, tmp_path / "out", "--data-dir", tmp_path)
    assert fixed.code == 0, fixed.err
    assert states(sweep, tmp_path / "out")[0] == ("done", "")
    assert not list((tmp_path / "out").glob("*.failed"))


def test_a_killed_cell_is_interrupted_and_goes_on(logistic, tmp_path):
    sweep = tmp_path / "long.toml"
    sweep.write_text('experiment = "small.toml"\n[set]\nrounds = 4000\nevaluate.every = 100\n'
                     'checkpoint.rounds = 1000\n')
    folder = tmp_path / "out"
    with paused("sweep", sweep, "--run", "0", "--output-dir", folder, "--quiet"):
        assert states(sweep, folder)[0][0] == "running"
    assert states(sweep, folder)[0] == ("interrupted", "")
    result = run(sweep, 0, folder)
    assert result.code == 0 and "resuming after round" in result.err
    assert states(sweep, folder)[0][0] == "done"


def test_a_cell_is_done_as_soon_as_its_file_has_its_name(sweep, tmp_path):
    name = listing(sweep)["cells"][split(sweep)[0][0]]["file"]
    with paused("sweep", sweep, "--run", str(split(sweep)[0][0]), "--output-dir", tmp_path / "out", "--quiet", name=name):
        assert states(sweep, tmp_path / "out")[split(sweep)[0][0]] == ("done", "")


def test_on_several_ranks(sweep, tmp_path):
    index = split(sweep)[0][0]
    result = run(sweep, index, tmp_path / "out", ranks=3)
    assert result.code == 0 and result.out.count("sweep probe, cell") == 1
    assert states(sweep, tmp_path / "out")[index][0] == "done"


def test_repetitions_are_files_of_their_own(sweep, tmp_path):
    sweep.write_text('experiment = "small.toml"\nrepetitions = 2\n')
    files = [c["file"] for c in listing(sweep)["cells"]]
    assert sorted(name[12:] for name in files) == ["-r1.h5", "-r2.h5"]
    for index in range(2):
        assert run(sweep, index, tmp_path / "out", "--quiet").code == 0
    assert {path.name for path in (tmp_path / "out").glob("*.h5")} == set(files)
    assert call("sweep", sweep, "--missing", "--output-dir", tmp_path / "out").out == "\n"


BAD = [
    ("", ["--run", "8"], r"--run 8: .*probe\.toml has the cells 0 to 7"),
    ("", ["--run", "-1"], r"--run -1: "),
    ("", ["--run", "x"], r"--run"),
    ("", ["--run", "1", "--count"], r"excludes"),
    ("", ["--count", "--json"], r"excludes"),
    ("", ["--set", "seed=3"], r"--set seed: this is an axis of the sweep \(.*probe\.toml:4\)"),
    ("", ["--set", "roundz=3"], r"--set: roundz: .*did you mean \"rounds\"\?"),
    ("", ["--run", "0", "--output-dir", "/proc/none"], r"/proc/none/sweep\.json: cannot be written"),
    ("experimen = 1\n", [], r"probe\.toml:1: experimen: unknown key of a sweep; did you mean \"experiment\"\?"),
    ("tune_seeds = [0]\n", [], r"tune_seeds: unknown key of a sweep; did you mean \"tune\.seeds\"\?"),
    ("name = 1\n", [], r"probe\.toml:1: name = 1: expected text"),
    ('name = "../x"\n', [], r"probe\.toml:1: name = '\.\./x': not usable as the name of a folder, it has a slash"),
    ('name = "x"\n', [], r"probe\.toml: no experiment given"),
    ('experiment = "gone.toml"\n', [], r"probe\.toml:1: experiment = 'gone\.toml': no such file"),
    ('experiment = "small.toml"\n[axes]\nlocal.batc = [1]\n', ["--run", "0"],
     r"probe\.toml:3: local\.batc: not a setting of an experiment; did you mean \"local\.batch\"\?"),
    ('experiment = "small.toml"\n[axes]\nserver_hosts = [true, false]\n', [], r"server_hosts has no effect"),
]


@pytest.mark.parametrize("text, arguments, pattern", BAD, ids=range(len(BAD)))
def test_bad_input(sweep, tmp_path, text, arguments, pattern):
    if text:
        sweep.write_text(text)
    result = call("sweep", sweep, *arguments, cwd=tmp_path)
    assert result.code == 2 and result.out == ""
    assert re.search(pattern, result.sentence), result.sentence


def test_a_missing_sweep_file(tmp_path):
    result = call("sweep", tmp_path / "none.toml")
    assert result.code == 2 and "no such sweep file" in result.sentence


def test_a_bad_sweep_is_told_once_by_many_ranks(sweep):
    assert "has the cells 0 to 7" in run(sweep, 8, "nowhere", ranks=2).sentence


@pytest.mark.parametrize("path", sorted((ROOT / "jobs/sweeps").glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_sweeps_are_good(path):
    found = listing(path)
    assert found["name"] == path.stem
    assert [c["name"] for c in found["cells"] if c["refused"]] == []
