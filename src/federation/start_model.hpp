#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the start model: the final model of a complete run (the common model, or the mean of its
/// clients' models), the numbers of a text file (one per line, `#` starts a comment), or a centre
/// (zero if `optimum` is nullptr) plus random numbers of the law from the keyed stream. Throws
/// UserError for another number of coordinates.
Vector start_model(const StartPlan& start, std::uint64_t seed, std::size_t dimension,
                   const Optimum* optimum = nullptr);

/// Returns the same for a problem, which draws its own start if the law is `own`.
Vector start_model(const StartPlan& start, std::uint64_t seed, const Problem& problem,
                   const Optimum* optimum = nullptr);

/// Throws UserError for a start model from which a hidden layer cannot learn (stuck_layer()).
void require_gradient(const StartPlan& start, ConstView model);

}  // namespace trilemma
