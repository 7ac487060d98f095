#include "numeric/elementwise.hpp"

#include <algorithm>

#include "numeric/vmath.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {

void noisy(double sigma, const double* number, const real* u, std::size_t count, real* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<real>(std::fma(sigma, number[i], static_cast<double>(u[i])));
}

void noisy_at(double sigma, const double* number, const real* u, Coordinates at, real* out) {
  for (std::size_t i = 0; i < at.size(); ++i)
    out[i] = static_cast<real>(std::fma(sigma, number[i], static_cast<double>(u[at[i]])));
}

void noisy_mean(double sigma, const double* number, std::span<double> mean) {
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = std::fma(sigma, number[i], mean[i]);
}

void noisy_mean_at(double sigma, const double* number, Coordinates at, double* mean) {
  for (std::size_t i = 0; i < at.size(); ++i) mean[at[i]] = std::fma(sigma, number[i], mean[at[i]]);
}

void scaled(View v, real factor) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= factor;
}

void combined(real a, const real* x, real b, const real* y, View out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a * x[i] + b * y[i];
}

void losses(std::span<const double> z, double* loss) {
  for (std::size_t i = 0; i < z.size(); ++i)
    loss[i] = std::max(-z[i], 0.0) + vmath::log1p(vmath::exp(-std::abs(z[i])));
}

void logs(const std::uint32_t* word, double scale, std::span<double> gap) {
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const double u = (vmath::from_integer(word[2 * i]) +
                      (vmath::from_integer(word[2 * i + 1] >> 11U) + 0.5) * 0x1p-21) *
                     0x1p-32;
    gap[i] = vmath::log(u) * scale;
  }
}

bool bounded(const std::uint32_t* word, std::uint32_t bound, std::span<std::uint32_t> out) {
  std::uint32_t unclear = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t below = bound + static_cast<std::uint32_t>(i);
    const std::uint64_t product = std::uint64_t{word[i]} * below;
    out[i] = static_cast<std::uint32_t>(product >> 32U);
    unclear |= static_cast<std::uint32_t>(product) < below ? 1U : 0U;
  }
  return unclear == 0;
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(noisy);
HWY_EXPORT(losses);
HWY_EXPORT(noisy_at);
HWY_EXPORT(noisy_mean);
HWY_EXPORT(noisy_mean_at);
HWY_EXPORT(scaled);
HWY_EXPORT(combined);
HWY_EXPORT(logs);
HWY_EXPORT(bounded);

void add_noise(double sigma, std::span<const double> number, ConstView u, View out) {
  HWY_DYNAMIC_DISPATCH(noisy)(sigma, number.data(), u.data(), out.size(), out.data());
}
void add_noise_at(double sigma, std::span<const double> number, ConstView u, Coordinates at,
                  View out) {
  HWY_DYNAMIC_DISPATCH(noisy_at)(sigma, number.data(), u.data(), at, out.data());
}
void add_noise(double sigma, std::span<const double> number, std::span<double> mean) {
  HWY_DYNAMIC_DISPATCH(noisy_mean)(sigma, number.data(), mean);
}
void add_noise_at(double sigma, std::span<const double> number, Coordinates at,
                  std::span<double> mean) {
  HWY_DYNAMIC_DISPATCH(noisy_mean_at)(sigma, number.data(), at, mean.data());
}

void scale(View v, real factor) { HWY_DYNAMIC_DISPATCH(scaled)(v, factor); }

void combine(real a, ConstView x, real b, ConstView y, View out) {
  HWY_DYNAMIC_DISPATCH(combined)(a, x.data(), b, y.data(), out);
}

void logistic_losses(std::span<const double> z, std::span<double> loss) {
  HWY_DYNAMIC_DISPATCH(losses)(z, loss.data());
}

void scaled_logs(std::span<const std::uint32_t> word, double scale, std::span<double> gap) {
  HWY_DYNAMIC_DISPATCH(logs)(word.data(), scale, gap);
}

bool bounded_draws(std::span<const std::uint32_t> word, std::uint32_t bound,
                   std::span<std::uint32_t> out) {
  return HWY_DYNAMIC_DISPATCH(bounded)(word.data(), bound, out);
}

}  // namespace trilemma
#endif
