"""The benchmark: its checks that do not depend on the load of the machine, its outputs, and its exit code."""
import json
import re
import subprocess
import sys

import h5py
import pytest

from conftest import PROGRAM, ROOT, call, environment

QUICK = ("S", "--repetitions", "1")
# Reasons that depend on time, on this machine, on how the tests start the program, or on the checkout.
OF_TIME = {"times_no_evidence", "phases_incomplete", "noisy", "calibration_drifts", "too_few_repetitions", "too_short",
           "processors_shared", "source_modified", "tuning_variables", "narrow_registers"}


def reasons(facts, kernel):
    """The reasons that do not depend on time."""
    return set(filter(None, facts[f"{kernel}.reasons"].split(", "))) - OF_TIME


def facts_of(*arguments, ranks=None, env=None):
    """The JSON of a benchmark that is not valid, because it is made in a test."""
    result = call("bench", *QUICK, *arguments, "--json", ranks=ranks, env=env)
    assert result.code in (0, 4), result.err
    facts = json.loads(result.out)
    assert (result.code == 0) == facts["valid"]
    return facts


@pytest.mark.parametrize("ranks", [None, 2, 3])
def test_the_checksum_shipped_and_the_ledger_of_any_number_of_ranks(ranks):
    """Equal clients have equal models, whatever the ranks; the bytes are those of the closed form."""
    for kernel in ("quantisation", "private"):
        facts = facts_of(kernel, "--clients-of", "3", ranks=ranks)
        assert reasons(facts, kernel) == (set() if ranks == 3 else {"clients_changed"}), kernel
        assert facts[f"{kernel}.fom"] > 0 and facts[f"{kernel}.clients"] == 12
        assert facts[f"{kernel}.up_bytes"] > 0 or ranks is None


@pytest.mark.parametrize("pattern", ["gather", "reduce", "hierarchical", "overlap"])
def test_every_exchange_has_the_same_checksum(pattern):
    facts = facts_of("compression", "--pattern", pattern, "--rules", "tuned", ranks=2)
    assert reasons(facts, "compression") == set()
    base = facts_of("compression", "--pattern", pattern, ranks=2)
    assert reasons(base, "compression") == (set() if pattern == "gather" else {"pattern_changed"})


def test_the_lines_are_those_that_suites_read():
    result = call("bench", *QUICK, "latency")
    assert result.code == 4  # one repetition
    lines = result.out.splitlines()
    assert lines[0] == "TRILEMMA BENCH 1.0 kernel=L class=S mode=weak rules=base"
    assert [line.split()[0] for line in lines[1:7]] == ["machine", "size", "time_s", "share", "mpi", "check"]
    assert any(line.startswith("reason too_few_repetitions: ") for line in lines)
    assert re.fullmatch(r"FOM (\S+) client_updates/s", lines[-2]) and lines[-1] == "INVALID"
    assert float(lines[-2].split()[1]) > 0
    assert "model=OK ledger=OK" in lines[6] and "claim=none placement=OK" in lines[6]


def test_the_file_has_results_configurations_and_the_machine(tmp_path):
    file = tmp_path / "BENCH.h5"
    assert call("bench", *QUICK, "private", "--yaml", "--output", file).code == 4
    with h5py.File(file) as h5:
        assert h5.attrs["schema"] == "trilemma-bench" and h5["facts/private.fom"][0] > 0
        assert 'method = "soteriafl-sgd"' in h5["facts/private.config"].asstr()[()].replace("'", '"')
        assert h5["facts/private.epsilon"][0] <= 2
        assert len(h5["private_repetitions/seconds"]) == 1 and len(h5["environment/ranks/host"]) == 1
    assert call("bench", *QUICK, "private", "--output", file).code == 2


def test_a_kernel_is_named_by_its_letter():
    result = call("bench", "S", "L", "--describe")
    assert result.code == 0 and result.out.startswith("latency: ")


def test_a_description_measures_nothing():
    result = call("bench", "C", "--describe")
    assert result.code == 0 and "FOM" not in result.out
    assert "bandwidth: " in result.out and "d = 99999880" in result.out
    assert re.search(r"time: about \S+ s on the reference core", result.out)


def test_ranks_that_were_not_placed_as_requested():
    asked = {"TRILEMMA_RANKS": "2", "TRILEMMA_NODES": "2"}
    assert "placement_differs" in reasons(facts_of("quantisation", ranks=2, env=asked), "quantisation")


def test_variables_that_tune_mpi():
    facts = facts_of("latency", env={"UCX_TLS": "tcp"})
    assert "tuning_variables" in facts["latency.reasons"]
    assert "tuning_variables" not in facts_of("latency", "--rules", "tuned", env={"UCX_TLS": "tcp"})["latency.reasons"]


def test_a_case_without_a_checksum():
    assert reasons(facts_of("quantisation", "--clients-of", "7"), "quantisation") == {"checksum_missing", "clients_changed"}


def test_ranks_with_uneven_work_are_refused():
    result = call("bench", "S", "bandwidth", "--clients-of", "1", ranks=3)
    assert result.code == 2
    assert "kernel bandwidth: 4 clients on 3 ranks are uneven work; choose a number of ranks that divides" in result.err


@pytest.mark.parametrize("arguments, sentence", [
    (("X",), "class X: choose one of S, W, A, B, C"),
    (("S", "latencies"), "kernel latencies: choose one of latency, compute, "),
    (("S", "--mode", "wek"), "--mode wek: choose one of weak, strong"),
    (("S", "--pattern", "scatter"), "--pattern scatter: choose one of kernel, auto, gather, "),
    (("S", "--mode", "strong", "--clients-of", "3"), "--clients-of 3: strong cases have the same clients"),
    (("S", "--clients-of", "-1"), "--clients-of -1: expected a number of ranks from 1 to 1e6"),
    (("C", "compute", "--clients-of", "1000000", "--describe"), "data.rows = 9600000000: expected a whole number"),
    (("S", "--repetitions", "0"), "--repetitions 0: expected a number from 1 to 1000"),
])
def test_mistakes_are_one_sentence(arguments, sentence):
    result = call("bench", *arguments)
    assert result.code == 2 and sentence in result.sentence


def test_the_tables_are_those_of_the_script():
    """The generator of the tables reads what it has written."""
    text = (ROOT / "src/bench/checksums.hpp").read_text()
    tables = text.split("inline constexpr ShippedChecksum ")[1:]
    assert [table.partition("[")[0] for table in tables] == ["shipped_checksums", "shipped_warm_ups"]
    for table in tables:
        rows = re.findall(r'\{"(\w+)", "(\w)", (\d+), "([0-9a-f]{64})"\}', table)
        assert len(rows) >= 7 and len({row[:3] for row in rows}) == len(rows)
        assert table.count('{"') == len(rows)


def test_the_warm_up_alone_has_its_checksum():
    whole, only = facts_of("private"), facts_of("private", "--warm-up-only")
    assert only["private.warm_up_sha256"] == whole["private.warm_up_sha256"] == only["private.model_sha256"]
    assert whole["private.model_sha256"] != whole["private.warm_up_sha256"]
    assert only["private.rounds"] == 0
    assert reasons(only, "private") == {"too_few_rounds"}


def test_the_script_compares_with_its_tables():
    command = [sys.executable, ROOT / "scripts/bench_checksums", "S", "--kernel", "private", "--warm-up-only", "--program",
               PROGRAM, "--check"]
    for ranks, code in (("1,2", 0), ("7", 1)):
        done = subprocess.run([*command, "--ranks", ranks], capture_output=True, text=True, env=environment(), timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
    assert "the table has no row" in done.stdout
