#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// The start model: that of a complete run (of all, or the mean of its clients' models), numbers of
/// a text file (one per line, `#` starts a comment), or a centre (zero where `optimum` is nullptr)
/// plus random numbers of the law from the keyed stream. Refuses another number of coordinates.
Vector start_model(const StartPlan& start, std::uint64_t seed, std::size_t dimension,
                   const Optimum* optimum = nullptr);

/// Refuses a start model from which a hidden layer cannot learn (stuck_layer()).
void require_gradient(const StartPlan& start, ConstView model);

}  // namespace trilemma
