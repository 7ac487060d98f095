#include "privacy/sqkr.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.hpp"
#include "privacy/coins.hpp"

namespace trilemma {
namespace {

constexpr double kashin_level = 2;  // K
constexpr std::size_t least_frame = 512;
constexpr double most_residual = 1e-6;
constexpr int most_passes = 500;

}  // namespace

double sqkr_factor(double epsilon, unsigned bits) {
  return 1 + std::ldexp(1.0, static_cast<int>(bits)) / std::expm1(epsilon);
}

double sqkr_error(std::size_t dimension, const SqkrOptions& options) {
  const double f = sqkr_factor(options.epsilon, options.bits);
  const double k = options.bits;
  return options.norm * options.norm *
         (f * f * kashin_level * kashin_level * static_cast<double>(dimension) / k +
          (1 - 1 / k) * f - 1);
}

std::size_t sqkr_frame(std::size_t dimension) {
  return std::max(2 * std::bit_ceil(dimension), least_frame);
}

accounting::LocalPair sqkr_pair(double epsilon, unsigned bits) {
  return accounting::response_pair(epsilon, std::ldexp(1.0, static_cast<int>(bits)));
}

Sqkr::Sqkr(std::size_t dimension, const SqkrOptions& options)
    : options_(options),
      dimension_(dimension),
      frame_(sqkr_frame(dimension)),
      coefficient_(frame_),
      rest_(frame_) {
  expect(options.bits >= 1 && options.bits <= most_answer_bits && options.bits <= dimension,
         "an answer has 1 to 24 bits");
}

void Sqkr::set_frame(std::uint64_t seed) {
  if (!rotation_ || seed != seed_) rotation_.emplace(seed, frame_);
  seed_ = seed;
}

void Sqkr::coordinates(const Key& mask, std::vector<std::uint32_t>& at) {
  set_frame(mask.seed);
  draw_(mask, frame_, options_.bits, at);
}

// Sets coefficient_ to the Kashin representation of x / C.
void Sqkr::represent(ConstView x) {
  const double most = kashin_level / std::sqrt(static_cast<double>(frame_));
  std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
  std::fill(rest_.begin(), rest_.end(), 0.0);
  for (std::size_t j = 0; j < dimension_; ++j) rest_[j] = static_cast<double>(x[j]) / options_.norm;
  for (int pass = 0;; ++pass) {
    rotation_->apply(rest_);
    for (std::size_t s = 0; s < frame_; ++s)
      coefficient_[s] = std::clamp(coefficient_[s] + rest_[s], -most, most);
    rest_ = coefficient_;
    rotation_->undo(rest_);
    double square = 0;
    for (std::size_t j = 0; j < frame_; ++j) {
      rest_[j] = j < dimension_ ? static_cast<double>(x[j]) / options_.norm - rest_[j] : 0;
      square += rest_[j] * rest_[j];
    }
    residual_ = std::sqrt(square);
    if (residual_ <= most_residual || pass == most_passes) return;
  }
}

void Sqkr::encode(ConstView x, Coordinates at, const Key& key, std::span<std::int32_t> signs) {
  represent(x);
  Stream stream(key);
  const double scale = std::sqrt(static_cast<double>(frame_)) / (2 * kashin_level);
  for (std::size_t l = 0; l < at.size(); ++l)
    signs[l] = unit_double(stream) < 0.5 + scale * coefficient_[at[l]] ? 1 : -1;
  if (coin(stream, 1 / sqkr_factor(options_.epsilon, options_.bits))) return;
  const std::uint32_t bits = stream.word();
  for (std::size_t l = 0; l < at.size(); ++l) signs[l] = (bits >> l & 1U) != 0 ? 1 : -1;
}

void Sqkr::decode(Coordinates at, std::span<const std::int32_t> signs, View out) {
  std::fill(rest_.begin(), rest_.end(), 0.0);
  const double scale = options_.norm * sqkr_factor(options_.epsilon, options_.bits) * kashin_level *
                       std::sqrt(static_cast<double>(frame_)) / options_.bits;
  for (std::size_t l = 0; l < at.size(); ++l) rest_[at[l]] = scale * signs[l];
  rotation_->undo(rest_);
  for (std::size_t j = 0; j < dimension_; ++j) out[j] = static_cast<real>(rest_[j]);
}

}  // namespace trilemma
