#pragma once
// The command `trilemma bench`: options, the whole measurement, and its outputs.

#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// Formats of the result on standard output.
enum class BenchFormat { lines, json, yaml };

/// Command-line options of `trilemma bench`.
struct BenchOptions {
  std::string size = "S";            ///< name of a class
  std::vector<std::string> kernels;  ///< names; empty: all
  std::string mode = "weak";
  std::string rules = "base";
  std::string pattern = "kernel";  ///< exchange.up, or "kernel": that of each kernel
  std::string output;              ///< HDF5 file; empty: none
  long repetitions = 5;
  int clients_of = 0;  ///< clients of a weak case on as many ranks; 0: the ranks of the job
  bool is_warm_up_only = false;  ///< leave the timed rounds out
  bool describes = false;        ///< print sizes and estimates instead of measuring
  bool overwrite = false;
  BenchFormat format = BenchFormat::lines;
};

/// Runs `trilemma bench` on every rank of a job. Returns the exit code: 0 only if all kernels are
/// valid, exit_claim_fails if one is not.
int bench_command(const BenchOptions& options, int argc, char** argv);

}  // namespace trilemma
