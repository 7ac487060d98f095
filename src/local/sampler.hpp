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
/// with-replacement: `batch` independent records.
std::span<const Row<SamplerMaker>> samplers();

}  // namespace trilemma
