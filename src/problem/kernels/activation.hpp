#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace trilemma {

/// Activation of a hidden layer: sigmoid h = 1/(1 + exp(-z)), tanh, relu h = max(z, 0).
enum class Activation { sigmoid, tanh, relu };

/// Names in settings, in the order of the values.
const std::vector<std::string>& activations();

/// Turns one record's products z - bias into h(z).
void activate(Activation kind, View z, const real* bias);
/// Turns derivatives by h into derivatives by z; the derivative of relu at 0 is 0.
void chain(Activation kind, View e, ConstView h);

}  // namespace trilemma
