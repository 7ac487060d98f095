#pragma once
// What compressors to levels have in common: z is cut into buckets, each with a scale that travels
// as a scalar, and every coordinate becomes a level, a small signed integer.

#include "compress/compressor.hpp"

namespace trilemma {

/// Reads how levels of size `most` at most are written.
inline LevelCode read_level_code(Settings& s, std::uint32_t most) {
  const auto code = s.choice(
      "code", "fixed", {"fixed", "gamma", "runs", "rans"},
      "how levels are written: fixed width; Elias gamma codes; gaps between those that are not 0; "
      "an entropy coder with the frequencies of the message");
  if (code == "fixed") return LevelCode::fixed;
  if (code == "rans" && most > most_rans_levels)
    s.refuse("code", fmt::format("an entropy coder keeps the frequencies of {} levels at most; "
                                 "lower levels, or choose gamma",
                                 most_rans_levels));
  if (code == "rans") return LevelCode::rans;
  return code == "gamma" ? LevelCode::gamma : LevelCode::runs;
}

/// Reads the length of a bucket in a vector of so many; the whole vector is one bucket at least.
inline std::size_t read_bucket(Settings& s, std::size_t dimension) {
  const std::size_t bucket =
      s.count("bucket", 512, at_least(0), "coordinates that share a scale; 0 = all");
  return bucket == 0 || bucket > dimension ? dimension : bucket;
}

/// The layout of d levels of size s at most, with a scale for each bucket.
inline Layout level_layout(std::size_t dimension, std::size_t bucket, std::uint32_t levels,
                           LevelCode code, ValueFormat format) {
  return {.dimension = dimension,
          .count = dimension,
          .scalars = (dimension + bucket - 1) / bucket,
          .levels = levels,
          .level = code,
          .value = format};
}

/// Sizes of a bucket that scales are made of.
struct BucketSize {
  double norm;  ///< 2-norm
  double most;  ///< largest size of a coordinate
};
BucketSize bucket_size(ConstView bucket);

/// The least float that is not below x; what is not finite becomes NaN.
float float_above(double x);

/// A compressor to levels. The value of level l in a bucket of scale a is a * size(|l|) * sign(l).
/// Quantise is called as quantise(bucket, words, message level span) and returns the scale.
class Quantiser : public Compressor {
 public:
  Layout layout() const final { return layout_; }
  void compress(ConstView z, const Key& key, Message& out) final;
  SparseView expand(const Message& message) final;

 protected:
  /// `draws` tells whether quantise looks at its random words.
  Quantiser(const Layout& layout, std::size_t bucket, bool draws = true)
      : layout_(layout), bucket_(bucket), draws_(draws) {}
  /// Turns a bucket into levels and returns its scale, a float; NaN where a value is not finite.
  virtual float quantise(ConstView bucket, std::span<const std::uint32_t> words,
                         std::span<std::int32_t> levels) const = 0;
  /// The values of levels in a bucket of this scale.
  virtual void restore(std::span<const std::int32_t> levels, float scale, View values) const = 0;

  Layout layout_;
  std::size_t bucket_;

 private:
  bool draws_;
  std::vector<std::uint32_t> words_;
  Vector values_;
};

}  // namespace trilemma
