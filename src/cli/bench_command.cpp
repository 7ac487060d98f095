// The command `bench`: a validated figure of merit of the machine.

#include "bench/bench_command.hpp"

#include <memory>

#include "bench/kernels.hpp"
#include "cli/command.hpp"

namespace trilemma {

Command add_bench_command(CLI::App& parent, int argc, char** argv) {
  auto o = std::make_shared<BenchOptions>();
  auto* bench = parent.add_subcommand(
      "bench", "measure a machine in client updates per second; run it under mpirun/srun");
  bench->add_option("class", o->size, "class of problem sizes: S, W, A, B or C")->required();
  bench->add_option("kernel", o->kernels,
                    "kernels, by name or letter: " + kernels_in_words() + " (default: all)");
  bench
      ->add_option("--mode", o->mode,
                   "weak: clients per rank are fixed; strong: their total is fixed")
      ->capture_default_str();
  bench->add_option("--rules", o->rules, "rules of the result: base, tuned or open")
      ->capture_default_str();
  bench
      ->add_option("--pattern", o->pattern,
                   "exchange.up of all kernels; `kernel`: that of each kernel, as the base rules "
                   "require")
      ->capture_default_str();
  bench->add_option("--clients-of", o->clients_of,
                    "weak: take the clients of a job on as many ranks, for checksums (default: the "
                    "ranks of this job)");
  bench->add_flag("--warm-up-only", o->is_warm_up_only,
                  "leave the timed rounds out, for checksums of the model after the warm-up");
  bench->add_option("--repetitions", o->repetitions, "repetitions of each kernel")
      ->capture_default_str();
  bench->add_option("--output", o->output, "HDF5 file for results, configurations and machine");
  bench->add_flag("--overwrite", o->overwrite, "replace an existing benchmark file with this name");
  bench->add_flag("--describe", o->describes,
                  "print clients, memory, time and bits of each kernel, and measure nothing");
  auto* json = bench->add_flag_callback(
      "--json", [o] { o->format = BenchFormat::json; }, "print JSON in place of lines");
  bench
      ->add_flag_callback(
          "--yaml", [o] { o->format = BenchFormat::yaml; }, "print YAML in place of lines")
      ->excludes(json);
  add_mpi_flag(*bench);
  return {bench, [o, argc, argv] { return bench_command(*o, argc, argv); }};
}

}  // namespace trilemma
