"""What `cmake --install` puts into a prefix works from there, without the repository."""
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TRILEMMA_PROGRAM", ROOT / "build/release/trilemma")).parent
DEMO = "share/trilemma/jobs/experiments/demo.toml"
EVERYWHERE = {key: value for key, value in os.environ.items() if not re.match("TRILEMMA_(?!PYTHON)|PYTHONPATH", key)}


def run(*words, cwd, path=os.environ["PATH"], **more):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env={**EVERYWHERE, "PATH": path, **more},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation; its name has a blank, as folders of users sometimes do."""
    prefix = tmp_path_factory.mktemp("installed") / "the prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix, cwd=prefix.parent)
    return prefix


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")
            if not path.is_dir() and path.parent.name != "__pycache__"}


def test_documents_have_the_pages_that_the_program_prints(prefix, tmp_path):
    for page, name in (("settings", "settings"), ("run-file-fields", "run-file"), ("command-line", "command-line")):
        text = (prefix / f"share/doc/trilemma/docs/reference/{page}.md").read_text()
        assert text == run(prefix / "bin/trilemma", "reference", name, cwd=tmp_path)


@pytest.mark.parametrize("submit", ["bin/trilemma-submit", "share/trilemma/jobs/submit"])
def test_submit_finds_program_and_templates(prefix, tmp_path, submit):
    script = run(prefix / submit, "run", prefix / DEMO, "--ranks", "3", "--time", "30:00", "--dry-run", cwd=tmp_path)
    assert f"program=('{prefix}/bin/trilemma')" in script
    assert "set_launch" in script  # of the template job.sh
    assert str(ROOT) not in script


def test_files_of_suites_are_installed(prefix):
    for file in ("reframe/trilemma.py", "ramble/repo.yaml", "ramble/applications/trilemma/application.py",
                 "benchpark/experiments/trilemma/experiment.py"):
        assert (prefix / "share/trilemma/packaging" / file).read_text() == (ROOT / "packaging" / file).read_text()


def test_a_sweep_is_analysed_by_the_installed_package(prefix, tmp_path):
    script = run(prefix / "bin/trilemma-submit", "sweep", prefix / "share/trilemma/jobs/sweeps/demo.toml", "--ranks",
                 "1", "--then-analyse", "--dry-run", cwd=tmp_path)
    assert f"PYTHONPATH={prefix}/share/trilemma/analysis" in script
    assert f"'{prefix}/share/trilemma/scripts/python'" in script and str(ROOT) not in script


def test_a_job_runs_and_its_file_is_read(prefix, tmp_path):
    run(prefix / "bin/trilemma-submit", "run", prefix / DEMO, "--ranks", "1", "--backend", "local", "--set", "rounds=3",
        "--output", "run.h5", cwd=tmp_path)
    assert "soteriafl-sgd" in run(prefix / "bin/trilemma-analysis", "table", "run.h5", cwd=tmp_path)


def test_the_analysis_package_is_whole_and_imported_from_the_prefix(prefix, tmp_path):
    package = prefix / "share/trilemma/analysis"
    assert "usage" in run(prefix / "bin/trilemma-analysis", "--help", cwd=tmp_path)
    where = run(ROOT / "scripts/python", "-c", "import trilemma_analysis; print(trilemma_analysis.__file__)",
                cwd=tmp_path, PYTHONPATH=str(package))
    assert Path(where.strip()).is_relative_to(package)
    kinds = {".py", ".html", ".css", ".js", ".toml"}
    shipped = {str(path.relative_to(ROOT / "analysis")) for path in (ROOT / "analysis/trilemma_analysis").rglob("*")
               if path.suffix in kinds}
    assert files(package) == shipped


def test_a_staged_installation_is_the_same_and_knows_its_prefix(prefix, tmp_path):
    run("cmake", "--install", BUILD, "--prefix", "/opt/tri", cwd=tmp_path, DESTDIR=str(tmp_path / "stage"))
    staged = tmp_path / "stage/opt/tri"
    assert files(staged) == files(prefix)
    for path in staged.rglob("*"):
        if path.is_file() and path.suffix in ("", ".py", ".sh", ".toml", ".cmake"):
            content = path.read_bytes()
            assert str(tmp_path).encode() not in content, path
            assert content.startswith(b"\x7fELF") or f"{ROOT}/".encode() not in content, path
    module, = (staged / "share/trilemma/modulefiles/trilemma").iterdir()
    assert "prepend-path PATH {/opt/tri/bin}\n" in module.read_text()


def test_the_program_starts_and_the_module_has_its_version(prefix, tmp_path):
    module, = (prefix / "share/trilemma/modulefiles/trilemma").iterdir()
    assert module.name in run(prefix / "bin/trilemma", "--version", cwd=tmp_path).split()


def test_the_module_file_depends_on_the_modules_of_the_build(prefix, tmp_path):
    run("cmake", "-DTRILEMMA_MODULES=compiler/1;mpi/2", f"-DCMAKE_INSTALL_PREFIX={tmp_path}/p",
        "-DCMAKE_INSTALL_COMPONENT=module", "-P", f"{BUILD}/cmake_install.cmake", cwd=tmp_path)
    module, = (tmp_path / "p/share/trilemma/modulefiles/trilemma").iterdir()
    assert "\ndepends-on compiler/1\ndepends-on mpi/2\n" in module.read_text()
    other, = (prefix / "share/trilemma/modulefiles/trilemma").iterdir()
    assert "depends-on" not in other.read_text()
    if init := next((init for init in INITS if init.exists()), None):
        for name in ("compiler/1", "mpi/2"):
            (tmp_path / "modules" / name).parent.mkdir(parents=True)
            (tmp_path / "modules" / name).write_text(f"#%Module1.0\nprepend-path LOADED {name}\n")
        said = run("bash", "-c", f'source {init}; module use "{tmp_path}/modules" "{module.parents[1]}"; '
                                 'module load trilemma; echo "$LOADED"; module unload trilemma; echo "gone:$LOADED"',
                   cwd=tmp_path)
        assert said == "mpi/2:compiler/1\ngone:\n"


INITS = [Path("/usr/share/modules/init/bash"), Path("/usr/share/lmod/lmod/init/bash")]  # Environment Modules, Lmod
SESSION = """
source {init}
module use "{prefix}/share/trilemma/modulefiles"
module load trilemma
command -v trilemma
trilemma-submit run "$TRILEMMA_JOBS_DIR/experiments/demo.toml" --ranks 2 --dry-run
"$TRILEMMA_JOBS_DIR/../scripts/python" -c "import trilemma_analysis; print(trilemma_analysis.__file__)"
ls "$TRILEMMA_DOC_DIR/README.md"
module unload trilemma
command -v trilemma || echo unloaded
"""


@pytest.mark.skipif(not any(init.exists() for init in INITS), reason="there is no module command")
def test_the_module_file_is_loaded_and_unloaded(prefix, tmp_path):
    init = next(init for init in INITS if init.exists())
    said = run("bash", "-c", SESSION.format(init=init, prefix=prefix) + "true", cwd=tmp_path)
    assert said.startswith(f"{prefix}/bin/trilemma\n") and f"program=('{prefix}/bin/trilemma')" in said
    assert f"{prefix}/share/trilemma/analysis/trilemma_analysis/__init__.py" in said
    assert "README.md" in said and said.endswith("unloaded\n")
