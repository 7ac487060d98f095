#include "problem/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "problem/kernels/elementwise.hpp"

namespace trilemma {
namespace {

// Returns log sum_c exp(o_c) in double; log softmax(o) is o minus it.
double log_sum(ConstView logits) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const real logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  return top + std::log(sum);
}

}  // namespace

double cross_entropy(ConstView logits, std::size_t label) {
  return log_sum(logits) - static_cast<double>(logits[label]);
}

double symmetrised_kl(ConstView logits, ConstView reference, View errors) {
  const double of_p = log_sum(logits);
  const double of_q = log_sum(reference);
  auto log_ratio = [&](std::size_t c) {
    return static_cast<double>(logits[c]) - of_p - (static_cast<double>(reference[c]) - of_q);
  };
  double forward = 0;
  double backward = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    forward += std::exp(static_cast<double>(logits[c]) - of_p) * log_ratio(c);
    backward -= std::exp(static_cast<double>(reference[c]) - of_q) * log_ratio(c);
  }
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double p = std::exp(static_cast<double>(logits[c]) - of_p);
    const double q = std::exp(static_cast<double>(reference[c]) - of_q);
    errors[c] = static_cast<real>(p * (log_ratio(c) - forward) + p - q);
  }
  return forward + backward;
}

double cross_entropy_errors(View logits, std::size_t label, bool with_loss) {
  const double value = with_loss ? cross_entropy(logits, label) : 0.0;
  softmax(logits);
  logits[label] -= real{1};
  return value;
}

std::size_t likeliest(ConstView logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace trilemma
