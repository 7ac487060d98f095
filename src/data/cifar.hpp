#pragma once

#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// Reads files of CIFAR-10 (binary version) one after the other: records of 1 label byte (0 .. 9)
/// and 1,024 red, 1,024 green and 1,024 blue bytes, row by row; features keep this order. Refuses,
/// naming the file: a missing file, a size that is not a multiple of 3,073 bytes, other labels.
Dataset read_cifar(const std::vector<std::string>& files);

inline constexpr std::size_t cifar_features = 3072;
inline constexpr int cifar_classes = 10;

}  // namespace trilemma
