#include "problem/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "core/vmath.hpp"

namespace trilemma {
namespace {

double loss(ConstView logits, std::size_t label) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const real logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  return top + std::log(sum) - static_cast<double>(logits[label]);
}

// Turns logits into probabilities.
void softmax(View logits) {
  const real top = *std::max_element(logits.begin(), logits.end());
  real sum = 0;
  for (auto& logit : logits) logit = vmath::exp(logit - top);
  for (const real part : logits) sum += part;
  for (auto& part : logits) part /= sum;
}

}  // namespace

double cross_entropy_errors(View logits, std::size_t label, bool with_loss) {
  const double value = with_loss ? loss(logits, label) : 0.0;
  softmax(logits);
  logits[label] -= real{1};
  return value;
}

std::size_t likeliest(ConstView logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace trilemma
