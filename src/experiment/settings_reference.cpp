
#include <algorithm>

#include "experiment/read_plan.hpp"
#include "method/method.hpp"

namespace trilemma {
namespace {

// Returns the settings that a run of `method` reads. The noise must be given for methods that add
// it; others refuse it in a file that chooses them, but not in the file of another method.
std::vector<SettingRecord> settings_of(const char* method) {
  const Settings settings =
      Settings::from_text("[privacy]\nsigma = 1", "defaults", {fmt::format("method={}", method)});
  read_plan(settings);
  return settings.records();
}

}  // namespace

std::string settings_reference() {
  std::vector<SettingRecord> all = all_settings();
  for (const auto& row : methods())
    for (SettingRecord& read : settings_of(row.name)) {
      const auto record = std::ranges::find(all, read.path, &SettingRecord::path);
      // A key with readers has the defaults of all its parts already.
      if (record == all.end() || !record->readers.empty() || read.path == "method") continue;
      if (read.default_value == record->default_value) continue;
      const auto known =
          std::ranges::find(record->others, read.default_value, &SettingRecord::default_value);
      SettingRecord& other =
          known != record->others.end() ? *known : record->others.emplace_back(std::move(read));
      other.readers.push_back({"method", row.name});
    }
  return to_markdown(all);
}

}  // namespace trilemma
