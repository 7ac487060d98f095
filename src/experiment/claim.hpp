#pragma once

#include "experiment/plan.hpp"

namespace trilemma {

/// Standard deviation of a client's noise per coordinate: given, or by the closed form for shards
/// of `records` records.
double noise_sigma(const Plan& plan, std::size_t records);

/// What may be said of the run's privacy, in words. Begins "not a private run:" where nothing may.
std::string privacy_claim(const Plan& plan, double sigma, std::size_t records);

}  // namespace trilemma
