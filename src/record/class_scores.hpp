#pragma once
// Accuracy by class of the evaluated states: the group /classes of the run file.

#include <vector>

#include "h5/h5.hpp"

namespace trilemma {

/// Writes rows of /classes. The group is created with the first row.
class ClassScores {
 public:
  /// Adds a row: the accuracies by class after `round` rounds.
  void add(std::int64_t round, const std::vector<double>& accuracy);
  /// Appends the rows added since the last call to the data sets of `file`.
  void write(const h5::Group& file);
  /// Closes the data sets. Throws an error that names `what` if this fails.
  void close(const std::string& what);
  /// Forgets the data sets without closing them, for a file that can no longer be written.
  void leak();

 private:
  std::vector<std::int64_t> round_;  ///< of the rows not yet written
  std::vector<double> accuracy_;     ///< of the rows not yet written
  h5::Dataset round_set_, accuracy_set_;
};

/// Rows of /classes: a round, and the accuracy of each class.
struct ClassTable {
  std::vector<double> round;
  std::vector<std::vector<double>> accuracy;
};
/// Reads /classes; returns an empty table if there is no such group. Throws h5::FileError if it is
/// damaged.
ClassTable read_classes(const h5::Group& file);

}  // namespace trilemma
