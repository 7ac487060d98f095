"""Faults that are seeded from outside while the built program runs a benchmark: each is INVALID with its reason, and
exit code 4. Those that only numbers can show are in tests/bench/judge_test.cpp, those inside a federation in
tests/bench/faults_test.cpp."""
import json
import os
import subprocess
import sys

import pytest

from conftest import PROGRAM, call, environment, launcher
from test_bench import OF_TIME

COUNTER = os.environ.get("TRILEMMA_MPI_COUNTER")


def found(result, kernel):
    """The reasons of an invalid result, from its JSON."""
    assert result.code == 4, result.err
    facts = json.loads(result.out)
    assert facts["valid"] is False and facts[f"{kernel}.valid"] is False
    return set(filter(None, facts[f"{kernel}.reasons"].split(", ")))


def bench(kernel, *more, **options):
    return found(call("bench", "S", kernel, "--repetitions", "1", "--json", *more, **options), kernel)


@pytest.mark.skipif(not COUNTER, reason="TRILEMMA_MPI_COUNTER does not name the counter library")
def test_a_wrong_byte_in_one_message():
    """Repetitions agree here, since there is one."""
    env = {"LD_PRELOAD": COUNTER, "TRILEMMA_MPI_COUNT": os.devnull}
    assert bench("compute", ranks=2, env=env) - OF_TIME == set()
    assert bench("compute", ranks=2, env={**env, "TRILEMMA_MPI_CORRUPT": "7"}) - OF_TIME == {"checksum_differs"}


def test_variables_of_a_rank_other_than_the_first():
    one = [str(PROGRAM), "bench", "S", "bandwidth", "--repetitions", "1", "--json"]
    command = [*launcher(1), *one, ":", "-n", "1", "-x", "UCX_TLS=tcp", *one]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, env=environment(), check=False)
    assert done.returncode == 4, done.stderr
    assert "tuning_variables" in json.loads(done.stdout)["bandwidth.reasons"]


def test_ranks_that_may_run_on_the_same_processors():
    assert "processors_shared" in bench("bandwidth", ranks=2, env={"OMPI_MCA_hwloc_base_binding_policy": "none"})
    assert "processors_shared" not in bench("bandwidth")


def test_a_process_of_someone_else_on_the_same_processor():
    core = {min(os.sched_getaffinity(0))}
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"],
                            preexec_fn=lambda: os.sched_setaffinity(0, core))
    try:
        assert "times_no_evidence" in bench("bandwidth", preexec_fn=lambda: os.sched_setaffinity(0, core))
    finally:
        busy.kill()
        busy.wait()


def test_a_job_that_was_started_again():
    assert bench("bandwidth", env={"SLURM_RESTART_COUNT": "1"}) - OF_TIME == {"restarted"}


def test_fewer_cores_than_requested():
    asked = {"TRILEMMA_RANKS": "1", "TRILEMMA_NODES": "1", "TRILEMMA_CORES_PER_RANK": "2"}
    pinned = {"preexec_fn": lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})}
    assert bench("bandwidth", env=asked, **pinned) - OF_TIME == {"placement_differs"}
    asked["TRILEMMA_CORES_PER_RANK"] = "1"
    assert bench("bandwidth", env=asked, **pinned) - OF_TIME == set()
