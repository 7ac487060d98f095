#include "data/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "core/text.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

class LineParser {
 public:
  LineParser(const std::string& file, std::size_t line, const char* at, const char* end)
      : file_(file), line_(line), at_(at), end_(end) {}

  bool more() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    return at_ < end_;
  }

  double number(const char* what) {
    if (at_ < end_ && *at_ == '+') ++at_;
    double value = 0;
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || next == at_) refuse(what);
    require(std::isfinite(static_cast<real>(value)),
            "{}:{}: {} is {}; only finite numbers are allowed, clean the data", file_, line_, what,
            value);
    at_ = next;
    return value;
  }

  std::uint32_t index(std::size_t features, std::uint32_t previous) {
    std::uint32_t value = 0;
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || next == end_ || *next != ':') refuse("index:value");
    require(value >= 1, "{}:{}: feature index 0; LIBSVM indices start at 1", file_, line_);
    require(
        value <= features,
        "{}:{}: feature index {} is above data.features = {}; raise data.features or fix the line",
        file_, line_, value, features);
    require(value > previous,
            "{}:{}: feature index {} follows {}; indices must ascend, sort the line", file_, line_,
            value, previous);
    at_ = next + 1;
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    throw UserError(fmt::format("{}:{}: expected {}, found \"{}\"; fix the line", file_, line_,
                                expected, shown({at_, end_}, 20)));
  }

  const std::string& file_;
  std::size_t line_;
  const char* at_;
  const char* end_;
};

ClassPair pair_of(const std::set<double>& labels, const std::string& file) {
  require(labels.size() == 2, "{}: {} different labels found; a two-class problem needs exactly 2",
          file, labels.size());
  return {*labels.begin(), *labels.rbegin()};
}

// Reads line by line: `start` takes the label of a record, `take` each index and its value, `end`
// the end of the record.
template <class Start, class Take, class End>
void each_record(const std::string& file, std::size_t features, Start&& start, Take&& take,
                 End&& end_record) {
  const std::string text = data_file_content(file);
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t line = 1; at < end; ++line) {
    const char* stop = std::find(at, end, '\n');
    LineParser parser(file, line, at, stop);
    at = stop + 1;
    if (!parser.more()) continue;
    start(parser.number("a label"), line);
    std::uint32_t index = 0;
    while (parser.more()) {
      index = parser.index(features, index);
      take(index, parser.number("a feature value"));
    }
    end_record();
  }
}

Dataset read(const std::string& file, std::size_t features, const ClassPair* classes,
             ClassPair* found) {
  SparseRows rows;
  rows.columns = features;
  std::vector<double> raw;
  std::set<double> labels;
  const auto start = [&](double label, std::size_t line) {
    raw.push_back(label);
    labels.insert(label);
    require(labels.size() <= 2,
            "{}:{}: label {} is the third different one; two classes are allowed", file, line,
            label);
  };
  const auto take = [&](std::uint32_t index, double value) {
    rows.column.push_back(index - 1);
    rows.value.push_back(static_cast<real>(value));
  };
  each_record(file, features, start, take, [&] { rows.start.push_back(rows.column.size()); });
  require(!raw.empty(), "{}: no record found; fetch the file again", file);
  const ClassPair pair = classes != nullptr ? *classes : pair_of(labels, file);
  Dataset data;
  data.label.reserve(raw.size());
  for (const double label : raw) {
    require(label == pair.low || label == pair.high,
            "{}: label {} does not occur in the training data ({} and {})", file, label, pair.low,
            pair.high);
    data.label.push_back(label == pair.high ? 1 : -1);
  }
  if (found != nullptr) *found = pair;
  data.rows = std::move(rows);
  return data;
}

}  // namespace

Dataset read_libsvm(const std::string& file, std::size_t features, const ClassPair* classes,
                    ClassPair* found) {
  return reading(file, [&] { return read(file, features, classes, found); });
}

std::size_t largest_index(const std::string& file) {
  std::size_t largest = 0;
  reading(file, [&] {
    each_record(
        file, std::numeric_limits<std::uint32_t>::max(), [](double, std::size_t) {},
        [&](std::uint32_t index, double) { largest = std::max<std::size_t>(largest, index); },
        [] {});
  });
  return largest;
}

}  // namespace trilemma
