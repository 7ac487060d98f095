#include "experiment/unread.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "experiment/sections.hpp"

namespace trilemma {
namespace {

bool is_in_layer(std::string_view path) {
  return is_in_section(path, "methods") || is_in_section(path, "modes");
}

// Returns all keys that are in effect and have not been read.
std::vector<SettingEntry> unread(const Settings& settings) {
  std::set<std::string> read;
  for (const auto& record : settings.records()) read.insert(record.path);
  std::vector<SettingEntry> found;
  for (auto& entry : settings.entries())
    if (!is_in_layer(entry.path) && read.count(entry.path) == 0) found.push_back(std::move(entry));
  return found;
}

// Returns whether the command line or a sweep has chosen a part, so that keys of the file's own
// part are not read.
bool chooses_a_part(const SettingRecord& record, const Settings& settings) {
  const std::string_view path = record.path;
  return (path == "method" || path == "mode" || path == "data.source" ||
          key_name(path) == "kind") &&
         settings.origin(path).is_asked_for();
}

// Returns "compressor" for the key compressor.kind, "data source" for data.source.
std::string family_of(std::string key) {
  const std::string_view name = key_name(key);
  if (name == "kind") key.resize(key.size() - name.size() - 1);
  std::ranges::replace(key, '.', ' ');
  return key;
}

void add_parts(const char* family, std::vector<std::string> parts,
               std::vector<std::string>& found) {
  if (parts.empty()) return;
  constexpr std::size_t most_named = 4;
  constexpr std::size_t named_of_many = 3;
  std::string others;
  if (parts.size() > most_named) {
    others = fmt::format(" or {} others", parts.size() - named_of_many);
    parts.resize(named_of_many);
  }
  found.push_back(fmt::format("{} {}{}", family, join(parts), others));
}

// Returns all parts that read the key.
std::vector<SettingReader> all_readers(const std::string& key) {
  const auto record = std::ranges::find(all_settings(), key, &SettingRecord::path);
  if (record == all_settings().end()) return {};
  std::vector<SettingReader> readers = record->readers;
  for (const auto& other : record->others)
    readers.insert(readers.end(), other.readers.begin(), other.readers.end());
  return readers;
}

bool is_read_by_methods(const std::string& key) {
  return std::ranges::count(all_readers(key), "method", &SettingReader::choice) > 0;
}

// Adds the parts that read the key, by family.
void add_readers(const std::string& key, std::vector<std::string>& found) {
  const std::vector<SettingReader> readers = all_readers(key);
  std::vector<std::string> choices;
  for (const auto& reader : readers)
    if (std::ranges::count(choices, reader.choice) == 0) choices.push_back(reader.choice);
  for (const auto& choice : choices) {
    std::vector<std::string> parts;
    for (const auto& reader : readers)
      if (reader.choice == choice) parts.push_back(reader.part);
    add_parts(family_of(choice).c_str(), std::move(parts), found);
  }
}

// Keys that choose a part are not recorded as keys of a method; methods without a part of their own
// read them.
void add_readers_of_choice(const std::string& key, std::vector<std::string>& found) {
  const bool is_compressor = key == "compressor.kind";
  if (!is_compressor && key != "bound.kind") return;
  std::vector<std::string> parts;
  for (const auto& row : methods()) {
    Settings defaults = Settings::empty();
    const Method method = row.make(defaults);
    if ((is_compressor ? method.compressor : method.bound).empty()) parts.emplace_back(row.name);
  }
  add_parts("method", std::move(parts), found);
}

void add_readers_of_batch(const std::string& key, std::vector<std::string>& found) {
  if (key != "local.batch") return;
  std::vector<std::string> parts;
  for (const auto& row : estimators())
    if (row.make.uses_batch) parts.emplace_back(row.name);
  add_parts("estimator", std::move(parts), found);
  parts.clear();
  for (const auto& row : solvers())
    if (row.make.uses_batch) parts.emplace_back(row.name);
  add_parts("local.solver", std::move(parts), found);
}

std::vector<std::string> methods_with(bool (*property)(const Method&)) {
  std::vector<std::string> found;
  for (const auto& row : methods()) {
    Settings defaults = Settings::empty();
    if (property(row.make(defaults))) found.emplace_back(row.name);
  }
  return found;
}

}  // namespace

std::string readers_of(const std::string& key) {
  std::vector<std::string> found;
  add_readers(key, found);
  add_readers_of_choice(key, found);
  add_readers_of_batch(key, found);
  if (found.empty() && is_in_section(key, "privacy"))
    return "methods with noise, and with bound.kind = \"clip-client\" those on the simulated clock";
  std::vector<std::string> first;
  if (is_in_section(key, "clock") && !is_read_by_methods(key))
    add_parts("methods on the simulated clock,",
              methods_with([](const Method& method) { return !!method.asynchrony.clock; }), first);
  if (is_in_section(key, "graph"))
    add_parts("decentralised methods,",
              methods_with([](const Method& method) { return !!method.node; }), first);
  found.insert(found.begin(), first.begin(), first.end());
  return join(found, "; ");
}

std::string with_readers(const std::vector<std::string>& keys) {
  std::vector<std::string> words;
  for (const auto& key : keys) {
    const std::string readers = readers_of(key);
    words.push_back(readers.empty() ? key : fmt::format("{} (read by {})", key, readers));
  }
  return join(words);
}

Plan read_named_plan(const Settings& settings, DataFolder* data) {
  try {
    Plan plan = read_plan(settings, data);
    refuse_zero_start(settings, plan);
    return plan;
  } catch (const UnreadSetting& error) {
    Mistake mistake = error.mistake();
    const std::string readers = readers_of(mistake.key);
    if (readers.empty()) throw;
    // The help of the key often names another key that has to be set first.
    std::string meaning;
    for (const auto& record : all_settings())
      if (record.path == mistake.key) meaning = fmt::format(" ({})", record.help);
    mistake.remedy += fmt::format(": {}{}", readers, meaning);
    throw UnreadSetting(std::move(mistake));
  }
}

std::vector<std::string> unread_keys(const Settings& settings) {
  std::vector<std::string> found;
  for (const auto& entry : unread(settings)) found.push_back(entry.path);
  return found;
}

std::vector<std::string> suspicious_keys(const Settings& settings) {
  // A base may serve many methods, but keys of the file itself are meant for the method that runs.
  const auto is_own = [&settings](const SettingEntry& entry) {
    return entry.place.file == settings.file() && entry.place.line > 0;
  };
  std::set<std::string> set_somewhere;
  bool is_for_many = false;
  for (const auto& entry : settings.entries()) {
    set_somewhere.insert(entry.path);
    is_for_many = is_for_many || (is_in_layer(entry.path) && is_own(entry));
  }
  for (const auto& record : settings.records())
    is_for_many = is_for_many || chooses_a_part(record, settings);
  Settings scratch = settings.copy();
  const std::string layer = "methods." + read_method_name(scratch) + ".";
  std::vector<std::string> found;
  for (const auto& entry : unread(settings))
    if (set_somewhere.count(layer + entry.path) != 0 || (!is_for_many && is_own(entry)))
      found.push_back(entry.path);
  return found;
}

}  // namespace trilemma
