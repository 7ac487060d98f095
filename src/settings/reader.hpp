#pragma once
// The argument of the function read() of a part's options. Each call reads one key into one field.

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// A word that may stand in a file, and the value that it stands for.
template <class Meaning>
struct Named {
  const char* name;
  Meaning value;
  const char* help = "";
};

/// A text that may replace a number; the number is then determined elsewhere.
struct Word {
  std::string_view text;
};

/// Reads the keys of one table. The value of a field before the call is the default of its key. The
/// same calls parse a file, list the keys and write the resolved configuration.
///
///     struct Options {
///       long k = 0;
///       bool is_shared = false;
///       void read(Reader& r) {
///         r("k", k, at_least(0), "coordinates in a message");
///         r("mask", is_shared, {{"keyed", false}, {"shared", true}}, "which coordinates");
///       }
///     };
class Reader {
 public:
  explicit Reader(Settings settings) : settings_(std::move(settings)) {}

  void operator()(std::string_view key, double& field, const Range& range, std::string_view help) {
    field = settings_.number(key, field, range, help);
  }
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>) void operator()(std::string_view key, Whole& field,
                                                       const Range& range, std::string_view help) {
    field = static_cast<Whole>(settings_.integer(key, static_cast<long>(field), range, help));
  }
  void operator()(std::string_view key, std::vector<long>& field, const Range& range,
                  std::string_view help) {
    field = settings_.integers(key, field, range, help);
  }
  void operator()(std::string_view key, std::vector<double>& field, const Range& range,
                  std::string_view help) {
    field = settings_.numbers(key, field, range, help);
  }
  void operator()(std::string_view key, bool& field, std::string_view help) {
    field = settings_.flag(key, field, help);
  }
  void operator()(std::string_view key, std::string& field, std::string_view help) {
    field = settings_.text(key, field, help);
  }
  void operator()(std::string_view key, std::string& field, const std::vector<std::string>& words,
                  std::string_view help) {
    field = settings_.choice(key, field, words, help);
  }
  void operator()(std::string_view key, std::vector<std::string>& field, std::string_view help) {
    field = settings_.texts(key, field, help);
  }
  /// Reads a number without a default.
  void operator()(std::string_view key, std::optional<double>& field, const Range& range,
                  std::string_view help) {
    field = settings_.optional_number(key, range, help);
  }
  /// Reads a number, or `word`, which is the default and gives nullopt.
  void operator()(std::string_view key, std::optional<double>& field, Word word, const Range& range,
                  std::string_view help) {
    field = settings_.number_or(key, word.text, range, help);
  }
  template <std::integral Whole>
  void operator()(std::string_view key, std::optional<Whole>& field, Word word, const Range& range,
                  std::string_view help) {
    const auto found = settings_.integer_or(key, word.text, range, help);
    field = found ? std::optional<Whole>(static_cast<Whole>(*found)) : std::nullopt;
  }
  /// Reads the name of one of `values`.
  template <class Meaning>
  requires(std::is_enum_v<Meaning> || std::same_as<Meaning, bool> ||
           std::same_as<Meaning, char>) void
  operator()(std::string_view key, Meaning& field,
             std::initializer_list<Named<std::type_identity_t<Meaning>>> values,
             std::string_view help) {
    std::vector<SettingChoice> choices;
    std::string_view usual;
    for (const auto& one : values) {
      choices.push_back({one.name, one.help});
      if (one.value == field) usual = one.name;
    }
    const std::string word = settings_.choice_of(key, usual, choices, help);
    for (const auto& one : values)
      if (word == one.name) field = one.value;
  }

  /// Reads the name of a file in the data folder, or a list of names.
  void data_file(std::string_view key, std::string& field, std::string_view help) {
    field = settings_.data_file(key, field, help);
  }
  void data_files(std::string_view key, std::vector<std::string>& field, std::string_view help) {
    field = settings_.data_files(key, field, help);
  }

  /// Returns `condition`, or true if the keys of all parts are listed.
  bool when(bool condition) const { return settings_.when(condition); }
  bool has(std::string_view key) const { return settings_.has(key); }
  [[noreturn]] void refuse(std::string_view key, const std::string& problem) const {
    settings_.refuse(key, problem);
  }
  Settings& settings() { return settings_; }

 private:
  Settings settings_;
};

/// Returns the options of a part, read from `settings`.
template <class Keys>
Keys read_options(const Settings& settings) {
  Keys options;
  Reader reader(settings);
  options.read(reader);
  return options;
}

}  // namespace trilemma
