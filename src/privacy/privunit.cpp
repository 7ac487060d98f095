#include "privacy/privunit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "privacy/coins.hpp"

namespace trilemma {
namespace {

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

PrivUnit::PrivUnit(std::size_t dimension, double norm, const accounting::Cap& cap)
    : norm_(norm), cap_(cap), direction_(dimension), normal_(dimension) {}

double PrivUnit::error() const { return norm_ * norm_ * (1 / (cap_.mean * cap_.mean) - 1); }

void PrivUnit::encode(ConstView x, const Key& key, View out) {
  Key choices = key;
  choices.purpose = Purpose::rounding;
  Stream stream(choices);
  std::copy(x.begin(), x.end(), direction_.begin());
  const double length = std::sqrt(product_of(direction_, direction_));
  const double sign = unit_double(stream) < 0.5 + 0.5 * length / norm_ ? 1 : -1;
  // The zero vector has any direction.
  if (length == 0) direction_[0] = 1;
  for (double& value : direction_) value *= sign / (length > 0 ? length : 1);

  const bool is_inside = coin(stream, cap_.inside);
  const double share = unit_double(stream);
  const double mass = is_inside ? share * cap_.mass : cap_.mass + share * (1 - cap_.mass);
  const double t = accounting::cap_height(static_cast<double>(x.size()), mass);

  normals(key, 0, normal_);
  const double along = product_of(normal_, direction_);
  for (std::size_t j = 0; j < normal_.size(); ++j) normal_[j] -= along * direction_[j];
  const double across = std::sqrt((1 - t) * (1 + t) / product_of(normal_, normal_));
  const double scale = norm_ / cap_.mean;
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = static_cast<real>(scale * (t * direction_[j] + across * normal_[j]));
}

}  // namespace trilemma
