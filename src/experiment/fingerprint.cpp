#include "experiment/fingerprint.hpp"

#include <algorithm>
#include <iterator>

#include "base/sha256.hpp"

namespace trilemma {

bool determines_results(const std::string& path) {
  // Budgets are resolved to a number of rounds.
  constexpr const char* sections[] = {"timing", "checkpoint", "watchdog", "budget"};
  return path != "server_hosts" && path != "hosting" && path != "exchange.up" &&
         path != "exchange.nodes" && path != "exchange.ranks_per_node" &&
         std::none_of(std::begin(sections), std::end(sections),
                      [&](const char* section) { return is_in_section(path, section); });
}

std::string fingerprint(const std::vector<SettingRecord>& settings,
                        const std::vector<NamedFile>& files) {
  std::string lines;
  for (const auto& setting : settings) {
    if (!determines_results(setting.path)) continue;
    const auto file = std::ranges::find(files, setting.path, &NamedFile::key);
    lines +=
        fmt::format("{} = {}\n", setting.path, file == files.end() ? setting.value : file->sum());
  }
  return sha256(std::as_bytes(std::span(lines)));
}

std::map<std::string, std::string> record_settings(const std::vector<SettingRecord>& settings) {
  std::map<std::string, std::string> found;
  for (const auto& setting : settings)
    if (setting.path == "clients" || is_in_section(setting.path, "data") ||
        is_in_section(setting.path, "partition"))
      found[setting.path] = setting.value;
  return found;
}

}  // namespace trilemma
