#pragma once

#include <string>

namespace trilemma {

/// Returns the Markdown page docs/reference/settings.md: all settings, with the defaults of all
/// methods where these differ.
std::string settings_reference();

}  // namespace trilemma
