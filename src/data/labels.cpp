#include "data/labels.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

std::vector<std::int64_t> different_labels(const LabelCount& train, const LabelCount& test) {
  std::vector<std::int64_t> labels;
  for (const auto* of_file : {&train, &test})
    for (const auto& entry : of_file->seen()) labels.push_back(entry.first);
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

// Returns a text like "0 to 3, 99": runs of consecutive numbers, at most eight.
std::string runs_of(const std::vector<std::int64_t>& numbers) {
  constexpr std::size_t most = 8;
  std::vector<std::string> words;
  for (std::size_t i = 0, end = 0; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    if (words.size() == most) {
      words.emplace_back("...");
      break;
    }
    const char* between = end - i == 2 ? ", " : " to ";
    words.push_back(end - i == 1 ? fmt::format("{}", numbers[i])
                                 : fmt::format("{}{}{}", numbers[i], between, numbers[end - 1]));
  }
  return join(words);
}

bool are_classes(const std::vector<std::int64_t>& labels, int classes) {
  return labels.empty() || (labels.front() >= 0 && labels.back() < classes);
}

// Returns a text like "1 record, first at record 3 of FILE" for a label.
std::string occurrence(std::int64_t label, const LabelCount& train, const LabelCount& test) {
  const bool is_trained = train.seen().contains(label);
  const LabelCount& where = is_trained ? train : test;
  const LabelCount::Seen& seen = where.seen().at(label);
  return fmt::format("{}, first at record {} of {}", counted(seen.count, "record"), seen.first,
                     where.name());
}

std::int64_t rarest(const std::vector<std::int64_t>& labels, const LabelCount& train,
                    const LabelCount& test) {
  const auto count = [&](std::int64_t label) {
    const auto in = [label](const LabelCount& file) {
      const auto at = file.seen().find(label);
      return at == file.seen().end() ? 0 : at->second.count;
    };
    return in(train) + in(test);
  };
  return *std::ranges::min_element(labels, {}, count);
}

}  // namespace

void LabelCount::add(std::int64_t label) {
  ++seen_.try_emplace(label, Seen{0, records_}).first->second.count;
  ++records_;
}

int label_classes(const LabelCount& train, const LabelCount& test) {
  return static_cast<int>(different_labels(train, test).size());
}

ClassMap::ClassMap(int classes, const LabelCount& train, const LabelCount& test)
    : classes_(classes) {
  const auto labels = different_labels(train, test);
  if (are_classes(labels, classes)) return;
  if (labels.size() != static_cast<std::size_t>(classes)) {
    std::vector<std::int64_t> outside;
    for (const auto label : labels)
      if (label < 0 || label >= classes) outside.push_back(label);
    const std::int64_t rare = rarest(outside, train, test);
    throw UserError(fmt::format(
        "{}: labels {} ({} different ones), but data.classes = {}; label {} ({}) is not among 0 to "
        "{}: fix it, or set data.classes = {}",
        train.name(), runs_of(labels), labels.size(), classes, rare, occurrence(rare, train, test),
        classes - 1, std::max<std::size_t>(2, labels.size())));
  }
  labels_ = labels;
}

ClassMap::ClassMap(std::vector<std::int64_t> stated)
    : classes_(static_cast<int>(stated.size())), labels_(std::move(stated)), are_stated_(true) {}

std::string ClassMap::expected() const {
  return labels_.empty() ? fmt::format("below data.classes = {}", classes_)
                         : fmt::format("among the labels of the classes ({})", runs_of(labels_));
}

std::string ClassMap::renumbered() const { return are_stated_ ? "" : runs_of(labels_); }

std::optional<std::int32_t> ClassMap::number(std::int64_t label) const {
  if (labels_.empty()) {
    if (label < 0 || label >= classes_) return {};
    return static_cast<std::int32_t>(label);
  }
  const auto at = std::lower_bound(labels_.begin(), labels_.end(), label);
  if (at == labels_.end() || *at != label) return {};
  return static_cast<std::int32_t>(at - labels_.begin());
}

void describe_labels(const LabelCount& train, const LabelCount& test, int classes,
                     TrainTest& data) {
  const auto labels = different_labels(train, test);
  if (!are_classes(labels, classes)) {
    const std::int64_t rare = rarest(labels, train, test);
    data.notes.push_back(fmt::format("{}: labels {} became classes 0 to {}; the rarest is {} ({})",
                                     train.name(), runs_of(labels), classes - 1, rare,
                                     occurrence(rare, train, test)));
  } else if (labels.size() < static_cast<std::size_t>(classes)) {
    std::vector<std::int64_t> gaps;
    for (std::int64_t label = 0; label < classes; ++label)
      if (!std::binary_search(labels.begin(), labels.end(), label)) gaps.push_back(label);
    data.notes.push_back(fmt::format("{}: no record has label {} (data.classes = {})", train.name(),
                                     runs_of(gaps), classes));
  }
  std::vector<std::int64_t> untrained;
  for (const auto& entry : test.seen())
    if (!train.seen().contains(entry.first)) untrained.push_back(entry.first);
  if (!untrained.empty())
    data.notes.push_back(
        fmt::format("{}: label {} occurs in no training record", test.name(), runs_of(untrained)));
}

}  // namespace trilemma
