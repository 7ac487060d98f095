// Kernels of compressors (src/compress/lanes.hpp) give the same bits with registers of all widths.

#include "compress/lanes.hpp"

#include <gtest/gtest.h>

#include "numeric/random.hpp"
#include "numeric/vectors.hpp"

namespace trilemma::lanes_test {
namespace {

std::vector<std::int32_t> dithered_levels() {
  std::vector<double> number(999);
  normals({4, Purpose::data, 1, 0}, 0, number);
  const Vector z(number.begin(), number.end());
  std::vector<std::uint32_t> words(z.size());
  random_words({1, Purpose::rounding, 0, 0}, 0, words);
  std::vector<std::int32_t> levels(z.size());
  dither(z, 3.0, 7, words, levels);
  return levels;
}

TEST(CompressorLanes, DitherAlikeOnAllWidths) {
  const unsigned before = vector_target().bits;
  limit_vectors(0);
  const unsigned widest = vector_target().bits;
  if (widest == 128) {
    limit_vectors(before);
    GTEST_SKIP() << "this processor or build has registers of one width";
  }
  const std::vector<std::int32_t> expected = dithered_levels();
  for (unsigned bits = 128; bits < widest; bits *= 2) {
    limit_vectors(bits);
    EXPECT_EQ(dithered_levels(), expected) << bits;
  }
  limit_vectors(before);
}

}  // namespace
}  // namespace trilemma::lanes_test
