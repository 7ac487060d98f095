#include <algorithm>

#include "settings/settings.hpp"

namespace trilemma {

std::string to_toml(const std::vector<SettingRecord>& records, bool with_help) {
  std::vector<std::string> tables;
  std::vector<std::string> body;
  for (const auto& entry : records) {
    const auto dot = entry.path.rfind('.');
    const std::string table = dot == std::string::npos ? "" : entry.path.substr(0, dot);
    const std::string key = dot == std::string::npos ? entry.path : entry.path.substr(dot + 1);
    auto at = std::find(tables.begin(), tables.end(), table) - tables.begin();
    if (at == static_cast<std::ptrdiff_t>(tables.size())) {
      tables.push_back(table);
      body.emplace_back();
    }
    if (with_help)
      body[static_cast<std::size_t>(at)] +=
          fmt::format("# {}{}\n", entry.help,
                      entry.default_value.empty() || entry.value == entry.default_value
                          ? ""
                          : fmt::format("; default {}", entry.default_value));
    const bool absent = entry.value.empty();
    if ((absent || entry.omitted) && !with_help) continue;
    body[static_cast<std::size_t>(at)] +=
        absent ? fmt::format("# {} =\n", key) : fmt::format("{} = {}\n", key, entry.value);
  }
  // Keys of the root must stand before the first table.
  std::string text;
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].empty() != (pass == 0)) continue;
      if (pass == 1) text += fmt::format("\n[{}]\n", tables[i]);
      text += body[i];
    }
  return text;
}

}  // namespace trilemma
