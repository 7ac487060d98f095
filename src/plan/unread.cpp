#include "plan/unread.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace trilemma {
namespace {

bool is_in_layer(std::string_view path) {
  return path.starts_with("methods.") || path.starts_with("modes.");
}

// The text in a value as TOML.
std::string unquoted(const std::string& value) {
  return value.size() < 2 ? value : value.substr(1, value.size() - 2);
}

// Everything that is in effect and that nobody has read.
std::vector<SettingEntry> unread(const Settings& settings) {
  std::set<std::string> read;
  for (const auto& record : settings.records()) read.insert(record.path);
  std::vector<SettingEntry> found;
  for (auto& entry : settings.entries())
    if (!is_in_layer(entry.path) && read.count(entry.path) == 0) found.push_back(std::move(entry));
  return found;
}

// Another part than the file's may have been asked for, and does not read the file's keys.
bool chooses_a_part(const SettingRecord& record, const Settings& settings) {
  const std::string_view path = record.path;
  return (path == "method" || path == "mode" || path == "data.source" || path.ends_with(".kind")) &&
         settings.commanded(path);
}

}  // namespace

std::vector<std::string> unread_keys(const Settings& settings) {
  std::vector<std::string> found;
  for (const auto& entry : unread(settings)) found.push_back(entry.path);
  return found;
}

std::vector<std::string> suspicious_keys(const Settings& settings) {
  std::set<std::string> set_somewhere;
  for (const auto& entry : settings.entries()) set_somewhere.insert(entry.path);
  bool is_for_many = std::any_of(set_somewhere.begin(), set_somewhere.end(), is_in_layer);
  std::string layer;
  for (const auto& record : settings.records()) {
    is_for_many = is_for_many || chooses_a_part(record, settings);
    if (record.path == "method") layer = "methods." + unquoted(record.value) + ".";
  }
  std::vector<std::string> found;
  for (const auto& entry : unread(settings))
    if (set_somewhere.count(layer + entry.path) != 0 ||
        (!is_for_many && entry.place.starts_with(settings.file() + ":")))
      found.push_back(entry.path);
  return found;
}

}  // namespace trilemma
