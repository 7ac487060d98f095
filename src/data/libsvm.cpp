#include "data/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/data_stream.hpp"

namespace trilemma {
namespace {

class LineParser {
 public:
  LineParser(const LineReader& lines, LibsvmReading& reading)
      : lines_(lines), reading_(reading), rest_(lines.line().substr(0, lines.line().find('#'))) {}

  bool more() {
    const std::size_t first = rest_.find_first_not_of(" \t\r");
    rest_.remove_prefix(std::min(first, rest_.size()));
    return !rest_.empty();
  }

  double number(const char* what) {
    const FoundNumber found = read_number_at(rest_);
    if (found.text == NumberText::none) refuse(what);
    if (found.text == NumberText::overflow || found.text == NumberText::not_finite ||
        !std::isfinite(static_cast<real>(found.value)))
      refuse_size(what, found.text == NumberText::not_finite);
    if (is_lost(found)) ++reading_.lost;
    rest_.remove_prefix(static_cast<std::size_t>(found.end - rest_.data()));
    return found.value;
  }

  // Skips the query id of a ranking data set (LETOR), which precedes the features.
  void pass_query() {
    constexpr std::string_view word = "qid:";
    if (!more() || !rest_.starts_with(word)) return;
    rest_.remove_prefix(std::min(rest_.find_first_of(" \t\r"), rest_.size()));
    ++reading_.queries;
  }

  std::int64_t index(std::size_t features, std::int64_t previous) {
    std::uint32_t value = 0;
    const char* last = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), last, value);
    if (error != std::errc() || next == last || *next != ':') refuse("index:value");
    require(value >= 1 || reading_.first_index != 1,
            "{}: feature index 0, but indices start at 1 here; set data.index_from = 0 if they "
            "start at 0 in all files",
            lines_.place());
    const auto most = features - (reading_.first_index == 0 ? 1 : 0);
    require(value <= most,
            "{}: feature index {} is above data.features = {}{}; raise data.features "
            "or fix the line",
            lines_.place(), value, features,
            reading_.first_index == 0 ? " less 1, since indices start at 0 (data.index_from)" : "");
    require(value > previous, "{}: feature index {} follows {}; indices must ascend, sort the line",
            lines_.place(), value, previous);
    rest_.remove_prefix(static_cast<std::size_t>(next + 1 - rest_.data()));
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* expected) const {
    throw UserError(fmt::format("{}: expected {}, found \"{}\"; fix the line", lines_.place(),
                                expected, shown(rest_, 20)));
  }

  [[noreturn]] void refuse_size(const char* what, bool is_infinite) const {
    const auto problem =
        is_infinite ? std::string("only finite numbers are allowed, clean the data")
                    : fmt::format("it is above {} in size, divide the values by a constant",
                                  largest_real());
    throw UserError(fmt::format("{}: {} is {}; {}", lines_.place(), what,
                                shown(rest_.substr(0, rest_.find_first_of(" \t\r")), 20), problem));
  }

  const LineReader& lines_;
  LibsvmReading& reading_;
  std::string_view rest_;
};

// The label of every record as stored in a file, and its line.
struct RawLabels {
  std::vector<double> value;
  std::vector<std::size_t> line;
};

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Returns the different labels of a training file; refuses another number of them than `classes`.
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
    require(
        at != known.end() && *at == raw.value[r],
        "{}:{}: label {} is in no training record, nor among data.class_labels; remove the line",
        file, raw.line[r], raw.value[r]);
    const auto number = static_cast<std::int32_t>(at - known.begin());
    data.label.push_back(labels.classes == 2 ? 2 * number - 1 : number);
  }
}

// Reads the file line by line: `start` receives the label of a record, `take` each index and its
// value, `end_record` the end of the record. Determines the index of the first feature.
template <class Start, class Take, class End>
void each_record(const std::string& file, std::size_t features, LibsvmReading& reading,
                 Start&& start, Take&& take, End&& end_record) {
  DataStream stream(file);
  stream.refuse_others({}, "LIBSVM text");
  LineReader lines = stream.lines();
  while (lines.next()) {
    LineParser parser(lines, reading);
    if (!parser.more()) continue;
    start(parser.number("a label"), lines.number());
    parser.pass_query();
    std::int64_t index = -1;
    while (parser.more()) {
      index = parser.index(features, index);
      if (index == 0 && reading.zero_line == 0) reading.zero_line = lines.number();
      take(static_cast<std::uint32_t>(index), parser.number("a feature value"));
    }
    end_record();
  }
  reading.first_index = reading.first_index.value_or(reading.zero_line > 0 ? 0 : 1);
}

// If an index 0 shows that indices start at 0, the largest one may be too large: one of the two is
// wrong.
void shift_columns(const std::string& file, const RawLabels& raw, const LibsvmReading& reading,
                   SparseRows& rows) {
  const auto first = static_cast<std::uint32_t>(*reading.first_index);
  for (std::size_t i = 0; i < rows.column.size(); ++i) {
    rows.column[i] -= first;
    if (rows.column[i] < rows.columns) continue;
    const auto after = std::upper_bound(rows.start.begin(), rows.start.end(), i);
    const auto record = static_cast<std::size_t>(after - rows.start.begin()) - 1;
    throw UserError(fmt::format(
        "{}:{}: feature index 0, so indices start at 0 here, and index {} in line {} is above "
        "data.features = {} less 1; if they start at 1 (data.index_from = 1), fix the index 0, else "
        "set data.features = {}",
        file, reading.zero_line, rows.column[i], raw.line[record], rows.columns, rows.columns + 1));
  }
}

Dataset read(const std::string& file, std::size_t features, LibsvmLabels& labels,
             LibsvmReading& reading) {
  SparseRows rows;
  rows.columns = features;
  RawLabels raw;
  const auto start = [&](double label, std::size_t line) {
    raw.value.push_back(label);
    raw.line.push_back(line);
  };
  const auto take = [&](std::uint32_t index, double value) {
    rows.column.push_back(index);
    rows.value.push_back(static_cast<real>(value));
  };
  each_record(file, features, reading, start, take,
              [&] { rows.start.push_back(rows.column.size()); });
  require(!raw.value.empty(), "{}: no record found; fetch the file again", file);
  shift_columns(file, raw, reading, rows);
  Dataset data;
  take_labels(file, raw, labels, data);
  data.rows = std::move(rows);
  return data;
}

}  // namespace

Dataset read_libsvm(const std::string& file, std::size_t features, LibsvmLabels& labels,
                    LibsvmReading& found) {
  return reading(file, [&] { return read(file, features, labels, found); });
}

std::size_t indexed_features(const std::string& file, LibsvmReading& found) {
  std::size_t most = 0;
  reading(file, [&] {
    each_record(
        file, std::numeric_limits<std::uint32_t>::max(), found, [](double, std::size_t) {},
        [&](std::uint32_t index, double) { most = std::max(most, std::size_t{index} + 1); }, [] {});
  });
  return most - std::min<std::size_t>(most, static_cast<std::size_t>(*found.first_index));
}

}  // namespace trilemma
