#include "data/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

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

// The label of every record as it stands in a file, and where.
struct RawLabels {
  std::vector<double> value;
  std::vector<std::size_t> line;
};

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// The different labels of a training file, as many as there should be.
std::vector<double> found_labels(const std::string& file, const RawLabels& raw,
                                 std::size_t classes) {
  const auto found = distinct(raw.value);
  require(found.size() != 1, "{}: all records have the label {}; is it another file?", file,
          found[0]);
  if (found.size() == classes) return found;
  std::vector<std::string> words;
  for (const double label : found) words.push_back(fmt::format("{}", label));
  const double rare = *std::ranges::min_element(
      found, {}, [&raw](double label) { return std::ranges::count(raw.value, label); });
  const auto first =
      static_cast<std::size_t>(std::ranges::find(raw.value, rare) - raw.value.begin());
  const std::string typo = fmt::format(
      "fix what is mistyped (the rarest is {}, first in line {}), or ", rare, raw.line[first]);
  throw UserError(fmt::format(
      "{}: {} different labels ({}), but data.classes = {}; {}set data.classes = {}, or 0 where they "
      "are real targets",
      file, found.size(), shown(join(words)), classes, found.size() > classes ? typo : "",
      found.size()));
}

void take_labels(const std::string& file, const RawLabels& raw, LibsvmLabels& labels,
                 Dataset& data) {
  data.classes = labels.classes;
  if (labels.classes == 0) {
    data.label.assign(raw.value.size(), 0);
    data.target.assign(raw.value.begin(), raw.value.end());
    return;
  }
  auto& known = labels.value;
  if (known.empty()) known = found_labels(file, raw, static_cast<std::size_t>(labels.classes));
  for (std::size_t r = 0; r < raw.value.size(); ++r) {
    const auto at = std::lower_bound(known.begin(), known.end(), raw.value[r]);
    require(at != known.end() && *at == raw.value[r],
            "{}:{}: label {} is in no training record; remove the line", file, raw.line[r],
            raw.value[r]);
    const auto number = static_cast<std::int32_t>(at - known.begin());
    data.label.push_back(labels.classes == 2 ? 2 * number - 1 : number);
  }
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

Dataset read(const std::string& file, std::size_t features, LibsvmLabels& labels) {
  SparseRows rows;
  rows.columns = features;
  RawLabels raw;
  const auto start = [&](double label, std::size_t line) {
    raw.value.push_back(label);
    raw.line.push_back(line);
  };
  const auto take = [&](std::uint32_t index, double value) {
    rows.column.push_back(index - 1);
    rows.value.push_back(static_cast<real>(value));
  };
  each_record(file, features, start, take, [&] { rows.start.push_back(rows.column.size()); });
  require(!raw.value.empty(), "{}: no record found; fetch the file again", file);
  Dataset data;
  take_labels(file, raw, labels, data);
  data.rows = std::move(rows);
  return data;
}

}  // namespace

Dataset read_libsvm(const std::string& file, std::size_t features, LibsvmLabels& labels) {
  return reading(file, [&] { return read(file, features, labels); });
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
