#include "problem/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/vmath.hpp"

namespace trilemma {
namespace {

// Turns logits into probabilities.
void softmax(View logits) {
  const real top = *std::max_element(logits.begin(), logits.end());
  real sum = 0;
  for (auto& logit : logits) logit = vmath::exp(logit - top);
  for (const real part : logits) sum += part;
  for (auto& part : logits) part /= sum;
}

// log softmax(o) = o - this, in double.
double log_sum(ConstView logits) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const real logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  return top + std::log(sum);
}

double loss(ConstView logits, std::size_t label) {
  return log_sum(logits) - static_cast<double>(logits[label]);
}

}  // namespace

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
  const double value = with_loss ? loss(logits, label) : 0.0;
  softmax(logits);
  logits[label] -= real{1};
  return value;
}

void softmax_columns(View logits, std::size_t stride, std::size_t count, std::size_t classes) {
  // Records side by side in a fixed number of lanes; what lies behind the last one is not used.
  constexpr std::size_t lanes = 8;
  for (std::size_t first = 0; first < count; first += lanes) {
    const std::size_t width = std::min(lanes, count - first);
    real top[lanes];
    real sum[lanes] = {};
    std::fill_n(top, lanes, std::numeric_limits<real>::lowest());
    for (std::size_t c = 0; c < classes; ++c) {
      const real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) top[l] = std::max(top[l], row[l]);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) {
        row[l] = vmath::exp(row[l] - top[l]);
        sum[l] += row[l];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      real* row = logits.data() + c * stride + first;
      for (std::size_t l = 0; l < width; ++l) row[l] /= sum[l];
    }
  }
}

std::size_t likeliest(ConstView logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace trilemma
