"""ReFrame tests of `trilemma bench`, one for each kernel; a figure counts only if the program calls it VALID.

    reframe -c packaging/reframe/trilemma.py -n 'TrilemmaBench.*compute' -S size=A -S nodes=4 -r

Set with -S: size (class), mode, rules, nodes, ranks_per_node (0: all cores of a node), program. A site adds its own
figures as `reference`.
"""
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_before, sanity_function, variable

KERNELS = ("latency", "compute", "bandwidth", "compression", "quantisation", "aggregation", "private", "secure")


@rfm.simple_test
class TrilemmaBench(rfm.RunOnlyRegressionTest):
    """A kernel of `trilemma bench` on whole nodes, one rank on each core."""

    descr = "validated client updates per second of federated optimization"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    kernel = parameter(KERNELS)
    size = variable(str, value="S")
    mode = variable(str, value="weak")
    rules = variable(str, value="base")
    nodes = variable(int, value=1)
    ranks_per_node = variable(int, value=0)
    program = variable(str, value="trilemma")
    exclusive_access = True
    num_cpus_per_task = 1
    use_multithreading = False

    @run_before("run")
    def set_job(self):
        """Sets the command and the placement, which the program compares with the one obtained."""
        self.num_tasks_per_node = self.ranks_per_node or self.current_partition.processor.num_cores or 1
        self.num_tasks = self.nodes * self.num_tasks_per_node
        self.env_vars = {"OPENBLAS_NUM_THREADS": "1", "TRILEMMA_RANKS": str(self.num_tasks),
                         "TRILEMMA_NODES": str(self.nodes), "TRILEMMA_CORES_PER_RANK": "1"}
        self.executable = self.program
        self.executable_opts = ["bench", self.size, self.kernel, "--mode", self.mode, "--rules", self.rules,
                                "--output", "BENCH.h5", "--overwrite"]
        self.keep_files = ["BENCH.h5"]

    @sanity_function
    def is_valid(self):
        """Returns whether every check of the program holds; otherwise the message has the reasons."""
        reasons = sn.evaluate(sn.extractall(r"^reason (\S+): .*$", self.stdout, 1))
        return sn.assert_found(r"^VALID$", self.stdout, msg=f"not VALID: {reasons}")

    @performance_function("client_updates/s", perf_key="fom")
    def figure_of_merit(self):
        """Returns the figure of merit."""
        return sn.extractsingle(r"^FOM (\S+) client_updates/s$", self.stdout, 1, float)

    @performance_function("s", perf_key="time")
    def seconds(self):
        """Returns the median time of the timed rounds."""
        return sn.extractsingle(r"^time_s median=(\S+)", self.stdout, 1, float)

    @performance_function("%", perf_key="noise")
    def noise(self):
        """Returns (max - min) / median of the repetitions."""
        return sn.extractsingle(r"^check .*\bnoise=([\d.]+)%", self.stdout, 1, float)
