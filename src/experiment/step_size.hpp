#pragma once
// The axis "step_size" of sweeps: one list of step sizes for methods that read different keys.

#include <string>
#include <string_view>

namespace trilemma {

/// The name of the axis.
inline constexpr std::string_view step_size_axis = "step_size";

/// Returns the key of the step size of `method`: local.rate if clients take local steps, otherwise
/// server.rate.
std::string step_size_key(const std::string& method);

}  // namespace trilemma
