#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/text.hpp"
#include "data/class_labels.hpp"
#include "data/csv_encoding.hpp"
#include "data/csv_settings.hpp"
#include "data/data_file.hpp"
#include "data/scaling.hpp"
#include "data/source.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

class CsvSource final : public Source {
 public:
  explicit CsvSource(CsvSettings s) : s_(std::move(s)) {}
  std::vector<std::string> open() const override {
    std::vector<std::string> keys;
    if (!s_.features) keys.emplace_back("features");
    if (!s_.classes) keys.emplace_back("classes");
    return keys;
  }
  FileShape find(const std::string& folder) const override {
    const CsvTable table = read_table(data_path(folder, s_.train));
    const FileShape found{.features = width(encode(table)), .classes = words_in_target(table)};
    require(found.features > 0, "{}: no column is left for a feature; take some out of data.drop",
            table.file);
    return found;
  }
  void settle(const FileShape& found) override {
    has_found_classes_ = !s_.classes;
    s_.features = s_.features.value_or(found.features);
    s_.classes = s_.classes.value_or(found.classes);
  }
  std::size_t features() const override { return s_.features.value() + (s_.bias ? 1 : 0); }
  int classes() const override { return s_.classes.value(); }
  bool sparse() const override { return false; }
  bool numbers_labels() const override { return classes() > 0 && s_.labels.empty(); }
  bool has_users() const override { return !s_.user.empty(); }
  bool has_tests() const override { return !s_.test.empty(); }
  std::size_t rows() const override { return 0; }
  std::vector<std::string> files() const override {
    return s_.test.empty() ? std::vector{s_.train} : std::vector{s_.train, s_.test};
  }
  Preprocessing preprocessing() const override {
    return {.scaling = s_.scaling,
            .missing = s_.missing,
            .has_word_features = !s_.one_hot.empty(),
            .has_bias = s_.bias};
  }
  std::string description() const override {
    std::string words = fmt::format(
        "csv {}, {} of \"{}\" from {}{}", s_.train,
        classes() == 0 ? "real values" : fmt::format("{} classes", classes()), s_.target,
        counted(s_.features.value(), "feature"), s_.bias ? " and a bias" : "");
    if (!s_.one_hot.empty()) words += fmt::format(", one-hot {}", join(s_.one_hot));
    if (s_.missing != MissingValues::refuse)
      words += fmt::format(", missing values: {}", name(s_.missing));
    return words + fmt::format(", scaling {}", name(s_.scaling));
  }

  TrainTest load(const std::string& folder, std::uint64_t) const override {
    const std::string file = data_path(folder, s_.train);
    const CsvTable table = read_table(file);
    Numbering labels;
    Numbering users;
    TrainTest data;
    if (numbers_labels()) {
      labels = number_labels(table, target_of(table), classes());
      if (!are_numbers_of_classes(labels))
        data.renumbered = renumbering(s_.train, words_of(labels), classes());
    } else if (classes() > 0) {
      labels = number_words({s_.labels.begin(), s_.labels.end()});
    }
    if (has_users()) users = number_users(table, table.column(s_.user, "data.user"));
    auto features = encode(table);
    data.numbers = features.size() - s_.one_hot.size();
    for (std::size_t i = 0; i < data.numbers; ++i)
      data.names.push_back(table.header[features[i].column]);
    data.train = records(table, features, labels, users);
    if (table.skipped > 0)
      add_note(data, counted(table.skipped, "incomplete record") + " left out");
    describe_lost(data, s_.train, table.lost);
    if (table.header[0].empty() && !is_among("", s_.drop))
      data.notes.push_back(fmt::format(
          "{}: the first column has no name, as that of row names, and is no feature", s_.train));
    if (auto note = note_on_target(table); !note.empty()) data.notes.push_back(std::move(note));
    if (s_.test.empty()) return data;
    const std::string test = data_path(folder, s_.test);
    data.remark = overlap_remark({file}, {test});
    const CsvTable tests = read_table(test);
    find_columns(table, tests, features);
    data.test = records(tests, features, labels, users);
    describe_lost(data, s_.test, tests.lost);
    if (tests.skipped > 0)
      add_note(data, counted(tests.skipped, "incomplete record") + " of the test file left out");
    return data;
  }

  bool scales_by_training() const override {
    return s_.missing == MissingValues::mean || s_.scaling == Scaling::standard;
  }
  void scale(TrainTest& data, Coordinates training) const override {
    if (s_.missing == MissingValues::mean) add_note(data, fill_missing(data, training));
    if (s_.scaling == Scaling::standard) add_note(data, standardise(data, training, data.numbers));
  }

 private:
  std::size_t target_of(const CsvTable& table) const {
    return table.column(s_.target, "data.target");
  }

  // Returns the number of different words in the target column, or 0 if any of its cells is a
  // number: targets are then real unless data.classes is set. Refuses a single word.
  int words_in_target(const CsvTable& table) const {
    const std::size_t target = target_of(table);
    std::set<std::string> words;
    std::size_t last = 0;  // row of the word found last
    for (std::size_t r = 0; r < table.rows(); ++r) {
      double value = 0;
      if (table.is_missing(r, target)) continue;
      if (table.is_number_at(r, target, value) || table.is_number_elsewhere(r, target)) return 0;
      if (words.insert(table.text(r, target)).second) last = r;
    }
    if (words.size() == 1)
      throw UserError(fmt::format(
          "{}: \"{}\" is the only label; fix it if targets are numbers, else choose another "
          "data.target",
          table.place(last, target), shown(*words.begin(), 20)));
    return static_cast<int>(words.size());
  }

  // Reads the records of a file that are used.
  CsvTable read_table(const std::string& file) const {
    CsvTable table = read_csv(file, s_.delimiter, s_.decimal);
    if (s_.missing != MissingValues::drop) return table;
    auto used = feature_columns(table);
    used.push_back(target_of(table));
    if (has_users()) used.push_back(table.column(s_.user, "data.user"));
    if (!s_.order.empty()) used.push_back(table.column(s_.order, "data.order"));
    table.drop_incomplete(used);
    return table;
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
      if (!table.header[c].empty() && std::ranges::count(others, c) == 0) found.push_back(c);
    return found;
  }

  static std::size_t width(const std::vector<CsvFeature>& features) {
    std::size_t sum = 0;
    for (const auto& feature : features) sum += feature.width();
    return sum;
  }

  // Returns numeric columns in their order, followed by columns of words.
  std::vector<CsvFeature> encode(const CsvTable& table) const {
    std::vector<CsvFeature> found;
    for (const auto c : feature_columns(table))
      if (!is_among(table.header[c], s_.one_hot)) found.push_back({c, {}});
    for (const auto& name : s_.one_hot)
      found.push_back(one_hot(table, table.column(name, "data.one_hot")));
    require(width(found) == s_.features.value_or(width(found)),
            "{}: {}, but data.features = {}; set data.features = {}, or name columns in "
            "data.drop",
            table.file, counted(width(found), "feature"), s_.features.value_or(0), width(found));
    return found;
  }

  // Replaces columns of the training file by those of the test file with the same names.
  void find_columns(const CsvTable& train, const CsvTable& test,
                    std::vector<CsvFeature>& features) const {
    const std::size_t count = feature_columns(test).size();
    require(count == features.size(), "{}: {} feature columns, but {} has {}; take the others out",
            test.file, count, train.file, features.size());
    for (auto& feature : features)
      feature.column = test.column(train.header[feature.column], train.file);
  }

  // Returns a real target. Text suggests classes that the settings do not mention.
  static double target_value(const CsvTable& table, std::size_t row, std::size_t target) {
    const std::string& found = table.text(row, target);
    double value = 0;
    if (table.is_number_at(row, target, value)) return value;
    table.refuse_separators(row, target);
    std::set<std::string> words;
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (!table.is_missing(r, target)) words.insert(table.text(r, target));
    // More different words are hardly class names.
    constexpr std::size_t most_classes = 100;
    const std::string remedy =
        words.size() < 2 ? "if the targets are real numbers, else choose another data.target"
        : words.size() <= most_classes
            ? fmt::format("if the targets are real numbers, else set data.classes = {} ({})",
                          words.size(), shown(join({words.begin(), words.end()})))
            : "or choose another data.target";
    throw UserError(
        fmt::format("{}: \"{}\" is not a decimal number up to 3.4e38 in size; fix it {}",
                    table.place(row, target), shown(found, 20), remedy));
  }

  std::int32_t class_of(const CsvTable& table, std::size_t row, std::size_t target,
                        const Numbering& labels) const {
    const std::string& label = table.text(row, target);
    if (!s_.labels.empty() && !labels.contains(label))
      throw UserError(
          fmt::format("{}: \"{}\" is not among data.class_labels; fix it, or list it there",
                      table.place(row, target), shown(label, 20)));
    return number_of(table, row, target, labels);
  }

  // Returns the rows of the table ordered by the column data.order; ties keep their order in the
  // file.
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

  Dataset records(const CsvTable& table, const std::vector<CsvFeature>& encoding,
                  const Numbering& labels, const Numbering& users) const {
    const std::size_t target = target_of(table);
    DenseRows rows;
    rows.columns = features();
    require_memory(
        fmt::format("{}: {} records of {} features", table.file, table.rows(), features()),
        static_cast<double>(table.rows()) * static_cast<double>(features() * sizeof(real)),
        "leave columns out with data.drop, or words with data.one_hot");
    Dataset data;
    data.classes = classes();
    for (const auto r : ordered_rows(table)) {
      append_features(table, r, encoding, s_, rows.value);
      if (s_.bias) rows.value.push_back(1);
      data.label.push_back(classes() == 0 ? 0 : class_of(table, r, target, labels));
      if (classes() == 0) data.target.push_back(static_cast<real>(target_value(table, r, target)));
      if (!has_users()) continue;
      const auto user = number_of(table, r, table.column(s_.user, "data.user"), users);
      data.user.push_back(static_cast<std::uint32_t>(user));
    }
    data.rows = std::move(rows);
    return data;
  }

  // Returns a note if the real targets, which no setting asks for, are two whole numbers.
  std::string note_on_target(const CsvTable& table) const {
    if (classes() != 0 || !has_found_classes_) return "";
    const std::size_t target = target_of(table);
    std::set<std::string> words;
    for (std::size_t r = 0; r < table.rows() && words.size() <= 2; ++r)
      words.insert(table.text(r, target));
    const bool are_two = words.size() == 2 && std::ranges::all_of(words, [](const auto& word) {
                           return word.find_first_not_of("+-0123456789") == std::string::npos;
                         });
    if (!are_two) return "";
    return fmt::format(
        "{}: the target \"{}\" is {} or {}, and is fitted as a real number; set data.classes = 2 to "
        "classify",
        s_.train, shown(s_.target), shown(*words.begin()), shown(*words.rbegin()));
  }

  CsvSettings s_;
  bool has_found_classes_ = false;  ///< no setting says how many classes there are
};

}  // namespace

Row<SourceMaker> csv_source() {
  return part_with_settings(
      "csv", "CSV text with a header: real targets or classes, users by a column (Parkinsons)",
      make_source<CsvSource, CsvSettings>);
}

}  // namespace trilemma
