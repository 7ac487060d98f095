#pragma once

#include <vector>

#include "privacy/accountant/loss_distribution.hpp"

namespace trilemma::accounting {

/// The steps of a composition in one direction, remove or add (replace_one has only the first):
/// releases of all units folded into one Gaussian step, the sampled ones by kind.
std::vector<Repeated> direction(const Composition& composition, bool add);

/// Largest loss that the add direction can reach: every step has at most -log(1-q).
double most_loss_of_add(const Composition& composition);

}  // namespace trilemma::accounting
