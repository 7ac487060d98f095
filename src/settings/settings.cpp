#include "settings/settings.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/text.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {
namespace {

std::string as_toml_text(std::string_view text) {
  return as_toml(toml::value<std::string>(std::string(text)));
}

std::string number_text(double value) { return as_toml(toml::value<double>(value)); }

// One number stands alone.
std::string numbers_text(const std::vector<long>& values) {
  if (values.size() == 1) return std::to_string(values[0]);
  std::vector<std::string> words;
  for (const long value : values) words.push_back(std::to_string(value));
  return fmt::format("[{}]", join(words));
}

std::string texts_as_toml(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const auto& value : values) words.push_back(as_toml_text(value));
  return fmt::format("[{}]", join(words));
}

// True for a number that computations round to 0 or whose inverse is infinite.
bool is_vanishing(double value) {
  return value != 0 && std::isfinite(value) && !std::isnormal(value);
}
constexpr const char* vanishing =
    "too close to 0 for precise arithmetic, which begins at 2.3e-308; choose 0 or a larger number";

// What to say of a whole number that does not fit into 63 bits: on the command line it has become a
// text, in a calculation a float. Empty for other values.
std::string beyond_integers(const toml::node& node, const Range& range) {
  if (!std::isinf(range.high)) return "";  // which the refusal names
  const auto* text = node.as_string();
  const bool is_long = text != nullptr && text->get().size() >= 19 &&
                       text->get().find_first_not_of(
                           "0123456789_", text->get().front() == '+' ? 1 : 0) == std::string::npos;
  const auto* number = node.as_floating_point();
  const bool is_large = number != nullptr && std::isfinite(number->get()) &&
                        std::fabs(number->get()) > 9007199254740992.0;
  return is_long || is_large ? "too large; the largest whole number is 2^63 - 1 = "
                               "9223372036854775807, written without a point or an exponent"
                             : "";
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
    throw UserError(fmt::format("{}: {} = {}: {} is a table of settings; write {}.KEY = VALUE",
                                document_->place(path), path, shown(as_toml(*node), 200), path,
                                path));
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
    throw UserError(
        fmt::format("{}: {} = {} (default): {}", document_->file(), path, value, problem));
  }
  throw UserError(fmt::format("{}: {} = {}: {}", document_->place(path), path,
                              shown(as_toml(*node), 200), problem));
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

double Settings::number(std::string_view key, double value, const Range& range,
                        std::string_view help) {
  const auto* node = document_->find(full(key));
  double result = value;
  if (node != nullptr) {
    const auto found = node->value<double>();
    if (!node->is_number() || !found) refuse(key, "expected " + range.text());
    result = *found;
    if (!range.contains(result) || !std::isfinite(result)) refuse(key, "expected " + range.text());
    if (is_vanishing(result)) refuse(key, vanishing);
  }
  record(key, number_text(result), number_text(value), help);
  return result;
}

long Settings::integer(std::string_view key, long value, const Range& range,
                       std::string_view help) {
  const auto* node = document_->find(full(key));
  long result = value;
  if (node != nullptr) {
    const std::string wanted = "expected a whole number: " + range.text();
    if (const std::string whole = whole_text(*node); !whole.empty())
      refuse(key, "expected a whole number; write " + whole);
    if (const std::string problem = beyond_integers(*node, range); !problem.empty())
      refuse(key, problem);
    if (!node->is_integer()) refuse(key, wanted);
    result = static_cast<long>(*node->value<std::int64_t>());
    if (!range.contains(static_cast<double>(result))) refuse(key, wanted);
  }
  record(key, std::to_string(result), std::to_string(value), help);
  return result;
}

std::vector<long> Settings::integers(std::string_view key, const std::vector<long>& value,
                                     const Range& range, std::string_view help) {
  const auto* node = document_->find(full(key));
  std::vector<long> result = value;
  if (node != nullptr) {
    const auto found = whole_numbers(*node);
    const auto fits = [&](long number) { return range.contains(static_cast<double>(number)); };
    if (!found || !std::all_of(found->begin(), found->end(), fits))
      refuse(key, fmt::format("expected whole numbers, as 64, [128, 64] or \"128-64\", each {}",
                              range.text()));
    result = *found;
  }
  record(key, numbers_text(result), numbers_text(value), help);
  return result;
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

std::optional<double> Settings::number_or(std::string_view key, std::string_view word,
                                          const Range& range, std::string_view help) {
  const std::string meaning = fmt::format("{} (a number, or \"{}\")", help, word);
  if (left_to(key, word, meaning)) return std::nullopt;
  const auto* node = document_->find(full(key));
  const auto found = node->is_number() ? node->value<double>() : std::nullopt;
  if (!found || !range.contains(*found) || !std::isfinite(*found))
    refuse(key, fmt::format("expected {} or \"{}\"", range.text(), word));
  if (is_vanishing(*found)) refuse(key, vanishing);
  record(key, number_text(*found), as_toml_text(word), meaning);
  return found;
}

std::optional<long> Settings::integer_or(std::string_view key, std::string_view word,
                                         const Range& range, std::string_view help) {
  const std::string meaning = fmt::format("{} (a whole number, or \"{}\")", help, word);
  if (left_to(key, word, meaning)) return std::nullopt;
  const auto* node = document_->find(full(key));
  if (const std::string problem = beyond_integers(*node, range); !problem.empty())
    refuse(key, problem);
  const auto found = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
  if (!found || !range.contains(static_cast<double>(*found)))
    refuse(key, fmt::format("expected a whole number: {}, or \"{}\"", range.text(), word));
  record(key, std::to_string(*found), as_toml_text(word), meaning);
  return static_cast<long>(*found);
}

std::optional<double> Settings::optional_number(std::string_view key, const Range& range,
                                                std::string_view help) {
  if (!has(key)) {
    leave_out(key, help);
    return std::nullopt;
  }
  const auto* node = document_->find(full(key));
  const auto found = node->is_number() ? node->value<double>() : std::nullopt;
  if (!found || !range.contains(*found) || !std::isfinite(*found))
    refuse(key, "expected " + range.text());
  if (is_vanishing(*found)) refuse(key, vanishing);
  record(key, number_text(*found), "", fmt::format("{} (no default)", help));
  return found;
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
