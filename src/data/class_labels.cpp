#include "data/class_labels.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr const char* key = "class_labels";

}  // namespace

std::vector<std::string> read_class_labels(Reader& r, std::optional<int>& classes) {
  Settings& s = r.settings();
  auto labels = s.words(
      key, {},
      "labels of the classes, which become 0, 1, ... in ascending order; empty = the labels found "
      "in all records of the files");
  if (labels.empty()) return labels;
  if (labels.size() == 1) s.refuse(key, "expected a label for each of at least two classes");
  if (std::set<std::string>(labels.begin(), labels.end()).size() < labels.size())
    s.refuse(key, "a label is listed twice; list every label once");
  const int count = static_cast<int>(labels.size());
  if (classes.value_or(count) != count)
    s.refuse(key, fmt::format("{} labels, but data.classes = {}; list one label for each class, or "
                              "leave data.classes out",
                              count, *classes));
  if (!classes) s.resolve("classes", long{count});
  classes = count;
  return labels;
}

std::vector<double> stated_numbers(const std::vector<std::string>& labels) {
  std::vector<double> numbers;
  for (const auto& label : labels) {
    double value = 0;
    require(is_number(label, value) && std::isfinite(value),
            "data.class_labels: \"{}\" is not a number, as the labels of these files are; list "
            "numbers",
            shown(label, 20));
    numbers.push_back(value);
  }
  std::sort(numbers.begin(), numbers.end());
  require(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end(),
          "data.class_labels: a number is listed twice; list every label once");
  return numbers;
}

std::vector<std::int64_t> stated_integers(const std::vector<std::string>& labels) {
  constexpr double most = 9e15;  // integers up to this are exact as doubles
  std::vector<std::int64_t> whole;
  for (const double number : stated_numbers(labels)) {
    require(number == std::floor(number) && std::abs(number) <= most,
            "data.class_labels: {} is not a whole number, as the labels of these files are; list "
            "whole numbers",
            number);
    whole.push_back(static_cast<std::int64_t>(number));
  }
  return whole;
}

std::string renumbering(const std::string& file, const std::string& labels, int classes) {
  return fmt::format("{}: labels {} became classes 0 to {}", file, labels, classes - 1);
}

}  // namespace trilemma
