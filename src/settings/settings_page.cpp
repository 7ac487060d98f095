// The records of all settings as the reference page.

#include <algorithm>

#include "base/standard_output.hpp"
#include "base/text.hpp"
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
    case SettingType::numbers:
      return "numbers, each " + number("a number");
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

// Lists the parts that read a key, grouped by the keys that choose them.
std::string readers_in_words(const SettingRecord& record) {
  std::vector<std::string> choices;
  std::vector<std::vector<std::string>> parts;
  for (const auto& reader : record.readers) {
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
  return type_in_words(record) +
         (record.word.empty() ? "" : ", or " + code("\"" + record.word + "\"")) +
         (record.default_value.empty() ? "; no default"
                                       : "; default " + code(record.default_value));
}

// A symbol such as "beta:" keeps its case.
std::string sentence(std::string text) {
  const auto first_word_ends = text.find_first_of(" :");
  if (first_word_ends == std::string::npos || text[first_word_ends] != ':')
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + '.';
}

std::string paragraph(const std::string& text) {
  return '\n' + wrapped(text, "", "", page_columns);
}

std::string list(const std::vector<SettingChoice>& choices) {
  std::string text = choices.empty() ? "" : "\n";
  for (const auto& choice : choices)
    text += wrapped(code(choice.name) + (choice.help.empty() ? "" : ": " + choice.help), "* ", "  ",
                    page_columns);
  return text;
}

// Where parts read the key in different ways, each way names its parts and what differs.
std::string section_of(const SettingRecord& record) {
  std::string text = fmt::format("### {}\n", code(record.path)) +
                     paragraph(sentence(type_and_default_of(record))) +
                     paragraph(sentence(record.help)) + list(record.choices);
  if (!record.readers.empty()) text += paragraph("Read for " + readers_in_words(record) + ".");
  for (const auto& other : record.others) {
    text += paragraph(fmt::format(
        "{}: {}.{}", other.readers.empty() ? "Otherwise" : "For " + readers_in_words(other),
        type_and_default_of(other), other.help == record.help ? "" : ' ' + sentence(other.help)));
    if (other.choices != record.choices) text += list(other.choices);
  }
  return text;
}

}  // namespace

std::string to_markdown(const std::vector<SettingRecord>& records) {
  std::string text =
      "# Settings\n\nAll keys of an experiment: type and range, default, meaning, and which parts "
      "read them.\n`trilemma reference settings` prints this page.\n";
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
  std::vector<std::string> links;
  for (const auto& table : tables)
    if (!table.empty()) {
      std::string anchor = table;
      std::erase(anchor, '.');
      links.push_back(fmt::format("[{}](#{})", code("[" + table + "]"), anchor));
    }
  text += '\n' + wrapped("Tables: " + join(links) + ".", "", "", page_columns);
  for (std::size_t i = 0; i < tables.size(); ++i)
    text += fmt::format("\n## {}\n{}",
                        tables[i].empty() ? "Top level" : code("[" + tables[i] + "]"), body[i]);
  return text;
}

}  // namespace trilemma
