#pragma once
// Sampling of minibatches.

#include <memory>

#include "numeric/random.hpp"
#include "privacy/accountant/composition.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Draws the records of minibatches from the keyed stream.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// Returns the name in the table of samplers.
  virtual const char* name() const = 0;
  /// Writes the numbers of the records drawn from a shard of `records` records; their (expected or
  /// exact) number is `batch`.
  virtual void draw(const Key& key, std::size_t records, std::size_t batch,
                    std::vector<std::uint32_t>& rows) = 0;
  /// Returns whether a record can occur twice in a draw.
  virtual bool repeats() const { return false; }
  /// Returns whether the draws of an epoch split the records, so that they depend on each other.
  virtual bool shuffles() const { return false; }
  /// Returns the number by which the sum of the gradients of `drawn` records is divided.
  virtual std::size_t divisor(std::size_t batch, std::size_t /*drawn*/) const { return batch; }
  /// Returns the sampling scheme whose theorem an accountant may apply to the draws.
  virtual accounting::Sampling scheme() const = 0;
  /// Returns the sampling rate.
  double rate(std::size_t records, std::size_t batch) const {
    return static_cast<double>(batch) / static_cast<double>(records);
  }
  /// Returns the largest number of occurrences of one record in a draw of `batch`.
  double occurrences(std::size_t batch) const {
    return repeats() ? static_cast<double>(batch) : 1.0;
  }
};

using SamplerMaker = std::unique_ptr<Sampler> (*)();

/// Returns the table of samplers. poisson: each record independently with probability batch /
/// records; estimates divide by `batch`. without-replacement: `batch` different records.
/// with-replacement: `batch` independent records. shuffled: the draws of rounds r, r + 1, ... go
/// through the records in a random order, which changes with each epoch; the last of an epoch has
/// the records that are left, and estimates divide by their number.
std::span<const Row<SamplerMaker>> samplers();

}  // namespace trilemma
