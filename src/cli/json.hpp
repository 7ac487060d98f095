#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace trilemma {

/// Returns a JSON number, or null for NaN and infinity, which JSON cannot represent.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Returns `json` as text, indented by 2 spaces and ended by a newline. Bytes that are not UTF-8,
/// which texts from files may contain, are replaced by U+FFFD.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trilemma
