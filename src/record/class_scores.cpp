#include "record/class_scores.hpp"

#include <algorithm>

namespace trilemma {
namespace {

constexpr const char* group_name = "classes";
constexpr std::uint64_t most_rows = std::uint64_t{1} << 32U;

}  // namespace

void ClassScores::add(std::int64_t round, const std::vector<double>& accuracy) {
  round_.push_back(round);
  accuracy_.insert(accuracy_.end(), accuracy.begin(), accuracy.end());
}

void ClassScores::write(const h5::Group& file) {
  if (round_.empty()) return;
  const std::vector<std::uint64_t> row{accuracy_.size() / round_.size()};
  if (!file.has_member(group_name)) {
    const h5::Group group = file.create_group(group_name);
    round_set_ =
        group.create_growing<std::int64_t>("round", {}, "1", "rounds before the evaluated state");
    accuracy_set_ = group.create_growing<double>(
        "accuracy", row, "1",
        "share of the test records of each class that are classified correctly, by evaluated state "
        "and class; NaN = the class has no test records");
  } else if (!round_set_) {
    const h5::Group group = file.open_group(group_name);
    round_set_ = group.open_dataset("round");
    accuracy_set_ = group.open_dataset("accuracy");
  }
  round_set_.append({}, round_.size(), round_.data());
  accuracy_set_.append(row, round_.size(), accuracy_.data());
  round_.clear();
  accuracy_.clear();
}

void ClassScores::close(const std::string& what) {
  if (!round_set_) return;
  round_set_.close(what);
  accuracy_set_.close(what);
}

void ClassScores::leak() {
  round_set_.leak();
  accuracy_set_.leak();
}

ClassTable read_classes(const h5::Group& file) {
  ClassTable table;
  if (!file.has_member(group_name)) return table;
  const h5::Group group = file.open_group(group_name);
  table.round = group.read_numbers("round", most_rows);
  const h5::Dataset set = group.open_dataset("accuracy");
  const auto extents = set.extents(2);
  // A writer that was killed between the two appends leaves data sets of different lengths.
  const auto rows = std::min<std::uint64_t>(extents[0], table.round.size());
  table.round.resize(static_cast<std::size_t>(rows));
  const auto values = set.read_rows<double>(extents, 0, rows);
  const auto width = static_cast<std::ptrdiff_t>(extents[1]);
  for (auto at = values.begin(); width > 0 && at != values.end(); at += width)
    table.accuracy.emplace_back(at, at + width);
  return table;
}

}  // namespace trilemma
