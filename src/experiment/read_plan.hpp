#pragma once
// From settings to a plan.

#include "experiment/plan.hpp"

namespace trilemma {

/// The method that an experiment chooses.
std::string read_method_name(Settings& experiment);
/// Refuses a method that is in no table; `place` says where it stands.
void require_method(const std::string& place, const std::string& method);

/// Reads and checks everything. The data files are looked at only where the settings leave a number
/// of features or classes to them; without `data` all must be set. Refuses with one sentence.
Plan read_plan(Settings settings, DataFolder* data = nullptr);

/// Returns the keys of all parts, which the same code reads as read_plan().
const std::vector<SettingRecord>& all_settings();

}  // namespace trilemma
