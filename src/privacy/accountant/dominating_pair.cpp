#include "privacy/accountant/dominating_pair.hpp"

#include <cmath>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Returns log(1 - q + q e^y).
double log_mixture(double q, double y) {
  if (q == 1) return y;
  if (y < 30) return std::log1p(q * std::expm1(y));
  return y + std::log(q + (1 - q) * std::exp(-y));
}

// Returns asinh(e^log_scale sinh(v)), also where the exponentials overflow.
double asinh_scaled_sinh(double log_scale, double v) {
  const double size = std::abs(v);
  if (size + log_scale < 300 && size < 300) return std::asinh(std::exp(log_scale) * std::sinh(v));
  // sinh(v) = e^v (1 - e^-2v)/2 and asinh(B) = log(2 B) for large B.
  const double log_b = log_scale + size + std::log(-std::expm1(-2 * size)) - std::log(2.0);
  if (log_b < 18) return std::copysign(std::asinh(std::exp(log_b)), v);
  return std::copysign(log_b + std::log(2.0), v);
}

}  // namespace

DominatingPair::DominatingPair(Kind kind, double rate, double sigma)
    : kind_(kind), rate_(rate), z_(sigma) {
  switch (kind) {
    case Kind::remove:
      p_ = {0, 1 - rate, rate};
      q_ = {0, 1, 0};
      break;
    case Kind::add:
      p_ = {0, 1, 0};
      q_ = {rate, 1 - rate, 0};
      break;
    case Kind::replace:
      p_ = {0, 1 - rate, rate};
      q_ = {rate, 1 - rate, 0};
      break;
    case Kind::subset:
      mean_ = {-0.5, 0, 0.5};
      p_ = {1 - rate, 0, rate};
      q_ = {1, 0, 0};
      // 1 - P[L > 0] of remove - P[L < 0] of add.
      atom_ = (1 - rate) * std::erf(0.5 / z_ * sqrt_half);
      break;
  }
}

double DominatingPair::loss(double x) const {
  const double up = (2 * x - 1) / (2 * z_ * z_);
  const double down = (-2 * x - 1) / (2 * z_ * z_);
  switch (kind_) {
    case Kind::remove:
      return log_mixture(rate_, up);
    case Kind::add:
      return -log_mixture(rate_, down);
    case Kind::subset:
      return std::copysign(log_mixture(rate_, std::abs(x) / (z_ * z_)), x);
    case Kind::replace:
      break;
  }
  return log_mixture(rate_, up) - log_mixture(rate_, down);
}

double DominatingPair::where(double loss) const {
  const double square = z_ * z_;
  // Solves 1 - q + q e^y = e^loss for y.
  auto exponent = [this](double l) {
    if (rate_ == 1) return l;
    if (l > 30) return l + std::log1p(-(1 - rate_) * std::exp(-l)) - std::log(rate_);
    const double lift = std::expm1(l) / rate_;
    return lift <= -1 ? -inf : std::log1p(lift);
  };
  switch (kind_) {
    case Kind::remove:
      return square * exponent(loss) + 0.5;
    case Kind::add:
      return -(square * exponent(-loss) + 0.5);
    case Kind::subset:
      return std::copysign(square * exponent(std::abs(loss)), loss);
    case Kind::replace:
      break;
  }
  if (rate_ == 1) return 0.5 * square * loss;
  const double log_scale = std::log1p(-rate_) - std::log(rate_) + 1 / (2 * square);
  return square * (0.5 * loss + asinh_scaled_sinh(log_scale, 0.5 * loss));
}

double DominatingPair::excess(double x) const {
  const double up = (2 * x - 1) / (2 * z_ * z_);
  const double down = (-2 * x - 1) / (2 * z_ * z_);
  switch (kind_) {
    case Kind::remove:
      return rate_ * std::expm1(up);
    case Kind::add: {
      const double lift = rate_ * std::expm1(down);
      return -lift / (1 + lift);
    }
    case Kind::subset: {
      const double lift = rate_ * std::expm1(std::abs(x) / (z_ * z_));
      return x < 0 ? -lift / (1 + lift) : lift;
    }
    case Kind::replace:
      break;
  }
  // (P - Q)/Q, with both written as 1 + q (e^y - 1) over the density of N(0).
  return rate_ * 2 * std::exp(-1 / (2 * z_ * z_)) * std::sinh(x / (z_ * z_)) /
         (1 + rate_ * std::expm1(down));
}

double DominatingPair::log_density_q(double x) const {
  if (kind_ == Kind::subset) {
    const double away = std::abs(x) + 0.5;
    const double tail = -away * away / (2 * z_ * z_);
    return x < 0 ? tail + log_mixture(rate_, -x / (z_ * z_)) : tail;
  }
  const double centre = -x * x / (2 * z_ * z_);
  if (kind_ == Kind::remove) return centre;
  return centre + log_mixture(rate_, (-2 * x - 1) / (2 * z_ * z_));
}

DominatingPair::Place DominatingPair::place(double x) const {
  Place at{x, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = (x - mean_[i]) / z_ * sqrt_half;
    at.tail[i] = std::isinf(x) ? 0 : 0.5 * std::erfc(std::abs(t));
  }
  return at;
}

double DominatingPair::weighted(const Weights& weights, const Place& from, const Place& to) const {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (weights[i] == 0) continue;
    const double mass = from.x >= mean_[i] ? from.tail[i] - to.tail[i]
                        : to.x <= mean_[i] ? to.tail[i] - from.tail[i]
                                           : 1 - from.tail[i] - to.tail[i];
    sum += weights[i] * mass;
  }
  return sum;
}

Masses DominatingPair::between(const Place& from, const Place& to) const {
  if (kind_ != Kind::subset || from.x >= 0) return {weighted(p_, from, to), weighted(q_, from, to)};
  // Below 0: the mirror image, with P and Q exchanged.
  const Place zero = place(0);
  const Place& end = to.x < 0 ? to : zero;
  Masses masses{weighted({q_[2], 0, q_[0]}, from, end), weighted({p_[2], 0, p_[0]}, from, end)};
  if (to.x < 0) return masses;
  masses.p += atom_ + weighted(p_, zero, to);
  masses.q += atom_ + weighted(q_, zero, to);
  return masses;
}

}  // namespace trilemma::accounting
