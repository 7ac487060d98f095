#pragma once
// Loops over the channels of a map with many pixels, for normalisation and pooling. A map is
// pixels x channels, row-major. Sums run in double, pixel after pixel, so that they are the same
// bits for every register width.

#include "base/types.hpp"

namespace trilemma {

/// Adds the values of each channel of `map` to `sums` (channels).
void add_channels(ConstView map, std::span<double> sums);

/// Adds the squared differences from `means` of each channel to `sums` (channels).
void add_squared_differences(ConstView map, std::span<const double> means, std::span<double> sums);

/// Parameters of a normalisation h = scale n + shift with n = (z - mean) factor, by channel.
struct ChannelNorm {
  ConstView mean, factor;
};

/// Writes h for the map z.
void normalise_channels(ConstView z, const ChannelNorm& norm, ConstView scale, ConstView shift,
                        View h);

/// Adds the sums of e and of e n over the pixels to `shifts` and `scales` (channels).
void add_error_sums(ConstView z, ConstView e, const ChannelNorm& norm, std::span<double> shifts,
                    std::span<double> scales);

/// Coefficients of the errors below a normalisation, by channel.
struct ChannelErrors {
  ConstView front, scale, by_shift, by_scale;
};

/// Writes front (scale e - by_shift - n by_scale) for the map z and the errors e.
void pass_errors(ConstView z, ConstView e, const ChannelNorm& norm, const ChannelErrors& by,
                 View down);

/// A window that moves over a map of `width` pixels a row.
struct MapWindows {
  std::size_t width = 0, channels = 0;              ///< of the map
  std::size_t out_height = 0, out_width = 0;        ///< number of positions of the window
  std::size_t window_height = 0, window_width = 0;  ///< in pixels
  std::size_t stride = 0;
};

/// Writes the largest value of each window and channel, and its place in the window: the first of
/// equal ones. The largest of values with a NaN is NaN.
void largest_of_windows(const MapWindows& w, ConstView map, View largest, View places);

/// Adds each error to the value of the map that was the largest of its window.
void add_to_largest(const MapWindows& w, ConstView errors, ConstView places, View map);

}  // namespace trilemma
