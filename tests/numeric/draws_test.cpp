// Subsets (src/numeric/draws.hpp) against Floyd's algorithm number by number, and bounded numbers
// (src/numeric/elementwise.hpp) against the stream's.

#include "numeric/draws.hpp"

#include <gtest/gtest.h>

#include <set>

#include "numeric/elementwise.hpp"

namespace trilemma::draws_test {

std::vector<std::uint32_t> by_floyd(const Key& key, std::uint32_t n, std::uint32_t size) {
  std::set<std::uint32_t> taken;
  Stream stream(key);
  for (std::uint32_t j = n - size; j < n; ++j) {
    const std::uint32_t drawn = stream.below(j + 1);
    taken.insert(taken.contains(drawn) ? j : drawn);
  }
  return {taken.begin(), taken.end()};
}

TEST(SubsetDraw, IsFloydsAlgorithm) {
  SubsetDraw draw;
  std::vector<std::uint32_t> found;
  for (const auto& [n, size] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 0}, {1, 1}, {5, 5}, {124, 6}, {1000, 255}, {1000, 256}, {1000, 257}, {5000, 1024}})
    for (std::uint32_t round = 0; round < 20; ++round) {
      const Key key{3, Purpose::mask, size, round};
      draw(key, n, size, found);
      EXPECT_EQ(found, by_floyd(key, n, size)) << n << ' ' << size << ' ' << round;
    }
}

// 2^32 = 341 n + n / 3, so that one word in 1,024 is rejected, and those behind it move on by a
// place.
TEST(SubsetDraw, RejectedWordsMoveTheRestOn) {
  constexpr std::uint32_t n = 3U << 22U;
  constexpr std::uint32_t size = 1024;
  SubsetDraw draw;
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> word(size);
  std::vector<std::uint32_t> plain(size);
  int unclear = 0;
  for (std::uint32_t round = 0; round < 5; ++round) {
    const Key key{4, Purpose::mask, 0, round};
    random_words(key, 0, word);
    unclear += bounded_draws(word, n - size + 1, plain) ? 0 : 1;
    draw(key, n, size, found);
    EXPECT_EQ(found, by_floyd(key, n, size)) << round;
  }
  EXPECT_GE(unclear, 1);
}

TEST(BoundedDraws, AreThoseOfTheStream) {
  const Key key{5, Purpose::mask, 0, 0};
  std::vector<std::uint32_t> word(100);
  random_words(key, 0, word);
  std::vector<std::uint32_t> found(word.size());
  ASSERT_TRUE(bounded_draws(word, 7, found));
  Stream stream(key);
  for (std::uint32_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], stream.below(7 + i));
}

}  // namespace trilemma::draws_test
