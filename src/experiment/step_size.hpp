#pragma once
// The axis "step_size" of sweeps: one list of step sizes for methods that read different keys.

#include <string>
#include <string_view>

namespace trilemma {

/// The name of the axis.
inline constexpr std::string_view step_size_axis = "step_size";

/// The key that a method reads its step size from: local.rate where clients take local steps,
/// server.rate elsewhere.
std::string step_size_key(const std::string& method);

}  // namespace trilemma
