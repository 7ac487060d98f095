#include "network/route.hpp"

#include <gtest/gtest.h>

namespace trilemma::route_test {
namespace {

constexpr double large = 1e6;

Route broadcast(Algorithm algorithm, int ranks, double bytes = large) {
  return route_of(algorithm, Operation::broadcast, ranks, bytes);
}

TEST(Route, CopiesOnTheLongestPathAndThroughTheLinkOfRank0) {
  struct Case {
    Algorithm algorithm;
    int ranks;
    double path, server;
  };
  const Case cases[] = {{Algorithm::linear, 5, 4, 4},
                        {Algorithm::chain, 5, 4, 1},
                        {Algorithm::binary, 3, 2, 2},
                        {Algorithm::binary, 4, 3, 2},  // rank 1 forwards to rank 3 alone
                        {Algorithm::binary, 7, 4, 2},
                        {Algorithm::split_binary, 7, 2.5, 1},
                        {Algorithm::binomial, 8, 3, 3},
                        {Algorithm::binomial, 5, 3, 3},
                        {Algorithm::knomial, 4, 3, 3},
                        {Algorithm::knomial, 64, 9, 9},
                        {Algorithm::knomial, 32, 7, 7},  // 2, 8 and 32 ranks have it
                        {Algorithm::scatter_allgather, 8, 1.75, 1.75},
                        {Algorithm::recursive_doubling, 8, 3, 3}};
  for (const Case& c : cases) {
    const Route route = broadcast(c.algorithm, c.ranks);
    EXPECT_DOUBLE_EQ(route.path_copies(), c.path) << name(c.algorithm) << c.ranks;
    EXPECT_DOUBLE_EQ(route.server_copies, c.server) << name(c.algorithm) << c.ranks;
  }
}

// Of 8 ranks rank 0 sends to three at once, the first of them to two, and so on.
TEST(Route, ShortMessagesShareALink) {
  EXPECT_DOUBLE_EQ(broadcast(Algorithm::binomial, 8, 1000).path_copies(), 3 + 2 + 1);
  EXPECT_DOUBLE_EQ(broadcast(Algorithm::knomial, 64, 1000).path_copies(), 9 + 6 + 3);
  EXPECT_DOUBLE_EQ(route_of(Algorithm::binomial, Operation::reduce, 8, 1000).path_copies(), 3);
}

TEST(Route, TwoRanksHaveOneMessageWhateverTheAlgorithm) {
  for (const auto algorithm :
       {Algorithm::linear, Algorithm::chain, Algorithm::binary, Algorithm::binomial,
        Algorithm::knomial, Algorithm::scatter_allgather})
    EXPECT_DOUBLE_EQ(broadcast(algorithm, 2).path_copies(), 1) << name(algorithm);
}

TEST(Rule, ChoosesByRanksAndSize) {
  const auto down = [](Rule rule, int ranks, double bytes) {
    return chosen(rule, Operation::broadcast, ranks, bytes);
  };
  EXPECT_EQ(down(Rule::open_mpi, 3, 203'560), Algorithm::chain);
  EXPECT_EQ(down(Rule::open_mpi, 4, 203'560), Algorithm::linear);
  EXPECT_EQ(down(Rule::open_mpi, 64, 8), Algorithm::knomial);
  EXPECT_EQ(down(Rule::open_mpi, 20, 2e6), Algorithm::scatter_allgather);
  EXPECT_EQ(down(Rule::open_mpi, 100'000, 1e9), Algorithm::scatter_allgather);
  EXPECT_EQ(down(Rule::mpich, 64, 1000), Algorithm::binomial);
  EXPECT_EQ(down(Rule::mpich, 64, 203'560), Algorithm::scatter_allgather);
  EXPECT_EQ(down(Rule::star, 64, 203'560), Algorithm::linear);
  EXPECT_EQ(chosen(Rule::open_mpi, Operation::reduce, 4, 407'120), Algorithm::linear);
  EXPECT_EQ(chosen(Rule::open_mpi, Operation::reduce, 64, 407'120), Algorithm::binomial);
  EXPECT_EQ(chosen(Rule::open_mpi, Operation::gather, 64, 48), Algorithm::linear);
  EXPECT_EQ(chosen(Rule::mpich, Operation::point_to_point, 64, 48), Algorithm::direct);
}

}  // namespace
}  // namespace trilemma::route_test
