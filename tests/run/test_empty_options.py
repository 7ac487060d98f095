"""Empty values and environment variables that are no numbers: refused in a sentence, by every command."""
import re
import subprocess
import sys

import pytest

from conftest import ROOT, call

# Commands that have options, as on the command line.
COMMANDS = [["run"], ["replay"], ["sweep"], ["partition"], ["list"], ["graph"], ["show"], ["verify"], ["audit"],
            ["calibrate"], ["predict"], ["mean"], ["config"], ["reference"], ["bench"], *(["privacy", question] for question in (
                "epsilon", "sigma", "rounds", "rate", "curve", "delta", "rdp", "tuning", "network"))]


def test_the_list_of_commands_is_complete():
    out = call("--help").out
    assert set(re.findall(r"^  (\w+) ", out.split("Subcommands:")[1], re.M)) == {"privacy", *(c[0] for c in COMMANDS)}
    out = call("privacy", "--help").out
    assert set(re.findall(r"^  (\w+) ", out.split("Subcommands:")[1], re.M)) == {c[1] for c in COMMANDS if len(c) > 1}


def options_of(command):
    """The options of a command that take a value, and whether it takes positional arguments."""
    out = call(*command, "--help").out
    options = re.findall(r"^  (--[\w-]+)(?:,--[\w-]+)* (?:TEXT|INT|UINT|FLOAT)", out, re.M)
    return options, "\nPositionals:" in out


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_empty_value_is_refused(command):
    options, takes_words = options_of(command)
    assert options or takes_words or command == ["list"]
    cases = [[f"{option}="] for option in options] + [[option, ""] for option in options] + [[""]] * takes_words
    for case in cases:
        result = call(*command, *case)
        assert result.code == 2, (case, result.out, result.err)
        assert len(result.err.splitlines()) == 1 and result.out == "", (case, result.err)
        assert "empty" in result.err or "requires" in result.err.lower() or "required" in result.err, (case, result.err)


@pytest.mark.parametrize("command, option, values", [
    (["predict", "x.h5"], "--ranks", ["0", "-1", "1", "nan", "1e400", "2,", ",", "x"]),
    (["predict", "x.h5"], "--latency", ["-1ms", "nanms", "5", "1e400s", "ms"]),
    (["predict", "x.h5"], "--bandwidth", ["0Mbit", "-1Mbit", "infMbit", "Mbit"]),
    (["predict", "x.h5"], "--accuracy", ["0", "-1", "1.5", "nan", "x"]),
    (["partition", "small.toml"], "--ranks", ["0", "-1", "1.5", "x", "1e9"]),
    (["run", "small.toml"], "--rounds-more", ["0", "-1", "x", "1e9"]),
    (["sweep", "small.toml", "--all"], "--jobs", ["0", "-1", "x"]),
    (["sweep", "small.toml"], "--run", ["-1", "x", "1.5"]),
    (["audit", "small.toml"], "--runs", ["0", "-1", "x", "1e400"]),
    (["audit", "small.toml"], "--canaries", ["0", "-1", "x"]),
    (["audit", "small.toml"], "--records", ["0", "-1", "x"]),
    (["audit", "small.toml"], "--dimension", ["0", "-1", "x"]),
    (["audit", "small.toml"], "--confidence", ["0", "1", "-1", "nan", "x"]),
    (["privacy", "epsilon", "--delta", "1e-5"], "--sigma", ["0", "-1", "nan", "inf", "x"]),
    (["privacy", "epsilon", "--sigma", "1"], "--delta", ["-1", "2", "nan", "x"]),
    (["privacy", "epsilon", "--sigma", "1", "--delta", "1e-5"], "--rounds", ["-1", "nan", "inf", "x"]),
])
def test_an_impossible_value_is_refused(logistic, command, option, values):
    for value in values:
        result = call(*command, option, value, cwd=logistic.parent)
        assert result.code == 2, (value, result.out, result.err)
        assert len(result.err.splitlines()) == 1, result.err


@pytest.mark.parametrize("value", ["abc", "-1", "nan", "inf", "", "5s", "1e400", " 5"])
def test_a_watchdog_that_is_no_number_of_seconds_is_refused(logistic, tmp_path, value):
    result = call("run", logistic, "--quiet", "--output", tmp_path / "x.h5", env={"TRILEMMA_WATCHDOG": value})
    assert result.code == 2 and "TRILEMMA_WATCHDOG" in result.sentence and "seconds" in result.sentence, result.err
    assert not list(tmp_path.glob("x.h5*"))


@pytest.mark.parametrize("value", ["0", "600", "0.5e3"])
def test_a_watchdog_by_the_environment(logistic, tmp_path, value):
    assert call("run", logistic, "--quiet", "--output", tmp_path / "x.h5", env={"TRILEMMA_WATCHDOG": value}).code == 0


@pytest.mark.parametrize("name, values", [("TRILEMMA_RANKS", ["", "0", "-1", "x"]),
                                          ("TRILEMMA_VECTOR_BITS", ["", "x", "64"])])
def test_other_variables_are_checked(logistic, tmp_path, name, values):
    for value in values:
        result = call("run", logistic, "--quiet", "--output", tmp_path / "x.h5", env={name: value})
        assert result.code == 2 and name in result.sentence, (value, result.err)


@pytest.mark.parametrize("kind, option", [(kind, option) for kind in ("run", "sweep", "study") for option in (
    "--ranks", "--mem", "--time", "--data-dir", "--program", "--watchdog", "--signal-before", "--partition",
    "--log-dir")])
def test_submit_refuses_empty_values(logistic, kind, option):
    command = [sys.executable, ROOT / "jobs/submit", kind, logistic, "--ranks", "2", "--dry-run", option, ""]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("submit: ")
