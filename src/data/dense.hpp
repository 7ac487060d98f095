#pragma once

#include <string>

#include "data/dataset.hpp"

namespace trilemma {

/// Converts the sparse rows of a data set to dense ones, with zeros filled in. Refuses rows that
/// would take more than 8 GB or more than the memory, naming their `file`.
void make_dense(Dataset& data, const std::string& file);

}  // namespace trilemma
