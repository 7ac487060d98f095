#pragma once
// Minibatches: which records of a shard enter an estimate.

#include <memory>

#include "core/random.hpp"
#include "core/table.hpp"

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
};

using SamplerMaker = std::unique_ptr<Sampler> (*)();

/// poisson: each record independently with probability batch / records; estimates divide by
/// `batch`. without-replacement: `batch` different records. with-replacement: `batch` independent
/// records.
std::span<const Row<SamplerMaker>> samplers();

}  // namespace trilemma
