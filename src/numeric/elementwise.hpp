#pragma once
// Functions of all values of a vector, compiled for every set of vector instructions.

#include "base/types.hpp"

namespace trilemma {

/// out[i] = u[i] + sigma number[i], rounded once.
void add_noise(double sigma, std::span<const double> number, ConstView u, View out);
/// out[i] = u[at[i]] + sigma number[i], to the bit what the whole vector would get there.
void add_noise_at(double sigma, std::span<const double> number, ConstView u, Coordinates at,
                  View out);
/// mean[i] += sigma number[i], rounded once.
void add_noise(double sigma, std::span<const double> number, std::span<double> mean);
/// mean[at[i]] += sigma number[i], rounded once.
void add_noise_at(double sigma, std::span<const double> number, Coordinates at,
                  std::span<double> mean);

/// v *= factor.
void scale(View v, real factor);
/// out = a x + b y, which may be one of them.
void combine(real a, ConstView x, real b, ConstView y, View out);

/// out[i] = 1 / (1 + exp(z[i])).
void logistic_tail(std::span<const double> z, std::span<double> out);

/// loss[i] = log(1 + exp(-z[i])), infinite where z[i] is -infinity.
void logistic_losses(std::span<const double> z, std::span<double> loss);

/// gap[i] = scale * ln u_i, u_i uniform on (0, 1) from the 53 random bits of words 2 i and 2 i + 1.
void scaled_logs(std::span<const std::uint32_t> word, double scale, std::span<double> gap);

/// out[i] = floor(word[i] (bound + i) / 2^32), which is what Stream::below(bound + i) makes of
/// these words one after the other, unless false is returned: then it may reject one of them.
bool bounded_draws(std::span<const std::uint32_t> word, std::uint32_t bound,
                   std::span<std::uint32_t> out);

}  // namespace trilemma
