#pragma once
// Integer labels and the classes 0, 1, ... to which they are mapped.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// Counts how often each label occurs, and the record of its first occurrence.
class LabelCount {
 public:
  struct Seen {
    std::size_t count = 0, first = 0;
  };

  /// `name` identifies the file in messages.
  explicit LabelCount(std::string name = {}) : name_(std::move(name)) {}
  void add(std::int64_t label);
  const std::string& name() const { return name_; }
  const std::map<std::int64_t, Seen>& seen() const { return seen_; }

 private:
  std::string name_;
  std::map<std::int64_t, Seen> seen_;
  std::size_t records_ = 0;
};

/// Maps labels to classes. If all labels are below the number of classes, they are the classes;
/// otherwise there must be as many different labels as classes, and the class of a label is its
/// rank in ascending order.
class ClassMap {
 public:
  /// Labels are the classes.
  ClassMap(int classes) : classes_(classes) {}  // NOLINT(google-explicit-constructor)
  /// Derives the map from the labels of all files. Refuses labels that allow neither map, naming
  /// the rarest label, where it occurs, and a remedy.
  ClassMap(int classes, const LabelCount& train, const LabelCount& test);
  /// The classes are the ranks of these labels in ascending order.
  explicit ClassMap(std::vector<std::int64_t> stated);

  int classes() const { return classes_; }
  /// Returns the requirement on labels for messages: "below data.classes = 3".
  std::string expected() const;
  /// Returns a description of labels that became ranks because of the labels in the files; empty if
  /// labels are classes, or if the settings list them.
  std::string renumbered() const;
  /// Returns the class of a label; nullopt if it has none.
  std::optional<std::int32_t> number(std::int64_t label) const;

 private:
  int classes_;
  std::vector<std::int64_t> labels_;  ///< ascending; empty: labels are classes
  bool are_stated_ = false;           ///< given in the settings
};

/// Returns the number of different labels in both counts.
int label_classes(const LabelCount& train, const LabelCount& test);

/// Adds notes on classes that do not occur, labels that were renumbered or lie far from the others,
/// and labels that occur only in tests.
void describe_labels(const LabelCount& train, const LabelCount& test, int classes, TrainTest& data);

}  // namespace trilemma
