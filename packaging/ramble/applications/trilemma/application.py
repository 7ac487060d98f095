"""Ramble application of `trilemma bench`; add the folder with `ramble repo add packaging/ramble`."""

from ramble.appkit import *

KERNELS = ["latency", "compute", "bandwidth", "compression", "quantisation", "aggregation", "private", "secure"]
LOG = "{experiment_run_dir}/{experiment_name}.out"
# The program compares the placement obtained with these, and says INVALID if they differ.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "TRILEMMA_RANKS": "{n_ranks}", "TRILEMMA_NODES": "{n_nodes}"}
# Numbers of the lines: name, beginning of the line, key, unit.
NUMBERS = [*((f"time {key}", "time_s", key, "s") for key in ("median", "min", "max")),
           *((f"share {key}", "share", key, "") for key in ("local", "noise", "compress", "decode", "messages", "wait",
                                                            "server")),
           *((f"bytes {key}", "mpi", f"{key}_B", "B/round") for key in ("down", "up"))]


class Trilemma(ExecutableApplication):
    """A validated figure of merit of federated optimization over MPI: client updates per second."""

    name = "trilemma"
    tags("federated-optimization", "differential-privacy", "compression", "mpi", "cpu")

    software_spec("trilemma", pkg_spec="trilemma@0.2.0 ~analysis", package_manager="spack*")
    required_package("trilemma", package_manager="spack*")

    # The name of a workload is that of its kernel.
    executable("bench", "trilemma bench {size} {workload_name} --mode {mode} --clients-of {clients_of} --rules {rules} "
               "--repetitions {repetitions} --output BENCH.h5 --overwrite", use_mpi=True)
    for _each in KERNELS:
        workload(_each, executables=["bench"])

    workload_variable("size", default="S", values=["S", "W", "A", "B", "C"], workloads=KERNELS,
                      description="class of problem sizes")
    workload_variable("mode", default="weak", values=["weak", "strong"], workloads=KERNELS,
                      description="weak: clients per rank are fixed; strong: their total is fixed")
    workload_variable("clients_of", default="0", workloads=KERNELS,
                      description="weak: as many clients as on this number of ranks; 0 = the ranks of the job")
    workload_variable("rules", default="base", values=["base", "tuned", "open"], workloads=KERNELS,
                      description="rules of the result")
    workload_variable("repetitions", default="5", workloads=KERNELS, description="repetitions; fewer than 5 are not VALID")
    for _each, _value in ENVIRONMENT.items():
        environment_variable(_each, _value, description="threads of a rank, and the requested placement",
                             workloads=KERNELS)

    figure_of_merit("figure of merit", log_file=LOG, fom_regex=r"^FOM (?P<fom>\S+) client_updates/s$",
                    group_name="fom", units="client_updates/s")
    figure_of_merit("valid", log_file=LOG, fom_regex=r"^(?P<valid>VALID|INVALID)$", group_name="valid", units="")
    figure_of_merit("reason", log_file=LOG, fom_regex=r"^reason (?P<reason>\S+): .*$", group_name="reason", units="")
    for _each, _line, _key, _unit in NUMBERS:
        figure_of_merit(_each, log_file=LOG, fom_regex=rf"^{_line} .*?\b{_key}=(?P<value>\S+)", group_name="value",
                        units=_unit)
    figure_of_merit("noise", log_file=LOG, fom_regex=r"^check .*?\bnoise=(?P<noise>[\d.]+)%", group_name="noise",
                    units="%")

    success_criteria("valid", mode="string", match=r"^VALID$", file=LOG)
