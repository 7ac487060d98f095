#include "run/file_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/version.hpp"
#include "experiment/disclosures.hpp"
#include "run/declared_metrics.hpp"

namespace trilemma {

FileCheck::FileCheck(const h5::Group& open_file, const Summary& summary, const Plan& recorded,
                     const Claim& follows)
    : file(open_file),
      run(summary),
      plan(recorded),
      claim(follows),
      withheld(trilemma::withheld(recorded)) {
  rows = static_cast<std::size_t>(file.open_dataset("rounds/round").extents(1)[0]);
  const h5::Dataset start = file.open_dataset("model/start");
  real_bits = static_cast<unsigned>(8 * start.value_size());
  same_width = real_bits == 8 * sizeof(real);
  is_replay = plan.policy && !has("contacts");
  const char* revision = "environment/git_revision";
  is_own_revision = has(revision) && file.read_text(revision) == git_revision();
  metrics = declared_metrics(plan, is_replay);
  constexpr std::uint64_t most_starts = std::uint64_t{1} << 33U;
  ranks = file.read_numbers("starts/ranks", most_starts);
}

const Metric* FileCheck::metric(const std::string& name) const {
  const auto found = std::ranges::find(metrics, name, &Metric::path);
  return found == metrics.end() ? nullptr : &*found;
}

ColumnValues FileCheck::column(const std::string& name) {
  if (!has(name)) {
    const Metric* declared = metric(name);
    const bool may_be_missing = declared != nullptr && declared->provenance.meets(withheld);
    if (!may_be_missing) report({.kind = Mismatch::missing, .field = "/" + name});
    return {};
  }
  auto values = file.read_numbers(name, static_cast<std::uint64_t>(run.rounds) + 1);
  if (values.size() == rows) return values;
  // In the file of a killed run some columns may have more rows than others.
  if (run.complete)
    report({.kind = Mismatch::elsewhere,
            .field = "number of rows of /" + name,
            .recorded = static_cast<double>(values.size()),
            .expected = static_cast<double>(rows),
            .place = "/rounds/round"});
  return {};
}

bool FileCheck::require_member(const std::string& name) {
  const bool is_there = has(name);
  if (!is_there) report({.kind = Mismatch::missing, .field = "/" + name});
  return is_there;
}

void FileCheck::expect(const std::string& field, double recorded, double expected,
                       double tolerance) {
  if (!same_number(recorded, expected, tolerance))
    report({.field = field, .recorded = recorded, .expected = expected});
}

void FileCheck::expect(const std::string& field, const std::string& recorded,
                       const std::string& expected) {
  if (recorded != expected) report({.field = field, .recorded = recorded, .expected = expected});
}

void FileCheck::expect(const std::string& field, const FieldValue& recorded,
                       const FieldValue& expected) {
  constexpr double tolerance = 1e-9;
  if (!same_value(recorded, expected, tolerance))
    report({.field = field,
            .recorded = difference_value(recorded),
            .expected = difference_value(expected)});
}

void FileCheck::expect_as(const std::string& place, const std::string& field, double recorded,
                          double there, double tolerance) {
  if (!same_number(recorded, there, tolerance))
    report({.kind = Mismatch::elsewhere,
            .field = field,
            .recorded = recorded,
            .expected = there,
            .place = place});
}

void FileCheck::limit(const std::string& field, double recorded, double least, double most,
                      std::optional<std::uint64_t> row) {
  auto found = outside_of(recorded, least, most);
  if (!found) return;
  found->field = field;
  found->row = row;
  report(*std::move(found));
}

void FileCheck::limit(const std::string& field, const FieldValue& recorded, double least,
                      double most) {
  const auto* const number = std::get_if<double>(&recorded);
  const auto* const whole_number = std::get_if<std::int64_t>(&recorded);
  if (whole_number != nullptr) limit(field, static_cast<double>(*whole_number), least, most);
  if (number != nullptr && !std::isnan(*number)) limit(field, *number, least, most);
}

void FileCheck::check_rows(const std::string& name, std::size_t count, const RowCheck& what) {
  for (std::size_t row = 0; row < count; ++row) {
    auto found = what(row);
    if (!found) continue;
    found->field = "/" + name;
    found->row = row;
    report(*std::move(found));
    return;
  }
}

Difference wrong(Mismatch kind, double recorded, double expected) {
  return {.kind = kind, .recorded = recorded, .expected = expected};
}

std::optional<Difference> outside_of(double value, double least, double most, double tolerance) {
  const auto slack = [tolerance](double limit) {
    return std::isfinite(limit) ? tolerance * std::abs(limit) : 0;
  };
  if (value >= least - slack(least) && value <= most + slack(most)) return {};
  if (least == most) return wrong(Mismatch::configuration, value, least);
  const bool is_above = value > most;
  if (std::isnan(value)) return wrong(Mismatch::odd, value, least);
  return wrong(is_above ? Mismatch::above : Mismatch::below, value, is_above ? most : least);
}

}  // namespace trilemma
