#pragma once
// Reads a plan from settings.

#include "experiment/plan.hpp"

namespace trilemma {

/// Reads the name of the method. Throws UserError for an unknown name.
std::string read_method_name(Settings& experiment);
/// Throws UserError if there is no method named `method`; `place` is its place in a file, for the
/// message.
void require_method(const std::string& place, const std::string& method);

/// Reads and checks all settings and returns the plan. The data files are read only to determine
/// numbers of features, classes or clients that the settings leave open; if `data` is nullptr, all
/// must be set. Throws UserError for the first mistake.
Plan read_plan(Settings settings, DataFolder* data = nullptr);

/// Returns the records of the keys of all parts. They are read by the same code as in read_plan().
const std::vector<SettingRecord>& all_settings();

}  // namespace trilemma
