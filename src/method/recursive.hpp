#pragma once

#include "method/server_step.hpp"

namespace trilemma {

/// Reads local.anchor_batch and local.lipschitz.
void read_recursion(Settings& local, Recursion& recursion);

}  // namespace trilemma
