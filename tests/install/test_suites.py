"""Files for ReFrame, Ramble, Benchpark and EasyBuild, on stand-ins for their interfaces; the suites are not needed."""
import os
import re
import runpy
import subprocess
import sys
import types
from enum import Enum
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(trilemma VERSION ([\d.]+)", CMAKE)[1]
OUTPUTS = {name: Path(__file__).with_name(f"bench_{name}.txt") for name in ("valid", "invalid")}
KERNELS = ["latency", "compute", "bandwidth", "compression", "quantisation", "aggregation", "private", "secure"]
# What an expression of any suite finds in the sample outputs.
FOUND = {"valid": {"fom": 19667, "time median": 312.4, "time max": 314, "noise": 0.7, "share local": 0.871,
                   "share server": 0.004, "bytes up": 155692800, "reasons": []},
         "invalid": {"fom": 62950.8, "time median": 0.61, "time max": 0.71, "noise": 18, "share local": 0.871,
                     "share server": 0.015, "bytes up": 40704, "reasons": ["checksum_differs", "times_no_evidence"]}}


class Refused(Exception):
    """A check that a suite reports as failed."""


# --- ReFrame ---------------------------------------------------------------------------------------

def found_in(file, expression, tag=0, convert=str):
    """What ReFrame's functions do: the expression is searched in the whole text, ^ and $ match at lines."""
    return [convert(match[tag]) for match in re.finditer(expression, Path(file).read_text(), re.MULTILINE)]


def assert_found(expression, file, msg=""):
    if not found_in(file, expression):
        raise Refused(msg)
    return True


@pytest.fixture
def reframe(monkeypatch):
    """The class of the ReFrame test, as an instance."""
    rfm, builtins, sanity = (types.ModuleType(name) for name in (
        "reframe", "reframe.core.builtins", "reframe.utility.sanity"))
    rfm.simple_test, rfm.RunOnlyRegressionTest = lambda test: test, object
    builtins.parameter, builtins.variable = list, lambda kind, value: kind(value)
    builtins.run_before = lambda stage: lambda method: method
    builtins.sanity_function = lambda method: method
    builtins.performance_function = lambda unit, perf_key: lambda method: setattr(method, "unit", unit) or method
    sanity.assert_found, sanity.evaluate = assert_found, lambda value: value
    sanity.extractall = lambda expression, file, tag: found_in(file, expression, tag)
    sanity.extractsingle = lambda expression, file, tag, convert: found_in(file, expression, tag, convert)[0]
    utility = types.ModuleType("reframe.utility")
    utility.sanity = sanity
    for module in (rfm, types.ModuleType("reframe.core"), builtins, utility, sanity):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return runpy.run_path(str(PACKAGING / "reframe/trilemma.py"))["TrilemmaBench"]()


def test_reframe_runs_every_kernel(reframe):
    assert reframe.kernel == KERNELS
    reframe.kernel, reframe.nodes = "compute", 4
    reframe.current_partition = types.SimpleNamespace(processor=types.SimpleNamespace(num_cores=64))
    reframe.set_job()
    assert (reframe.num_tasks, reframe.num_tasks_per_node, reframe.num_cpus_per_task) == (256, 64, 1)
    assert [reframe.executable, *reframe.executable_opts][:4] == ["trilemma", "bench", "S", "compute"]
    assert reframe.env_vars["TRILEMMA_RANKS"] == "256" and reframe.env_vars["TRILEMMA_NODES"] == "4"
    reframe.ranks_per_node = 2
    reframe.set_job()
    assert reframe.num_tasks == 8


def test_reframe_reads_the_lines(reframe):
    for name, expected in FOUND.items():
        reframe.stdout = OUTPUTS[name]
        found = [reframe.figure_of_merit(), reframe.seconds(), reframe.noise()]
        assert found == [expected["fom"], expected["time median"], expected["noise"]]
    assert reframe.figure_of_merit.unit == "client_updates/s"


def test_reframe_counts_a_figure_only_if_it_is_valid(reframe, tmp_path):
    reframe.stdout = OUTPUTS["valid"]
    assert reframe.is_valid()
    reframe.stdout = OUTPUTS["invalid"]
    with pytest.raises(Refused, match="not VALID: .'checksum_differs', 'times_no_evidence'."):
        reframe.is_valid()
    reframe.stdout = tmp_path / "killed.txt"  # no last line
    reframe.stdout.write_text("".join(OUTPUTS["valid"].read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(Refused):
        reframe.is_valid()


# --- Ramble ----------------------------------------------------------------------------------------

@pytest.fixture
def ramble(monkeypatch):
    """Calls of Ramble's directives, by their names: words, and options."""
    calls = {}
    appkit = types.ModuleType("ramble.appkit")
    for name in ("tags", "software_spec", "required_package", "executable", "workload", "workload_variable",
                 "environment_variable", "figure_of_merit", "success_criteria"):
        setattr(appkit, name, lambda *words, said=calls.setdefault(name, []), **options: said.append((words, options)))
    appkit.ExecutableApplication = object
    monkeypatch.setitem(sys.modules, "ramble", types.ModuleType("ramble"))
    monkeypatch.setitem(sys.modules, "ramble.appkit", appkit)
    found = runpy.run_path(str(PACKAGING / "ramble/applications/trilemma/application.py"))
    assert found["Trilemma"].name == "trilemma" and found["Trilemma"].__doc__
    return calls


def test_ramble_expands_every_variable(ramble):
    assert [words[0] for words, _ in ramble["workload"]] == KERNELS
    (name, command), options = ramble["executable"][0]
    known = {words[0] for words, _ in ramble["workload_variable"]} | {"workload_name"}
    assert set(re.findall(r"{(\w+)}", command)) <= known and options == {"use_mpi": True}
    assert all(each["executables"] == [name] for _, each in ramble["workload"])
    assert all(each["workloads"] == KERNELS for _, each in ramble["workload_variable"] + ramble["environment_variable"])
    values = {words[0]: options["default"] for words, options in ramble["workload_variable"]}
    assert command.format(workload_name="private", **values).startswith("trilemma bench S private --mode weak ")


def test_ramble_reads_the_lines(ramble):
    """Ramble matches an expression at the beginning of each line."""
    for name, expected in FOUND.items():
        found = {}
        for (what,), options in ramble["figure_of_merit"]:
            for line in OUTPUTS[name].read_text().splitlines(keepends=True):
                if match := re.match(options["fom_regex"], line):
                    found.setdefault(what, []).append(match[options["group_name"]])
        assert found.pop("reason", []) == expected["reasons"] and found.pop("valid") == [name.upper()]
        assert all(len(each) == 1 for each in found.values())
        numbers = {what: float(each[0]) for what, each in found.items()}
        assert numbers["figure of merit"] == expected["fom"]
        assert {what: numbers[what] for what in expected if what in numbers} == \
            {what: value for what, value in expected.items() if what not in ("fom", "reasons")}
        assert len(numbers) == len(ramble["figure_of_merit"]) - 2  # nothing looks for what is not there


def test_ramble_succeeds_only_if_the_result_is_valid(ramble):
    ((_, options),) = ramble["success_criteria"]
    assert options["mode"] == "string" and options["file"] == ramble["figure_of_merit"][0][1]["log_file"]
    succeeds = {name: any(re.match(options["match"], line) for line in file.read_text().splitlines(keepends=True))
                for name, file in OUTPUTS.items()}
    assert succeeds == {"valid": True, "invalid": False}


@pytest.fixture(scope="module")
def program():
    """The program, if it has the command bench."""
    program = os.environ.get("TRILEMMA_PROGRAM", ROOT / "build/release/trilemma")
    if not os.access(program, os.X_OK) or subprocess.run([program, "bench", "--help"], capture_output=True).returncode:
        pytest.skip("no program with the command bench")
    return program


def test_the_program_knows_the_options_of_the_suites(reframe, ramble, program, tmp_path):
    (_, command), _ = ramble["executable"][0]
    values = {words[0]: options["default"] for words, options in ramble["workload_variable"]}
    reframe.kernel, reframe.current_partition = "private", types.SimpleNamespace(processor=types.SimpleNamespace(num_cores=1))
    reframe.set_job()
    for words in (command.format(workload_name="private", **values).split()[1:], reframe.executable_opts):
        done = subprocess.run([program, *words, "--describe"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("private: "), done.stderr


@pytest.fixture(scope="module")
def printed(program, tmp_path_factory):
    """The lines of the program for the smallest kernel, in a file; one repetition is too few to be VALID."""
    done = subprocess.run([program, "bench", "S", "latency", "--repetitions", "1"], capture_output=True, text=True)
    assert done.returncode == 4, done.stderr
    file = tmp_path_factory.mktemp("bench") / "lines.txt"
    file.write_text(done.stdout)
    return file


def test_all_expressions_read_the_lines_of_the_program(reframe, ramble, printed):
    reframe.stdout = printed
    assert reframe.figure_of_merit() > 0 and reframe.seconds() > 0 and reframe.noise() >= 0
    with pytest.raises(Refused, match="too_few_repetitions"):
        reframe.is_valid()
    for (what,), options in ramble["figure_of_merit"]:
        assert any(re.match(options["fom_regex"], line) for line in printed.read_text().splitlines(keepends=True)), what


# --- Benchpark -------------------------------------------------------------------------------------

ScalingMode = Enum("ScalingMode", ["Strong", "Weak", "Throughput"])


class Experiment:
    """What the experiment calls of Benchpark's class of that name."""

    name = "trilemma"

    def __init__(self, scaling):
        self.values, self.named, self.packages = {}, [], []
        self.spec = types.SimpleNamespace(variants={"size": ["A"], "rules": ["base"]},
                                          satisfies=lambda spec: spec == f"+{scaling}")

    def add_experiment_variable(self, name, values, named=False, matrixed=False):
        self.values[name] = values
        self.named += [name] * named

    def register_scaling_config(self, functions):
        self.functions = functions

    def set_required_variables(self, **values):
        self.required = values

    def determine_version(self):
        return "@0.2.0"

    def add_package_spec(self, name, specs):
        self.packages.append((name, specs))

    def scaled(self, mode, iterations, cores):
        """Ranks and ranks whose clients there are, in every experiment of a scaling."""
        found = []
        for i in range(iterations):
            nodes, whose = (self.values[name] for name in ("n_nodes", "nodes_of_clients"))
            expressions = [self.values[name] for name in ("n_ranks", "clients_of")]
            found.append([eval(str(each).format(n_nodes=nodes, nodes_of_clients=whose, sys_cores_per_node=cores))
                          for each in expressions])
            for name, function in self.functions[mode].items():
                value = types.SimpleNamespace(val=lambda dim, name=name: self.values[name])
                self.values[name] = function(value, i, name, 2)
        return found


@pytest.fixture
def benchpark(monkeypatch):
    """Makes the experiment for a scaling."""
    variants = {}
    parts = {"directives": {"variant": lambda name, **options: variants.update({name: options}),
                            "maintainers": lambda *names: None},
             "experiment": {"Experiment": Experiment}, "mpi": {"MpiOnlyExperiment": type("Mpi", (), {})},
             "scaling": {"ScalingMode": ScalingMode, "Scaling": lambda *modes: type("Scaling", (), {"modes": modes})}}
    monkeypatch.setitem(sys.modules, "benchpark", types.ModuleType("benchpark"))
    for name, members in parts.items():
        module = types.ModuleType(f"benchpark.{name}")
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    found = runpy.run_path(str(PACKAGING / "benchpark/experiments/trilemma/experiment.py"))["Trilemma"]
    assert found.modes == tuple(ScalingMode) and list(variants["workload"]["values"]) == KERNELS
    assert all(options["default"] in options["values"] and options["description"] for options in variants.values())

    def made(scaling):
        experiment = found(scaling)
        experiment.compute_applications_section()
        experiment.compute_package_section()
        return experiment
    return made


@pytest.mark.parametrize("scaling, mode, expected", [
    ("strong", "strong", [[64, 0], [128, 0], [256, 0]]), ("weak", "weak", [[64, 0], [128, 0], [256, 0]]),
    ("throughput", "weak", [[64, 64], [64, 128], [64, 256]])])
def test_benchpark_scales(benchpark, scaling, mode, expected):
    experiment = benchpark(scaling)
    assert experiment.values["mode"] == mode and experiment.values["size"] == "A"
    assert set(experiment.required) == {"n_resources", "process_problem_size", "total_problem_size"}
    assert experiment.packages == [("trilemma", ["trilemma@0.2.0 ~analysis"])]
    assert experiment.scaled(ScalingMode[scaling.capitalize()], 3, 64) == expected


def test_benchpark_names_experiments_by_what_differs(benchpark):
    assert "n_nodes" in benchpark("weak").named and "nodes_of_clients" in benchpark("throughput").named


def test_ramble_has_the_variables_of_benchpark(benchpark, ramble):
    known = {words[0] for words, _ in ramble["workload_variable"]} | {"n_nodes", "n_ranks", "nodes_of_clients"}
    assert set(benchpark("weak").values) <= known


# --- EasyBuild -------------------------------------------------------------------------------------

def test_easybuild_names_the_release_and_what_it_needs():
    (path,) = (PACKAGING / "easybuild").glob("*.eb")
    easyconfig = runpy.run_path(str(path))
    toolchain = easyconfig["toolchain"]
    assert path.stem == f"{easyconfig['name']}-{easyconfig['version']}-{toolchain['name']}-{toolchain['version']}"
    assert easyconfig["sources"][0] % {"version": easyconfig["version"]} == f"trilemma-{VERSION}.tar.gz"
    options = dict(re.findall(r"-D(TRILEMMA_\w+)=(\w+)", easyconfig["configopts"]))
    assert options["TRILEMMA_TESTS"] == "OFF" and all(f"{option} " in CMAKE for option in options)
    assert {"files", "dirs"} == set(easyconfig["sanity_check_paths"])
    needed = {name.lower() for name, _ in easyconfig["dependencies"]}
    needed |= {name.removesuffix("-dev") for name, _ in easyconfig["osdependencies"]}
    packages = (ROOT / "scripts/packages.txt").read_text()
    for name in ("hdf5", "eigen", "fmt", "tomlplusplus", "cli11", "libsodium", "boost", "libzip", "libpng", "libcsv",
                 "libkissfft", "librandom123"):
        assert name in needed and name.removeprefix("lib") in packages
    assert {"nlohmann_json", "highway", "zlib", "libjpeg-turbo"} <= needed
