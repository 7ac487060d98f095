// The start model (src/federation/assembly.hpp): from a file or N(0,1) * scale from the keyed
// stream.

#include "federation/start_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/random.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::start_model_test {

using testing::expect_parts;
using testing::TempFolder;

TEST(StartModel, ZeroAndRandomStarts) {
  EXPECT_EQ(start_model({.scale = 0}, 1, 3), (Vector{0, 0, 0}));
  const Vector x = start_model({.scale = 0.2}, 7, 10'000);
  EXPECT_EQ(x, start_model({.scale = 0.2}, 7, 10'000));
  EXPECT_NE(x, start_model({.scale = 0.2}, 8, 10'000));
  testing::Sample sample;
  for (const double v : x) sample.add(v);
  testing::expect_mean(sample, 0);
  EXPECT_NEAR(std::sqrt(sample.variance()), 0.2, 0.2 * 5 / std::sqrt(2e4));
  // The first numbers do not depend on how many follow.
  const Vector few = start_model({.scale = 0.2}, 7, 5);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), x.begin()));
}

StartPlan start_at(const std::string& path) {
  StartPlan start;
  start.file = NamedFile(path);
  return start;
}

TEST(StartModel, ReadsNumbers) {
  const TempFolder folder;
  folder.write("x0.txt", "# a comment\n 0.5\n\n-1e-3\r\n  # another\n7\n");
  EXPECT_EQ(start_model(start_at(folder.at("x0.txt")), 1, 3),
            (Vector{0.5, static_cast<real>(-1e-3), 7}));
}

std::string refused(const std::string& content, std::size_t dimension) {
  const TempFolder folder;
  folder.write("x0.txt", content);
  return testing::refusal([&] { start_model(start_at(folder.at("x0.txt")), 1, dimension); });
}

TEST(StartModel, RefusesBadFiles) {
  expect_parts(testing::refusal([] { start_model(start_at("/tmp/none.txt"), 1, 3); }),
               {"none.txt"});
  expect_parts(refused("1\n2\n", 3), {"x0.txt", "2 numbers", "3 coordinates"});
  expect_parts(refused("1\n2\n3\n4\n", 3), {"4 numbers", "3 coordinates"});
  expect_parts(refused("", 3), {"x0.txt", "the file is empty"});
  expect_parts(refused("# none\n", 3), {"x0.txt", "0 numbers", "3 coordinates"});
  expect_parts(refused("1\nx\n3\n", 3), {"x0.txt:2", "x"});
  expect_parts(refused("1\nnan\n3\n", 3), {"x0.txt:2"});
  expect_parts(refused("1\n2\ninf\n", 3), {"x0.txt:3"});
}

TEST(StartModel, ShowsNoLineAsItIs) {
  expect_parts(refused(std::string("1\0002\n3\n", 6), 2), {"x0.txt:1", "a zero byte"});
  const std::string escape = refused("1\n\x1b[2J\n", 2);
  expect_parts(escape, {"x0.txt:2", R"(\x1b[2J)"});
  EXPECT_EQ(escape.find('\x1b'), std::string::npos);
  EXPECT_LT(refused(std::string(100'000, 'x'), 1).size(), 500U);
}

// One number a line: what follows it must not be dropped in silence.
TEST(StartModel, RefusesMoreThanANumberOnALine) {
  expect_parts(refused("1\n2 5\n3\n", 3), {"x0.txt:2"});
  expect_parts(refused("1\n2,5\n3\n", 3), {"x0.txt:2"});
  expect_parts(refused("1\n2abc\n3\n", 3), {"x0.txt:2"});
}

// 2-2-2: W_1, b_1, W_2, b_2.
const std::vector<StartLayer> layers{{0, 2, 2, 2, true}, {6, 2, 2, 2, false}};

TEST(StartModel, OfALawOfLayers) {
  const Vector x = start_model({.law = StartLaw::he, .layers = layers}, 7, 12);
  const auto drawn = draw_layers(layers, StartLaw::he, {7, Purpose::init, 0, 0}, 12);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(x[j], static_cast<real>(drawn[j]));
  EXPECT_EQ(x[4], 0);
  EXPECT_NE(x, start_model({.law = StartLaw::he, .layers = layers}, 8, 12));
  EXPECT_EQ(start_model({.law = StartLaw::zero}, 7, 2), (Vector{0, 0}));
}

TEST(StartModel, RefusesFilesWithoutAGradient) {
  const TempFolder folder;
  const auto refused_file = [&](const std::string& text) {
    StartPlan start = start_at(folder.write("x0.txt", text));
    start.layers = layers;
    const Vector x = start_model(start, 1, 12);
    return testing::refusal([&] { require_gradient(start, x); });
  };
  expect_parts(refused_file("0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n"), {"x0.txt", "hidden layer 1"});
  expect_parts(refused_file("1\n1\n2\n2\n3\n3\n4\n5\n4\n5\n6\n7\n"), {"x0.txt", "2 units"});
  require_gradient({.scale = 0}, Vector(12, 0));  // no hidden units
}

}  // namespace trilemma::start_model_test
