#include "compress/quantiser.hpp"

#include <cmath>

#include "numeric/lanes.hpp"

namespace trilemma {

BucketSize bucket_size(ConstView bucket) {
  return {std::sqrt(norm_squared(bucket)), static_cast<double>(largest_size(bucket))};
}

float float_above(double x) {
  const auto near = static_cast<float>(x);
  if (!std::isfinite(near)) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<double>(near) >= x
             ? near
             : std::nextafter(near, std::numeric_limits<float>::infinity());
}

void Quantiser::compress(ConstView z, const Key& key, Message& out) {
  if (draws_) rounding_words(key, z.size(), words_);
  out.scalar.resize(layout_.scalars);
  out.level.resize(z.size());
  const std::span<std::int32_t> levels(out.level);
  const std::span<const std::uint32_t> words(words_);
  for (std::size_t b = 0; b < layout_.scalars; ++b) {
    const std::size_t first = b * bucket_;
    const std::size_t size = std::min(bucket_, z.size() - first);
    const float scale =
        quantise(z.subspan(first, size), draws_ ? words.subspan(first, size) : words,
                 levels.subspan(first, size));
    // Sends nonzero levels with the scale NaN, so that the server sees the values and can name the
    // client.
    if (!std::isfinite(scale)) std::ranges::fill(levels.subspan(first, size), 1);
    out.scalar[b] = static_cast<real>(scale);
  }
}

SparseView Quantiser::expand(const Message& message) {
  values_.resize(layout_.dimension);
  const std::span<const std::int32_t> levels(message.level);
  for (std::size_t b = 0; b < layout_.scalars; ++b) {
    const std::size_t first = b * bucket_;
    const std::size_t size = std::min(bucket_, values_.size() - first);
    restore(levels.subspan(first, size), static_cast<float>(message.scalar[b]),
            View(values_).subspan(first, size));
  }
  return {Support::all(), values_};
}

}  // namespace trilemma
