// Bounds of what is sent, rotations before them and noise where it is sent (src/privacy/bound.hpp,
// src/numeric/rotation.hpp, src/memory/residual.cpp), in whole experiments.

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/claim.hpp"
#include "numeric/lanes.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::bounded_messages_test {

using testing::Federation;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words averaging{"method=dp-fedavg-clip", "bound.threshold=0.01", "privacy.noise_at=server"};
const Words shared{"compressor.kind=rand-k", "compressor.k=2", "compressor.mask=shared"};

// The mean that the server steps by, of one round.
Vector step_of(const Words& words) {
  Federation f(testing::tiny_experiment, words);
  const Vector before = f.x();
  f.round();
  Vector step(before.size());
  for (std::size_t j = 0; j < step.size(); ++j) step[j] = f.x()[j] - before[j];
  return step;
}
double length(const Vector& v) { return std::sqrt(norm_squared(ConstView(v))); }

// Four clients of which each sends (d/2) times a vector of length C at the same two coordinates.
TEST(BoundedMessages, AreAsLongAsTheBoundTimesTheGain) {
  const Words quiet = with(with(averaging, shared), {"privacy.sigma=0", "server.rate=1"});
  const Vector whole = step_of(quiet);
  const Vector sent = step_of(with(quiet, {"bound.of=message"}));
  const double d = static_cast<double>(whole.size());
  EXPECT_LT(length(whole), 0.9 * d / 2 * 0.01);  // a part of a vector of length C
  EXPECT_LE(length(sent), d / 2 * 0.01 * (1 + 10 * testing::rounding));
  EXPECT_GT(length(sent), length(whole));
  int moved = 0;
  for (const real value : sent) moved += value != 0;
  EXPECT_EQ(moved, 2);
}

TEST(BoundedMessages, NoiseIsAddedWhereAllSend) {
  const Words words = with(with(averaging, shared), {"privacy.sigma=0.5", "server.rate=1"});
  int moved = 0;
  for (const real value : step_of(words)) moved += value != 0;
  EXPECT_EQ(moved, 2);
  const Words own = with(words, {"compressor.mask=keyed"});
  moved = 0;
  for (const real value : step_of(own)) moved += value != 0;
  EXPECT_EQ(moved, static_cast<int>(step_of(own).size()));
}

// Where every client has a block of the state, each sends other coordinates of it.
TEST(BoundedMessages, NoiseReachesEveryBlock) {
  Federation f(testing::tiny_experiment, with(shared, {"method=naive-dp-mtl", "privacy.sigma=0.5",
                                                       "privacy.noise_at=server"}));
  const Vector before = f.x();
  f.round();
  const std::size_t d = f.plan.shape().model;
  for (std::size_t block = 0; block < 4; ++block) {
    int moved = 0;
    for (std::size_t j = 0; j < d; ++j) moved += f.x()[block * d + j] != before[block * d + j];
    EXPECT_GT(moved, 2) << block;
  }
}

// Of the mean of four clients: the gain of the compressor times the bound, whatever is bounded.
TEST(BoundedMessages, SensitivityIsTheGainTimesTheBound) {
  for (const char* of : {"bound.of=update", "bound.of=message"}) {
    Federation f(testing::tiny_experiment, with(with(averaging, shared), {"privacy.sigma=1", of}));
    const double d = static_cast<double>(f.x().size());
    EXPECT_NEAR(releases(f.plan, {2, 2}).of_every_round().sensitivity.full, d / 2 * 0.01 / 4, 1e-9);
  }
  Federation f(testing::tiny_experiment,
               with(with(averaging, shared), {"privacy.sigma=1", "compressor.scaled=false",
                                              "memory.kind=residual", "bound.of=message"}));
  EXPECT_NEAR(releases(f.plan, {2, 2}).of_every_round().sensitivity.full, 0.01 / 4, 1e-9);
}

// Turned there and back: the same rounds up to rounding, where all is sent and bounds keep lengths.
TEST(Rotated, IsTheSameRoundWhereAllIsSent) {
  int different = 0;  // in the last digits
  for (const char* method :
       {"dp-fedavg-clip", "dp-normfedavg", "fed-alpha-normec", "clip21", "pmtl"}) {
    const Words words{std::string("method=") + method, "privacy.sigma=0"};
    Federation plain(testing::tiny_experiment, words);
    Federation rotated(testing::tiny_experiment, with(words, {"compressor.rotate=true"}));
    plain.run(4);
    rotated.run(4);
    different += plain.x() != rotated.x();
    for (std::size_t j = 0; j < plain.x().size(); ++j)
      EXPECT_NEAR(plain.x()[j], rotated.x()[j], 200 * testing::rounding) << method;
  }
  EXPECT_GT(different, 2);
}

TEST(Rotated, EveryCoordinateMovesWhereTwoAreSent) {
  const Words words = with(with(averaging, shared), {"privacy.sigma=0", "compressor.rotate=true"});
  int moved = 0;
  const Vector step = step_of(words);
  for (const real value : step) moved += value != 0;
  EXPECT_GT(moved, 2);
}

TEST(BoundedMessages, RefusesWhatHasNoMeaning) {
  auto sentence = [](const Words& words) {
    return testing::refusal([&] { Federation f(testing::tiny_experiment, words); });
  };
  EXPECT_NE(
      sentence(with(averaging, {"bound.of=message", "compressor.kind=qsgd", "privacy.sigma=1"}))
          .find("that are sent depend on the vector"),
      std::string::npos);
  EXPECT_NE(sentence({"method=ldp-sgd", "privacy.sigma=1", "compressor.rotate=true"})
                .find("would not be rotated"),
            std::string::npos);
  EXPECT_NE(sentence({"method=scaffold", "compressor.rotate=true"}).find("would not be rotated"),
            std::string::npos);
  EXPECT_NE(sentence({"method=ldp-sgd", "privacy.sigma=1", "memory.kind=residual"})
                .find("method that bounds whole clients"),
            std::string::npos);
  EXPECT_NE(sentence(with(with(averaging, shared), {"compressor.scaled=false", "privacy.sigma=1"}))
                .find("memory.kind = \"residual\""),
            std::string::npos);
}

// A compressor accepted together with residual loses nothing, or leaves something for the memory to
// remember.
TEST(ResidualMemory, IsRefusedWhereItWouldRememberNothing) {
  std::vector<std::string> refused;
  for (const auto& row : compressors()) {
    const Words words =
        with(averaging, {"privacy.sigma=1", "memory.kind=residual",
                         std::string("compressor.kind=") + row.name, "compressor.k=3"});
    std::unique_ptr<Federation> f;
    try {
      f = std::make_unique<Federation>(testing::tiny_experiment, words);
    } catch (const UserError& error) {
      if (std::string(error.what()).find("residual") != std::string::npos)
        refused.emplace_back(row.name);
      continue;
    }
    if (f->plan.compressor->traits().omega == 0) continue;
    f->run(3);
    Bytes bytes;
    State saving = State::saving(bytes);
    f->parts.clients->persist(0, saving);
    Vector kept;
    State restoring = State::restoring(bytes);
    restoring.values(kept);
    EXPECT_GT(length(kept), 0) << row.name;
  }
  EXPECT_EQ(refused,
            (std::vector<std::string>{"natural", "qsgd", "natural-dithering", "ternary", "grid",
                                      "lattice", "sign", "count-sketch", "low-rank"}));
}

}  // namespace trilemma::bounded_messages_test
