#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

inline constexpr std::size_t cifar_planes = 3;
inline constexpr std::size_t cifar_features = 3072;

/// A binary version of CIFAR: a record has one byte for each of its labels, then 1,024 red, 1,024
/// green and 1,024 blue bytes, row by row.
struct CifarVersion {
  std::string_view name;
  std::vector<int> classes;  ///< by label byte
  std::size_t used;          ///< number of the label byte that becomes the label
  int used_classes() const { return classes[used]; }
};

/// CIFAR-10: one label, 0 to 9.
CifarVersion cifar10();
/// CIFAR-100: one of 20 coarse labels, then one of 100 fine labels.
CifarVersion cifar100_fine();
CifarVersion cifar100_coarse();

/// Reads files one after the other; features keep the order of the bytes. Refuses, naming the file:
/// a missing file, a size that is not a whole number of records, a label that no class has, also
/// among the labels that are not used.
Dataset read_cifar(const std::vector<std::string>& files, const CifarVersion& version);

}  // namespace trilemma
