#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/text.hpp"
#include "data/csv.hpp"
#include "data/data_file.hpp"
#include "data/scaling.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

struct CsvSettings {
  std::string train, test, target, user, order, scaling;
  std::vector<std::string> columns, drop;
  char delimiter;
  std::optional<std::size_t> features;
  int classes;
  bool bias;
};

constexpr const char* parkinsons = "parkinsons-telemonitoring/parkinsons_updrs.data";

// The features are the columns that are named, or those that are not dropped. Defaults are those of
// the default file.
void read_columns(Settings& s, CsvSettings& v) {
  const bool usual = v.train == parkinsons;
  v.target =
      s.text("target", usual ? "motor_UPDRS" : "", "column with the label or the real target");
  if (v.target.empty()) s.refuse("target", "name the column with the label or the real target");
  v.user = s.text("user", usual ? "subject#" : "",
                  "column that says who a record belongs to; empty = nobody");
  v.order =
      s.text("order", "", "column by which records are put in ascending order; empty = as read");
  v.columns =
      s.texts("columns", {}, "columns that are features; empty = all but data.drop, target, user");
  std::vector<std::string> others;
  if (usual && v.columns.empty()) others.emplace_back("total_UPDRS");
  v.drop = s.texts("drop", others, "columns that are not features");
  const std::size_t named = v.columns.size();
  v.features = s.integer_or("features", left_to_files, at_least(1),
                            "columns that are features, without the bias");
  if (named > 0) {
    v.features = v.features.value_or(named);
    s.spell_out("features", static_cast<long>(*v.features));
  }
  if (named > 0 && v.features != v.columns.size())
    s.refuse("features",
             fmt::format("data.columns names {}; leave data.features out", v.columns.size()));
  if (named > 0 && !v.drop.empty())
    s.refuse("drop", "data.columns names the features; leave data.drop out");
  for (const auto& own : {v.target, v.user})
    if (std::find(v.columns.begin(), v.columns.end(), own) != v.columns.end())
      s.refuse("columns", fmt::format("\"{}\" is the target or the user; take it out", own));
}

CsvSettings read(Settings& s) {
  CsvSettings v;
  v.train = s.text("train", parkinsons, "training file, relative to the data directory");
  v.test = s.text("test", "", "test file; empty = none");
  const std::string delimiter = s.text("delimiter", ",", "character between cells");
  if (delimiter.size() != 1 || delimiter == "\"" || delimiter == "\n")
    s.refuse("delimiter", "expected one character, as \",\" or \";\" or \"\\t\"");
  v.delimiter = delimiter[0];
  read_columns(s, v);
  v.classes =
      static_cast<int>(s.integer("classes", 0, {.low = 0, .high = 1e6},
                                 "different labels in the target column; 0 = real targets"));
  if (v.classes == 1) s.refuse("classes", "expected 0 for real targets, or at least 2");
  v.bias = s.flag("bias", true, "append a constant feature 1");
  v.scaling =
      s.choice("scaling", "standard", {"none", "standard"},
               "scaling of every feature and of real targets; looks at all training records");
  return v;
}

// Words of a column as numbers 0, 1, ...
using Numbering = std::map<std::string, std::int32_t>;

// Labels in ascending order: as numbers where all are, else as texts.
Numbering number_labels(const CsvTable& table, std::size_t target, int classes) {
  std::map<std::string, double> found;
  bool numeric = true;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string& word = table.text(r, target);
    double value = 0;
    numeric = is_number(word, value) && numeric;
    found.emplace(word, value);
  }
  require(found.size() != 1,
          "{}: \"{}\" is the only label in column \"{}\"; choose another data.target", table.file,
          shown(found.begin()->first, 20), shown(table.header[target]));
  require(found.size() == static_cast<std::size_t>(classes),
          "{}: {} different labels in column \"{}\", but data.classes = {}; set data.classes = {}",
          table.file, found.size(), shown(table.header[target]), classes, found.size());
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [word, value] : found) sorted.emplace_back(numeric ? value : 0.0, word);
  std::sort(sorted.begin(), sorted.end());
  Numbering number;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    number[sorted[i].second] = static_cast<std::int32_t>(i);
  return number;
}

Numbering number_users(const CsvTable& table, std::size_t user) {
  Numbering number;
  for (std::size_t r = 0; r < table.rows(); ++r)
    number.emplace(table.text(r, user), static_cast<std::int32_t>(number.size()));
  return number;
}

class CsvSource final : public Source {
 public:
  explicit CsvSource(CsvSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override {
    return s_.features ? std::vector<std::string>{} : std::vector<std::string>{"features"};
  }
  FileShape find(const std::string& folder) const override {
    const CsvTable table = read_csv(data_path(folder, s_.train), s_.delimiter);
    const FileShape found{.features = feature_columns(table).size()};
    require(found.features > 0, "{}: no column is left for a feature; take some out of data.drop",
            table.file);
    return found;
  }
  void settle(const FileShape& found) override { s_.features = found.features; }
  std::size_t features() const override { return s_.features.value() + (s_.bias ? 1 : 0); }
  int classes() const override { return s_.classes; }
  bool sparse() const override { return false; }
  bool has_users() const override { return !s_.user.empty(); }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    return s_.test.empty() ? std::vector{s_.train} : std::vector{s_.train, s_.test};
  }
  std::string description() const override {
    return fmt::format("csv {}, {} of \"{}\" from {} features{}, scaling {}", s_.train,
                       s_.classes == 0 ? "real values" : fmt::format("{} classes", s_.classes),
                       s_.target, s_.features.value(), s_.bias ? " and a bias" : "", s_.scaling);
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    const std::string file = data_path(folder, s_.train);
    const CsvTable table = read_csv(file, s_.delimiter);
    Numbering labels;
    Numbering users;
    if (s_.classes > 0) labels = number_labels(table, target_of(table), s_.classes);
    if (has_users()) users = number_users(table, table.column(s_.user, "data.user"));
    TrainTest data;
    data.scaling = "none";
    data.train = records(table, feature_columns(table), labels, users);
    if (s_.test.empty()) return data;
    const std::string test = data_path(folder, s_.test);
    data.remark = overlap_remark({file}, {test});
    const CsvTable tests = read_csv(test, s_.delimiter);
    data.test = records(tests, columns_like(table, tests), labels, users);
    return data;
  }

  void scale(TrainTest& data, Coordinates training) const override {
    if (s_.scaling == "standard") data.scaling = standardise(data, training, s_.features.value());
  }

 private:
  std::size_t target_of(const CsvTable& table) const {
    return table.column(s_.target, "data.target");
  }

  std::vector<std::size_t> feature_columns(const CsvTable& table) const {
    std::vector<std::size_t> found;
    if (!s_.columns.empty()) {
      for (const auto& name : s_.columns) found.push_back(table.column(name, "data.columns"));
      return found;
    }
    std::vector<std::size_t> others{target_of(table)};
    if (has_users()) others.push_back(table.column(s_.user, "data.user"));
    for (const auto& name : s_.drop) others.push_back(table.column(name, "data.drop"));
    for (std::size_t c = 0; c < table.header.size(); ++c)
      if (std::find(others.begin(), others.end(), c) == others.end()) found.push_back(c);
    require(
        found.size() == s_.features.value_or(found.size()),
        "{}: {} feature columns, but data.features = {}; set data.features = {}, or name columns "
        "in data.drop",
        table.file, found.size(), s_.features.value_or(0), found.size());
    return found;
  }

  // The feature columns of the test file, in the order of the training file's.
  std::vector<std::size_t> columns_like(const CsvTable& train, const CsvTable& test) const {
    feature_columns(test);  // as many
    std::vector<std::size_t> found;
    for (const auto c : feature_columns(train))
      found.push_back(test.column(train.header[c], train.file));
    return found;
  }

  // A real target. Text is the sign of classes that nobody has told of.
  static double target_value(const CsvTable& table, std::size_t row, std::size_t target) {
    const std::string& found = table.text(row, target);
    double value = 0;
    if (is_number(found, value)) return value;
    std::set<std::string> words;
    for (std::size_t at = target; at < table.cell.size(); at += table.header.size())
      if (!table.cell[at].empty()) words.insert(table.cell[at]);
    const std::string remedy = words.size() < 2
                                   ? "choose another data.target"
                                   : fmt::format("set data.classes = {} ({})", words.size(),
                                                 shown(join({words.begin(), words.end()})));
    throw UserError(fmt::format(
        "{}: \"{}\" is not a finite number; fix it if the targets are real numbers, else {}",
        table.place(row, target), shown(found, 20), remedy));
  }

  // Number of the word in a cell; refuses one that training did not have.
  static std::int32_t number_of(const CsvTable& table, std::size_t row, std::size_t column,
                                const Numbering& known) {
    const auto at = known.find(table.text(row, column));
    if (at == known.end())
      throw UserError(fmt::format("{}: \"{}\" is in no training record; remove the line",
                                  table.place(row, column), shown(table.text(row, column))));
    return at->second;
  }

  // Rows of the table in the order of the column data.order; ties as they are read.
  std::vector<std::uint32_t> ordered_rows(const CsvTable& table) const {
    std::vector<std::uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    if (s_.order.empty()) return rows;
    const std::size_t column = table.column(s_.order, "data.order");
    std::vector<double> value;
    for (const auto r : rows) value.push_back(table.number(r, column));
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return value[a] < value[b]; });
    return rows;
  }

  Dataset records(const CsvTable& table, const std::vector<std::size_t>& columns,
                  const Numbering& labels, const Numbering& users) const {
    const std::size_t target = target_of(table);
    DenseRows rows;
    rows.columns = features();
    Dataset data;
    data.classes = s_.classes;
    for (const auto r : ordered_rows(table)) {
      for (const auto c : columns) rows.value.push_back(static_cast<real>(table.number(r, c)));
      if (s_.bias) rows.value.push_back(1);
      data.label.push_back(s_.classes == 0 ? 0 : number_of(table, r, target, labels));
      if (s_.classes == 0) data.target.push_back(static_cast<real>(target_value(table, r, target)));
      if (!has_users()) continue;
      const auto user = number_of(table, r, table.column(s_.user, "data.user"), users);
      data.user.push_back(static_cast<std::uint32_t>(user));
    }
    data.rows = std::move(rows);
    return data;
  }

  CsvSettings s_;
};

void declare(Settings& settings) { read(settings); }
std::unique_ptr<Source> make(Settings& settings) {
  return std::make_unique<CsvSource>(read(settings));
}

}  // namespace

Row<SourceMaker> csv_row() {
  return {"csv", "CSV text with a header: real targets or classes, users by a column (Parkinsons)",
          declare, make};
}

}  // namespace trilemma
