#include "numeric/tree_sum.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace trilemma {
namespace {

void add_to(std::span<double> sum, std::span<const double> values) {
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += values[j];
}

}  // namespace

std::vector<Segment> segments(std::uint64_t first, std::uint64_t count) {
  std::vector<Segment> found;
  while (count > 0) {
    const std::uint64_t fitting = std::bit_floor(count);
    const std::uint64_t aligned = first == 0 ? fitting : first & (~first + 1);
    found.push_back({first, std::min(fitting, aligned)});
    first += found.back().size;
    count -= found.back().size;
  }
  return found;
}

void TreeSum::add(const Segment& segment, std::span<const double> values) {
  expect(values.size() == width_, "a vector of another width");
  expect(parts_.empty() || parts_.back().first + parts_.back().size == segment.first,
         "a segment out of order");
  parts_.push_back(segment);
  values_.insert(values_.end(), values.begin(), values.end());
  while (parts_.size() > 1) {
    Segment& left = parts_[parts_.size() - 2];
    if (left.size != parts_.back().size || left.first % (2 * left.size) != 0) return;
    const std::size_t row = (parts_.size() - 2) * width_;
    add_to(std::span(values_).subspan(row, width_), this->values(parts_.size() - 1));
    left.size *= 2;
    parts_.pop_back();
    values_.resize(row + width_);
  }
}

void TreeSum::total(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t part = parts_.size(); part > 0; --part) add_to(out, values(part - 1));
}

}  // namespace trilemma
