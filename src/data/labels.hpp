#pragma once
// Labels that are whole numbers, and the classes 0, 1, ... that they become.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// How often each label occurs, and at which record first.
class LabelCount {
 public:
  struct Seen {
    std::size_t count = 0, first = 0;
  };

  /// `name` stands for the file in messages.
  explicit LabelCount(std::string name = {}) : name_(std::move(name)) {}
  void add(std::int64_t label);
  const std::string& name() const { return name_; }
  const std::map<std::int64_t, Seen>& seen() const { return seen_; }

 private:
  std::string name_;
  std::map<std::int64_t, Seen> seen_;
  std::size_t records_ = 0;
};

/// Which class a label is. Where all labels are below the number of classes they are the classes;
/// where other labels occur, as many different ones as there are classes, the classes are their
/// places in ascending order.
class ClassMap {
 public:
  /// Labels are classes.
  ClassMap(int classes) : classes_(classes) {}  // NOLINT(google-explicit-constructor)
  /// Of the labels of all files. Refuses labels that are neither, with the rarest, its place and
  /// what to do.
  ClassMap(int classes, const LabelCount& train, const LabelCount& test);
  /// The classes are the places of these labels, in ascending order.
  explicit ClassMap(std::vector<std::int64_t> stated);

  int classes() const { return classes_; }
  /// Returns what labels have to be: "below data.classes = 3".
  std::string expected() const;
  /// Returns the labels that became other numbers since they occur; empty = none.
  std::string renumbered() const;
  /// Returns the class of a label; nothing if it has none.
  std::optional<std::int32_t> number(std::int64_t label) const;

 private:
  int classes_;
  std::vector<std::int64_t> labels_;  ///< ascending; empty: labels are classes
  bool are_stated_ = false;           ///< by the settings
};

/// Returns how many different labels occur in both.
int label_classes(const LabelCount& train, const LabelCount& test);

/// Notes which classes do not occur, which labels became other numbers or stand apart from the
/// rest, and which occur in tests alone.
void describe_labels(const LabelCount& train, const LabelCount& test, int classes, TrainTest& data);

}  // namespace trilemma
