#pragma once

#include "plan/plan.hpp"

namespace trilemma {

/// The start model: that of a complete run (of all, or the mean of its clients' models), numbers of
/// a text file (one per line, `#` starts a comment), or a centre (zero where `optimum` is nullptr)
/// plus random numbers times scale from the keyed stream. Refuses another number of coordinates.
Vector start_model(const StartPlan& start, std::uint64_t seed, std::size_t dimension,
                   const Optimum* optimum = nullptr);

}  // namespace trilemma
