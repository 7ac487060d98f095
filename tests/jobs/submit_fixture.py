"""jobs/submit without a batch system: rendered scripts, bad input, the local back-end with an imitated program."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUBMIT = ROOT / "jobs/submit"
FAKE = HERE / "fake_trilemma.py"


class Fixture:
    """A folder with an experiment and a sweep, from which jobs are submitted."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "run.toml").write_text("rounds = 3\n")
        (folder / "sweep.toml").write_text("cells = 6\nrounds = 2\n")
        # Only what is needed is in PATH: the machine's own Slurm must play no part.
        (folder / "bin").mkdir()
        for tool in ("bash", "sh", "env", "python3", "mpirun", "orted", "ssh", "nproc", "sed", "sleep", "grep", "cat"):
            found = sys.executable if tool == "python3" else shutil.which(tool)
            if found:
                (folder / "bin" / tool).symlink_to(found)
        self.env = {k: v for k, v in os.environ.items() if not re.match(r"SLURM|SBATCH|OMPI_|PBS|FLUX|TRILEMMA", k)}
        self.env.update(PATH=str(folder / "bin"), PYTHONDONTWRITEBYTECODE="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def command(self, kind, *arguments, backend="local", program=FAKE):
        file = [] if arguments and str(arguments[0]).endswith(".toml") else [f"{kind}.toml"]
        words = [sys.executable, SUBMIT, kind, *file, *arguments, "--backend", backend]
        words += [] if "--program" in arguments else ["--program", program]
        words += [] if "--ranks" in arguments else ["--ranks", "1"]
        return [str(word) for word in words]

    def __call__(self, kind, *arguments, env=None, **more):
        return subprocess.run(self.command(kind, *arguments, **more), cwd=self.folder,
                              env=dict(self.env, **(env or {})),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60)

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def tool(self, name, text):
        path = self.folder / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{self.folder}/bin/bash\n{text}\n")
        path.chmod(0o755)


@pytest.fixture
def fixture(tmp_path):
    return Fixture(tmp_path)


def sentence(done):
    assert done.returncode == 2, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("submit: "), done.stderr
    return lines[0]


def script_of(text):
    """The first script of a dry run."""
    return re.split(r"^# ---- .*\n", text, flags=re.MULTILINE)[1]
