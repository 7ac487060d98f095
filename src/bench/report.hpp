#pragma once
// Results of a benchmark as stable lines, as a table of facts (JSON, YAML, HDF5), and what a case
// costs before it runs.

#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "machine/facts.hpp"
#include "record/report_file.hpp"

namespace trilemma {

inline constexpr ReportKind bench_report_kind{OutputStatus::bench, "trilemma-bench", 1,
                                              "a benchmark file"};
/// Version of the lines and of the rules.
inline constexpr const char* bench_version = "1.0";

/// The machine in the lines of a result.
struct BenchMachine {
  std::size_t nodes = 1;
  std::string placement;  ///< "2x4": nodes x ranks per node, or "3+1"
  std::string cpu;
  bool has_smt = false;  ///< whether cores have several hardware threads
  bool is_smt_known = false;
  unsigned vector_bits = 0;
};
/// Returns these facts; `node` is the node of each rank.
BenchMachine machine_in(const MachineRecord& record, const std::vector<std::int64_t>& node,
                        unsigned vector_bits);

/// Returns the lines of a result, the last of which is VALID or INVALID.
std::string lines_of(const BenchResult& result, const BenchMachine& machine);

/// Returns the exit code of these results: 0 if all are valid, exit_invalid_benchmark otherwise.
int exit_code_of(const std::vector<BenchResult>& results);
/// Returns the facts of the results; names begin with the kernel and a dot.
Report report_of(const std::vector<BenchResult>& results, const BenchMachine& machine);
/// Returns the facts of a report as YAML.
std::string to_yaml(const Report& report);

/// Returns the lines of `--describe`: clients, dimension, memory and bits of a case, from its plan.
std::string description_of(const BenchCase& of, const Plan& plan, long repetitions);

}  // namespace trilemma
