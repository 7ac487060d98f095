#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace trilemma {

/// Returns a JSON number, or null for NaN and infinity, which JSON cannot represent.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Returns the JSON text with a line end. Bytes of texts from files that JSON cannot represent are
/// replaced.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trilemma
