#include "experiment/settings_difference.hpp"

#include <map>

#include "base/text.hpp"
#include "experiment/fingerprint.hpp"
#include "settings/settings.hpp"

namespace trilemma {
namespace {

constexpr std::size_t most_named = 4;
constexpr std::size_t longest_value = 60;

std::map<std::string, std::string> values_of(const std::string& config) {
  std::map<std::string, std::string> values;
  for (const auto& entry : Settings::from_text(config, "/config").entries()) {
    if (!determines_results(entry.path)) continue;
    std::vector<std::string> words;
    for (const auto& value : entry.values) words.push_back(value.toml);
    const std::string text = join(words);
    values[entry.path] = entry.is_list ? "[" + text + "]" : text;
  }
  return values;
}

std::string shown(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end()) return "not set";
  if (found->second.size() <= longest_value) return found->second;
  return found->second.substr(0, longest_value) + "...";
}

}  // namespace

std::string settings_difference(const std::string& there, const std::string& here,
                                const std::vector<ChangedFile>& files) {
  const auto old_values = values_of(there);
  const auto new_values = values_of(here);
  auto all = old_values;
  all.insert(new_values.begin(), new_values.end());
  std::vector<std::string> found;
  for (const auto& [key, value] : all)
    if (shown(old_values, key) != shown(new_values, key))
      found.push_back(fmt::format("{} = {} there, {} here", key, shown(old_values, key),
                                  shown(new_values, key)));
  if (!files.empty()) found.insert(found.begin(), in_words(files));
  if (found.empty()) {
    const auto start = new_values.find("start.file");
    return start != new_values.end() && start->second.size() > 2  // more than quotes
               ? "the settings read the same, but the content of start.file differs"
               : "the settings read the same; another version of the program has written it";
  }
  const std::size_t more = found.size() - std::min(found.size(), most_named);
  found.resize(found.size() - more);
  return printable(join(found, "; ") + (more > 0 ? fmt::format("; and {} more", more) : ""));
}

}  // namespace trilemma
