"""jobs/reproduce: the list of experiments is whole, and one command goes from a sweep to its verdict."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "jobs"), str(ROOT / "analysis")]

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tiny_experiment import LIST, SWEEP  # noqa: E402
from trilemma_jobs import reproduce, reproductions, values  # noqa: E402

REPRODUCE = ROOT / "jobs/reproduce"
PROGRAM = os.environ.get("TRILEMMA_PROGRAM", ROOT / "build/release/trilemma")
REGISTRY = reproductions.read()
# All experiments of the papers, those on other data that stand for them, and those of this project.
IDS = {
    "SOT": ["A9A-EPS1", "A9A-EPS5", "A9A-EPS10", "MNIST-EPS1", "MNIST-EPS2", "MNIST-EPS4", "MNIST-EPS8", "MNIST-EPS16",
            "TABLE1", "TABLE2"],
    "NORM": ["QUAD", "QUAD-TRAJ", "FMNIST", "CIFAR10", "CIFAR100", "MNIST-S", "CIFAR10-S", "MIX20-S"],
    "NEC": ["CIFAR-BETA", "CIFAR-P", "CIFAR-FEDAVG", "CIFAR-GRID", "FMNIST-S", "CIFAR-S", "CIFAR-RESNET-S", "A9A-S",
            "A9A-S-TOTAL"],
    "PMTL": ["NAIVE", "CURVES", "FEMNIST", "SO", "CELEBA", "FT", "GRID", "FEDPROX", "LOCAL", "PPSGD", "FEMNIST-T",
             "FMNIST-S", "PARK-S", "OMNI-S", "FMNIST-TWO-S"],
    "FAV": ["MNIST-IID", "MNIST-NONIID-2/3", "MNIST-NONIID-1/9", "CIFAR-NONIID", "TINY", "CIFAR-QNN", "TABLE1", "FMNIST-S",
            "CIFAR-S", "CIFAR-RESNET-S", "FMNIST-QNN-S", "CIFAR-QNN-S", "OMNI-S", "MNIST-TUNED"],
    "GOS": ["A9A", "MNIST", "SEEDS", "PRIVATE"],
}


SAVED = [(path.stem, sweep) for path in sorted((ROOT / "docs/results/data").glob("*.json"))
         for sweep in json.loads(path.read_text(encoding="utf-8"))["sweeps"]]


@pytest.mark.parametrize("rule, sweep", SAVED, ids=[f"{rule}-{sweep['name']}" for rule, sweep in SAVED])
def test_saved_rows_rest_on_all_cells_or_the_list_says_on_how_many(rule, sweep):
    file = ROOT / f"jobs/sweeps/{sweep['name']}.toml"
    cells = int(subprocess.run([PROGRAM, "sweep", file, "--count"], check=True, capture_output=True, text=True).stdout)
    listed = REGISTRY.rules[rule].cells
    assert (listed.get(sweep["name"]) == cells) == (sweep["cells"] < cells)
    assert sweep["name"] in listed or sweep["cells"] == cells


@pytest.mark.parametrize("name", [f"{paper}-{rest}" for paper, names in IDS.items() for rest in names])
def test_every_experiment_is_there(name):
    each = REGISTRY.experiment(name)
    assert each.paper == name.partition("-")[0] and each.figure and each.expected
    assert len(each.expected) <= 100 and len(each.reason) <= 100
    assert all(REGISTRY.experiment(other).rules or REGISTRY.experiment(other).file for other in each.substitutes)
    assert not each.file or (ROOT / each.file).is_file()
    assert not each.section or each.rules


def test_every_rule_is_used_and_known():
    from trilemma_analysis.verdicts import RULES

    used = {rule for each in REGISTRY.experiments.values() for rule in each.rules}
    assert used == set(REGISTRY.rules) == set(RULES)
    for name, rule in RULES.items():
        assert set(rule.ids) == {each.id for each in REGISTRY.experiments.values() if name in each.rules}, name


@pytest.mark.parametrize("rule", REGISTRY.rules.values(), ids=REGISTRY.rules)
def test_every_rule_has_its_sweeps_and_data(rule):
    assert rule.sweeps
    for sweep in rule.sweeps:
        file = ROOT / f"jobs/sweeps/{sweep}.toml"
        assert tomllib.loads(file.read_text()).get("name", sweep) == sweep, "the folder of its runs"
        text = reproduce.with_seeds(file, file.read_text(), 7)
        seeds = reproduce.seeds_of(text)
        assert seeds == [0] or min(seeds) > 1 or seeds[-7:] == list(range(1, 8)), seeds
    assert all(reproductions.files_of(name) for name in rule.data)
    if rule.derived:
        derivations = (ROOT / "scripts/derive-data").read_text()
        assert all(f'"{name}"' in derivations for name in rule.derived)


@pytest.mark.parametrize(("change", "words"), [
    (('paper = "SOT"', 'papers = "SOT"'), '.papers: unknown key; expected paper, figure'),
    (('rules = ["sot-table2"]', 'rules = ["sot-table3"]'), "SOT-TABLE2: there is no rule 'sot-table3'"),
    (('rules = ["sot-table2"]', ''), "SOT-TABLE2 needs either rules that judge it or the reason"),
    (('figure = "table 2"', 'figure = 2'), '.figure: expected a value of type str'),
    (('paper = "SOT"', 'paper = "SOD"'), "there is no paper 'SOD'"), (('paper = "SOT"', 'paper ='), "not TOML")])
def test_mistakes_in_the_list_are_one_sentence(tmp_path, change, words):
    file = tmp_path / "list.toml"
    file.write_text(reproductions.FILE.read_text().replace(*change))
    with pytest.raises(values.UserError, match=re.escape(words)):
        reproductions.read(file)


def test_seeds_of_a_sweep_are_replaced():
    text = 'name = "x"\nexperiment = "../experiments/demo.toml"\n'
    zipped = text + "[[zip]]\nseed = [1, 2]\ndata.seed = [1, 2]\n"
    path = ROOT / "jobs/sweeps/x.toml"
    found = tomllib.loads(reproduce.with_seeds(path, zipped, 3))
    assert found["zip"] == [{"seed": [1, 2, 3], "data": {"seed": [1, 2, 3]}}]
    assert found["experiment"] == str(ROOT / "jobs/experiments/demo.toml")
    for before, after in (("3", [1, 2]), ("[\n  7,\n  8]", [7, 8]), ("[1,\n 2, 3]", [1, 2]), ("[0, 1, 2, 3]", [0, 1, 2]), ("[0]", [0])):
        assert tomllib.loads(reproduce.with_seeds(path, f"{text}seeds = {before}\n", 2))["seeds"] == after
    with pytest.raises(values.UserError, match="no line with its seeds"):
        reproduce.with_seeds(path, text, 2)


@pytest.fixture
def call(tmp_path):
    """Calls jobs/reproduce with a list of two experiments."""
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps/tiny.toml").write_text(SWEEP.format(root=ROOT))

    def called(*arguments, data="", path=None):
        (tmp_path / "list.toml").write_text(LIST.format(data=data))
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", COLUMNS="100")
        if path:
            env["PATH"] = f"{path}{os.pathsep}{env['PATH']}"
        return subprocess.run([sys.executable, REPRODUCE, "--file", "list.toml", "--program", PROGRAM, *arguments],
                              cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
    return called


needs_program = pytest.mark.skipif(not Path(PROGRAM).exists(), reason=f"{PROGRAM} is not there")


@needs_program
def test_from_a_sweep_to_its_row(call, tmp_path):
    done = call("MADE-UP", "--seeds", "2", "--save", "data")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("MADE-UP (MADE, figure 1). In the paper: nothing\n")
    assert "NORM-QUAD-TRAJ: " in done.stdout and re.search(r"^experiment +verdict +here", done.stdout, re.MULTILINE)
    assert len(list((tmp_path / "runs/sweeps/tiny").glob("*.h5"))) == 8  # 2 methods, 2 starts, 2 seeds
    content = json.loads((tmp_path / "data/norm-quad-traj.json").read_text())
    assert (content["runs"], content["seeds"]) == (8, 2) and content["sweeps"][0]["cells"] == 8
    newest = max(path.stat().st_mtime_ns for path in (tmp_path / "runs/sweeps/tiny").glob("*.h5"))
    assert (tmp_path / "runs/sweeps/seeds-1-to-2/tiny.toml").is_file()  # of its own: --seeds 3 must not replace it
    assert call("MADE-UP", "--judge").returncode == 0
    again = call("MADE-UP")  # the seeds of the sweep: runs that exist are kept
    assert again.returncode == 0, again.stderr
    times = [path.stat().st_mtime_ns for path in (tmp_path / "runs/sweeps/tiny").glob("*.h5")]
    assert len(times) == 12 and sum(time <= newest for time in times) == 8


@needs_program
def test_slurm_gets_an_array_and_a_job_that_judges(call, tmp_path):
    done = call("MADE-UP", "--backend", "slurm", "--save", "data", "--dry-run", "--", "--time", "10:00")
    assert done.returncode == 0, done.stderr
    assert "#SBATCH --array=0-11" in done.stdout and "#SBATCH --time=10:00" in done.stdout
    assert re.search(r"jobs/reproduce MADE-UP --judge --output-dir runs/sweeps --file list.toml --save data", done.stdout)
    assert re.search(r"^sbatch --parsable --dependency=afterany:ARRAY1 ", done.stdout, re.MULTILINE)
    assert not (tmp_path / "logs").exists() and not (tmp_path / "runs").exists()


@needs_program
def test_what_is_submitted_to_slurm(call, tmp_path):
    """With an sbatch that notes its arguments."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sbatch").write_text('#!/bin/sh\n[ "$1" = --parsable ] || exit 0\necho "$@" >>sbatch.log\nwc -l <sbatch.log\n')
    (tools / "sbatch").chmod(0o755)
    done = call("MADE-UP", "--backend", "slurm", path=tools)
    assert done.returncode == 0, done.stderr
    first, last = (tmp_path / "sbatch.log").read_text().splitlines()
    assert re.fullmatch(r"--parsable logs/tiny-[\d-]+.sh", first)
    assert re.fullmatch(r"--parsable --dependency=afterany:1 --kill-on-invalid-dep=yes logs/MADE-UP-[\d-]+-analysis.sh", last)
    assert "submitted: 1, 12 of 12 cells of runs/sweeps/tiny" in done.stdout and "verdict:   2, after them" in done.stdout


@pytest.mark.parametrize(("arguments", "data", "words"), [
    (["MADE-UPP"], "", "there is no experiment 'MADE-UPP'; did you mean MADE-UP?"),
    (["made-up"], "", "there is no experiment 'made-up'; did you mean MADE-UP?"),
    (["made"], "", "there is no experiment 'made'; name one of MADE-UP, MADE-GONE."),
    (["MADE-GONE"], "", "MADE-GONE cannot be run: it was made up. In its place: jobs/reproduce MADE-UP."),
    (["MADE-UP", "--data-dir", "nowhere"], '"a9a", "mnist"', "nowhere lacks a9a, mnist; run `scripts/get-data a9a mnist`, "
     "or add --get-data."),
    ([], "", "name an experiment, or use --list."), (["MADE-UP", "--sedes", "2"], "", "did you mean --seeds?"),
    (["MADE-UP", "--seeds", "0"], "", "'0' is not a whole number of at least 1")])
@needs_program
def test_mistakes_are_one_sentence(call, arguments, data, words):
    done = call(*arguments, data=data)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, done.stderr


@needs_program
def test_data_are_brought_if_asked_for(call):
    done = call("MADE-UP", "--data-dir", "nowhere", "--get-data", "--dry-run", data='"a9a"')
    assert done.stdout.splitlines()[1] == "scripts/get-data a9a", done.stderr


def test_a_dry_run_needs_no_program(tmp_path):
    """What jobs/reproduce prints where nothing is built, with the times of the saved rows."""
    env = dict(os.environ, PATH="/usr/bin:/bin", TRILEMMA_DATA_DIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'jobs')!r})\n"
                           "from pathlib import Path\nfrom trilemma_jobs import options, reproduce\n"
                           "options.ROOT = Path('nowhere')\nsys.exit(reproduce.run(['NORM-QUAD', '--dry-run']))"],
                          cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    runs, minutes = re.search(r"norm-quad: the saved row rests on (\d+) runs of (\d+) min in all", done.stdout).groups()
    saved = json.loads((ROOT / "docs/results/data/norm-quad.json").read_text())
    assert int(runs) == saved["runs"] and int(minutes) == round(saved["wall_seconds"] / 60)
    assert "\ntrilemma sweep " in done.stdout and not (tmp_path / "runs").exists()


def test_the_list_fits(call):
    text = subprocess.run([sys.executable, REPRODUCE, "--list"], capture_output=True, text=True, check=True).stdout
    assert max(map(len, text.splitlines())) <= 100
    assert all(name in text for name in REGISTRY.experiments)


def test_ctrl_c_leaves_the_program_the_time_to_stop(tmp_path):
    program = tmp_path / "slow"
    program.write_text(f"#!{sys.executable}\nimport signal, sys, time\n"
                       "def stop(*_):\n    time.sleep(1)\n    open('stopped', 'w').close()\n    sys.exit(85)\n"
                       "signal.signal(signal.SIGINT, stop)\nopen('ready', 'w').close()\ntime.sleep(60)\n")
    program.chmod(0o755)
    (tmp_path / "sweeps").mkdir()
    (tmp_path / "sweeps/tiny.toml").write_text(SWEEP.format(root=ROOT))
    (tmp_path / "list.toml").write_text(LIST.format(data=""))
    with subprocess.Popen([sys.executable, REPRODUCE, "--file", "list.toml", "--program", program, "MADE-UP"], cwd=tmp_path,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        while running.poll() is None and not (tmp_path / "ready").exists():
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of its processes
        errors = running.communicate(timeout=30)[1]
    assert (running.returncode, errors) == (85, "reproduce: stopped; the same command goes on.\n")
    assert (tmp_path / "stopped").exists()
