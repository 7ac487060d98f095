#include "numeric/random.hpp"

#include <Random123/philox.h>

#include <cmath>

#include "numeric/vmath.hpp"

namespace trilemma {

void philox_block(const Key& key, std::uint32_t block, std::uint32_t out[4]) {
  const r123::Philox4x32::ctr_type counter{
      {block, key.round, key.client, static_cast<std::uint32_t>(key.purpose)}};
  const r123::Philox4x32::key_type words{
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
  const auto result = r123::Philox4x32()(counter, words);
  for (std::size_t i = 0; i < 4; ++i) out[i] = result[i];
}

double normal_radius(std::uint32_t word, std::span<const std::uint32_t, 4> more) {
  double part = 0.5;
  if (word < tail_words)
    for (std::size_t i = 4; i-- > 0;) part = (part + more[i]) * 0x1p-32;
  return std::sqrt(-2.0 * vmath::log((part + word) * 0x1p-32));
}

double largest_normal() { return std::sqrt(2.0 * 161.0 * 0.6931471805599453); }

std::uint32_t Stream::settle(std::uint64_t product, std::uint32_t bound) {
  const std::uint32_t reject = (0U - bound) % bound;
  while (static_cast<std::uint32_t>(product) < reject)
    product = static_cast<std::uint64_t>(word()) * bound;
  return static_cast<std::uint32_t>(product >> 32);
}

void Stream::refill() {
  random_words(key_, next_block_, buffer_);
  next_block_ += buffered / 4;
  used_ = 0;
}

double normal_reference(const Key& key, std::uint32_t index) {
  std::uint32_t word[4];
  philox_block(key, index / 4, word);
  const std::uint32_t pair = (index % 4) / 2 * 2;
  double u = 0.5;
  if (word[pair] < tail_words) {
    Key tail = key;
    tail.purpose = static_cast<Purpose>(static_cast<std::uint32_t>(key.purpose) | tail_flag);
    std::uint32_t more[4];
    philox_block(tail, 2 * (index / 4) + pair / 2, more);
    u = more[0] * 0x1p-32 + more[1] * 0x1p-64 + more[2] * 0x1p-96 + (more[3] + 0.5) * 0x1p-128;
  }
  const double r = std::sqrt(-2.0 * std::log((word[pair] + u) * 0x1p-32));
  const double angle = 6.283185307179586 * (word[pair + 1] * 0x1p-32);
  return r * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace trilemma
