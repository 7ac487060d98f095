#include "settings/settings.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

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

std::shared_ptr<SettingsDocument> resolved(SettingsDocument document,
                                           const std::vector<std::string>& overrides) {
  document.resolve(overrides);
  return std::make_shared<SettingsDocument>(std::move(document));
}

}  // namespace

std::string Range::text() const {
  if (std::isinf(low) && std::isinf(high)) return "any number";
  if (std::isinf(high))
    return fmt::format("a number {} {}", low_open ? "above" : "of at least", low);
  return fmt::format("a number in {}{}, {}{}", low_open ? '(' : '[', low, high,
                     high_open ? ')' : ']');
}

Settings Settings::from_file(const std::string& file, const std::vector<std::string>& overrides) {
  return {resolved(SettingsDocument::from_file(file), overrides), ""};
}

Settings Settings::from_text(const std::string& text, const std::string& name,
                             const std::vector<std::string>& overrides) {
  return {resolved(SettingsDocument::from_text(text, name), overrides), ""};
}

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

void Settings::set_recorded(std::string_view key, const std::string& value) {
  for (auto& entry : document_->records)
    if (entry.path == full(key)) entry.value = value;
}

void Settings::omit_at_default(std::string_view key) {
  for (auto& entry : document_->records)
    if (entry.path == full(key)) entry.omitted = entry.value == entry.default_value;
}

void Settings::spell_out(std::string_view key, std::string_view value) {
  set_recorded(key, as_toml_text(value));
}

void Settings::spell_out(std::string_view key, long value) {
  set_recorded(key, std::to_string(value));
}

bool Settings::commanded(std::string_view key) const {
  return document_->from_command_line.count(full(key)) != 0;
}

bool Settings::lies_above(std::string_view key, const std::string& other) const {
  return document_->layer_of(full(key)) > document_->layer_of(other);
}

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

void Settings::record(std::string_view key, std::string value, std::string fallback,
                      std::string_view help) {
  const std::string path = full(key);
  if (!document_->read.insert(path).second) {
    // Another part of the family has the same key, perhaps with another default.
    constexpr std::string_view others = "; default of other parts: ";
    for (auto& entry : document_->records)
      if (entry.path == path && entry.default_value != fallback && !fallback.empty() &&
          entry.help.find(fallback) == std::string::npos)
        entry.help += fmt::format(
            "{}{}", entry.help.find(others) == std::string::npos ? others : ", ", fallback);
    return;
  }
  document_->records.push_back({path, std::move(value), std::move(fallback), std::string(help)});
}

bool Settings::flag(std::string_view key, bool value, std::string_view help) {
  const auto* node = document_->find(full(key));
  bool result = value;
  if (node != nullptr) {
    if (!node->is_boolean()) refuse(key, "expected true or false");
    result = *node->value<bool>();
  }
  record(key, result ? "true" : "false", value ? "true" : "false", help);
  return result;
}

std::string Settings::text(std::string_view key, std::string_view value, std::string_view help) {
  const auto* node = document_->find(full(key));
  std::string result(value);
  if (node != nullptr) {
    // The shell has taken the quotes of --set KEY="1": what is a number there may be a text. Others
    // than whole numbers would not be what was typed.
    if (!node->is_string() && !(commanded(key) && node->is_integer()))
      refuse(key, "expected text in quotes");
    result = node->is_string() ? *node->value<std::string>() : as_toml(*node);
  }
  record(key, as_toml_text(result), as_toml_text(value), help);
  return result;
}

std::vector<std::string> Settings::texts(std::string_view key,
                                         const std::vector<std::string>& value,
                                         std::string_view help) {
  const auto* node = document_->find(full(key));
  std::vector<std::string> result = value;
  if (node != nullptr) {
    result.clear();
    const toml::array one(*node);
    for (const auto& part : node->is_array() ? *node->as_array() : one) {
      if (!part.is_string()) refuse(key, "expected texts in quotes, as [\"a\", \"b\"] or \"a\"");
      result.push_back(*part.value<std::string>());
    }
  }
  record(key, texts_as_toml(result), texts_as_toml(value), help);
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
        refuse(key, "expected texts in quotes or whole numbers, as [\"a\", \"b\"] or [1, 2]");
      result.push_back(part.is_string() ? *part.value<std::string>()
                                        : std::to_string(*part.value<std::int64_t>()));
    }
  }
  record(key, texts_as_toml(result), texts_as_toml(value), help);
  return result;
}

std::string Settings::choice(std::string_view key, std::string_view value,
                             const std::vector<std::string>& choices, std::string_view help) {
  std::string result = text(key, value, fmt::format("{} ({})", help, join(choices, " | ")));
  if (std::find(choices.begin(), choices.end(), result) == choices.end()) {
    const std::string near = did_you_mean(result, choices, "");
    refuse(key,
           fmt::format("expected one of {}{}{}", join(choices), near.empty() ? "" : "; ", near));
  }
  return result;
}

bool Settings::left_to(std::string_view key, std::string_view word, std::string_view help) {
  const auto* node = document_->find(full(key));
  if (node != nullptr && !(node->is_string() && *node->value<std::string>() == word)) return false;
  record(key, as_toml_text(word), as_toml_text(word), help);
  return true;
}

void Settings::leave_out(std::string_view key, std::string_view help) {
  record(key, "", "", fmt::format("{} (no default)", help));
  set_recorded(key, "");
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
