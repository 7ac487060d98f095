"""The Debian package of the build: what it says of itself, and that it works where dpkg unpacks it."""
import os
import re
import shutil
import subprocess

import pytest

from test_install import BUILD, DEMO, ROOT, run

CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg is not installed")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    run("cpack", "-G", "DEB", "-B", folder, cwd=BUILD)
    file, = folder.glob("*.deb")
    return file


def field(package, name):
    return run("dpkg-deb", "--field", package, name, cwd=package.parent).strip()


def test_fields(package):
    version = re.search(r"^version: (.*)$", CITATION, re.MULTILINE)[1]
    assert package.name == f"trilemma_{version}_{field(package, 'Architecture')}.deb"
    assert field(package, "Version") == version
    assert field(package, "Maintainer") in CITATION
    assert " ".join(field(package, "Description").split()[-6:]) in " ".join(CITATION.split())


def test_dependencies_are_those_of_the_program(package):
    needed = field(package, "Depends")
    for library in ("libc6", "libhdf5", "libopenblas", "libfmt", "libsodium", "libzip", "python3 "):
        assert library in needed
    assert re.search("libopenmpi|libmpich", needed)
    assert "-dev" not in needed


def test_it_holds_the_program_and_no_library_of_developers(package):
    files = run("dpkg-deb", "--contents", package, cwd=package.parent)
    for name in ("./usr/bin/trilemma\n", "./usr/share/trilemma/jobs/submit\n", "./usr/share/doc/trilemma/copyright\n"):
        assert name in files
    assert not re.search(r"\.a$|\.hpp$|modulefiles|__pycache__", files, re.MULTILINE)


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg --root wants root")
def test_it_is_installed_runs_and_is_removed(package, tmp_path):
    root = tmp_path / "root"
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    # The libraries are those of this machine, of which that root knows nothing.
    dpkg = ["dpkg", "--root", root, "--force-depends", "--force-script-chrootless", "--log", "/dev/null"]
    run(*dpkg, "--install", package, cwd=tmp_path)
    assert run(root / "usr/bin/trilemma", "--version", cwd=tmp_path).startswith(field(package, "Version"))
    script = run(root / "usr/bin/trilemma-submit", "run", root / "usr" / DEMO, "--ranks", "2", "--dry-run",
                 cwd=tmp_path)
    assert f"{root}/usr/bin/trilemma" in script
    done = subprocess.run([str(word) for word in dpkg] + ["--remove", "trilemma"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not [path for path in (root / "usr").rglob("*") if path.suffix != ".pyc" and not path.is_dir()]
