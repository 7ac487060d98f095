#include "sweep/sweep_keys.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace trilemma {
namespace {

// Length of a key or a list in a message.
constexpr std::size_t most_bytes = 200;

}  // namespace

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void refuse(const SettingEntry& entry, const std::string& problem) {
  std::vector<std::string> values;
  for (const auto& value : entry.values) values.push_back(value.toml);
  const std::string list = join(values);
  throw UserError(Mistake{.place = entry.place,
                          .key = shown(entry.path, most_bytes),
                          .value = shown(entry.is_list ? "[" + list + "]" : list, most_bytes),
                          .problem = problem});
}

void check_root(const SettingEntry& entry, const std::string& root,
                const std::vector<std::string>& settings) {
  const std::vector<std::string> known = {"name",    "experiment", "repetitions", "order_seed",
                                          "seeds",   "set",        "axes",        "zip",
                                          "methods", "tune",       "replicates"};
  if (contains(known, root)) return;
  std::vector<std::string> meant = known;
  meant.emplace_back("tune.seeds");
  const std::string otherwise = fmt::format(
      "known are {}; settings of the experiment belong in [set] or [axes]", join(known));
  throw UserError(Mistake{
      .place = entry.place,
      .key = shown(root, most_bytes),
      .problem = "unknown key of a sweep",
      .remedy = contains(settings, entry.path) ? otherwise : did_you_mean(root, meant, otherwise)});
}

void check_key(const SourcePlace& place, const std::string& key,
               const std::vector<std::string>& known, std::string_view also_meant) {
  std::string_view setting = key;
  for (const std::string_view family : {"methods.", "modes."})
    if (const auto dot = key.find('.', family.size());
        key.starts_with(family) && dot != std::string::npos)
      setting.remove_prefix(dot + 1);
  if (contains(known, setting)) return;
  std::vector<std::string> meant = known;
  if (!also_meant.empty()) meant.emplace_back(also_meant);
  throw UserError(fmt::format(
      "{}: {}: not a setting of an experiment; {}", place.text(), shown(key, most_bytes),
      did_you_mean(setting, meant, "`trilemma config --defaults` lists all keys")));
}

void check_list(const SettingEntry& entry) {
  if (!entry.is_list)
    refuse(entry, "expected a list, as in [1, 2]; a value that all cells share belongs in [set]");
  if (entry.values.empty()) refuse(entry, "an empty list; give values, or remove the key");
}

void check_values(const SettingEntry& entry) {
  for (const auto& value : entry.values)
    if (value.value.index() == 0)
      refuse(entry, fmt::format("{} is neither a number nor text nor true or false; give only "
                                "such values",
                                shown(value.toml)));
}

}  // namespace trilemma
