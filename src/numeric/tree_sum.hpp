#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace trilemma {

/// The items first, first + 1, ..., first + size - 1; size is a power of two and divides `first`.
struct Segment {
  std::uint64_t first, size;
};

/// Returns the smallest number of segments that cover items [first, first + count), ascending: at
/// most 2 log2(count) of them.
std::vector<Segment> segments(std::uint64_t first, std::uint64_t count);

/// Sum of the vectors of numbered items along the binary tree over their numbers: two neighbouring
/// segments of equal size are merged if the left one starts at a multiple of twice that size. The
/// result has the same bits whichever rank has summed which segments, and rounding errors grow only
/// with log2 of the number of items.
class TreeSum {
 public:
  explicit TreeSum(std::size_t width) : width_(width) {}

  /// Adds the sum over `segment`, which must start where the previous one ended.
  void add(const Segment& segment, std::span<const double> values);
  /// Returns the segments added so far, merged into as few as possible, ascending.
  std::span<const Segment> parts() const { return parts_; }
  /// Returns the sum over segment number `part` of parts().
  std::span<const double> values(std::size_t part) const {
    return std::span(values_).subspan(part * width_, width_);
  }
  /// Writes the sum over all parts, added from the last to the first.
  void total(std::span<double> out) const;

 private:
  std::size_t width_;
  std::vector<Segment> parts_;
  std::vector<double> values_;  // one row per part
};

}  // namespace trilemma
