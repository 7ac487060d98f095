#pragma once

#include <string>

namespace trilemma::testing {

/// Returns the path of the library made of softmax_model.c.
std::string test_model();
/// Returns the settings of a problem `plugin` with it, and with `options`.
std::string plugin_settings(const std::string& options = "");

}  // namespace trilemma::testing
