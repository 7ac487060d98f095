#pragma once

#include <string>
#include <vector>

#include "numeric/random.hpp"

namespace trilemma::fuzz {

/// Damages an HDF5 file or forges something in it: bytes; attributes and data sets of another type,
/// extent or text; links that lead elsewhere; and, now and then, the sum over what it says then.
std::string change_hdf5(std::string input, const std::vector<std::string>& corpus, Stream& stream);

}  // namespace trilemma::fuzz
