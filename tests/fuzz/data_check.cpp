#include "tests/fuzz/data_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/data_folder.hpp"

namespace trilemma::fuzz {
namespace {

bool all_finite(const Vector& values) {
  return std::all_of(values.begin(), values.end(), [](real v) { return std::isfinite(v); });
}

void check_rows(const SparseRows& rows, std::size_t records, std::size_t features) {
  promise(rows.columns == features && rows.rows() == records, "sparse rows: shape");
  promise(rows.start.back() == rows.column.size() && rows.column.size() == rows.value.size(),
          "sparse rows: sizes");
  for (std::size_t r = 0; r < records; ++r)
    for (std::size_t e = rows.start[r]; e < rows.start[r + 1]; ++e)
      promise(
          rows.column[e] < features && (e == rows.start[r] || rows.column[e - 1] < rows.column[e]),
          "sparse rows: columns");
  promise(all_finite(rows.value), "sparse rows: values");
}

void check_rows(const DenseRows& rows, std::size_t records, std::size_t features) {
  promise(rows.columns == features && rows.rows() == records, "dense rows: shape");
  promise(rows.byte.size() + rows.value.size() == records * features, "dense rows: sizes");
  promise(all_finite(rows.value), "dense rows: values");
}

void check_dataset(const Dataset& data, const Source& source) {
  std::visit([&](const auto& rows) { check_rows(rows, data.size(), source.features()); },
             data.rows);
  const bool is_signed = source.sparse();
  for (const auto label : data.label)
    promise(
        is_signed ? label == 1 || label == -1 : label >= 0 && label < std::max(1, source.classes()),
        "labels");
  promise(data.target.size() == (source.classes() == 0 ? data.size() : 0), "number of targets");
  promise(all_finite(data.target), "targets");
  // Test records with users who are new belong to no user.
  promise(data.user.empty() || (source.has_users() && data.user.size() == data.size()),
          "number of users");
}

}  // namespace

void load(const char* source, const std::string& toml, const testing::TempFolder& folder,
          Check check) {
  Settings data = Settings::from_text("[data]\n" + toml, "fuzz.toml").section("data");
  const auto maker = row(sources(), source).make(data);
  DataFolder(folder.path()).settle(*maker, data);
  TrainTest records = maker->load(folder.path(), 1);
  promise(records.train.size() > 0, "training records");
  std::vector<std::uint32_t> all(records.train.size());
  std::iota(all.begin(), all.end(), 0U);
  if (check == Check::scaled) maker->scale(records, all);
  check_dataset(records.train, *maker);
  if (records.test.size() > 0) check_dataset(records.test, *maker);
  if (check == Check::loaded) maker->scale(records, all);
}

}  // namespace trilemma::fuzz
