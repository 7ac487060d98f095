#pragma once

#include <functional>

#include "comm/exchange.hpp"

namespace trilemma {

/// Runs `step` on every rank. Where it fails on any, the first of those ranks says why and all
/// ranks leave with the same exit code (0 = go on); nobody is left waiting.
int together(Exchange& exchange, const Placement& place, const std::function<void()>& step);

}  // namespace trilemma
