#include "network/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "network/predict_command.hpp"

namespace trilemma::predict_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Two rounds of four clients with messages of `bytes`, 100 bytes of model, 1 s a client and round
// and 0.5 s of the server.
RunTraffic run_with(double bytes, double seconds_of_a_client = 1) {
  RunTraffic run;
  run.clients = 4;
  run.model_bytes = 100;
  for (int round = 0; round <= 2; ++round)
    run.rows.push_back({.round = static_cast<double>(round),
                        .accuracy = round == 1 ? nan : 0.4 * round,
                        .messages = 4.0 * round,
                        .bits_up = 4 * round * bytes * 8,
                        .client_seconds = 4 * round * seconds_of_a_client,
                        .server_seconds = 0.5 * round});
  return run;
}

TEST(Predict, AddsComputingAndBothWays) {
  const Network star(3, {.latency = 1e-2, .seconds_per_byte = 1e-3});
  const Prediction found = predict(run_with(10), star, 2);
  EXPECT_EQ(found.rounds, 2);
  // Two hosts with two clients each.
  EXPECT_DOUBLE_EQ(found.compute, 2 * (2 * 1 + 0.5));
  EXPECT_DOUBLE_EQ(found.up, 2 * (1e-2 + 2 * 2 * 10 * 1e-3));
  EXPECT_DOUBLE_EQ(found.down, 2 * (1e-2 + 2 * 100 * 1e-3));
  EXPECT_DOUBLE_EQ(found.seconds(), found.compute + found.up + found.down);
}

TEST(Predict, TheFullestHostCounts) {
  const Network star(4, {.latency = 0, .seconds_per_byte = 0});
  EXPECT_DOUBLE_EQ(predict(run_with(10), star, 2).compute, 2 * (2 * 1 + 0.5));
  const Network many(10, {.latency = 0, .seconds_per_byte = 0});
  EXPECT_DOUBLE_EQ(predict(run_with(10), many, 2).compute, 2 * (1 + 0.5));
}

// As many bytes travel on ten ranks as on five: only four have a client.
TEST(Predict, RanksWithoutClientsSendNothing) {
  const Line slow{.latency = 0, .seconds_per_byte = 1e-3};
  for (const int ranks : {5, 10, 100})
    EXPECT_DOUBLE_EQ(predict(run_with(10), Network(ranks, slow), 2).up, 2 * 4 * 10 * 1e-3) << ranks;
  RunTraffic run = run_with(10);
  run.server_hosts = true;  // one of four clients is on rank 0
  for (const int ranks : {4, 5, 100})
    EXPECT_DOUBLE_EQ(predict(run, Network(ranks, slow), 2).up, 2 * 3 * 10 * 1e-3) << ranks;
  run.clients = 1;
  EXPECT_DOUBLE_EQ(predict(run, Network(5, slow), 2).up, 0);
}

// Keys, shares and answers are three further steps in each direction.
TEST(Predict, SecureAggregationTakesThreeFurtherSteps) {
  const Network star(3, {.latency = 1e-2, .seconds_per_byte = 1e-3});
  const Prediction plain = predict(run_with(10), star, 2);
  RunTraffic run = run_with(10);
  run.mask_bytes_up = 30;
  run.mask_bytes_down = 60;
  const Prediction found = predict(run, star, 2);
  EXPECT_DOUBLE_EQ(found.up - plain.up, 2 * 3 * (1e-2 + 4 * 10 * 1e-3));
  EXPECT_DOUBLE_EQ(found.down - plain.down, 2 * 3 * (1e-2 + 4 * 20 * 1e-3));
  EXPECT_EQ(found.compute, plain.compute);
}

RunTraffic ring_of_four(double bytes) {
  RunTraffic run = run_with(bytes);
  run.model_bytes = 0;
  run.server_hosts = true;
  run.edges = {{0, 1}, {0, 3}, {1, 2}, {2, 3}};
  return run;
}

// On four ranks every rank sends two messages; on two, one message with those of both nodes.
TEST(Predict, NodesSendOnceToEachRankOfTheirNeighbours) {
  constexpr Line line{.latency = 1e-2, .seconds_per_byte = 1e-3};
  for (const Topology topology : {Topology::star, Topology::tree}) {
    const Prediction four = predict(ring_of_four(10), Network(4, line, topology), 2);
    EXPECT_DOUBLE_EQ(four.up, 2 * 2 * (1e-2 + 10 * 1e-3));
    EXPECT_EQ(four.down, 0);
    const Prediction two = predict(ring_of_four(10), Network(2, line, topology), 2);
    EXPECT_DOUBLE_EQ(two.up, 2 * (1e-2 + 20 * 1e-3));
    ASSERT_EQ(two.calls.size(), 1U);
    EXPECT_EQ(two.calls[0].bytes, 20);
    EXPECT_EQ(two.calls[0].server_bytes, 20);
  }
}

TEST(Predict, ARelayGathersAndBroadcastsAllMessages) {
  RunTraffic run = ring_of_four(10);
  run.passes_rank_0 = true;
  const Prediction found = predict(run, Network(2, {.latency = 1e-2, .seconds_per_byte = 1e-3}), 2);
  EXPECT_DOUBLE_EQ(found.up, 2 * (2e-2 + (20 + 40) * 1e-3));
}

// exp(-1 / 2) in a round: two rounds for a factor e.
TEST(Predict, ConsensusTakesTheRoundsOfItsRate) {
  const Prediction found =
      predict(ring_of_four(10), Network(4, {.latency = 1e-2, .seconds_per_byte = 0}), 2);
  EXPECT_NEAR(found.seconds_per_e_fold(1 - std::exp(-0.5)), found.seconds(), 1e-12);
}

TEST(Predict, TellsOfIdleRanksAndOfTheSimulatedClock) {
  RunTraffic run = run_with(10);
  const auto said = [&](int ranks) {
    PredictAnswer answer{.asked = {},
                         .runs = {run},
                         .networks = {{Network(ranks, {.latency = 1, .seconds_per_byte = 0}), {}}},
                         .crossings = {}};
    answer.networks[0].runs.emplace_back(predict(run, answer.networks[0].network, 2));
    return to_text(answer, 1000);
  };
  EXPECT_EQ(said(5).find("note: run 1"), std::string::npos);
  EXPECT_NE(said(8).find("note: run 1 has 4 clients, so 3 of 7 hosting ranks have none"),
            std::string::npos);
  EXPECT_NE(said(5).find("star: all messages pass the link of rank 0"), std::string::npos);
  RunTraffic nodes = run;
  nodes.edges = {{0, 1}, {1, 2}, {2, 3}};
  std::swap(run, nodes);
  EXPECT_NE(said(5).find("no server: ranks send to the ranks that host neighbours"),
            std::string::npos);
  EXPECT_EQ(said(5).find("star"), std::string::npos);
  std::swap(run, nodes);
  run.on_a_clock = true;
  EXPECT_NE(said(5).find("note: run 1 is on the simulated clock"), std::string::npos);
}

// Runs 1 and 3 take as long but for 1 %, run 2 takes twice as long.
TEST(Predict, RunsWithinTwoPercentAreFirstTogether) {
  const Network star(3, {.latency = 0, .seconds_per_byte = 1e-3});
  PredictAnswer answer{.asked = {},
                       .runs = {run_with(10), run_with(10, 2), run_with(10, 1.01)},
                       .networks = {{star, {}}},
                       .crossings = {}};
  answer.asked.runs = {"a.h5", "b.h5", "c.h5"};
  for (const RunTraffic& run : answer.runs)
    answer.networks[0].runs.emplace_back(predict(run, star, 2));
  EXPECT_NE(to_text(answer, 1000).find("first: runs 1 and 3 (within 2 %)\n"), std::string::npos);
  answer.networks[0].runs[2]->compute *= 1.1;
  EXPECT_NE(to_text(answer, 1000).find("first: run 1\n"), std::string::npos);
  EXPECT_NE(to_text(answer, 1000).find("(b.h5)\n"), std::string::npos);
}

TEST(Predict, SizesTravelWhereTheyDiffer) {
  const Network star(3, {.latency = 1, .seconds_per_byte = 0});
  RunTraffic run = run_with(10);
  EXPECT_DOUBLE_EQ(predict(run, star, 2).up, 2);
  run.rows[1].bits_up += 8;
  EXPECT_DOUBLE_EQ(predict(run, star, 2).up, 4);
}

TEST(Predict, SumsTravelOnceAgreed) {
  const Network star(3, {.latency = 1, .seconds_per_byte = 1e-3});
  RunTraffic run = run_with(10);
  run.sums_on_ranks = true;
  run.sum_bytes = 1000;
  const double agree = 2 * (1 + 2 * 8e-3);
  EXPECT_DOUBLE_EQ(predict(run, star, 2).up, 2 * (agree + (1 + 2)));
}

// The largest value by recursive doubling in two steps, the sums up two levels of a tree.
TEST(Predict, SumsTravelUpATree) {
  const Network tree(4, {.latency = 1, .seconds_per_byte = 1e-6}, Topology::tree);
  RunTraffic run = run_with(10);
  run.sums_on_ranks = true;
  run.sum_bytes = 100'000;
  const Prediction found = predict(run, tree, 2);
  EXPECT_DOUBLE_EQ(found.up, 2 * (2 * (1 + 8e-6) + 2 * (1 + 0.1)));
  ASSERT_EQ(found.calls.size(), 3U);
  EXPECT_EQ(found.calls[1].algorithm, Algorithm::recursive_doubling);
  EXPECT_EQ(found.calls[2].algorithm, Algorithm::binomial);
  EXPECT_EQ(found.calls[2].server_bytes, 200'000);
}

// The times behind a ranking are known to 20 %, or there is no ranking; calls that take no time do
// not matter.
TEST(Predict, RanksNothingThatIsNotKnown) {
  const Network star(3, {.latency = 0, .seconds_per_byte = 1e-3});
  NetworkPrediction at{star, {predict(run_with(10), star, 2), predict(run_with(20), star, 2)}};
  EXPECT_EQ(at.fastest(), 0U);
  EXPECT_TRUE(at.unknown().empty());
  at.runs[1]->calls[0].doubt = 0.19;
  EXPECT_EQ(at.fastest(), 0U);
  at.runs[1]->calls[0].doubt = 0.41;
  EXPECT_EQ(at.fastest(), std::nullopt);
  ASSERT_EQ(at.unknown().size(), 1U);
  EXPECT_EQ(at.unknown()[0].run, 1U);
  EXPECT_EQ(at.unknown()[0].operation, Operation::broadcast);
  EXPECT_EQ(at.unknown()[0].bytes, 100);
  at.runs[1]->calls[0].seconds *= 0.01;
  EXPECT_EQ(at.fastest(), 0U);
}

TEST(Predict, FindsTheRowOfAnAccuracy) {
  const RunTraffic run = run_with(10);
  EXPECT_EQ(row_of(run, {}), 2U);
  EXPECT_EQ(row_of(run, 0.0), 0U);
  EXPECT_EQ(row_of(run, 0.5), 2U);
  EXPECT_FALSE(row_of(run, 0.9).has_value());
}

// 1 kB instead of 10 kB a message saves 4 * 9 kB a round and costs a second of each client.
TEST(Predict, CrossesWhereBothTakeEquallyLong) {
  const RunTraffic whole = run_with(10'000);
  const RunTraffic small = run_with(1'000, 2);
  const auto found = crossing(whole, 2, small, 2, 5, 1e-3);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(*found, 4 * 9'000 * 8, 1e-6);
  const Network at(5, {1e-3, 8 / *found});
  EXPECT_NEAR(predict(whole, at, 2).seconds(), predict(small, at, 2).seconds(), 1e-9);
  EXPECT_FALSE(crossing(whole, 2, run_with(1'000, 0.5), 2, 5, 1e-3).has_value());
}

TEST(Predict, CrossesOnATreeToo) {
  const RunTraffic whole = run_with(10'000);
  const RunTraffic small = run_with(1'000, 2);
  const auto found = crossing(whole, 2, small, 2, 5, 1e-3, Topology::tree);
  ASSERT_TRUE(found.has_value());
  const Network at(5, {1e-3, 8 / *found}, Topology::tree);
  EXPECT_NEAR(predict(whole, at, 2).seconds(), predict(small, at, 2).seconds(), 1e-9);
}

// The sums of equal messages over 2 and 200 rounds differ in rounding at most.
TEST(Predict, WhatSendsEquallyMuchDoesNotCross) {
  const RunTraffic one = run_with(3'968.1);
  RunTraffic other = run_with(3'968.1, 2);
  other.model_bytes *= 1 - 1e-13;
  EXPECT_FALSE(crossing(one, 2, other, 2, 5, 1e-3).has_value());
  EXPECT_FALSE(crossing(other, 2, one, 2, 5, 1e-3).has_value());
}

}  // namespace
}  // namespace trilemma::predict_test
