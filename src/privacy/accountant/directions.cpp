#include "privacy/accountant/directions.hpp"

#include <cmath>
#include <limits>

#include "privacy/accountant/one_step.hpp"

namespace trilemma::accounting {

std::vector<Repeated> direction(const Composition& composition, bool add) {
  std::vector<Repeated> steps;
  Composition plain{composition.relation, {}};
  for (const auto& c : composition.components) {
    if (c.sampling == Sampling::none || c.rate == 1) {
      plain.components.push_back(c);
      continue;
    }
    const auto pairs = pairs_of(composition.relation, c);
    steps.push_back({add ? pairs.back() : pairs.front(), c.steps, 0});
  }
  if (!plain.components.empty()) steps.push_back({gaussian_pair(plain), 1, 0});
  return steps;
}

double most_loss_of_add(const Composition& composition) {
  double sum = 0;
  for (const auto& c : composition.components)
    sum += c.rate < 1 ? -c.steps * std::log1p(-c.rate) : std::numeric_limits<double>::infinity();
  return sum;
}

}  // namespace trilemma::accounting
