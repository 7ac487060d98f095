"""The recorded judgement of the times of a run, and its words."""

import math

import numpy as np
import pytest

from trilemma_analysis.io.run_file import read_run
from trilemma_analysis.model.evidence import Evidence, doubts, evidence_of, with_evidence

QUIET = {"time_evidence": "evidence", "cores_per_rank": 2.0, "node_cores": 2.0, "node_ranks": np.int64(1),
         "load_from_others": 0.02, "waiting_share": 0.001, "steal_share": 0.0, "timed_rounds": np.int64(200)}
STATES = {
    "evidence of time: 2 cores a rank, 200 rounds": {},
    "unreliable times: others used 1.7 of 2 cores": {"time_evidence": "load_from_others", "load_from_others": 1.7},
    "unreliable times: ranks waited for a core for 12.0 % of the time":
        {"time_evidence": "load_from_others", "waiting_share": 0.12},
    "unreliable times: ranks share cores (0.5 a rank)": {"time_evidence": "cores_shared", "cores_per_rank": 0.5},
    "unreliable times: 4 rounds, fewer than 5": {"time_evidence": "few_rounds", "timed_rounds": np.int64(4)},
    "unreliable times: the hypervisor took 8.0 % of the processor time":
        {"time_evidence": "steal", "steal_share": 0.08},
    "unreliable times: the load from others is not known":
        {"time_evidence": "load_unknown", "load_from_others": math.nan},
    "unreliable times: the file records no times": {"time_evidence": "no_times"},
    "unreliable times: no time was measured (simulated ranks)": {"time_evidence": "simulated"},
    "unreliable times: the file does not record the load of the machine": {"time_evidence": "a later word"},
}


@pytest.mark.parametrize("words", STATES)
def test_every_state_has_a_sentence(make_run, words):
    judgement = evidence_of(read_run(make_run(asked=QUIET | STATES[words])))
    assert judgement.words == words
    assert judgement.is_evidence == ("unreliable" not in words)


def test_a_file_without_a_record_is_unknown(make_run):
    assert evidence_of(read_run(make_run())).status is Evidence.UNKNOWN


def test_simulated_ranks_are_no_evidence_whatever_the_file_says(make_run):
    run = read_run(make_run(asked=QUIET, environment={"simulation": "a.xml, 4 ranks on 2 hosts, communication only"}))
    assert evidence_of(run).status is Evidence.SIMULATED


def test_one_disturbed_run_of_several_is_enough(make_run):
    quiet = read_run(make_run("a.h5", asked=QUIET))
    disturbed = read_run(make_run("b.h5", asked=QUIET | {"time_evidence": "steal"}))
    assert with_evidence([quiet, quiet]) and not with_evidence([quiet, disturbed]) and not with_evidence([])


def test_doubts_name_the_worst_run_of_each_kind(make_run):
    loads = [{"time_evidence": "load_from_others", "load_from_others": load} for load in (1.6, 1.7, 1.2)]
    states = [*loads, {"time_evidence": "few_rounds", "timed_rounds": np.int64(4)}, {}]
    runs = [read_run(make_run(f"{i}.h5", asked=QUIET | state)) for i, state in enumerate(states)]
    assert doubts(runs) == ["unreliable times: others used 1.7 of 2 cores",
                            "unreliable times: 4 rounds, fewer than 5"]
    assert doubts(runs[-1:]) == []
