#include "record/class_scores.hpp"

#include <algorithm>

namespace trilemma {
namespace {

constexpr const char* group_name = "classes";
constexpr hsize_t most_rows = hsize_t{1} << 32U;

}  // namespace

void ClassScores::add(std::int64_t round, const std::vector<double>& accuracy) {
  round_.push_back(round);
  accuracy_.insert(accuracy_.end(), accuracy.begin(), accuracy.end());
}

void ClassScores::write(hid_t file) {
  if (round_.empty()) return;
  const std::vector<hsize_t> row{accuracy_.size() / round_.size()};
  if (!h5::has_member(file, group_name)) {
    const h5::Handle group = h5::create_group(file, group_name);
    round_set_ = h5::create_growing(group.get(), "round", h5::type_of<std::int64_t>(), {}, "1",
                                    "rounds done, of the states that were evaluated");
    accuracy_set_ = h5::create_growing(
        group.get(), "accuracy", h5::type_of<double>(), row, "1",
        "share of the test records of each class that is classified correctly, by evaluated state "
        "and class; NaN = the class has no test records");
  } else if (!round_set_) {
    const h5::Handle group = h5::open_group(file, group_name);
    round_set_ = h5::open_dataset(group.get(), "round");
    accuracy_set_ = h5::open_dataset(group.get(), "accuracy");
  }
  h5::append(round_set_, h5::type_of<std::int64_t>(), {}, round_.size(), round_.data());
  h5::append(accuracy_set_, h5::type_of<double>(), row, round_.size(), accuracy_.data());
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

ClassTable read_classes(const h5::Handle& file) {
  ClassTable table;
  if (!h5::has_member(file.get(), group_name)) return table;
  const h5::Handle group = h5::open_group(file.get(), group_name);
  table.round = h5::read_numbers(group.get(), "round", most_rows);
  const h5::Handle set = h5::open_dataset(group.get(), "accuracy");
  const auto extents = h5::extents(set, 2);
  // A writer that was killed between the two has written one of them further.
  const auto rows = std::min<hsize_t>(extents[0], table.round.size());
  table.round.resize(static_cast<std::size_t>(rows));
  const auto values = h5::read_rows<double>(set, extents, 0, rows);
  const auto width = static_cast<std::ptrdiff_t>(extents[1]);
  for (auto at = values.begin(); width > 0 && at != values.end(); at += width)
    table.accuracy.emplace_back(at, at + width);
  return table;
}

}  // namespace trilemma
