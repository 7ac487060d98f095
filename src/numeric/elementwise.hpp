#pragma once
// Element-wise functions of vectors, compiled for every set of vector instructions.

#include "base/types.hpp"

namespace trilemma {

/// Sets out[i] = u[i] + sigma * number[i], rounded once.
void add_noise(double sigma, std::span<const double> number, ConstView u, View out);
/// Sets out[i] = u[at[i]] + sigma * number[i], bit-identical to add_noise() at coordinate at[i].
void add_noise_at(double sigma, std::span<const double> number, ConstView u, Coordinates at,
                  View out);
/// Adds sigma * number[i] to mean[i], rounded once.
void add_noise(double sigma, std::span<const double> number, std::span<double> mean);
/// Adds sigma * number[i] to mean[at[i]], rounded once.
void add_noise_at(double sigma, std::span<const double> number, Coordinates at,
                  std::span<double> mean);

/// Multiplies v by `factor`.
void scale(View v, real factor);
/// Sets out = a x + b y; `out` may be x or y.
void combine(real a, ConstView x, real b, ConstView y, View out);

/// Sets loss[i] = log(1 + exp(-z[i])), which is infinite where z[i] is -infinity.
void logistic_losses(std::span<const double> z, std::span<double> loss);

/// Sets gap[i] = scale * ln u_i, with u_i uniform on (0, 1) from the 53 random bits of words 2 i
/// and 2 i + 1.
void scaled_logs(std::span<const std::uint32_t> word, double scale, std::span<double> gap);

/// Sets out[i] = floor(word[i] (bound + i) / 2^32). Returns true if these are the numbers that
/// Stream::below(bound), below(bound + 1), ... would draw from the words in turn; false if one of
/// those calls might reject its word.
bool bounded_draws(std::span<const std::uint32_t> word, std::uint32_t bound,
                   std::span<std::uint32_t> out);

/// Sets out[i] = factor * from[i] + offset, with one rounding after each of the two operations, so
/// that the result has the same bits on every processor.
void from_bytes(std::span<const std::uint8_t> from, real factor, real offset, View out);

}  // namespace trilemma
