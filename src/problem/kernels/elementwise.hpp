#pragma once
// Element-wise loops: activations of layers, probabilities, and rounding for training in low
// precision (low_precision.hpp).

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// Activation of a hidden layer: sigmoid h = 1/(1 + exp(-z)), tanh, relu h = max(z, 0).
enum class Activation { sigmoid, tanh, relu };

/// Returns the names in settings, in the order of the values.
const std::vector<std::string>& activations();

/// Replaces the products z - bias of one record by h(z).
void activate(Activation kind, View z, const real* bias);
/// Replaces the values z of one record by h(z).
void activate(Activation kind, View z);
/// Replaces derivatives with respect to h by derivatives with respect to z; the derivative of relu
/// at 0 is 0.
void chain(Activation kind, View e, ConstView h);

/// Sets h = z Phi(z), Phi the distribution function of N(0, 1), to an absolute error of 1e-15 in
/// Phi.
void gelu(ConstView z, View h);
/// Sets down = e (Phi(z) + z phi(z)), the derivatives with respect to z.
void gelu_slopes(ConstView z, ConstView e, View down);

/// Replaces the logits of a record by probabilities.
void softmax(View logits);

/// Number of records that softmax_columns processes at once.
inline constexpr std::size_t softmax_lanes = 8;

/// Replaces the logits of many records by probabilities: those of class c start at c * stride, one
/// per record, for `stride` records, a multiple of softmax_lanes.
void softmax_columns(View logits, std::size_t stride, std::size_t classes);

/// Sets x = scale * (the integer nearest to x / scale, limited to [lowest, highest]).
void to_levels(View x, real scale, real lowest, real highest);

/// Rounds g to 0 and +-least 2^j at random without bias, with one coin per value. No magnitude may
/// exceed least 2^6.
void to_powers(View g, real least, const std::uint32_t* coins);

}  // namespace trilemma
