#pragma once

#include <vector>

#include "privacy/accountant/loss_distribution.hpp"

namespace trilemma::accounting {

/// Returns the steps of a composition in one direction, remove or add (replace_one has only the
/// first): releases of all units are combined into one Gaussian step, sampled ones are listed by
/// kind.
std::vector<Repeated> direction(const Composition& composition, bool add);

/// Returns the largest loss of the add direction, to which every step contributes at most
/// -log(1-q).
double most_loss_of_add(const Composition& composition);

}  // namespace trilemma::accounting
