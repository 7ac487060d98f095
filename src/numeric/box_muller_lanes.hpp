// Box-Muller transform (Box and Muller 1958) of the words of many blocks at once. Compiled once for
// each vector width, hence the include guard that Highway toggles.

#include <hwy/highway.h>  // before the guard, which it sees to

#if defined(TRILEMMA_NUMERIC_BOX_MULLER_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef TRILEMMA_NUMERIC_BOX_MULLER_LANES
#undef TRILEMMA_NUMERIC_BOX_MULLER_LANES
#else
#define TRILEMMA_NUMERIC_BOX_MULLER_LANES
#endif

#include <cmath>

#include "numeric/generator_lanes.hpp"
#include "numeric/vmath.hpp"

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE Numbers all(double value) { return hn::Set(NumberTag(), value); }

// Returns a b + c with one rounding on every processor.
HWY_INLINE Numbers fused(Numbers a, Numbers b, Numbers c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  constexpr NumberTag tag;
  alignas(64) double value[3][hn::MaxLanes(tag)];
  hn::Store(a, tag, value[0]);
  hn::Store(b, tag, value[1]);
  hn::Store(c, tag, value[2]);
  for (std::size_t l = 0; l < hn::Lanes(tag); ++l)
    value[0][l] = std::fma(value[0][l], value[1][l], value[2][l]);
  return hn::Load(tag, value[0]);
#endif
}

// Sets p[i] = sum_k coefficient[k] x[i]^(count - 1 - k).
template <std::size_t count, std::size_t n>
HWY_INLINE void polynomial(const double (&coefficient)[count], const Numbers (&x)[n],
                           Numbers (&p)[n]) {
  for (std::size_t i = 0; i < n; ++i) p[i] = all(coefficient[0]);
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) p[i] = fused(p[i], x[i], all(coefficient[k]));
}

// Returns 2^52 + (w & mask).
HWY_INLINE Numbers raised(Words w, std::uint64_t mask) {
  constexpr WordTag tag;
  return hn::BitCast(NumberTag(),
                     hn::OrAnd(hn::Set(tag, vmath::two_to_52_bits), w, hn::Set(tag, mask)));
}

// Returns w + 1/2; multiplied by 2^-32, the result is uniform on (0, 1).
HWY_INLINE Numbers uniform(Words w) {
  return hn::Sub(raised(w, 0xFFFFFFFFULL), all(vmath::two_to_52 - 0.5));
}

// Replaces x by sqrt(-2 ln(x 2^-32)). With x = 2^e m and m in [sqrt(1/2), sqrt(2)), as in
// vmath::log, -2 ln m = -4 artanh s for s = (m-1)/(m+1), evaluated as a minimax polynomial in s^2
// with error 3e-14.
template <std::size_t n>
HWY_INLINE void radii(Numbers (&x)[n]) {
  constexpr WordTag tag;
  constexpr std::uint64_t one = 0x3FF0000000000000ULL;
  constexpr std::uint64_t least = 0x3FE6A09E667F3BCEULL;
  constexpr std::uint64_t mantissa = 0x000FFFFFFFFFFFFFULL;
  constexpr double artanh[] = {-0.3921619127950611, -0.4434849982015498, -0.5714433229175145,
                               -0.7999998978366476, -1.3333333335915851, -3.9999999999998943};
  Numbers e[n];
  Numbers s[n];
  Numbers square[n];
  for (std::size_t i = 0; i < n; ++i) {
    const Words bits = hn::Add(hn::BitCast(tag, x[i]), hn::Set(tag, one - least));
    const Numbers m = hn::BitCast(
        NumberTag(), hn::Add(hn::And(bits, hn::Set(tag, mantissa)), hn::Set(tag, least)));
    e[i] = hn::Sub(hn::BitCast(NumberTag(), hn::Or(hn::ShiftRight<52>(bits),
                                                   hn::Set(tag, vmath::two_to_52_bits))),
                   all(vmath::two_to_52 + 1023.0 + 32.0));
    s[i] = hn::Div(hn::Sub(m, all(1.0)), hn::Add(m, all(1.0)));
    square[i] = hn::Mul(s[i], s[i]);
  }
  polynomial(artanh, square, x);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = hn::Sqrt(fused(e[i], all(-2 * 0.6931471805599453), hn::Mul(x[i], s[i])));
}

// Replaces t by sin(pi/2 t 2^-30), |t| <= 2^30: t times a minimax polynomial in t^2, error 2e-16.
template <std::size_t n>
HWY_INLINE void sines(Numbers (&t)[n]) {
  constexpr double sine[] = {-6.449471237809134e-10 * 0x1p-450,  5.688318064017795e-08 * 0x1p-390,
                             -3.5988107063136794e-06 * 0x1p-330, 0.0001604411695631063 * 0x1p-270,
                             -0.004681754131447062 * 0x1p-210,   0.07969262624568337 * 0x1p-150,
                             -0.6459640975062232 * 0x1p-90,      1.5707963267948963 * 0x1p-30};
  Numbers square[n];
  Numbers p[n];
  for (std::size_t i = 0; i < n; ++i) square[i] = hn::Mul(t[i], t[i]);
  polynomial(sine, square, p);
  for (std::size_t i = 0; i < n; ++i) t[i] = hn::Mul(t[i], p[i]);
}

// Box-Muller takes the cosine and the sine of the angle 2 pi w / 2^32. Adding half a turn flips
// both signs, which with_sign() applies to the radius. Within half a turn, with t = 2^30 - w (the
// result of places()), the cosine is sines(t) and the sine is sines(2^30 - |t|).
constexpr double quarter = 0x1p30;
HWY_INLINE Numbers places(Words w) {
  return hn::Sub(all(vmath::two_to_52 + quarter), raised(w, 0x7FFFFFFFULL));
}
HWY_INLINE Numbers with_sign(Numbers radius, Words w) {
  const Numbers top = hn::BitCast(NumberTag(), hn::ShiftLeft<32>(w));
  return hn::Xor(radius, hn::And(top, hn::SignBit(NumberTag())));
}

}  // namespace
}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
