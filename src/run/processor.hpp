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

}  // namespace trilemma
