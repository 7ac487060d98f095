#include "data/csv_settings.hpp"

#include <set>

#include "data/class_labels.hpp"
#include "data/source.hpp"

namespace trilemma {
namespace {

constexpr const char* parkinsons = "parkinsons-telemonitoring/parkinsons_updrs.data";

void refuse_twins(const Settings& s, const std::string& key,
                  const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second)
      s.refuse(key, fmt::format("\"{}\" stands there twice; name every column once", name));
}

// Reads which columns are features: the named ones, or all that are not dropped. The defaults are
// those of the default file.
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
  refuse_twins(s, "columns", v.columns);
  std::vector<std::string> others;
  if (usual && v.columns.empty()) others.emplace_back("total_UPDRS");
  v.drop = s.texts("drop", others, "columns that are not features");
  v.one_hot = s.texts("one_hot", {},
                      "columns of words: a feature of 0 or 1 for each word that training has, in "
                      "ascending order, behind all other features");
  s.omit_at_default("one_hot");
  refuse_twins(s, "one_hot", v.one_hot);
  const std::size_t named = v.columns.size();
  v.features = s.integer_or("features", left_to_files, at_least(1), "features, without the bias");
  if (named > 0 && v.one_hot.empty()) {
    v.features = v.features.value_or(named);
    s.spell_out("features", static_cast<long>(*v.features));
    if (v.features != named)
      s.refuse("features", fmt::format("data.columns names {}; leave data.features out", named));
  }
  if (named > 0 && !v.drop.empty())
    s.refuse("drop", "data.columns names the features; leave data.drop out");
  for (const auto& own : {v.target, v.user})
    if (is_among(own, v.columns))
      s.refuse("columns", fmt::format("\"{}\" is the target or the user; take it out", own));
  for (const auto& word : v.one_hot)
    if (word == v.target || word == v.user || is_among(word, v.drop) ||
        (named > 0 && !is_among(word, v.columns)))
      s.refuse("one_hot", fmt::format("\"{}\" is not a feature; take it out", word));
}

}  // namespace

CsvSettings read_csv_settings(Settings& s) {
  CsvSettings v;
  v.train = s.data_file("train", parkinsons, "training file, relative to the data directory");
  v.test = s.data_file("test", "", "test file; empty = none");
  const std::string delimiter = s.text("delimiter", ",", "character between cells");
  if (delimiter.size() != 1 || delimiter == "\"" || delimiter == "\n")
    s.refuse("delimiter", "expected one character, as \",\" or \";\" or \"\\t\"");
  v.delimiter = delimiter[0];
  v.decimal = s.choice("decimal", ".", {".", ","}, "decimal point of the numbers")[0];
  s.omit_at_default("decimal");
  if (v.decimal == v.delimiter) s.refuse("decimal", "the same as data.delimiter; change one");
  read_columns(s, v);
  v.classes = s.integer_or("classes", left_to_files, {.low = 0, .high = 1e6},
                           "different labels in the target column, 0 = real targets; files = the "
                           "number of different words in it, 0 where it holds numbers");
  if (v.classes == 1) s.refuse("classes", "expected 0 for real targets, or at least 2");
  v.labels = read_class_labels(s, v.classes);
  v.missing = missing_values_named(
      s.choice("missing", name(MissingValues::refuse),
               {name(MissingValues::refuse), name(MissingValues::drop), name(MissingValues::mean)},
               "what becomes of an empty cell, NA, NaN, nan or ?: drop leaves the record out, "
               "mean takes the mean of the feature over all training records"));
  s.omit_at_default("missing");
  v.bias = s.flag("bias", true, "append a constant feature 1");
  v.scaling =
      read_scaling(s, Scaling::standard,
                   "scaling of every feature and of real targets; looks at all training records");
  return v;
}

}  // namespace trilemma
