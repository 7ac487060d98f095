#pragma once
// The labels that stand for the classes, where the settings state them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Reads data.class_labels, the labels of all classes; empty = the labels found in the files.
/// Their number is that of the classes where `classes` has no value. Refuses repeated labels, and
/// another number of them than there are classes.
std::vector<std::string> read_class_labels(Settings& s, std::optional<int>& classes);

/// Returns stated labels as numbers in ascending order. Refuses what is no number, and numbers that
/// are equal.
std::vector<double> stated_numbers(const std::vector<std::string>& labels);

/// The same for whole numbers.
std::vector<std::int64_t> stated_integers(const std::vector<std::string>& labels);

/// Describes labels that became classes by what all records say, for TrainTest::renumbered.
std::string renumbering(const std::string& file, const std::string& labels, int classes);

}  // namespace trilemma
