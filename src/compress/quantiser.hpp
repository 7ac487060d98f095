#pragma once
// Shared by compressors to levels: z is cut into buckets, each with a scale that is sent as a
// scalar, and every coordinate becomes a level, a small signed integer.

#include "compress/compressor.hpp"

namespace trilemma {

/// Reads the code of levels of magnitude at most `most`.
inline void read_level_code(Reader& r, LevelCode& code, std::uint32_t most) {
  r("code", code,
    {{"fixed", LevelCode::fixed, "fixed width"},
     {"gamma", LevelCode::gamma, "Elias gamma codes"},
     {"runs", LevelCode::runs, "gaps between nonzero levels"},
     {"rans", LevelCode::rans, "an entropy coder with the frequencies of the message"}},
    "code of the levels");
  if (code == LevelCode::rans && most > most_rans_levels)
    r.refuse("code", fmt::format("an entropy coder keeps the frequencies of {} levels at most; "
                                 "lower levels, or choose gamma",
                                 most_rans_levels));
}

/// Number of coordinates that share a scale.
struct BucketOptions {
  std::size_t bucket = 512;
  void read(Reader& r) {
    r("bucket", bucket, at_least(0), "coordinates that share a scale; 0 = all");
  }
  /// Returns the length of a bucket for vectors of length `dimension`; at most the whole vector.
  std::size_t length(std::size_t dimension) const {
    return bucket == 0 || bucket > dimension ? dimension : bucket;
  }
};

/// Returns the layout of `dimension` levels of magnitude at most `levels`, with a scale for each
/// bucket.
inline Layout level_layout(std::size_t dimension, std::size_t bucket, std::uint32_t levels,
                           LevelCode code, ValueFormat format) {
  return {.dimension = dimension,
          .count = dimension,
          .scalars = (dimension + bucket - 1) / bucket,
          .levels = levels,
          .level = code,
          .value = format};
}

/// Norms of a bucket from which scales are computed.
struct BucketSize {
  double norm;  ///< 2-norm
  double most;  ///< largest magnitude of a coordinate
};
/// Returns both norms of `bucket`.
BucketSize bucket_size(ConstView bucket);

/// Returns the smallest float that is not below x; NaN if x is not finite.
float float_above(double x);

/// A compressor to levels: each derived class quantises a bucket to levels with a common scale, and
/// restores values from them.
class Quantiser : public Compressor {
 public:
  Layout layout() const final { return layout_; }
  void compress(ConstView z, const Key& key, Message& out) final;
  SparseView expand(const Message& message) final;

 protected:
  /// `draws`: whether quantise() reads its random words.
  Quantiser(const Layout& layout, std::size_t bucket, bool draws = true)
      : layout_(layout), bucket_(bucket), draws_(draws) {}
  /// Writes the levels of a bucket and returns its scale, a float; NaN if a value is not finite.
  virtual float quantise(ConstView bucket, std::span<const std::uint32_t> words,
                         std::span<std::int32_t> levels) const = 0;
  /// Writes the values that `levels` stand for in a bucket with this scale.
  virtual void restore(std::span<const std::int32_t> levels, float scale, View values) const = 0;

  Layout layout_;
  std::size_t bucket_;

 private:
  bool draws_;
  std::vector<std::uint32_t> words_;
  Vector values_;
};

}  // namespace trilemma
