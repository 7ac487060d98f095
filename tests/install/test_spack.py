"""The Spack recipes, on a stand-in for Spack that records what they say; Spack itself is not needed."""
import re
import runpy
import sys
import types
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "packaging/spack/packages"
# What the recipe calls the packages of scripts/packages.txt that a build without tests needs.
NAMES = {"g++": "cxx", "cmake": "cmake", "pkg-config": "pkgconfig", "libopenmpi-dev": "mpi",
         "libopenblas-dev": "blas", "libeigen3-dev": "eigen", "libhdf5-dev": "hdf5", "libcli11-dev": "cli11",
         "libtomlplusplus-dev": "tomlplusplus", "nlohmann-json3-dev": "nlohmann-json", "libfmt-dev": "fmt",
         "librandom123-dev": "random123", "libhwy-dev": "highway", "libsodium-dev": "libsodium",
         "libboost-dev": "boost", "libkissfft-dev": "kissfft", "zlib1g-dev": "zlib-api", "libcsv-dev": "libcsv",
         "libzip-dev": "libzip", "libpng-dev": "libpng", "libjpeg-dev": "jpeg", "python3-h5py": "py-h5py", "python3-numpy": "py-numpy",
         "python3-matplotlib": "py-matplotlib", "python3-pandas": "py-pandas", "python3-scipy": "py-scipy"}
NOT_NEEDED = {"ninja-build", "git", "openmpi-bin", "python3-pytest", "python3-pip",
              "python3-dev", "python3-setuptools", "python3-wheel"}


class Recorder:
    """The directives that were called while a recipe was read."""

    def __init__(self):
        self.said = []

    def directive(self, name):
        return lambda *words, **options: self.said.append((name, words, options))

    @contextmanager
    def when(self, condition):
        yield

    def words(self, name):
        return [words[0] for said, words, _ in self.said if said == name]


class Package:
    run_tests = False
    spec = None

    def of_spec(self, *parts):
        """The package with a spec that satisfies `parts`; its BLAS consists of two libraries."""
        libraries = types.SimpleNamespace(libs=types.SimpleNamespace(joined=lambda by: by.join(("/b/one.so", "/b/two.so"))))
        spec = type("Spec", (dict,), {"satisfies": lambda self, part: part in parts})
        self.spec = spec(blas=libraries)
        return self

    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, f"the variant {variant}")


def read(recipe, monkeypatch):
    recorder = Recorder()
    spack = types.ModuleType("spack.package")
    for name in ("version", "variant", "depends_on", "conflicts", "license"):
        setattr(spack, name, recorder.directive(name))
    spack.when = recorder.when
    spack.run_before = lambda phase: lambda method: method
    spack.CMakePackage = spack.AutotoolsPackage = Package
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    classes = runpy.run_path(str(RECIPES / recipe / "package.py"))
    return recorder, classes[recipe.capitalize()]


@pytest.mark.parametrize("recipe", sorted(path.name for path in RECIPES.iterdir()))
def test_a_recipe_is_read_and_names_versions_and_a_licence(recipe, monkeypatch):
    recorder, what = read(recipe, monkeypatch)
    assert recorder.words("version") and recorder.words("license")
    assert what.__doc__ and what.git.startswith(("https://", "file://"))


def test_the_source_is_this_checkout(monkeypatch):
    assert read("trilemma", monkeypatch)[1].git == ROOT.as_uri()


def test_options_are_those_of_cmake(monkeypatch):
    recorder, what = read("trilemma", monkeypatch)
    cmake = (ROOT / "CMakeLists.txt").read_text()
    options = set(re.findall(r"^(?:option|set)\((TRILEMMA_\w+) ", cmake, re.MULTILINE))
    arguments = what().of_spec("+blas", "^openblas").cmake_args()
    defined = [re.match(r"-D(\w+)=(?:the variant (\w+))?", word) for word in arguments]
    assert {match[1] for match in defined} <= options
    assert {match[2] for match in defined if match[2]} <= set(recorder.words("variant"))
    assert any(match[1] == "TRILEMMA_TESTS" for match in defined)
    real = next(options for name, words, options in recorder.said if name == "variant" and words[0] == "real")
    strings = re.search(r"PROPERTY STRINGS (.*)\)", cmake)[1].split()
    assert list(real["values"]) == strings and real["default"] in strings


@pytest.mark.parametrize("spec, expected", [
    (("~blas",), ["-DTRILEMMA_BLAS=none"]), (("+blas", "^openblas"), ["-DTRILEMMA_BLAS=openblas"]),
    (("+blas", "^intel-oneapi-mkl"), ["-DTRILEMMA_BLAS=generic", "-DBLAS_LIBRARIES=/b/one.so;/b/two.so"])])
def test_blas_is_any_library_or_none(monkeypatch, spec, expected):
    recorder, what = read("trilemma", monkeypatch)
    assert [word for word in what().of_spec(*spec).cmake_args() if "BLAS" in word] == expected
    assert ("depends_on", ("blas",), {"when": "+blas"}) in recorder.said
    cmake = (ROOT / "CMakeLists.txt").read_text()
    choices = re.search(r"CACHE TRILEMMA_BLAS PROPERTY STRINGS (.*)\)", cmake)[1].split()
    assert expected[0].partition("=")[2] in choices


def test_the_release_is_the_version_of_the_build(monkeypatch):
    recorder, _ = read("trilemma", monkeypatch)
    version = re.search(r"project\(trilemma VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert ("version", (version,), {"tag": f"v{version}"}) in recorder.said


def test_dependencies_are_those_of_a_build_without_tests(monkeypatch):
    recorder, _ = read("trilemma", monkeypatch)
    depends = {re.match(r"[a-z0-9-]+", spec)[0] for spec in recorder.words("depends_on")}
    text = re.sub(r"# tests and benchmarks\n.*?(?=# analysis)", "", (ROOT / "scripts/packages.txt").read_text(),
                  flags=re.DOTALL)
    debian = set(re.findall(r"^[^#\s]+", text, re.MULTILINE)) - NOT_NEEDED
    assert debian == set(NAMES)
    assert depends == set(NAMES.values()) | {"c", "python"}
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert f"cmake@{least}:" in recorder.words("depends_on")
    python = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "analysis/pyproject.toml").read_text())[1]
    assert f"python@{python}:" in recorder.words("depends_on")
