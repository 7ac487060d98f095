#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// The vector instructions of the kernels and the kernels of OpenBLAS, both chosen for this
/// processor: "AVX2, 256 bits; OpenBLAS Zen".
std::string processor_in_use();

/// What is to be said where ranks, which have a text each, do not compute with the same; else "".
std::string difference_of_processors(const std::vector<std::string>& processors);

}  // namespace trilemma
