#pragma once
// Minibatches: which records of a shard enter an estimate.

#include <memory>

#include "numeric/random.hpp"
#include "privacy/accountant/composition.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Draws record indices from the keyed stream.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual const char* name() const = 0;
  /// Writes the drawn records of a shard of `records`; expected (or exact) number `batch`.
  virtual void draw(const Key& key, std::size_t records, std::size_t batch,
                    std::vector<std::uint32_t>& rows) = 0;
  /// A record can occur twice in a draw.
  virtual bool repeats() const { return false; }
  /// What an accountant may assume of the draws: the scheme whose theorem fits, and its rate.
  virtual accounting::Sampling scheme() const = 0;
  double rate(std::size_t records, std::size_t batch) const {
    return static_cast<double>(batch) / static_cast<double>(records);
  }
  /// How often one record can enter a draw of `batch`.
  double occurrences(std::size_t batch) const {
    return repeats() ? static_cast<double>(batch) : 1.0;
  }
};

using SamplerMaker = std::unique_ptr<Sampler> (*)();

/// poisson: each record independently with probability batch / records; estimates divide by
/// `batch`. without-replacement: `batch` different records. with-replacement: `batch` independent
/// records.
std::span<const Row<SamplerMaker>> samplers();

}  // namespace trilemma
