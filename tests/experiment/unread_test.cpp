// Settings of a file that nothing reads (src/experiment/unread.hpp).

#include "experiment/unread.hpp"

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::unread_test {

using Words = std::vector<std::string>;

struct Found {
  Words unread, suspicious;
};

Found of(Settings settings) {
  read_plan(settings);
  return {unread_keys(settings), suspicious_keys(settings)};
}

Found of(const std::string& text, const Words& overrides = {}) {
  return of(Settings::from_text(testing::tiny_experiment + text, "e.toml", overrides));
}

// No part reads it while finetune.kind is "none".
constexpr const char* without = "[finetune]\nsteps = 3\n";

TEST(UnreadKeys, AreThoseOfNoPartThatIsChosen) {
  EXPECT_EQ(of("").unread, Words{});
  EXPECT_EQ(of(without).unread, Words{"finetune.steps"});
  EXPECT_EQ(of(without).suspicious, Words{"finetune.steps"});
}

TEST(UnreadKeys, OfFilesForSeveralMethodsAreNotSuspicious) {
  const std::string layered = std::string(without) + "[methods.gd]\nserver.rate = 1.0\n";
  EXPECT_EQ(of(layered).unread, Words{"finetune.steps"});
  EXPECT_EQ(of(layered).suspicious, Words{});
  EXPECT_EQ(of(without, {"method=ldp-sgd"}).suspicious, Words{});
  EXPECT_EQ(of(without, {"finetune.kind=none"}).suspicious, Words{});
  EXPECT_EQ(of(without, {"seed=3"}).suspicious, Words{"finetune.steps"});
}

TEST(UnreadKeys, OfTheLayerOfTheMethodAre) {
  const std::string layers = "[methods.gd]\ncompressor.k = 3\n[methods.ldp-sgd]\nlocal.batch = 2\n";
  EXPECT_EQ(of(layers, {"method=gd"}).suspicious, Words{"compressor.k"});
  EXPECT_EQ(of(layers, {"method=ldp-sgd"}).suspicious, Words{});
}

TEST(UnreadKeys, OfBaseFilesAreLeftToThose) {
  const testing::TempFolder folder;
  folder.write("base.toml", std::string(testing::tiny_experiment) + without);
  const auto file = folder.write("e.toml", "base = \"base.toml\"\n[partition]\nalpha = 0.3\n");
  const Found found = of(Settings::from_file(file, {}));
  EXPECT_EQ(found.unread.size(), 2U);
  EXPECT_EQ(found.suspicious, Words{"partition.alpha"});
}

// A base for many methods says nothing of what the file over it is for.
TEST(UnreadKeys, OfAFileOverLayersAreItsOwn) {
  const testing::TempFolder folder;
  folder.write("base.toml", std::string(testing::tiny_experiment) + without +
                                "[methods.gd]\nserver.rate = 1.0\n");
  const auto file = folder.write("e.toml", "base = \"base.toml\"\n[partition]\nalpha = 0.3\n");
  EXPECT_EQ(of(Settings::from_file(file, {})).suspicious, Words{"partition.alpha"});
}

TEST(UnreadKeys, AreShownWithThePartsThatReadThem) {
  EXPECT_EQ(readers_of("compressor.p"), "compressor bernoulli");
  EXPECT_EQ(readers_of("partition.alpha"), "partition dirichlet");
  EXPECT_EQ(readers_of("rounds"), "");
  EXPECT_EQ(with_readers({"compressor.p", "rounds"}),
            "compressor.p (read by compressor bernoulli), rounds");
  const std::string many = readers_of("local.steps");
  EXPECT_TRUE(many.starts_with("method fedavg, ") && many.ends_with(" others")) << many;
}

TEST(UnreadKeys, OfTheCommandLineAreRefusedWithTheirReaders) {
  const auto settings = Settings::from_text(testing::tiny_experiment, "e.toml",
                                            {"method=gd", "seed=2", "compressor.p=0.5"});
  testing::expect_parts(testing::refusal([&] { read_named_plan(settings, nullptr); }),
                        {"--set compressor.p", "do not read this key", ": compressor bernoulli"});
}

}  // namespace trilemma::unread_test
