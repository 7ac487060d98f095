// Finetuning inside whole experiments: scores next to those of the clients, and no trace in the
// training (spec algorithms.md 4.4).

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/claim.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::finetuning_run_test {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words words(const std::string& method, const std::string& kind) {
  Words all{"method=" + method, "partition.held_out=0.4", "partition.kind=label-sorted"};
  if (!kind.empty()) {
    all.push_back("finetune.kind=" + kind);
    all.emplace_back("finetune.rate=0.5");
  }
  return all;
}

Bytes state_after(const Words& overrides) {
  Federation f(tiny_experiment, overrides);
  for (int round = 0; round < 4; ++round) {
    f.round();
    f.evaluate();
  }
  Bytes bytes;
  State saving = State::saving(bytes);
  f.persist(saving);
  return bytes;
}

TEST(FinetuningRun, LeavesNoTrace) {
  for (const char* method : {"pmtl", "dp-fedavg-clip", "pp-sgd", "naive-dp-mtl", "local"})
    for (const char* kind : {"vanilla", "mean-regularised", "symmetrised-kl", "ewc"})
      EXPECT_EQ(state_after(words(method, kind)), state_after(words(method, "")))
          << method << ' ' << kind;
}

// Clients of one label each learn it from a common model that knows little.
TEST(FinetuningRun, RaisesTheScores) {
  for (const char* method : {"dp-fedavg-clip", "naive-dp-mtl"}) {
    Words all = words(method, "vanilla");
    all.insert(all.end(), {"privacy.sigma=0.5", "finetune.steps=30"});
    Federation f(tiny_experiment, all);
    f.run(5);
    const Metrics found = f.evaluate();
    EXPECT_GT(found.finetuned.mean, found.clients.mean) << method;
    const Metrics again = f.evaluate();
    EXPECT_EQ(again.finetuned.mean, found.finetuned.mean);
    EXPECT_EQ(again.clients.mean, found.clients.mean);
  }
}

// From its own model where it has one: a client of PMTL that takes no steps to speak of keeps its
// score.
TEST(FinetuningRun, BeginsAtTheClientsModel) {
  Words all = words("pmtl", "vanilla");
  all.insert(all.end(), {"finetune.rate=1e-9", "privacy.sigma=3", "local.pull=0", "local.rate=1"});
  Federation f(tiny_experiment, all);
  f.run(10);
  const Metrics found = f.evaluate();
  EXPECT_EQ(found.finetuned.weighted, found.clients.weighted);
  EXPECT_EQ(found.finetuned.tenth, found.clients.tenth);
  EXPECT_GT(found.finetuned.weighted, found.accuracy);
}

TEST(FinetuningRun, WithoutItTheScoresAreUnknown) {
  Federation f(tiny_experiment, words("pmtl", ""));
  EXPECT_TRUE(std::isnan(f.evaluate().finetuned.mean));
  EXPECT_FALSE(std::isnan(f.evaluate().clients.mean));
}

TEST(FinetuningRun, TheClaimSaysThatItCostsNothing) {
  const Federation with(tiny_experiment, words("pmtl", "ewc"));
  const Federation without(tiny_experiment, words("pmtl", ""));
  const std::string said = make_claim(with.plan, 0.05, 9).sentence;
  EXPECT_NE(said.find("finetuning is post-processing"), std::string::npos) << said;
  const std::string plain = make_claim(without.plan, 0.05, 9).sentence;
  EXPECT_EQ(said.find(plain), 0U);
  EXPECT_EQ(plain.find("finetuning"), std::string::npos);
}

TEST(FinetuningRun, Refuses) {
  auto refused = [](const Words& all) {
    return testing::refusal([&] { Federation(tiny_experiment, all); });
  };
  testing::expect_parts(refused({"method=pmtl", "finetune.kind=vanilla"}),
                        {"finetune.kind", "partition.held_out"});
  testing::expect_parts(refused({"method=pmtl", "finetune.kind=vanila"}),
                        {"finetune.kind", "vanilla"});
  Words unread = words("pmtl", "vanilla");
  unread.emplace_back("finetune.pull=1");
  testing::expect_parts(refused(unread), {"finetune.pull"});
}

}  // namespace trilemma::finetuning_run_test
