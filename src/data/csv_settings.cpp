#include "data/csv_settings.hpp"

#include <set>

#include "data/class_labels.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

void refuse_twins(const Reader& r, const std::string& key, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second)
      r.refuse(key, fmt::format("\"{}\" stands there twice; name every column once", name));
}

}  // namespace

void CsvSettings::read_cells(Reader& r) {
  std::string cells(1, delimiter);
  r("delimiter", cells, "character between cells");
  if (cells.size() != 1 || cells == "\"" || cells == "\n")
    r.refuse("delimiter", "expected one character, as \",\" or \";\" or \"\\t\"");
  delimiter = cells[0];
  r("decimal", decimal, {{".", '.'}, {",", ','}}, "decimal point of the numbers");
  if (decimal == delimiter) r.refuse("decimal", "the same as data.delimiter; change one");
}

// The features are the columns that are named, or those that are not dropped. Defaults are those of
// the default file.
void CsvSettings::read_columns(Reader& r) {
  const bool usual = train == CsvSettings().train;
  if (usual) {
    target = "motor_UPDRS";
    user = "subject#";
  }
  r("target", target, "column with the label or the real target");
  if (target.empty()) r.refuse("target", "name the column with the label or the real target");
  r("user", user, "column with the user of each record; empty = no users");
  r("order", order,
    "column by which records are sorted in ascending order; empty = order of the file");
  r("columns", columns, "columns that are features; empty = all but data.drop, target, user");
  refuse_twins(r, "columns", columns);
  if (usual && columns.empty()) drop.emplace_back("total_UPDRS");
  r("drop", drop, "columns that are not features");
  r("one_hot", one_hot,
    "columns of words: one feature, 0 or 1, for each word in the training data, in ascending "
    "order, after all other features");
  refuse_twins(r, "one_hot", one_hot);
  r("features", features, Word{left_to_files}, at_least(1), "features, without the bias");
}

void CsvSettings::check_columns(Reader& r) const {
  const std::size_t named = columns.size();
  if (named > 0 && one_hot.empty() && features != named)
    r.refuse("features", fmt::format("data.columns names {}; leave data.features out", named));
  if (named > 0 && !drop.empty())
    r.refuse("drop", "data.columns names the features; leave data.drop out");
  for (const auto& own : {target, user})
    if (is_among(own, columns))
      r.refuse("columns", fmt::format("\"{}\" is the target or the user; take it out", own));
  for (const auto& word : one_hot)
    if (word == target || word == user || is_among(word, drop) ||
        (named > 0 && !is_among(word, columns)))
      r.refuse("one_hot", fmt::format("\"{}\" is not a feature; take it out", word));
}

void CsvSettings::read(Reader& r) {
  r.data_file("train", train, "training file, relative to the data directory");
  r.data_file("test", test, "test file; empty = none");
  read_cells(r);
  read_columns(r);
  if (!columns.empty() && one_hot.empty()) {
    features = features.value_or(columns.size());
    r.settings().resolve("features", static_cast<long>(*features));
  }
  check_columns(r);
  r("classes", classes, Word{left_to_files}, {.low = 0, .high = 1e6},
    "different labels in the target column, 0 = real targets; files = the number of different "
    "words in it, 0 where it holds numbers");
  if (classes == 1) r.refuse("classes", "expected 0 for real targets, or at least 2");
  labels = read_class_labels(r, classes);
  r("missing", missing,
    {{name(MissingValues::refuse), MissingValues::refuse, "refuse the file"},
     {name(MissingValues::drop), MissingValues::drop, "skip the record"},
     {name(MissingValues::mean), MissingValues::mean,
      "use the mean of the feature over all training records"}},
    "treatment of an empty cell, NA, NaN, nan or ?");
  r("bias", bias, "append a constant feature 1");
  read_scaling(r, scaling,
               "scaling of every feature and of real targets, which uses all training records");
}

}  // namespace trilemma
