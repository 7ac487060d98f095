#pragma once

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

}  // namespace trilemma
