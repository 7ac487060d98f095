"""No line of the program's output is longer than 100 columns, unless it is asked to be (--wide, --long)."""
import subprocess

import pytest
from conftest import LOGISTIC, PROGRAM, ROOT, environment

COLUMNS = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Twelve runs of four methods; one of them makes no claim."""
    place = tmp_path_factory.mktemp("lines")
    (place / "x.toml").write_text(LOGISTIC)
    for method in ("soteriafl-sgd", "cdp-sgd", "ldp-sgd", "gd"):
        for seed in (1, 2, 3):
            words = ["--set", f"method={method}", "--set", f"seed={seed}", "--set", "rounds=3", "--quiet"]
            told = output("run", place / "x.toml", *words, "--output", place / f"{method}-{seed}.h5")
            assert (place / f"{method}-{seed}.h5").is_file(), told
    return place


def output(*words):
    """Both outputs of the program, which is not connected to a terminal."""
    plain = {name: value for name, value in environment().items() if name != "COLUMNS"}
    done = subprocess.run([PROGRAM, *map(str, words)], env=plain, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    assert done.returncode in (0, 5), done.stdout
    return done.stdout


RELEASES = "--sampling poisson --rate 0.0123456789 --sigma 1.1 --steps 1000 --delta 1e-5".split()
COMMANDS = {
    "help": ["--help-all"], "version": ["--version"], "list": ["list"],
    "config": ["config", "x.toml"], "partition": ["partition", "x.toml"],
    "sweep list": ["sweep", ROOT / "jobs/sweeps/demo.toml", "--list"],
    "sweep status": ["sweep", ROOT / "jobs/sweeps/demo.toml", "--status", "--output-dir", "cells"],
    "run": ["run", "x.toml", "--output", "again.h5"],
    "show": ["show", "soteriafl-sgd-1.h5"], "show gd": ["show", "gd-1.h5"],
    "verify": ["verify", "cdp-sgd-1.h5"], "verify gd": ["verify", "gd-1.h5"], "verify all": ["verify", "*.h5"],
    "privacy epsilon": ["privacy", "epsilon", *RELEASES], "privacy curve": ["privacy", "curve", *RELEASES],
    "privacy tuning": ["privacy", "tuning", *RELEASES, "--runs", "36"],
    "predict": ["predict", "cdp-sgd-1.h5", "soteriafl-sgd-1.h5"], "predict all": ["predict", "*.h5"],
    "predict one network": ["predict", "*.h5", "--bandwidth", "1Mbit"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_fit(folder, name):
    words = []
    for word in map(str, COMMANDS[name]):
        words += sorted(folder.glob("*-[123].h5")) if word == "*.h5" else [word]
    words = [folder / word if str(word).endswith((".h5", "x.toml")) or word == "cells" else word for word in words]
    printed = output(*words).replace(str(folder) + "/", "")
    long = [line for line in printed.splitlines() if len(line) > COLUMNS]
    assert printed and not long, "\n".join(long)


def test_twelve_files_are_one_paragraph(folder):
    files = sorted(folder.glob("*-[123].h5"))
    short, long = output("verify", *files), output("verify", *files, "--long")
    assert "\n12 files, " in short and "nothing to check in 3 files" in short
    short_words, long_words = (" ".join(text.split()) for text in (short, long))
    assert short_words.count("outside of") == 1 < long_words.count("outside of") + long_words.count("except for")
    assert len(short.splitlines()) < len(long.splitlines()) / 2
