#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// The vector instructions of the kernels and the kernels of OpenBLAS, both chosen for this
/// processor: "AVX2, 256 bits; OpenBLAS Zen".
std::string processor_in_use();

/// What is to be said where results depend on which rank computes what, since ranks, which have a
/// text each, do not round alike; else "". With portable numerics all do that have 256 bits.
std::string difference_of_processors(const std::vector<std::string>& processors, bool is_portable);

/// The same of a run that goes on: `before` has a line for each rank of its first start.
std::string change_of_processors(const std::string& before,
                                 const std::vector<std::string>& processors, bool is_portable);

/// Prints either as a note, where there is something to say; `resumed` is the unfinished file of a
/// run that goes on, or empty.
void report_processors(const std::vector<std::string>& processors, bool is_portable,
                       const std::string& resumed);

}  // namespace trilemma
