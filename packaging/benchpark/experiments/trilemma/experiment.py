"""Benchpark experiment of `trilemma bench`: strong, weak and throughput scaling of one kernel.

Benchpark finds the application and the package in its folder repo/trilemma: copy application.py from packaging/ramble
and package.py from packaging/spack there, and this folder to experiments/.
"""

from benchpark.directives import maintainers, variant
from benchpark.experiment import Experiment
from benchpark.mpi import MpiOnlyExperiment
from benchpark.scaling import Scaling, ScalingMode

KERNELS = ("latency", "compute", "bandwidth", "compression", "quantisation", "aggregation", "private", "secure")


class Trilemma(Experiment, MpiOnlyExperiment, Scaling(ScalingMode.Strong, ScalingMode.Weak, ScalingMode.Throughput)):
    """A kernel of `trilemma bench` on a growing number of nodes, or with a growing number of clients."""

    variant("workload", default="compute", values=KERNELS, description="kernel")
    variant("size", default="S", values=("S", "W", "A", "B", "C"), description="class of problem sizes")
    variant("rules", default="base", values=("base", "tuned", "open"), description="rules of the result")
    variant("version", default="0.2.0", values=("latest", "0.2.0", "main"), description="version of the program")
    maintainers("trilemma")

    def compute_applications_section(self):
        """Sets ranks and clients, and how each mode scales them."""
        self.add_experiment_variable("n_nodes", 1, True)
        self.add_experiment_variable("n_ranks", "{sys_cores_per_node} * {n_nodes}", False)
        self.add_experiment_variable("size", self.spec.variants["size"][0], True)
        self.add_experiment_variable("mode", "strong" if self.spec.satisfies("+strong") else "weak", True)
        # Throughput: one node with the clients of `nodes_of_clients` nodes.
        throughput = self.spec.satisfies("+throughput")
        # The base rules fix the clients of a rank.
        rules = self.spec.variants["rules"][0]
        self.add_experiment_variable("rules", "tuned" if throughput and rules == "base" else rules, False)
        self.add_experiment_variable("nodes_of_clients", 1, throughput)
        self.add_experiment_variable(
            "clients_of", "{sys_cores_per_node} * {nodes_of_clients}" if throughput else 0, False)
        self.register_scaling_config({
            ScalingMode.Strong: {"n_nodes": times, "nodes_of_clients": same},
            ScalingMode.Weak: {"n_nodes": times, "nodes_of_clients": same},
            ScalingMode.Throughput: {"n_nodes": same, "nodes_of_clients": times},
        })
        # In clients: a class fixes them per rank, or in total.
        self.set_required_variables(n_resources="{n_ranks}", process_problem_size="{size}", total_problem_size="{size}")

    def compute_package_section(self):
        """Adds the package that the experiment needs."""
        self.add_package_spec(self.name, [f"trilemma{self.determine_version()} ~analysis"])


def times(var, itr, dim, scaling_factor):
    """Returns the value of a variable in the next experiment, as many times as large."""
    return var.val(dim) * scaling_factor


def same(var, itr, dim, scaling_factor):
    """Returns the value of a variable in the next experiment, unchanged."""
    return var.val(dim)
