"""No line of a table or text is wider than 100 columns, but with --wide: the program's output and that of the package."""
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from conftest import PHASES, write_run
from study_folder import write_study
from test_verdict_norm_fmnist import PAPER, config, mpi, plain
from trilemma_analysis.cli.main import COMMANDS, main

WIDTH = 100
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TRILEMMA_PROGRAM")
SWEEP = """name = "width"
experiment = "{experiment}"
seeds = 2
[set]
rounds = 20
[axes]
method = ["gd", "ldp-sgd", "soteriafl-sgd"]
server.rate = [0.5, 2.0]
[methods.ldp-sgd.axes]
privacy.epsilon = [0.5, 2.0]
[methods.soteriafl-sgd.axes]
privacy.epsilon = [0.5, 2.0]
"""
HELPS = ("", "run", "sweep", "show", "verify", "predict", "privacy", "privacy epsilon", "audit", "config", "calibrate", "graph")
OF_PROGRAM = {
    "show": "show run.h5", "verify one": "verify run.h5", "verify 20": "verify sweep/*.h5",
    "predict": "predict sweep/*.h5 --latency 5ms", "predict accuracy": "predict sweep/*.h5 --accuracy 0.7 --ranks 4",
    "privacy epsilon": "privacy epsilon --sigma 1.1 --sampling poisson --rate 0.01 --releases 1000 --delta 1e-5",
    "privacy tuning": "privacy tuning --epsilon 1 --delta 1e-5 --runs 10",
    "sweep count": "sweep width.toml --output-dir sweep --count", "sweep status": "sweep width.toml --output-dir sweep",
    "sweep list": "sweep width.toml --output-dir sweep --list",
    **{f"help {name}".strip(): f"{name} --help" for name in HELPS},
}
OF_PACKAGE = {
    "cost": "cost sweep -o cost.png",     "table": "table sweep", "table of one": "table run.h5", "sweep": "sweep sweep",
    "sweep best": "sweep sweep --best-of rate", "best bits": "best sweep --bits 10kB --epsilon 2",
    "best target": "best sweep --target accuracy=0.6", "scaling": "scaling study", "simulated": "simulated simulated.h5",
    "verdict": "verdict norm-fmnist verdict --row", "verdicts": "verdict --all saved", "export": "export sweep --to csv -o exported",
    **{f"help of {name}": f"{name} --help" for name in COMMANDS}, "help of all": "--help",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with what the commands read: a sweep of 20 runs, a run of it, a study, a simulated run, runs of a rule."""
    folder = tmp_path_factory.mktemp("width")
    (folder / "width.toml").write_text(SWEEP.format(experiment=ROOT / "jobs/experiments/demo.toml"))
    subprocess.run([PROGRAM, "sweep", folder / "width.toml", "--all", "--quiet", "--output-dir", folder / "sweep"],
                   check=True, timeout=120)
    (folder / "run.h5").write_bytes(sorted((folder / "sweep").glob("*.h5"))[0].read_bytes())
    write_study(folder / "study", [{"ranks": ranks, "repetition": i, "phases": {"local": 8 / ranks, "wait": 0.1}}
                                           for ranks in (1, 2, 4) for i in range(6)])
    write_run(folder / "simulated.h5", ranks=np.int64(4), seconds=np.full((3, 4, len(PHASES)), 5e-5),
              environment={"simulation": "tree.xml, 4 ranks on 4 hosts, communication only; SMPI 3.32"},
              config='method = "cdp-sgd"\nclients = 8\n[exchange]\nup = "gather"\n')
    (folder / "verdict").mkdir()
    for noise in (0, 1.0, 170.0):
        for place, ((method, epsilon), score) in enumerate(PAPER.items()):
            for seed in (1, 2, 3):
                accuracy = np.linspace(0.1, (score + 0.01 * seed) / 100, 12)
                write_run(folder / f"verdict/{noise:g}-{place}-{seed}.h5", method=method, seed=np.int64(seed),
                          columns={"accuracy": accuracy, **plain(12)}, rounds=np.int64(11), mpi=mpi(12),
                          config=config(method, seed, noise, epsilon))
    assert main(["verdict", "norm-fmnist", str(folder / "verdict"), "--save", str(folder / "saved")]) == 0
    return folder


def words(command, folder):
    """The words of a command; patterns become files, relative to the folder."""
    return [str(path) for word in command.split()
            for path in (sorted(path.relative_to(folder) for path in folder.glob(word)) if "*" in word else [word])]


def too_wide(text):
    """The lines that are wider than they may be."""
    return [line for line in text.splitlines() if len(line) > WIDTH]


def cases(commands):
    """The commands as cases with their names."""
    return [pytest.param(command, id=name) for name, command in commands.items()]


@pytest.mark.skipif(not PROGRAM, reason="TRILEMMA_PROGRAM does not name the program")
@pytest.mark.parametrize("command", cases(OF_PROGRAM))
def test_the_program_fits(command, made):
    done = subprocess.run([PROGRAM, *words(command, made)], capture_output=True, text=True, timeout=60,
                          env={name: value for name, value in os.environ.items() if name != "COLUMNS"}, cwd=made)
    assert done.stdout, done.stderr
    assert too_wide(done.stdout.replace(str(made), ".")) == []


@pytest.mark.skipif(not PROGRAM, reason="TRILEMMA_PROGRAM does not name the program")
@pytest.mark.parametrize("command", cases(OF_PACKAGE))
def test_the_package_fits(command, made, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(made)
    try:
        code = main(words(command, made))
    except SystemExit as end:
        code = end.code
    printed = capsys.readouterr()
    assert (code, bool(printed.out)) == (0, True), printed.err
    assert too_wide(printed.out + printed.err) == []
