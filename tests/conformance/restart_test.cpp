// What every row of the tables must keep across a restart: state saved in the middle and restored
// into fresh parts resumes bit-identically, and a part that saves nothing remembers nothing. A new
// method, estimator, compressor, sampler, bound or schedule is tested without an edit.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/compressors.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::restart_test {

using testing::Federation;

// Under a wide bound: where every record is clipped, a linear model's gradients at the snapshot and
// at the model are the same, and a wrong snapshot would not show.
std::string experiment() {
  std::string toml = testing::tiny_experiment;
  const std::string narrow = "threshold = 0.5";
  return toml.replace(toml.find(narrow), narrow.size(), "threshold = 50");
}

// A walk over everything that a federation must keep.
void persist(Federation& f, State state) {
  f.persist(state);
  state.finish();
}

Bytes saved(Federation& f) {
  Bytes bytes;
  persist(f, State::saving(bytes));
  return bytes;
}

// The state of all parts in the end: what clients keep for themselves need not show in x.
Bytes after_restart(const std::vector<std::string>& overrides, std::uint32_t before,
                    std::uint32_t after) {
  Federation first(experiment(), overrides);
  first.run(before);
  Federation second(experiment(), overrides);
  // What the fresh parts have done before must not show.
  second.run(1);
  persist(second, State::restoring(saved(first)));
  second.run(after);
  return saved(second);
}

Bytes without_restart(const std::vector<std::string>& overrides, std::uint32_t rounds) {
  Federation whole(experiment(), overrides);
  whole.run(rounds);
  return saved(whole);
}

TEST(Restart, EveryMethodResumesBitIdentically) {
  for (const auto& row : methods())
    for (const std::uint32_t before : {0U, 1U, 4U}) {
      const std::vector<std::string> overrides{std::string("method=") + row.name};
      EXPECT_EQ(after_restart(overrides, before, 5), without_restart(overrides, before + 5))
          << row.name << " after " << before;
    }
}

// A server that is too slow for its clients, from the start and for long: updates wait, and with
// them the models from which clients have begun meanwhile.
TEST(Restart, ClientsThatWaitForTheServerResumeBitIdentically) {
  for (const char* method : {"fedbuff", "fedasync", "asyncsgd", "fedcompass"})
    for (const char* restart : {"at-once", "consumed", "renewed"})
      for (const std::uint32_t before : {1U, 2U, 9U, 30U}) {
        std::vector<std::string> overrides{std::string("method=") + method, "clock.interaction=60"};
        const bool comes =
            std::string(method).starts_with("fedb") || std::string(method) == "fedasync";
        if (comes) overrides.push_back(std::string("clock.restart=") + restart);
        if (std::string(method) == "fedbuff") overrides.emplace_back("server.buffer=2");
        EXPECT_EQ(after_restart(overrides, before, 12), without_restart(overrides, before + 12))
            << method << ' ' << restart << " after " << before;
      }
}

// Biased ones with a memory; the step of shifts needs an omega.
TEST(Restart, EveryCompressorResumesBitIdentically) {
  for (const auto& row : compressors())
    for (const char* method : {"cdp-sgd", "soteriafl-saga"}) {
      const auto traits = testing::make_compressor(row.name, 16)->traits();
      std::vector<std::string> overrides{std::string("method=") + method,
                                         std::string("compressor.kind=") + row.name};
      const bool shifts = std::string(method) == "soteriafl-saga";
      if (!traits.unbiased && shifts) continue;
      if (!traits.unbiased) overrides.emplace_back("memory.kind=error-feedback");
      if (shifts && std::isnan(traits.omega)) overrides.emplace_back("shift.step=0.5");
      EXPECT_EQ(after_restart(overrides, 3, 4), without_restart(overrides, 7))
          << row.name << ' ' << method;
    }
}

TEST(Restart, EverySamplerResumesBitIdentically) {
  for (const auto& row : samplers()) {
    std::vector<std::string> overrides{std::string("local.sampling=") + row.name};
    if (row.make()->shuffles())
      overrides.insert(overrides.end(), {"method=fedavg", "local.solver=sgd", "local.steps=2"});
    EXPECT_EQ(after_restart(overrides, 3, 4), without_restart(overrides, 7)) << row.name;
  }
}

TEST(Restart, EveryBoundResumesBitIdentically) {
  for (const auto& row : bounds()) {
    const std::vector<std::string> overrides{std::string("bound.kind=") + row.name};
    EXPECT_EQ(after_restart(overrides, 3, 4), without_restart(overrides, 7)) << row.name;
  }
}

// The two walks of SVRG would agree by chance where no snapshot was taken.
TEST(Restart, AnOldSnapshotComesBack) {
  for (const char* probability : {"1e-9", "1"}) {
    const std::vector<std::string> overrides{
        "method=ldp-svrg", std::string("local.snapshot_probability=") + probability};
    EXPECT_EQ(after_restart(overrides, 3, 4), without_restart(overrides, 7)) << probability;
  }
}

TEST(Restart, SecretsComeBack) {
  const std::vector<std::string> overrides{"privacy.rng=chacha20"};
  Federation first(experiment(), overrides);
  first.run(3);
  const Bytes state = saved(first);
  first.run(4);
  Federation second(experiment(), overrides);
  persist(second, State::restoring(state));
  second.run(4);
  EXPECT_EQ(first.x(), second.x());
}

TEST(Restart, StateOfOtherSizeIsRefused) {
  Federation saga(experiment(), {"method=soteriafl-saga"});
  Federation sgd(experiment(), {"method=ldp-sgd"});
  const Bytes large = saved(saga);
  const Bytes small = saved(sgd);
  EXPECT_THROW(persist(sgd, State::restoring(large)), LibraryError);
  EXPECT_THROW(persist(saga, State::restoring(small)), LibraryError);
}

// Compressors save nothing: what one has seen must not change what it does.
TEST(Restart, CompressorsRememberNothing) {
  constexpr std::size_t dimension = 60;
  const Vector z = testing::random_vector(dimension, 3);
  const Key key{5, Purpose::mask, 2, 17};
  for (const auto& row : compressors()) {
    const auto fresh = testing::make_compressor(row.name, dimension);
    const auto used = testing::make_compressor(row.name, dimension);
    Message message;
    for (std::uint32_t round = 0; round < 5; ++round)
      used->compress(testing::random_vector(dimension, round), {5, Purpose::mask, 1, round},
                     message);
    Message one;
    Message other;
    fresh->compress(z, key, one);
    used->compress(z, key, other);
    EXPECT_EQ(testing::dense(fresh->expand(one), dimension),
              testing::dense(used->expand(other), dimension))
        << row.name;
  }
}

TEST(Restart, SchedulesRememberNothing) {
  for (const auto& row : schedules()) {
    Settings settings = Settings::empty();
    const auto fresh = row.make(settings, 3, 20);
    const auto used = row.make(settings, 3, 20);
    std::vector<std::uint32_t> one;
    std::vector<std::uint32_t> other;
    for (std::uint32_t round = 0; round < 5; ++round) used->participants(round, other);
    fresh->participants(9, one);
    used->participants(9, other);
    EXPECT_EQ(one, other) << row.name;
  }
}

}  // namespace trilemma::restart_test
