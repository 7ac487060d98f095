#pragma once
// What the ranks of a run compute on: the machine of the job, and the instructions of each rank.

#include <string>
#include <vector>

#include "comm/ranks.hpp"
#include "machine/facts.hpp"
#include "record/run_reader.hpp"

namespace trilemma {

/// Returns on rank 0 the machine of the job, except its MPI variables; an empty record on other
/// ranks. `hosts` are the hosts of the ranks, on rank 0. Collective.
MachineRecord gather_machine(Ranks& ranks, const std::vector<std::string>& hosts);

/// Instructions that a rank uses, chosen for its processor.
struct Processor {
  /// Vector instructions of the kernels and kernels of OpenBLAS: "AVX2, 256 bits; OpenBLAS Zen".
  std::string description;
  unsigned vector_bits = 0;  ///< width of the registers; 0: unknown
  bool operator==(const Processor&) const = default;
};

/// Returns the instructions that this process uses.
Processor processor_in_use();

/// Returns on rank 0 the processors of all ranks. Collective.
std::vector<Processor> gather_processors(Ranks& ranks);

/// Returns the processor of rank 0 at the first start of a recorded run; its description is empty
/// if the file does not contain one.
Processor recorded_processor(const RunHead& run);

/// Returns a warning if results depend on which rank computes what, because the processors of the
/// ranks round differently; otherwise an empty text. With portable numerics, all processors with at
/// least 256 bits round alike.
std::string difference_of_processors(const std::vector<Processor>& processors, bool is_portable);

/// Returns the same warning for a run that is resumed and whose rank 0 first used `before`.
std::string change_of_processors(const Processor& before, const std::vector<Processor>& processors,
                                 bool is_portable);

/// Prints both warnings, if any, as notes; `resumed` is the unfinished file of a resumed run, or
/// empty.
void report_processors(const std::vector<Processor>& processors, bool is_portable,
                       const std::string& resumed);

}  // namespace trilemma
