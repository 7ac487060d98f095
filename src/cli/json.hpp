#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace trilemma {

/// A number, or null where it is NaN or infinite, which JSON does not have.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// As text with an end of line. Text of a file may have bytes that JSON cannot hold.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trilemma
