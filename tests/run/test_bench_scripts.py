"""The scripts of bench/ that compare the program with others run to their end and print their tables: the two shortest,
or with scripts/test --all each of them."""
import os
import re
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT, environment
from extent import ALL

CASES = {
    "compare_rounds": (["--repeat", "1", "--case", "a9a/ldp-sgd"], r"^a9a/ldp-sgd .*?([\d.]+) \["),
    "scale_clients": (["--repeat", "1", "--rounds", "20"], r"^ +100 +([\d.]+)"),
    "compare_gossip": (["--repeat", "1"], r"^noise and bound .*?([\d.]+) \["),
    "compare_blazefl": (["--pairs", "1", "--rounds", "1", "--images", "5000"], r"median ratio ([\d.]+)"),
    "compare_fedavg": (["--pairs", "1"], r"median ratio ([\d.]+)"),
}
if not ALL:
    CASES = {name: CASES[name] for name in ("compare_rounds", "scale_clients")}


@pytest.mark.skipif("TRILEMMA_DATA_DIR" not in os.environ, reason="needs a9a and Fashion-MNIST")
@pytest.mark.parametrize("script", CASES)
def test_the_script_prints_its_table(script):
    words, time = CASES[script]
    if script == "compare_blazefl":
        pytest.importorskip("torch")
    done = subprocess.run([sys.executable, ROOT / "bench" / script, "--program", PROGRAM, "--data-dir",
                           os.environ["TRILEMMA_DATA_DIR"], *words], capture_output=True, text=True, timeout=300,
                          env=environment(), stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    found = re.search(time, done.stdout, re.MULTILINE)
    assert found and float(found[1]) > 0, done.stdout
