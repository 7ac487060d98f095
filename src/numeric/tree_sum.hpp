#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace trilemma {

/// Items first, first + 1, ..., first + size - 1; size is a power of two and divides `first`.
struct Segment {
  std::uint64_t first, size;
};

/// The fewest segments that make up items [first, first + count), ascending: at most 2 log2(count).
std::vector<Segment> segments(std::uint64_t first, std::uint64_t count);

/// Sum of the vectors of numbered items along the binary tree over their numbers: two neighbouring
/// segments of one size, the left of which begins at a multiple of twice that, are added to one.
/// So the result is the same to the bit whoever has summed which segments, and the rounding errors
/// grow with log2 of the number of items only.
class TreeSum {
 public:
  explicit TreeSum(std::size_t width) : width_(width) {}

  /// Takes in the sum over a segment, which begins where the last one ended.
  void add(const Segment& segment, std::span<const double> values);
  /// What was taken in, as few segments as can be, ascending, and their sums.
  std::span<const Segment> parts() const { return parts_; }
  std::span<const double> values(std::size_t part) const {
    return std::span(values_).subspan(part * width_, width_);
  }
  /// Writes the sum over everything: of all parts, the last ones first.
  void total(std::span<double> out) const;

 private:
  std::size_t width_;
  std::vector<Segment> parts_;
  std::vector<double> values_;  // one row per part
};

}  // namespace trilemma
