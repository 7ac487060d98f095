#pragma once

#include <memory>
#include <string>

#include "compress/compressor.hpp"

namespace trilemma::testing {

/// A row of compressors(), or the example of tests/examples, by name, with settings as TOML.
std::unique_ptr<Compressor> make_compressor(const std::string& name, std::size_t dimension,
                                            const std::string& toml = "",
                                            ValueFormat format = ValueFormat::float32);

/// The vector that a message stands for, with all its zeros.
std::vector<double> dense(const SparseView& sparse, std::size_t dimension);

}  // namespace trilemma::testing
