#include "settings/settings.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/text.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {
namespace {

std::string as_toml_text(std::string_view text) {
  return as_toml(toml::value<std::string>(std::string(text)));
}

std::string texts_as_toml(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const auto& value : values) words.push_back(as_toml_text(value));
  return fmt::format("[{}]", join(words));
}

std::vector<SettingChoice> as_choices(const std::vector<std::string>& words) {
  std::vector<SettingChoice> choices;
  for (const auto& word : words) choices.push_back({word});
  return choices;
}

std::shared_ptr<SettingsDocument> resolved(SettingsDocument document,
                                           const std::vector<std::string>& overrides,
                                           SettingSource asked_by = SettingSource::command_line) {
  document.resolve(overrides, asked_by);
  return std::make_shared<SettingsDocument>(std::move(document));
}

}  // namespace

std::string Range::text(std::string_view noun) const {
  if (std::isinf(low) && std::isinf(high)) return std::string(noun);
  if (std::isinf(high))
    return fmt::format("{} {} {}", noun, low_open ? "above" : "of at least", low);
  return fmt::format("{} in {}{}, {}{}", noun, low_open ? '(' : '[', low, high,
                     high_open ? ')' : ']');
}

Settings Settings::from_file(const std::string& file, const std::vector<std::string>& overrides,
                             SettingSource asked_by) {
  return {resolved(SettingsDocument::from_file(file), overrides, asked_by), ""};
}

Settings Settings::from_text(const std::string& text, const std::string& name,
                             const std::vector<std::string>& overrides) {
  return {resolved(SettingsDocument::from_text(text, name), overrides), ""};
}

Settings Settings::listing() {
  Settings all = empty();
  all.document_->lists = true;
  return all;
}

bool Settings::lists() const { return document_->lists; }

Settings::PartScope::PartScope(const Settings& settings, std::string_view choice,
                               std::string_view part)
    : document_(settings.document_) {
  document_->parts.push_back({settings.full(choice), std::string(part)});
}

Settings::PartScope::~PartScope() { document_->parts.pop_back(); }

Settings Settings::copy() const { return {std::make_shared<SettingsDocument>(*document_), path_}; }

std::string Settings::full(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Settings Settings::section(std::string_view name) const {
  const std::string path = full(name);
  const auto* node = document_->find(path);
  if (node != nullptr && !node->is_table())
    throw UserError(Mistake{.place = document_->source_place(path),
                            .key = path,
                            .value = shown(as_toml(*node), 200),
                            .problem = path + " is a table of settings",
                            .remedy = fmt::format("write {}.KEY = VALUE", path)});
  return {document_, path};
}

bool Settings::has(std::string_view key) const { return document_->find(full(key)) != nullptr; }

SettingRecord* Settings::recorded(std::string_view key) {
  const auto found = std::ranges::find(document_->records, full(key), &SettingRecord::path);
  return found == document_->records.end() ? nullptr : &*found;
}

void Settings::resolve(std::string_view key, std::string_view value) {
  if (auto* entry = recorded(key); entry != nullptr) entry->value = as_toml_text(value);
}

void Settings::resolve(std::string_view key, long value) {
  if (auto* entry = recorded(key); entry != nullptr) entry->value = std::to_string(value);
}

void Settings::resolve(std::string_view key, double value) {
  if (auto* entry = recorded(key); entry != nullptr)
    entry->value = as_toml(toml::value<double>(value));
}

void Settings::resolve(std::string_view key, std::nullopt_t) {
  if (auto* entry = recorded(key); entry != nullptr) entry->value.clear();
}

bool Settings::says(std::string_view key, std::string_view word) const {
  const auto* node = document_->find(full(key));
  return node != nullptr && node->is_string() && *node->value<std::string>() == word;
}

Origin Settings::origin(std::string_view key) const { return document_->origin_of(full(key)); }

bool Settings::has_layer(std::string_view family, std::string_view name) const {
  const auto layers = document_->layers(family);
  return std::any_of(layers.begin(), layers.end(),
                     [&](const auto& layer) { return layer.path == name; });
}

const std::string& Settings::file() const { return document_->file(); }

void Settings::refuse(std::string_view key, const std::string& problem) const {
  const std::string path = full(key);
  const auto* node = document_->find(path);
  if (node == nullptr) {
    std::string value;
    for (const auto& entry : document_->records)
      if (entry.path == path) value = entry.value;
    throw UserError(Mistake{.place = {document_->file(), 0},
                            .key = path,
                            .value = value + " (default)",
                            .problem = problem});
  }
  throw UserError(Mistake{.place = document_->source_place(path),
                          .key = path,
                          .value = shown(as_toml(*node), 200),
                          .problem = problem});
}

void Settings::record(std::string_view key, SettingRecord like) {
  like.path = full(key);
  document_->read.insert(like.path);
  SettingRecord* entry = recorded(key);
  if (entry == nullptr) {
    like.origin = document_->origin_of(like.path);
    entry = &document_->records.emplace_back(std::move(like));
  } else if (!entry->reads_like(like)) {
    const auto known = std::ranges::find_if(
        entry->others, [&](const SettingRecord& other) { return other.reads_like(like); });
    entry = known != entry->others.end() ? &*known : &entry->others.emplace_back(std::move(like));
  }
  if (document_->parts.empty()) return;
  if (const SettingReader& part = document_->parts.back();
      std::ranges::count(entry->readers, part) == 0)
    entry->readers.push_back(part);
}

bool Settings::flag(std::string_view key, bool value, std::string_view help) {
  const auto* node = document_->find(full(key));
  bool result = value;
  if (node != nullptr) {
    if (!node->is_boolean()) refuse(key, "expected true or false");
    result = *node->value<bool>();
  }
  record(key, {.value = result ? "true" : "false",
               .default_value = value ? "true" : "false",
               .help = std::string(help),
               .type = SettingType::flag});
  return result;
}

std::string Settings::text(std::string_view key, std::string_view value, std::string_view help) {
  return text_like(key, value, {.help = std::string(help)});
}

std::string Settings::text_like(std::string_view key, std::string_view value, SettingRecord like) {
  const auto* node = document_->find(full(key));
  std::string result(value);
  if (node != nullptr) {
    // The shell removes the quotes of --set KEY="1", so a number there may be meant as text. This
    // holds for whole numbers only: other numbers would not be reproduced as typed.
    if (!node->is_string() && !(origin(key).is_asked_for() && node->is_integer()))
      refuse(key, "expected text in quotes");
    result = node->is_string() ? *node->value<std::string>() : as_toml(*node);
  }
  like.value = as_toml_text(result);
  like.default_value = as_toml_text(value);
  record(key, std::move(like));
  return result;
}

std::vector<std::string> Settings::texts(std::string_view key,
                                         const std::vector<std::string>& value,
                                         std::string_view help) {
  return texts_like(key, value, {.help = std::string(help), .type = SettingType::texts});
}

std::vector<std::string> Settings::texts_like(std::string_view key,
                                              const std::vector<std::string>& value,
                                              SettingRecord like) {
  const auto* node = document_->find(full(key));
  std::vector<std::string> result = value;
  if (node != nullptr) {
    result.clear();
    const toml::array one(*node);
    for (const auto& part : node->is_array() ? *node->as_array() : one) {
      if (!part.is_string())
        refuse(key, "expected texts in quotes, such as [\"a\", \"b\"] or \"a\"");
      result.push_back(*part.value<std::string>());
    }
  }
  like.value = texts_as_toml(result);
  like.default_value = texts_as_toml(value);
  record(key, std::move(like));
  return result;
}

std::vector<std::string> Settings::words(std::string_view key,
                                         const std::vector<std::string>& value,
                                         std::string_view help) {
  const auto* node = document_->find(full(key));
  std::vector<std::string> result = value;
  if (node != nullptr) {
    result.clear();
    const toml::array one(*node);
    for (const auto& part : node->is_array() ? *node->as_array() : one) {
      if (!part.is_string() && !part.is_integer())
        refuse(key, "expected texts in quotes or whole numbers, such as [\"a\", \"b\"] or [1, 2]");
      result.push_back(part.is_string() ? *part.value<std::string>()
                                        : std::to_string(*part.value<std::int64_t>()));
    }
  }
  record(key, {.value = texts_as_toml(result),
               .default_value = texts_as_toml(value),
               .help = std::string(help),
               .type = SettingType::texts});
  return result;
}

std::string Settings::choice(std::string_view key, std::string_view value,
                             const std::vector<std::string>& words, std::string_view help) {
  return choice_of(key, value, as_choices(words), help);
}

// Returns the choice that has `word` among its other names, whatever the case; empty if none has.
std::string choice_called(std::string word, const std::vector<SettingChoice>& choices) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto& one : choices) {
    std::istringstream names(one.also);
    for (std::string name; names >> name;)
      if (name == word) return one.name;
  }
  return "";
}

std::string Settings::choice_of(std::string_view key, std::string_view value,
                                const std::vector<SettingChoice>& choices, std::string_view help) {
  std::string result = text_like(key, value, {.help = std::string(help), .choices = choices});
  if (std::ranges::count(choices, result, &SettingChoice::name) == 0) {
    std::vector<std::string> words;
    for (const auto& one : choices) words.push_back(one.name);
    const std::string same = choice_called(result, choices);
    const std::string near =
        same.empty() ? did_you_mean(result, words, "") : fmt::format("did you mean \"{}\"?", same);
    refuse(key, fmt::format("expected one of {}{}{}", join(words), near.empty() ? "" : "; ", near));
  }
  return result;
}

bool Settings::left_to(std::string_view key, const SettingRecord& like) {
  if (has(key) && !says(key, like.word)) return false;
  record(key, like);
  return true;
}

std::vector<SettingEntry> Settings::entries() const { return document_->entries(); }

const std::vector<SettingRecord>& Settings::records() const { return document_->records; }

std::string Settings::folder_of(std::string_view key) const {
  return std::filesystem::path(document_->file_of(full(key))).parent_path().string();
}

std::string Settings::folder() const {
  return std::filesystem::path(document_->file()).parent_path().string();
}

}  // namespace trilemma
