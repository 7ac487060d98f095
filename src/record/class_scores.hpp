#pragma once
// Accuracy by class at the evaluated states (/classes of the run file).

#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// The rows on their way to the disk. The group is made with the first row.
class ClassScores {
 public:
  /// Adds the accuracies by class after `round` rounds.
  void add(std::int64_t round, const std::vector<double>& accuracy);
  /// Appends what was added to the data sets of `file`.
  void write(const h5::Group& file);
  /// Gives the data sets back and reports failure, or forgets them where the file cannot be written
  /// any more.
  void close(const std::string& what);
  void leak();

 private:
  std::vector<std::int64_t> round_;  ///< not written
  std::vector<double> accuracy_;     ///< not written
  h5::Dataset round_set_, accuracy_set_;
};

/// Rows of /classes: a round and the accuracies of its classes.
struct ClassTable {
  std::vector<double> round;
  std::vector<std::vector<double>> accuracy;
};
/// Reads /classes; empty where the file has none. Throws h5::FileError where it is damaged.
ClassTable read_classes(const h5::Group& file);

}  // namespace trilemma
