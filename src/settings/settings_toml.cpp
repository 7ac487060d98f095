// Records as a TOML file, with or without help texts.

#include <algorithm>

#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "settings/settings.hpp"

namespace trilemma {
namespace {

constexpr std::size_t columns = 100;

// Returns the elements, texts in quotes or numbers, of a TOML list.
std::vector<std::string> elements_of(std::string_view list) {
  std::vector<std::string> found(1);
  char quote = '\0';
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    const char c = list[i];
    if (quote == '\0' && c == ',') {
      found.emplace_back();
      continue;
    }
    if (c == quote && (c == '\'' || list[i - 1] != '\\'))
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    if (quote != '\0' || c != ' ') found.back() += c;
  }
  return found;
}

// Writes a list that does not fit into a line with one element per line.
std::string setting_lines(const std::string& key, const std::string& value) {
  std::string line = fmt::format("{} = {}\n", key, value);
  if (line.size() <= columns + 1 || value.front() != '[') return line;
  std::string lines = key + " = [\n";
  for (const auto& element : elements_of(value)) lines += fmt::format("  {},\n", element);
  return lines + "]\n";
}

std::string comment(const SettingRecord& record) {
  std::string help = record.help;
  if (!record.word.empty())
    help += fmt::format(" ({}, or \"{}\")",
                        record.type == SettingType::number ? "a number" : "a whole number",
                        record.word);
  if (record.default_value.empty())
    help += " (no default)";
  else if (record.value != record.default_value)
    help += fmt::format("; default {}", record.default_value);
  std::vector<std::string> other_defaults;
  std::vector<SettingChoice> choices = record.choices;
  for (const auto& other : record.others) {
    if (other.default_value != record.default_value && !other.default_value.empty() &&
        std::ranges::count(other_defaults, other.default_value) == 0)
      other_defaults.push_back(other.default_value);
    for (const auto& one : other.choices)
      if (std::ranges::count(choices, one.name, &SettingChoice::name) == 0) choices.push_back(one);
  }
  if (!other_defaults.empty())
    help += fmt::format("; default of other parts: {}", join(other_defaults));
  std::string lines = wrapped(help, "# ", "# ", columns);
  for (const auto& choice : choices)
    lines +=
        wrapped(choice.help.empty() ? choice.name : fmt::format("{}: {}", choice.name, choice.help),
                "#   ", "#       ", columns);
  return lines;
}

template <class Lines>
std::string by_table(const std::vector<SettingRecord>& records, const Lines& lines_of) {
  std::vector<std::string> tables;
  std::vector<std::string> body;
  for (const auto& entry : records) {
    const auto dot = entry.path.rfind('.');
    const std::string table = dot == std::string::npos ? "" : entry.path.substr(0, dot);
    const std::string key = dot == std::string::npos ? entry.path : entry.path.substr(dot + 1);
    const std::string lines = lines_of(entry, key);
    if (lines.empty()) continue;
    auto at = std::ranges::find(tables, table) - tables.begin();
    if (at == static_cast<std::ptrdiff_t>(tables.size())) {
      tables.push_back(table);
      body.emplace_back();
    }
    body[static_cast<std::size_t>(at)] += lines;
  }
  // TOML requires keys of the root before the first table.
  std::string text;
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].empty() != (pass == 0)) continue;
      if (pass == 1) text += fmt::format("\n[{}]\n", tables[i]);
      text += body[i];
    }
  return text;
}

}  // namespace

std::string to_toml(const std::vector<SettingRecord>& records) {
  return by_table(records, [](const SettingRecord& record, const std::string& key) {
    return record.value.empty() ? "" : fmt::format("{} = {}\n", key, record.value);
  });
}

std::string to_annotated_toml(const std::vector<SettingRecord>& records) {
  return by_table(records, [](const SettingRecord& record, const std::string& key) {
    return comment(record) +
           (record.value.empty() ? fmt::format("# {} =\n", key) : setting_lines(key, record.value));
  });
}

}  // namespace trilemma
