#pragma once
// Checks of single entries of a sweep file. They refuse with the place of the entry.

#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Whether a word is one of a list.
bool contains(const std::vector<std::string>& words, std::string_view word);

/// Throws a UserError with place, key and value of an entry.
[[noreturn]] void refuse(const SettingEntry& entry, const std::string& problem);

/// Refuses an entry whose first word, `root`, is no key of a sweep; `settings` are the keys of an
/// experiment.
void check_root(const SettingEntry& entry, const std::string& root,
                const std::vector<std::string>& settings);

/// Refuses a key that is none of an experiment, neither alone nor in a layer [methods.NAME] or
/// [modes.NAME]; `also_meant` is one more that a misspelt key may stand for.
void check_key(const SourcePlace& place, const std::string& key,
               const std::vector<std::string>& known, std::string_view also_meant = {});

/// Refuses what is not a list of values.
void check_list(const SettingEntry& entry);

/// Refuses values that are neither numbers nor texts nor flags.
void check_values(const SettingEntry& entry);

}  // namespace trilemma
