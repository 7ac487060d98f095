#pragma once

#include "experiment/plan.hpp"
#include "privacy/account.hpp"

namespace trilemma {

/// What a plan releases, for clients of at least `records` records: the facts that the parts
/// declare, put together. Sensitivities are at the place where the noise is added.
Releases releases(const Plan& plan, std::size_t records);

/// Standard deviation of the noise per coordinate, where it is added: given, by the accountant, or
/// by the method's closed form.
double noise_sigma(const Plan& plan, std::size_t records);

}  // namespace trilemma
