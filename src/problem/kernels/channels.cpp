#include "problem/kernels/channels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "problem/kernels/channels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trilemma::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls visit(tag of vectors, first channel) for all channels: vectors as wide as possible, then
// of 8 channels, then of one.
template <class Visit>
HWY_INLINE void each_vector(std::size_t channels, Visit&& visit) {
  std::size_t c = 0;
  const auto all = [&](auto tag) HWY_ATTR {
    for (; c + hn::Lanes(tag) <= channels; c += hn::Lanes(tag)) visit(tag, c);
  };
  all(hn::ScalableTag<real>());
  all(hn::CappedTag<real, 8>());
  all(hn::CappedTag<real, 1>());
}

// Calls visit(first channel, number of channels as a constant) for blocks of channels, whose sums
// compilers keep in registers.
template <class Visit>
HWY_INLINE void each_block(std::size_t channels, Visit&& visit) {
  std::size_t c = 0;
  const auto all = [&](auto width) HWY_ATTR {
    for (; c + width <= channels; c += width) visit(c, width);
  };
  all(std::integral_constant<std::size_t, 16>());
  all(std::integral_constant<std::size_t, 8>());
  all(std::integral_constant<std::size_t, 1>());
}

// Adds term(value, channel) of all values to the sum of their channel.
template <class Term>
HWY_INLINE void sum_by_channel(std::size_t values, std::size_t channels, double* sums, Term term) {
  each_block(channels, [&](std::size_t c, auto width) HWY_ATTR {
    double part[width];
    for (std::size_t l = 0; l < width; ++l) part[l] = sums[c + l];
    for (std::size_t v = c; v < values; v += channels)
      for (std::size_t l = 0; l < width; ++l) part[l] += term(v + l, c + l);
    for (std::size_t l = 0; l < width; ++l) sums[c + l] = part[l];
  });
}

// Calls visit(first output value, first value of the window) for all positions of the window.
template <class Visit>
HWY_INLINE void each_window(const MapWindows& w, Visit&& visit) {
  for (std::size_t i = 0; i < w.out_height; ++i)
    for (std::size_t j = 0; j < w.out_width; ++j)
      visit((i * w.out_width + j) * w.channels,
            (i * w.stride * w.width + j * w.stride) * w.channels);
}

// Calls visit(number of the pixel in the window, its first value from that of the window on).
template <class Visit>
HWY_INLINE void each_pixel(const MapWindows& w, Visit&& visit) {
  real number = 0;
  for (std::size_t y = 0; y < w.window_height; ++y)
    for (std::size_t x = 0; x < w.window_width; ++x, ++number)
      visit(number, (y * w.width + x) * w.channels);
}

}  // namespace

void channel_sums(std::size_t values, std::size_t channels, const real* map, double* sums) {
  sum_by_channel(values, channels, sums,
                 [=](std::size_t v, std::size_t) HWY_ATTR { return static_cast<double>(map[v]); });
}

void channel_squares(std::size_t values, std::size_t channels, const real* map, const double* means,
                     double* sums) {
  sum_by_channel(values, channels, sums, [=](std::size_t v, std::size_t c) HWY_ATTR {
    const double part = static_cast<double>(map[v]) - means[c];
    return part * part;
  });
}

void normalised(std::size_t values, std::size_t channels, const real* z, const ChannelNorm& norm,
                const real* scale, const real* shift, real* h) {
  each_vector(channels, [&](auto d, std::size_t c) HWY_ATTR {
    const auto mean = hn::LoadU(d, norm.mean.data() + c);
    const auto factor = hn::LoadU(d, norm.factor.data() + c);
    const auto front = hn::LoadU(d, scale + c);
    const auto added = hn::LoadU(d, shift + c);
    for (std::size_t v = c; v < values; v += channels) {
      const auto n = hn::Mul(hn::Sub(hn::LoadU(d, z + v), mean), factor);
      hn::StoreU(hn::Add(hn::Mul(front, n), added), d, h + v);
    }
  });
}

void error_sums(std::size_t values, std::size_t channels, const real* z, const real* e,
                const ChannelNorm& norm, double* shifts, double* scales) {
  const real* const means = norm.mean.data();
  const real* const factors = norm.factor.data();
  each_block(channels, [&](std::size_t c, auto width) HWY_ATTR {
    double of_errors[width];
    double of_products[width];
    real mean[width];
    real factor[width];
    for (std::size_t l = 0; l < width; ++l) {
      of_errors[l] = shifts[c + l];
      of_products[l] = scales[c + l];
      mean[l] = means[c + l];
      factor[l] = factors[c + l];
    }
    for (std::size_t v = c; v < values; v += channels)
      for (std::size_t l = 0; l < width; ++l) {
        const auto error = static_cast<double>(e[v + l]);
        const real n = (z[v + l] - mean[l]) * factor[l];
        of_errors[l] += error;
        of_products[l] += error * static_cast<double>(n);
      }
    for (std::size_t l = 0; l < width; ++l) {
      shifts[c + l] = of_errors[l];
      scales[c + l] = of_products[l];
    }
  });
}

void errors_below(std::size_t values, std::size_t channels, const real* z, const real* e,
                  const ChannelNorm& norm, const ChannelErrors& by, real* down) {
  each_vector(channels, [&](auto d, std::size_t c) HWY_ATTR {
    const auto mean = hn::LoadU(d, norm.mean.data() + c);
    const auto factor = hn::LoadU(d, norm.factor.data() + c);
    const auto front = hn::LoadU(d, by.front.data() + c);
    const auto scale = hn::LoadU(d, by.scale.data() + c);
    const auto by_shift = hn::LoadU(d, by.by_shift.data() + c);
    const auto by_scale = hn::LoadU(d, by.by_scale.data() + c);
    for (std::size_t v = c; v < values; v += channels) {
      const auto n = hn::Mul(hn::Sub(hn::LoadU(d, z + v), mean), factor);
      const auto own = hn::Sub(hn::Mul(scale, hn::LoadU(d, e + v)), by_shift);
      hn::StoreU(hn::Mul(front, hn::Sub(own, hn::Mul(n, by_scale))), d, down + v);
    }
  });
}

void largest_in_windows(const MapWindows& w, const real* map, real* largest, real* places) {
  each_window(w, [&](std::size_t to, std::size_t from) HWY_ATTR {
    each_vector(w.channels, [&](auto d, std::size_t c) HWY_ATTR {
      auto best = hn::LoadU(d, map + from + c);
      auto place = hn::Zero(d);
      each_pixel(w, [&](real number, std::size_t at) HWY_ATTR {
        const auto value = hn::LoadU(d, map + from + at + c);
        const auto is_larger = hn::Or(hn::Gt(value, best), hn::IsNaN(value));
        place = hn::IfThenElse(is_larger, hn::Set(d, number), place);
        best = hn::IfThenElse(is_larger, value, best);
      });
      hn::StoreU(best, d, largest + to + c);
      hn::StoreU(place, d, places + to + c);
    });
  });
}

void to_largest(const MapWindows& w, const real* errors, const real* places, real* map) {
  each_window(w, [&](std::size_t from, std::size_t to) HWY_ATTR {
    each_vector(w.channels, [&](auto d, std::size_t c) HWY_ATTR {
      const auto error = hn::LoadU(d, errors + from + c);
      const auto place = hn::LoadU(d, places + from + c);
      each_pixel(w, [&](real number, std::size_t at) HWY_ATTR {
        real* const value = map + to + at + c;
        const auto share = hn::IfThenElseZero(hn::Eq(place, hn::Set(d, number)), error);
        hn::StoreU(hn::Add(hn::LoadU(d, value), share), d, value);
      });
    });
  });
}

}  // namespace trilemma::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trilemma {

HWY_EXPORT(channel_sums);
HWY_EXPORT(channel_squares);
HWY_EXPORT(normalised);
HWY_EXPORT(error_sums);
HWY_EXPORT(errors_below);
HWY_EXPORT(largest_in_windows);
HWY_EXPORT(to_largest);

void add_channels(ConstView map, std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(channel_sums)(map.size(), sums.size(), map.data(), sums.data());
}

void add_squared_differences(ConstView map, std::span<const double> means, std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(channel_squares)
  (map.size(), sums.size(), map.data(), means.data(), sums.data());
}

void normalise_channels(ConstView z, const ChannelNorm& norm, ConstView scale, ConstView shift,
                        View h) {
  HWY_DYNAMIC_DISPATCH(normalised)
  (z.size(), norm.mean.size(), z.data(), norm, scale.data(), shift.data(), h.data());
}

void add_error_sums(ConstView z, ConstView e, const ChannelNorm& norm, std::span<double> shifts,
                    std::span<double> scales) {
  HWY_DYNAMIC_DISPATCH(error_sums)
  (z.size(), norm.mean.size(), z.data(), e.data(), norm, shifts.data(), scales.data());
}

void pass_errors(ConstView z, ConstView e, const ChannelNorm& norm, const ChannelErrors& by,
                 View down) {
  HWY_DYNAMIC_DISPATCH(errors_below)
  (z.size(), norm.mean.size(), z.data(), e.data(), norm, by, down.data());
}

void largest_of_windows(const MapWindows& w, ConstView map, View largest, View places) {
  HWY_DYNAMIC_DISPATCH(largest_in_windows)(w, map.data(), largest.data(), places.data());
}

void add_to_largest(const MapWindows& w, ConstView errors, ConstView places, View map) {
  HWY_DYNAMIC_DISPATCH(to_largest)(w, errors.data(), places.data(), map.data());
}

}  // namespace trilemma
#endif
