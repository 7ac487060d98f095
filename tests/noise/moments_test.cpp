// Location and variance of the noise on the wire, pooled and in every part of it: noise that is
// absent, too small or too large on some coordinates, in some rounds or for some clients.

#include <gtest/gtest.h>

#include "tests/support/noise_samples.hpp"

namespace trilemma::moments_test {

using testing::Moments;
using testing::Path;
using testing::SentNoise;

constexpr std::size_t dimension = 512;

class NoiseMoments : public ::testing::TestWithParam<Path> {
 protected:
  const std::vector<SentNoise> sample = testing::sample(GetParam());

  void expect(const std::vector<Moments>& groups, const std::string& name) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::string what = name + ' ' + std::to_string(i);
      ASSERT_GT(groups[i].count, 100) << what;
      testing::expect_location(groups[i], what);
      testing::expect_variance(groups[i], what);
    }
  }
};

TEST_P(NoiseMoments, OfAllValues) {
  Moments all;
  for (const auto& sent : sample) all.add(sent.z);
  expect({all}, "all");
}

TEST_P(NoiseMoments, OfEveryCoordinate) {
  std::vector<Moments> coordinate(dimension);
  for (const auto& sent : sample)
    for (std::size_t i = 0; i < sent.z.size(); ++i)
      coordinate.at(sent.index.empty() ? i : sent.index[i]).add(sent.z[i]);
  expect(coordinate, "coordinate");
}

TEST_P(NoiseMoments, OfEveryRound) {
  std::vector<Moments> round(sample.back().round + 1);
  for (const auto& sent : sample) round[sent.round].add(sent.z);
  expect(round, "round");
}

TEST_P(NoiseMoments, OfEveryClient) {
  std::vector<Moments> client(sample.back().client + 1);
  for (const auto& sent : sample) client[sent.client].add(sent.z);
  expect(client, "client");
}

INSTANTIATE_TEST_SUITE_P(Noise, NoiseMoments, ::testing::Values(Path::whole, Path::sparse),
                         [](const auto& path) { return testing::name_of(path.param); });

}  // namespace trilemma::moments_test
