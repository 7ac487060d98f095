#include "numeric/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

constexpr std::size_t lanes = 16;

// Returns the sum of term(i) over all i < count.
template <class Term>
HWY_INLINE double sum_in_lanes(std::size_t count, Term term) {
  double lane[lanes] = {};
  const std::size_t body = count / lanes * lanes;
  for (std::size_t i = 0; i < body; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) lane[l] += term(i + l);
  for (std::size_t i = body; i < count; ++i) lane[i - body] += term(i);
  double sum = 0;
  for (const double part : lane) sum += part;
  return sum;
}

double squares_of_floats(const float* a, std::size_t count) {
  return sum_in_lanes(count, [a](std::size_t i) HWY_ATTR {
    const auto value = static_cast<double>(a[i]);
    return value * value;
  });
}

double squares_of_doubles(const double* a, std::size_t count) {
  return sum_in_lanes(count, [a](std::size_t i) HWY_ATTR { return a[i] * a[i]; });
}

void squares_of_rows_of_reals(const real* first, std::size_t stride, std::size_t width,
                              std::span<double> out) {
  for (std::size_t r = 0; r < out.size(); ++r) {
    const real* const row = first + r * stride;
    out[r] = sum_in_lanes(width, [row](std::size_t i) HWY_ATTR {
      const auto value = static_cast<double>(row[i]);
      return value * value;
    });
  }
}

double sizes(const real* a, std::size_t count) {
  return sum_in_lanes(count,
                      [a](std::size_t i) HWY_ATTR { return std::abs(static_cast<double>(a[i])); });
}

real largest(const real* a, std::size_t count) {
  SizePattern most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, size_pattern(a[i]));
  return std::bit_cast<real>(most);
}

double products(const real* a, const real* b, std::size_t count) {
  return sum_in_lanes(count, [a, b](std::size_t i) HWY_ATTR {
    return static_cast<double>(a[i]) * static_cast<double>(b[i]);
  });
}

}  // namespace
}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(squares_of_floats);
HWY_EXPORT(squares_of_doubles);
HWY_EXPORT(squares_of_rows_of_reals);
HWY_EXPORT(sizes);
HWY_EXPORT(largest);
HWY_EXPORT(products);

template <>
double norm_squared(std::span<const float> a) {
  return HWY_DYNAMIC_DISPATCH(squares_of_floats)(a.data(), a.size());
}
template <>
double norm_squared(std::span<const double> a) {
  return HWY_DYNAMIC_DISPATCH(squares_of_doubles)(a.data(), a.size());
}

void squares_of_rows(const real* first, std::size_t stride, std::size_t width,
                     std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(squares_of_rows_of_reals)(first, stride, width, out);
}

double sum_of_sizes(ConstView a) { return HWY_DYNAMIC_DISPATCH(sizes)(a.data(), a.size()); }

real largest_size(ConstView a) { return HWY_DYNAMIC_DISPATCH(largest)(a.data(), a.size()); }

double dot(ConstView a, ConstView b) {
  return HWY_DYNAMIC_DISPATCH(products)(a.data(), b.data(), a.size());
}

}  // namespace trilemma
#endif
