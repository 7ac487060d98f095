// The records of all settings as the reference page.

#include <algorithm>

#include "base/text.hpp"
#include "base/wrapped.hpp"
#include "settings/settings.hpp"

namespace trilemma {
namespace {

constexpr std::size_t page_columns = 120;

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string type_in_words(const SettingRecord& record) {
  const auto number = [&](std::string_view noun) {
    return record.range.text(noun) +
           (record.range.unit.empty() ? "" : fmt::format(", in {}", record.range.unit));
  };
  switch (record.type) {
    case SettingType::flag:
      return "true or false";
    case SettingType::number:
      return number("a number");
    case SettingType::whole_number:
      return number("a whole number");
    case SettingType::whole_numbers:
      return "whole numbers, each " + number("a number");
    case SettingType::file:
      return "the name of a file";
    case SettingType::files:
      return "names of files";
    case SettingType::texts:
      return "texts";
    case SettingType::text:
      break;
  }
  return record.choices.empty() ? "text" : "one of the words below";
}

// Lists the parts that read a key, grouped by the keys that choose them; only parts with
// `default_value` unless it is nullptr.
std::string readers_in_words(const SettingRecord& record, const std::string* default_value) {
  std::vector<std::string> choices;
  std::vector<std::vector<std::string>> parts;
  for (const auto& reader : record.readers) {
    if (default_value != nullptr && reader.default_value != *default_value) continue;
    auto at = std::ranges::find(choices, reader.choice) - choices.begin();
    if (at == static_cast<std::ptrdiff_t>(choices.size())) {
      choices.push_back(reader.choice);
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(at)].push_back(code(reader.part));
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < choices.size(); ++i)
    words.push_back(fmt::format("{} = {}", code(choices[i]), join(parts[i])));
  return join(words, "; ");
}

std::string type_and_default_of(const SettingRecord& record) {
  std::string text = type_in_words(record);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (!record.word.empty()) text += ", or " + code("\"" + record.word + "\"");
  text += record.default_value.empty() ? "; no default" : "; default " + code(record.default_value);
  for (const auto& other : record.other_defaults) {
    const std::string parts = readers_in_words(record, &other);
    text +=
        fmt::format("; {}{}", code(other), parts.empty() ? " for other parts" : " for " + parts);
  }
  return text + ".";
}

std::string section_of(const SettingRecord& record) {
  std::string help = record.help;
  std::string text = fmt::format("### {}\n\n{}\n{}", code(record.path),
                                 wrapped(type_and_default_of(record), "", "", page_columns),
                                 wrapped(help + ".", "", "", page_columns));
  for (const auto& choice : record.choices) {
    if (&choice == &record.choices.front()) text += '\n';
    text += wrapped(code(choice.name) + (choice.help.empty() ? "" : ": " + choice.help), "* ", "  ",
                    page_columns);
  }
  if (!record.readers.empty())
    text +=
        '\n' + wrapped("Read for " + readers_in_words(record, nullptr) + ".", "", "", page_columns);
  return text;
}

}  // namespace

std::string to_markdown(const std::vector<SettingRecord>& records) {
  std::string text =
      "# Settings\n\nAll keys of an experiment: type and range, default, meaning, and which parts "
      "read them.\nWritten by `trilemma reference settings`; do not edit.\n";
  std::vector<std::string> tables;
  std::vector<std::string> body;
  for (const auto& record : records) {
    const auto dot = record.path.rfind('.');
    const std::string table = dot == std::string::npos ? "" : record.path.substr(0, dot);
    auto at = std::ranges::find(tables, table) - tables.begin();
    if (at == static_cast<std::ptrdiff_t>(tables.size())) {
      tables.push_back(table);
      body.emplace_back();
    }
    body[static_cast<std::size_t>(at)] += '\n' + section_of(record);
  }
  for (std::size_t i = 0; i < tables.size(); ++i)
    text += fmt::format("\n## {}\n{}",
                        tables[i].empty() ? "Top level" : code("[" + tables[i] + "]"), body[i]);
  return text;
}

}  // namespace trilemma
