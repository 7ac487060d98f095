"""What jobs/submit renders, and how it says no."""
import re
import shlex
import shutil
import subprocess

import pytest

from submit_fixture import ROOT, SUBMIT, fixture, script_of, sentence  # noqa: F401


# --- Rendering -------------------------------------------------------------------------------------

def test_slurm_head_says_what_was_asked_for(fixture):
    done = fixture("run", "--ranks", "11", "--nodes", "2", "--time", "01:00:00", "--partition", "batch", "--account", "a",
                "--qos", "q", "--constraint", "x&y", "--mem", "8G", "--cpus-per-rank", "2", "--modules", "gcc,openmpi",
                "--extra", "#SBATCH --exclusive", "--extra=--mail-type=END", "--signal-before", "90",
                "--dependency", "afterok:7", "--dry-run", backend="slurm")
    assert done.returncode == 0, done.stderr
    directives = {line.split(" ", 1)[1] for line in done.stdout.splitlines() if line.startswith("#SBATCH")}
    assert {"--job-name=run", "--ntasks-per-node=6", "--nodes=2", "--time=01:00:00", "--partition=batch", "--account=a",
            "--qos=q", "--constraint=x&y", "--mem=8G", "--cpus-per-task=2", "--exclusive", "--mail-type=END",
            "--signal=B:USR1@90", "--requeue", "--open-mode=append"} <= directives
    assert re.search(r"^module load gcc .*\nmodule load openmpi ", done.stdout, re.MULTILINE)
    assert re.search(r"^sbatch --parsable --dependency=afterok:7 --kill-on-invalid-dep=yes logs/run-", done.stdout,
                     re.MULTILINE)


def test_sweep_becomes_an_array_with_an_analysis_behind_it(fixture):
    done = fixture("sweep", "--cells-per-task", "2", "--max-parallel", "8", "--then-analyse", "--dry-run",
                "--output-dir", "out", backend="slurm")
    assert "#SBATCH --array=0-2%8\n" in done.stdout
    assert re.search(r"#SBATCH --output=logs/sweep-[\d-]+-%A_%a\.log", done.stdout)
    assert "command=(sweep sweep.toml --output-dir out)" in done.stdout
    assert "export TRILEMMA_WATCHDOG=600" in done.stdout
    assert "-m trilemma_analysis sweep out --csv out/table.csv -o out/figure.png -o out/figure.svg" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert "--dependency=afterany:JOB1 --kill-on-invalid-dep=yes" in last
    ok = fixture("sweep", "--then-analyse", "--analyse-after", "ok", "--dry-run", backend="slurm")
    assert "--dependency=afterok:JOB1" in ok.stdout.splitlines()[-1]


def test_missing_cells_only(fixture):
    folder = fixture.folder / "runs/sweeps/fake"
    folder.mkdir(parents=True)
    for cell in (0, 1, 4):
        (folder / f"cell-{cell}.h5").write_text("{}")
    assert "--array=2-3,5\n" in fixture("sweep", "--missing", "--dry-run", backend="slurm").stdout
    assert "--array=1-2\n" in fixture("sweep", "--missing", "--cells-per-task", "2", "--dry-run", backend="slurm").stdout
    assert "--array=3\n" in fixture("sweep", "--missing", "--cells", "0-3", "--cells-per-task", "1", "--cells", "3,4",
                                 "--dry-run", backend="slurm").stdout
    for cell in (2, 3, 5):
        (folder / f"cell-{cell}.h5").write_text("{}")
    fixture.tool("sbatch", "echo 17")
    fixture.tool("scontrol", "")
    done = fixture("sweep", "--missing", backend="slurm")
    assert done.returncode == 0 and done.stdout == "nothing is missing: all cells wanted of sweep.toml are done.\n"
    for backend in ("slurm", "local"):
        dry = fixture("sweep", "--missing", "--dry-run", backend=backend).stdout
        assert dry == "# nothing is missing: all cells wanted of sweep.toml are done.\n# ---- commands\n"
    assert "analysis:  17" in fixture("sweep", "--missing", "--then-analyse", backend="slurm").stdout


def test_dry_run_writes_nothing(fixture):
    before = sorted(fixture.folder.rglob("*"))
    for backend in ("slurm", "local", "pbs", "flux"):
        for kind in ("run", "sweep"):
            done = fixture(kind, "--dry-run", *(["--then-analyse"] if kind == "sweep" else []), backend=backend)
            assert done.returncode == 0, done.stderr
            assert ("UNTESTED" in done.stdout) == (backend in ("pbs", "flux"))
            assert ("UNTESTED" in done.stderr) == (backend in ("pbs", "flux"))
    assert sorted(fixture.folder.rglob("*")) == before


def test_a_copied_slurm_script_works_elsewhere(fixture):
    data = ["--then-analyse", "--dry-run"]
    text = fixture("sweep", *data, backend="slurm", env={"TRILEMMA_DATA_DIR": "my data"}).stdout
    assert text.count(f"#SBATCH --chdir={fixture.folder}\n") == 2
    assert f"export TRILEMMA_DATA_DIR='{fixture.folder}/my data'\n" in text
    assert "export TRILEMMA_DATA_DIR" not in fixture("sweep", *data, backend="slurm").stdout


@pytest.mark.parametrize("backend", ["pbs", "flux"])
def test_scripts_of_others_change_to_the_folder(fixture, backend):
    text = fixture("sweep", "--then-analyse", "--dry-run", backend=backend).stdout
    assert text.count(f"\ncd {fixture.folder} || exit 2\n") == 2 and "PBS_O_WORKDIR" not in text


def test_scontrol_may_be_missing(fixture):
    fixture.tool("sbatch", "echo 17")
    assert "submitted: 17" in fixture("sweep", backend="slurm").stdout


def test_pbs_and_flux_heads(fixture):
    arguments = ["--ranks", "5", "--nodes", "2", "--time", "90", "--mem", "4G", "--cells", "0,3,5", "--dry-run"]
    pbs = fixture("sweep", *arguments, "--max-parallel", "2", backend="pbs").stdout
    assert "#PBS -l select=1:ncpus=3:mpiprocs=3:mem=4gb+1:ncpus=2:mpiprocs=2:mem=4gb\n#PBS -l place=scatter\n" in pbs
    assert "#PBS -l walltime=01:30:00\n" in pbs
    assert "#PBS -J 0-2%2\n" in pbs and "tasks=(0 3 5)" in pbs and "stop_after=5280" in pbs
    flux = fixture("sweep", *arguments, backend="flux").stdout
    assert "#flux: --nslots=5\n" in flux and "#flux: --time-limit=5400s\n" in flux
    assert len(re.findall(r"^flux batch .*--env=TRILEMMA_TASK=\d", flux, re.MULTILINE)) == 3


@pytest.mark.parametrize("backend", ["slurm", "local", "pbs", "flux"])
def test_scripts_are_clean(fixture, backend):
    text = fixture("sweep", "--dry-run", "--modules", "a,b", backend=backend).stdout
    path = fixture.folder / "script.sh"
    path.write_text(script_of(text))
    subprocess.run(["bash", "-n", path], check=True)
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    assert subprocess.run(["shellcheck", path], stdout=subprocess.PIPE).stdout == b""


def test_container_stands_before_the_program(fixture):
    (fixture.folder / "my image.sif").write_text("")
    done = fixture("run", "--container", "my image.sif", "--dry-run", backend="slurm", program="/opt/trilemma")
    assert "program=(apptainer exec 'my image.sif' /opt/trilemma)" in done.stdout


def test_old_pythons_can_read_it():
    import ast
    for path in [SUBMIT, *(ROOT / "jobs/trilemma_jobs").glob("*.py")]:
        ast.parse(path.read_text(), feature_version=(3, 8))


# --- Quoting ---------------------------------------------------------------------------------------

def test_blanks_and_quotes_survive(fixture):
    name, value = "it's \"a\" run $HOME.toml", "note=it's \"quoted\" $(touch bad) 100%"
    (fixture.folder / name).write_text("rounds = 1\n")
    done = fixture("run", name, "--set", value, "--output", "out put/it's.h5", "--log-dir", "log dir")
    assert done.returncode == 0, done.stderr
    result = fixture.read("out put/it's.h5")
    assert result["arguments"][:2] == ["run", name] and value in result["arguments"]
    assert not (fixture.folder / "bad").exists()
    text = fixture("run", name, "--log-dir", "log 100%", "--name", "my job", "--dry-run", backend="slurm").stdout
    assert "#SBATCH --job-name=\"my job\"\n" in text
    assert re.search(r'#SBATCH --output="log 100%%/my job-[\d-]+-%j.log"', text)
    assert shlex.split(text.splitlines()[-1])[-1].startswith("log 100%/my job-")


DIRECTIVE_OPTIONS = ["partition", "account", "qos", "constraint", "dependency", "log-dir", "name", "output", "data-dir",
                     "modules", "mem", "time", "container"]


@pytest.mark.parametrize("backend", ["slurm", "local", "pbs", "flux"])
@pytest.mark.parametrize("option", DIRECTIVE_OPTIONS)
def test_control_characters_are_refused_by_the_name_of_the_option(fixture, backend, option):
    """Behind a line break the script would run whatever stands there."""
    for text in ("a\ntouch pwned\n#", "a\rb", "a\tb", "a\x1b[1mb"):
        told = sentence(fixture("run", f"--{option}={text}", "--dry-run", backend=backend))
        assert f"--{option} " in told and "line break or another control character" in told


def test_control_characters_in_files_and_settings_are_refused(fixture):
    assert "--set " in sentence(fixture("run", "--set", "rounds=1\nclients=2", "--dry-run"))
    assert "--output-dir " in sentence(fixture("sweep", "--output-dir", "a\nb", "--dry-run"))
    assert "--cells " in sentence(fixture("sweep", "--cells", "1\n", "--dry-run"))
    assert "FILE.toml " in sentence(fixture("run", "a\nb.toml", "--dry-run"))


@pytest.mark.parametrize("option", ["partition", "account", "qos", "constraint"])
def test_pbs_takes_no_blanks_and_quotes(fixture, option):
    for text in ("a b", "a\u2003b", "a\"b", "a'b"):
        assert f"--{option} " in sentence(fixture("run", f"--{option}={text}", "--dry-run", backend="pbs"))


def test_slurm_and_flux_quote_what_is_no_plain_word(fixture):
    value = 'a b"c\\'
    arguments = [f"--{option}={value}" for option in ("partition", "account", "constraint")]
    flux = fixture("run", *arguments, "--dry-run", backend="flux").stdout
    slurm = fixture("run", *arguments, f"--qos={value}", "--dry-run", backend="slurm").stdout
    words = {word for line in flux.splitlines() if line.startswith("#flux:") for word in shlex.split(line[6:])}
    assert {f"--queue={value}", f"--bank={value}", f"--requires={value}"} <= words
    words = {word for line in slurm.splitlines() if line.startswith("#SBATCH") for word in shlex.split(line[7:])}
    assert {f"--{option}={value}" for option in ("partition", "account", "qos", "constraint")} <= words


# --- Bad input -------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, word", [
    (["absent.toml"], "absent.toml: no such file"),
    (["--ranks", "0"], "--ranks"),
    (["--ranks", "two"], "--ranks"),
    (["--time", "1h"], "--time 1h"),
    (["--time", "1:2:3:4"], "--time 1:2:3:4"),
    (["--time", "00:01:30"], "--signal-before"),
    (["--mem", "8GB"], "--mem 8GB"),
    (["--set", "rounds"], "--set rounds"),
    (["--nodes", "3", "--ranks", "2"], "--nodes 3"),
    (["--program", "/no/trilemma"], "/no/trilemma"),
    (["--container", "no.sif"], "--container"),
    (["--name", "a/b"], "--name a/b"),
    (["--launcher", "ssh"], "--launcher"),
    (["--colour", "red"], "--colour"),
])
def test_mistakes_are_told_in_one_sentence(fixture, arguments, word):
    assert word in sentence(fixture("run", *arguments, backend="slurm"))


def test_more_mistakes(fixture):
    assert "'nqs'" in sentence(fixture("run", backend="nqs"))
    assert sentence(fixture("run", backend="slurm")) == (
        "submit: Slurm's sbatch was not found; submit on a login node of the cluster, or use another --backend (local, "
        "pbs, flux).")
    assert "no sweep" in sentence(fixture("sweep", "run.toml"))
    assert "cells 0 to 5" in sentence(fixture("sweep", "--cells", "4-6"))
    assert "not a list of cells" in sentence(fixture("sweep", "--cells", "6-4"))
    assert "--dependency" in sentence(fixture("run", "--dependency", "afterok:1"))
    assert "mpirun was not found" in no_mpirun(fixture)
    fixture.tool("sbatch", "echo 'sbatch: error: no such account' >&2; exit 1")
    fixture.tool("scontrol", "echo 'MaxArraySize            = 3'")
    assert "no such account" in sentence(fixture("run", backend="slurm"))
    assert "--cells-per-task 2" in sentence(fixture("sweep", backend="slurm"))


@pytest.mark.parametrize("backend", ["slurm", "local"])
def test_wrong_settings_are_refused_before_anything_is_submitted(fixture, backend):
    fixture.tool("sbatch", "echo 17")
    before = sorted(fixture.folder.rglob("*"))
    told = sentence(fixture("run", "--set", "rounds=many", backend=backend))
    assert told == "submit: rounds = many: expected a number."
    assert sorted(fixture.folder.rglob("*")) == before


@pytest.mark.parametrize("text", ['experiment = "e.toml"\n', "name = 'x'\n[axes]\nmethod = ['gd']\n",
                                  "[axes.privacy]\nepsilon = [1]\n", "axes.seed = [1]\n", "[[zip]]\nseed = [1]\n"])
def test_a_sweep_is_not_submitted_as_a_run(fixture, text):
    (fixture.folder / "many.toml").write_text(text)
    told = sentence(fixture("run", "many.toml", "--dry-run"))
    assert told == ("submit: many.toml is a sweep or a study, not an experiment; submit it with jobs/submit sweep or "
                    "jobs/submit study.")


def test_an_experiment_that_speaks_of_sweeps_is_submitted(fixture):
    (fixture.folder / "one.toml").write_text("# experiment = this, [axes] = none\nrounds = 3\nexperiments = 1\n")
    done = fixture("run", "one.toml", "--dry-run")
    assert done.returncode == 0, done.stderr


def test_settings_are_checked_with_the_data_directory_of_the_run(fixture):
    (fixture.folder / "mine").mkdir()
    found = ["run", "--set", "features=files", "--output", "a.h5"]
    assert sentence(fixture(*found)) == "submit: features: not set, but there is no data."
    done = fixture(*found, "--data-dir", "mine")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program, why", [
    ("#!/no/interpreter\n", "No such file"),
    ("#!/usr/bin/env bash\necho 'libmpi.so.40: cannot open' >&2; exit 127\n", "libmpi.so.40: cannot open"),
    ("#!/usr/bin/env bash\nkill -9 $$\n", "code -9"),
])
def test_settings_are_left_to_the_job_where_the_program_cannot_be_started(fixture, program, why):
    path = fixture.folder / "trilemma"
    path.write_text(program)
    path.chmod(0o755)
    fixture.tool("sbatch", "echo 17")
    done = fixture("run", "--set", "rounds=many", backend="slurm", program=path)
    assert done.returncode == 0 and "submitted: 17" in done.stdout, done.stderr
    note, = done.stderr.splitlines()
    assert "cannot be started here" in note and why in note


def no_mpirun(fixture):
    (fixture.folder / "bin/mpirun").unlink(missing_ok=True)
    done = fixture("run", "--ranks", "2")
    assert done.returncode == 2
    return done.stderr
