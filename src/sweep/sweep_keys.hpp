#pragma once
// Checks of single entries of a sweep file. They throw UserError with the place of the entry.

#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Returns whether `word` is one of `words`.
bool contains(const std::vector<std::string>& words, std::string_view word);

/// Throws UserError for `problem` with place, key and value of `entry`.
[[noreturn]] void refuse(const SettingEntry& entry, const std::string& problem);

/// Refuses `entry` if the first part of its path, `root`, is not a key of a sweep file; `settings`
/// are the keys of an experiment, which the message distinguishes from misspelt keys.
void check_root(const SettingEntry& entry, const std::string& root,
                const std::vector<std::string>& settings);

/// Refuses `key`, at `place`, unless it is one of the `known` keys of an experiment, alone or in a
/// layer [methods.NAME] or [modes.NAME]. `also_meant` is another key that a misspelt one may mean.
void check_key(const SourcePlace& place, const std::string& key,
               const std::vector<std::string>& known, std::string_view also_meant = {});

/// Refuses `entry` unless it is a list with at least one value.
void check_list(const SettingEntry& entry);

/// Refuses values of `entry` other than numbers, texts, true and false.
void check_values(const SettingEntry& entry);

}  // namespace trilemma
