#pragma once

#include <vector>

#include "settings/setting_record.hpp"

namespace trilemma {

/// Returns all_settings() for docs/reference/settings.md: where the default of a key depends on the
/// method, the record has the defaults of all methods.
std::vector<SettingRecord> settings_reference();

}  // namespace trilemma
