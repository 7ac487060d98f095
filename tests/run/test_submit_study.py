"""jobs/submit study: the plan of a scaling study, and a tiny one that is run on 1 and 2 ranks."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import PROGRAM, ROOT, environment

STUDY = """
name = "tiny"
experiment = "small.toml"
ranks = [1, 2]
repetitions = 2
warm_up = 2
[set]
server_hosts = true
[axes]
exchange.up = ["gather", "reduce"]
"""


@pytest.fixture
def study(logistic, tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(STUDY)
    return path


def command(study, *arguments, backend="local"):
    words = [sys.executable, ROOT / "jobs/submit", "study", study.name, "--backend", backend, "--program", PROGRAM,
             *arguments]
    return [str(word) for word in words]


def submit(study, *arguments, backend="local"):
    return subprocess.run(command(study, *arguments, backend=backend), cwd=study.parent, env=environment(), text=True,
                          timeout=120, capture_output=True)


def refusal(study, text, *arguments):
    """The sentence with which a study is refused."""
    study.write_text(text)
    done = submit(study, "--dry-run", *arguments)
    assert done.returncode == 2, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("submit: "), done.stderr
    return lines[0]


def test_a_dry_run_prints_scripts_and_commands(study):
    done = submit(study, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# study tiny: 4 points x 2 repetitions = 8 runs on 1, 2 ranks\n")
    assert len(re.findall(r"^TRILEMMA_TASK=\d+ bash logs/tiny-", done.stdout, re.MULTILINE)) == 9  # and a calibration
    assert "--set timing.separate_wait=true" in done.stdout and not (study.parent / "runs").exists()


def test_slurm_gets_a_job_for_each_number_of_ranks(study):
    done = submit(study, "--dry-run", "--ranks", "1,2,8", "--ranks-per-node", "4", "--time", "30:00", backend="slurm")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^#SBATCH --(?:nodes|ntasks)=\d+", done.stdout, re.MULTILINE) == [
        "#SBATCH --nodes=1", "#SBATCH --ntasks=1", "#SBATCH --nodes=1", "#SBATCH --ntasks=2", "#SBATCH --nodes=2",
        "#SBATCH --ntasks=8"]
    commands = [line for line in done.stdout.splitlines() if line.startswith("sbatch ")]
    assert len(commands) == 3 and "--dependency=afterany:JOB1" in commands[1] and "afterany:JOB2" in commands[2]


def test_a_job_of_a_study_has_its_ranks_in_equal_blocks_on_whole_nodes(study):
    done = submit(study, "--dry-run", "--ranks", "2,4,8", "--ranks-per-node", "4", backend="slurm")
    assert re.findall(r"^#SBATCH --(nodes|ntasks-per-node|exclusive)(?:=(\d+))?$", done.stdout, re.MULTILINE) == [
        ("nodes", "1"), ("ntasks-per-node", "2"), ("exclusive", ""), ("nodes", "1"), ("ntasks-per-node", "4"),
        ("exclusive", ""), ("nodes", "2"), ("ntasks-per-node", "4"), ("exclusive", "")]
    shared = submit(study, "--dry-run", "--exclusive", "no", backend="slurm").stdout
    assert not re.search(r"^#SBATCH --(exclusive|nodes|ntasks-per-node)", shared, re.MULTILINE)
    refused = submit(study, "--dry-run", "--ranks", "2,4,6", "--ranks-per-node", "4", backend="slurm")
    assert refused.returncode == 2 and refused.stderr == (
        "submit: --ranks 6 is no multiple of --ranks-per-node 4; give 4 or 8 ranks, or another --ranks-per-node.\n")
    here = submit(study, "--dry-run", "--ranks", "2,8", "--ranks-per-node", "4")
    assert here.returncode == 2 and "puts 8 ranks on 2 nodes, and the local back-end has one" in here.stderr


def test_another_placement_is_another_point(study):
    def files(*arguments, backend="slurm"):
        text = submit(study, "--dry-run", "--ranks", "4", *arguments, backend=backend).stdout
        return sorted(set(re.findall(r"([0-9a-f]{12})-r1.h5", text)))
    asked = [files(*words) for words in ([], ["--ranks-per-node", "2"], ["--ranks-per-node", "4"],
                                         ["--cpus-per-rank", "2"])]
    assert all(len(each) == 2 for each in asked) and len({name for each in asked for name in each}) == 8
    assert asked[0] == files(backend="local")  # of older plans, too


def test_no_calibration_is_reported_where_there_was_none(study):
    cores = len(os.sched_getaffinity(0))
    if cores > 4:
        pytest.skip("needs more ranks than cores, which are many here")
    study.write_text(STUDY.split("[axes]")[0].replace("repetitions = 2", "repetitions = 1"))
    done = submit(study, "--ranks", str(cores + 1))
    assert done.returncode == 0, done.stderr
    assert f"no calibration (they share cores) on {cores + 1} ranks after" in done.stdout
    assert not list((study.parent / "runs/studies/tiny").glob("network-*"))


def test_a_study_is_run_and_goes_on(study):
    folder = study.parent / "runs/studies/tiny"
    study.write_text(STUDY.split("[axes]")[0])
    folder.mkdir(parents=True)
    (folder / "network-2.h5").touch()  # a calibration takes seconds, and what is there is not made again
    done = submit(study)
    assert done.returncode == 0 and "calibration" not in done.stdout, done.stderr
    manifest = json.loads((folder / "study.json").read_text())
    files = [folder / run["file"] for run in manifest["runs"]]
    assert len(files) == 4 and all(file.exists() for file in files)
    assert [run["repetition"] for run in manifest["runs"]] == [1, 1, 2, 2]
    record = json.loads(files[0].with_suffix(".json").read_text())
    assert re.search(r'"seconds": \d+\.\d{3},', files[0].with_suffix('.json').read_text()) and record["seconds"] > 0
    assert record["code"] == 0 and record["cores"] >= 1 and record["load_before"] >= 0 and record["others"] >= 0
    assert record["ranks_here"] == manifest["runs"][0]["ranks"]
    assert manifest["runs"][0]["placement"] == {"nodes": 1, "ranks_per_node": record["ranks_here"], "cores_per_rank": 1,
                                                "threads_per_core": 1}
    # One is lost, and one was interrupted: these two are made again, and no other.
    kept = files[2].stat().st_mtime_ns
    files[0].unlink()
    files[1].rename(str(files[1]) + ".partial")
    again = submit(study)
    assert again.returncode == 0, again.stderr
    assert "2 of them done before" in again.stdout and "run on" in again.stdout
    assert all(file.exists() for file in files) and files[2].stat().st_mtime_ns == kept
    assert not list(folder.glob("*.partial"))
    assert "nothing is missing" in submit(study).stdout


def test_an_interruption_leaves_the_run_to_be_made_again(study):
    process = subprocess.Popen(command(study, "--ranks", "1", "--set", "rounds=300000"), cwd=study.parent,
                               env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    folder, limit = study.parent / "runs/studies/tiny", time.monotonic() + 300
    while not list(folder.glob("*.partial")) and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command goes on" in err
    assert not list(folder.glob("*.h5")) and (folder / "study.json").exists()


def test_runs_that_all_fail_end_the_study(network, tmp_path):
    study = tmp_path / "tiny.toml"
    study.write_text(STUDY.replace("small.toml", "network.toml"))  # whose data are elsewhere than in data/
    done = submit(study, "--ranks", "1", "--set", "rounds=3")
    assert done.returncode == 3 and done.stderr.count("a run on 1 rank FAILED") == 3
    assert "labels.gz: no such data file" in done.stderr and "stopped since 3 runs in a row failed" in done.stderr


def test_the_order_is_random_and_fixed(study):
    orders = [re.findall(r"TRILEMMA_TASK=.*", submit(study, "--dry-run").stdout) for _ in range(2)]
    orders = [[re.sub(r"tiny-[\d-]+-(\d+\.sh)", r"\1", line) for line in order] for order in orders]
    assert orders[0] == orders[1]
    study.write_text(STUDY.replace("warm_up = 2", "warm_up = 2\norder_seed = 5"))
    other = [re.sub(r"tiny-[\d-]+-(\d+\.sh)", r"\1", line)
             for line in re.findall(r"TRILEMMA_TASK=.*", submit(study, "--dry-run").stdout)]
    assert other != orders[0] and sorted(other) == sorted(orders[0])


@pytest.mark.parametrize("change, to, why", [
    ("warm_up", "warmup", 'warmup: unknown key; did you mean "warm_up"?'),
    ("warm_up = 2", 'warm_up = "2"', 'warm_up = "2": expected a whole number'),
    ("warm_up = 2", "warm_up = -1", "warm_up is -1: expected 0 or more"),
    ("ranks = [1, 2]", "ranks = [2, 1]", "expected rising whole numbers"),
    ('"small.toml"', '"smal.toml"', "experiment smal.toml: there is no smal.toml"),
    ("exchange.up", "exchange.upp", 'exchange.upp: unknown key; did you mean "exchange.up"?'),
    ('["gather", "reduce"]', '["gather", "gather"]',
     'axes.exchange.up = ["gather", "gather"]: expected a list of different values'),
    ("server_hosts = true", 'exchange.up = "gather"', "exchange.up is both an axis and a setting"),
    ("server_hosts = true", "rounds = 2", "warm_up = 2 leaves nothing of rounds = 2"),
    ("ranks = [1, 2]", "ranks = [true, 2]", "expected rising whole numbers"),
    ("ranks = [1, 2]", "", "ranks is missing or empty"),
    ("[axes]", '[[series]]\nkind = "strong"\nset.exchange.up = "gather"\n[axes]', "is both an axis and a setting of the series"),
    ("warm_up = 2", "warm_up = 4000", "warm_up = 4000 leaves nothing of rounds = "),
    ("[axes]", '[[series]]\nkind = "week"\n[axes]', "series.kind is 'week': expected one of strong, weak"),
    ("[axes]", '[[series]]\nkind = "weak"\n[axes]', "say how many clients a rank has"),
    ("[axes]", '[[series]]\nkind = "strong"\nclients_per_rank = 3\n[axes]', "this one is strong; leave it out"),
    ("[axes]", "[[series]]\nkind = 'strong'\n[[series]]\nkind = 'strong'\n[axes]", "two series are called 'strong'"),
    ("server_hosts = true", "clients = 7\n[[series]]\nkind = 'weak'\nclients_per_rank = 3", "do not set them"),
    ("[axes]", "[axes", "not TOML"),
])
def test_what_is_wrong_is_told_with_what_is_right(study, change, to, why):
    assert why in refusal(study, STUDY.replace(change, to, 1))


def test_repetitions_of_the_command_line_take_the_place_of_the_file_s(study):
    assert "4 points x 3 repetitions = 12 runs" in submit(study, "--dry-run", "--repetitions", "3").stdout
    assert submit(study, "--dry-run", "--repetitions", "0").returncode == 2


def test_weak_series_set_the_clients(study):
    study.write_text(STUDY + "[[series]]\nkind = 'weak'\nclients_per_rank = 3\n")
    done = submit(study, "--dry-run")
    assert "--set clients=3" in done.stdout and "--set clients=6" in done.stdout


def test_runs_of_another_plan_are_not_left_out_silently(study):
    folder = study.parent / "runs/studies/tiny"
    folder.mkdir(parents=True)
    plan = {"runs": [{"file": "0123456789ab-r1.h5", "ranks": 4}, {"file": "0123456789ab-r2.h5", "ranks": 4}]}
    (folder / "study.json").write_text(json.dumps(plan))
    assert submit(study, "--dry-run").returncode == 0  # nothing was run
    (folder / "0123456789ab-r2.h5").write_text("a run")
    done = submit(study)
    assert done.returncode == 2 and json.loads((folder / "study.json").read_text()) == plan
    assert "1 of the runs there are not in this plan (on 4 ranks) and would be left out" in done.stderr
    (folder / "study.json").write_text("{")
    assert "not the plan of a study" in submit(study).stderr


def test_ranks_that_host_more_clients_than_others_are_told(study):
    uneven = "submit: note: on 2 ranks the clients are no multiple of the ranks that host them"
    assert uneven in submit(study, "--dry-run", "--set", "clients=5").stderr
    assert uneven not in submit(study, "--dry-run", "--set", "clients=4").stderr


def test_a_study_is_not_submitted_as_a_run(study):
    words = [sys.executable, ROOT / "jobs/submit", "run", study, "--ranks", "1", "--program", PROGRAM, "--dry-run"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment())
    assert done.returncode == 2 and "a sweep or a study" in done.stderr


def test_the_documented_file_is_a_study(study):
    text = re.search(r"```toml\n(.*?)```", (ROOT / "docs/reference/studies.md").read_text(), re.DOTALL)[1]
    study.write_text(text.replace("../experiments", str(ROOT / "jobs/experiments")))
    done = submit(study, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "16 points x 10 repetitions = 160 runs on 1, 2, 3, 4 ranks" in done.stdout.splitlines()[0]
