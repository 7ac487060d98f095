#include "experiment/fingerprint.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "settings/settings.hpp"

namespace trilemma {
namespace {

constexpr std::size_t most_named = 4;
constexpr std::size_t longest_value = 60;

using Entries = std::map<std::string, SettingEntry>;

Entries entries_of(const std::string& config) {
  Entries found;
  for (auto& entry : Settings::from_text(config, "/config").entries())
    if (determines_results(entry.path)) found[entry.path] = std::move(entry);
  return found;
}

std::string shown(const Entries& entries, const std::string& key) {
  const auto found = entries.find(key);
  if (found == entries.end()) return "not set";
  std::vector<std::string> words;
  for (const auto& value : found->second.values) words.push_back(value.toml);
  const std::string text = found->second.is_list ? "[" + join(words) + "]" : join(words);
  return text.size() <= longest_value ? text : text.substr(0, longest_value) + "...";
}

bool names_start_file(const Entries& entries) {
  const auto found = entries.find("start.file");
  if (found == entries.end() || found->second.values.empty()) return false;
  const auto* name = std::get_if<std::string>(&found->second.values.front().value);
  return name != nullptr && !name->empty();
}

}  // namespace

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

std::string settings_difference(const std::string& there, const std::string& here,
                                const std::vector<ChangedFile>& files) {
  const Entries old_values = entries_of(there);
  const Entries new_values = entries_of(here);
  auto all = old_values;
  all.insert(new_values.begin(), new_values.end());
  std::vector<std::string> found;
  for (const auto& [key, value] : all)
    if (shown(old_values, key) != shown(new_values, key))
      found.push_back(fmt::format("{} = {} there, {} here", key, shown(old_values, key),
                                  shown(new_values, key)));
  if (!files.empty()) found.insert(found.begin(), in_words(files));
  if (found.empty())
    return names_start_file(new_values)
               ? "the settings are the same, but the content of start.file differs"
               : "the settings are the same; another version of the program has written the file";
  const std::size_t more = found.size() - std::min(found.size(), most_named);
  found.resize(found.size() - more);
  return printable(join(found, "; ") + (more > 0 ? fmt::format("; and {} more", more) : ""));
}

}  // namespace trilemma
