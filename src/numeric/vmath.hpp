#pragma once
// Elementary functions that compilers vectorise and that are bit-identical on every processor with
// a fused multiply-add: each step is a single IEEE operation, polynomials use std::fma. Always
// inlined, so that kernels compile them for their own instructions. Errors are a few units in the
// last place of double (tests/numeric/vmath_test.cpp).

#include <bit>
#include <cmath>
#include <cstdint>

namespace trilemma::vmath {

inline constexpr double two_to_52 = 4503599627370496.0;
inline constexpr std::uint64_t two_to_52_bits = 0x4330000000000000ULL;

/// Returns the integer w < 2^52 as a double; vectorises without 64-bit conversion instructions.
[[gnu::always_inline]] inline double from_integer(std::uint64_t w) {
  return std::bit_cast<double>(w | two_to_52_bits) - two_to_52;
}

/// Returns exp(x) for |x| <= 708; saturates beyond, and NaN stays NaN. Method: x = n ln 2 + r with
/// |r| <= ln(2)/2, Taylor polynomial of degree 13 in r.
[[gnu::always_inline]] inline double exp(double x) {
  x = x > 708.0 ? 708.0 : x;
  x = x < -708.0 ? -708.0 : x;
  const double shifted = std::fma(x, 1.4426950408889634, 6755399441055744.0);
  const double n = shifted - 6755399441055744.0;
  double r = std::fma(n, -0.6931471805599453, x);
  r = std::fma(n, -2.3190468138462996e-17, r);
  double p = 1.0 / 6227020800.0;
  p = std::fma(p, r, 1.0 / 479001600.0);
  p = std::fma(p, r, 1.0 / 39916800.0);
  p = std::fma(p, r, 1.0 / 3628800.0);
  p = std::fma(p, r, 1.0 / 362880.0);
  p = std::fma(p, r, 1.0 / 40320.0);
  p = std::fma(p, r, 1.0 / 5040.0);
  p = std::fma(p, r, 1.0 / 720.0);
  p = std::fma(p, r, 1.0 / 120.0);
  p = std::fma(p, r, 1.0 / 24.0);
  p = std::fma(p, r, 1.0 / 6.0);
  p = std::fma(p, r, 0.5);
  p = std::fma(p, r, 1.0);
  p = std::fma(p, r, 1.0);
  // The low bits of `shifted` hold n; moved into the exponent field they make 2^n.
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return p * std::bit_cast<double>(exponent);
}

/// Returns exp(x) in single precision for |x| <= 87, by a Taylor polynomial of degree 7: relative
/// error below 2e-7.
[[gnu::always_inline]] inline float exp(float x) {
  x = x > 87.0F ? 87.0F : x;
  x = x < -87.0F ? -87.0F : x;
  const float shifted = std::fma(x, 1.44269504F, 12582912.0F);
  const float n = shifted - 12582912.0F;
  float r = std::fma(n, -0.693145752F, x);
  r = std::fma(n, -1.42860677e-6F, r);
  float p = 1.0F / 5040.0F;
  p = std::fma(p, r, 1.0F / 720.0F);
  p = std::fma(p, r, 1.0F / 120.0F);
  p = std::fma(p, r, 1.0F / 24.0F);
  p = std::fma(p, r, 1.0F / 6.0F);
  p = std::fma(p, r, 0.5F);
  p = std::fma(p, r, 1.0F);
  p = std::fma(p, r, 1.0F);
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
  return p * std::bit_cast<float>(exponent);
}

/// Returns the natural logarithm of a normal positive x: x = 2^e m with m in [sqrt(1/2), sqrt(2)),
/// log m = 2 artanh s, s = (m-1)/(m+1), series up to s^21.
[[gnu::always_inline]] inline double log(double x) {
  // Avoids selecting between floating-point numbers, which compilers turn into branches.
  constexpr std::uint64_t one = 0x3FF0000000000000ULL;
  constexpr std::uint64_t least = 0x3FE6A09E667F3BCEULL;  // the next number above sqrt(1/2)
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t exponent = (bits + (one - least)) >> 52;
  const auto m = std::bit_cast<double>(bits + one - (exponent << 52));
  const double e = from_integer(exponent) - 1023.0;
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 2.0 / 21.0;
  p = std::fma(p, z, 2.0 / 19.0);
  p = std::fma(p, z, 2.0 / 17.0);
  p = std::fma(p, z, 2.0 / 15.0);
  p = std::fma(p, z, 2.0 / 13.0);
  p = std::fma(p, z, 2.0 / 11.0);
  p = std::fma(p, z, 2.0 / 9.0);
  p = std::fma(p, z, 2.0 / 7.0);
  p = std::fma(p, z, 2.0 / 5.0);
  p = std::fma(p, z, 2.0 / 3.0);
  p = std::fma(p, z, 2.0);
  return std::fma(e, 0.6931471805599453, p * s);
}

/// Returns log(1 + x) for 0 <= x <= 1. Adds back what rounding 1 + x loses, so that small x keep
/// their digits.
[[gnu::always_inline]] inline double log1p(double x) {
  const double sum = 1.0 + x;
  return log(sum) + (x - (sum - 1.0)) / sum;
}

/// Sine and cosine of one angle.
struct SinCos {
  double sin;
  double cos;
};

/// Returns the sine and cosine of 2 pi w / 2^32. The quadrant is split off exactly in integers;
/// Taylor polynomials of degree 17 and 16 on [-pi/4, pi/4].
[[gnu::always_inline]] inline SinCos sincos_turn(std::uint64_t w) {
  const std::uint64_t quadrant = (w + 0x20000000ULL) >> 30;
  // w - quadrant * 2^30 lies in [-2^29, 2^29); shifted up to stay unsigned for the conversion.
  const double t =
      (from_integer(w + 0x20000000ULL - (quadrant << 30)) - 536870912.0) * 1.4629180792671596e-09;
  const double z = t * t;
  double s = 1.0 / 355687428096000.0;
  s = std::fma(s, z, -1.0 / 1307674368000.0);
  s = std::fma(s, z, 1.0 / 6227020800.0);
  s = std::fma(s, z, -1.0 / 39916800.0);
  s = std::fma(s, z, 1.0 / 362880.0);
  s = std::fma(s, z, -1.0 / 5040.0);
  s = std::fma(s, z, 1.0 / 120.0);
  s = std::fma(s, z, -1.0 / 6.0);
  s = std::fma(s * z, t, t);
  double c = 1.0 / 20922789888000.0;
  c = std::fma(c, z, -1.0 / 87178291200.0);
  c = std::fma(c, z, 1.0 / 479001600.0);
  c = std::fma(c, z, -1.0 / 3628800.0);
  c = std::fma(c, z, 1.0 / 40320.0);
  c = std::fma(c, z, -1.0 / 720.0);
  c = std::fma(c, z, 1.0 / 24.0);
  c = std::fma(c, z, -0.5);
  c = std::fma(c, z, 1.0);
  const bool odd = (quadrant & 1) != 0;
  const double sine = odd ? c : s;
  const double cosine = odd ? s : c;
  const bool sine_negative = (quadrant & 2) != 0;
  const bool cosine_negative = ((quadrant + 1) & 2) != 0;
  return {sine_negative ? -sine : sine, cosine_negative ? -cosine : cosine};
}

}  // namespace trilemma::vmath
