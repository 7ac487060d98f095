#pragma once
// Labels of the classes, if the settings list them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "settings/reader.hpp"

namespace trilemma {

/// Reads data.class_labels, the labels of all classes; empty = the labels found in the files. If
/// `classes` has no value, it becomes their number. Refuses repeated labels, and a number of labels
/// other than `classes`.
std::vector<std::string> read_class_labels(Reader& r, std::optional<int>& classes);

/// Returns listed labels as numbers in ascending order. Refuses labels that are not numbers, and
/// equal numbers.
std::vector<double> stated_numbers(const std::vector<std::string>& labels);

/// Returns listed labels as integers in ascending order. Refuses the same.
std::vector<std::int64_t> stated_integers(const std::vector<std::string>& labels);

/// Describes labels that were mapped to classes by looking at all records, for
/// TrainTest::renumbered.
std::string renumbering(const std::string& file, const std::string& labels, int classes);

}  // namespace trilemma
