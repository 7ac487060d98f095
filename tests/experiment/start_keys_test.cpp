// The section `start`: what a problem's own start is, which keys describe another one, and which
// starts are refused.

#include <gtest/gtest.h>

#include "experiment/read_plan.hpp"
#include "experiment/unread.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::start_keys_test {

using testing::expect_parts;
using testing::refusal;

constexpr const char* images = R"(method = "fedavg"
clients = 4
[data]
source = "idx"
features = 784
classes = 10
rows = 60000
)";
constexpr const char* generated = "method = \"fedavg\"\nclients = 4\n";

Plan named(const std::vector<std::string>& overrides, const char* toml = images) {
  return read_named_plan(Settings::from_text(toml, "e.toml", overrides), nullptr);
}

std::string refused(const std::vector<std::string>& overrides, const char* toml = images) {
  return refusal([&] { named(overrides, toml); });
}

bool has_line(const Plan& plan, const std::string& line) {
  return ("\n" + plan.config).find("\n" + line + "\n") != std::string::npos;
}

TEST(StartKeys, TheProblemDeclaresTheDefault) {
  EXPECT_EQ(named({}).start.law, StartLaw::glorot);
  EXPECT_EQ(named({"problem.activation=relu"}).start.law, StartLaw::he);
  EXPECT_EQ(named({"problem.kind=cnn"}).start.law, StartLaw::glorot);
  for (const char* convex : {"problem.kind=softmax", "problem.kind=mean", "problem.hidden=[]"}) {
    const Plan plan = named({convex});
    EXPECT_EQ(plan.start.law, StartLaw::normal) << convex;
    EXPECT_EQ(plan.start.scale, 0) << convex;
  }
}

// Every run file holds this configuration; read again it means the same.
TEST(StartKeys, TheResolvedConfigurationNamesTheLaw) {
  for (const auto& [setting, law] :
       std::vector<std::pair<std::string, std::string>>{{"seed=1", "glorot"},
                                                        {"problem.activation=relu", "he"},
                                                        {"start.law=fan-in", "fan-in"},
                                                        {"start.scale=0.2", "normal"},
                                                        {"problem.kind=softmax", "normal"}}) {
    const Plan plan = named({setting});
    EXPECT_TRUE(has_line(plan, "law = '" + law + "'") || has_line(plan, "law = \"" + law + "\""))
        << plan.config;
    const Plan again = recorded_plan(plan.config, {}, "run.h5");
    EXPECT_EQ(again.start.law, plan.start.law);
    EXPECT_EQ(again.start.scale, plan.start.scale);
    EXPECT_EQ(again.fingerprint, plan.fingerprint);
  }
}

TEST(StartKeys, ScaleAloneKeepsItsMeaning) {
  for (const char* kind : {"problem.kind=network", "problem.kind=cnn", "problem.kind=softmax"}) {
    const Plan plan = named({kind, "start.scale=0.05"});
    EXPECT_EQ(plan.start.law, StartLaw::normal);
    EXPECT_EQ(plan.start.scale, 0.05);
  }
  EXPECT_EQ(named({"start.scale=0.05", "start.law=uniform"}).start.law, StartLaw::uniform);
}

TEST(StartKeys, AFileTakesThePlaceOfTheLaw) {
  const testing::TempFolder folder;
  const std::string file = "start.file=" + folder.write("x.txt", "1\n");
  EXPECT_EQ(named({file}).start.law, StartLaw::normal);
  for (const char* law : {"start.law=he", "start.law=zero"})
    expect_parts(refused({file, law}), {"start.law", "start.file"});
}

TEST(StartKeys, ZeroIsRefusedForHiddenUnits) {
  for (const char* kind : {"problem.kind=network", "problem.kind=cnn"})
    for (const char* start :
         {"start.scale=0", "start.law=zero", "start.law=normal", "start.law=uniform"}) {
      const std::string sentence = refused({kind, start});
      expect_parts(sentence, {std::string(start).substr(0, 9), "hidden units", "leave out"});
    }
  expect_parts(refused({"start.scale=0"}), {"start.scale = 0", "glorot"});
  for (const char* start : {"start.scale=0", "start.law=zero", "start.law=normal"})
    for (const char* convex : {"problem.kind=softmax", "problem.kind=mean", "problem.hidden=[]"})
      EXPECT_EQ(named({convex, start}).start.scale, 0) << convex;
  EXPECT_EQ(named({"start.law=zero"}, generated).start.law, StartLaw::zero);
}

// Else `show` and `verify` could not read it.
TEST(StartKeys, ARunFileOfAnEarlierVersionMayHaveIt) {
  const auto settings =
      Settings::from_text(images, "e.toml", {"start.scale=0", "start.law=normal"});
  const Plan old = read_plan(settings);
  EXPECT_EQ(recorded_plan(old.config, {}, "old.h5").fingerprint, old.fingerprint);
}

TEST(StartKeys, LawsOfLayersNeedLayersAndHaveTheirSize) {
  for (const char* law : {"start.law=he", "start.law=glorot", "start.law=fan-in"}) {
    expect_parts(refused({law}, generated), {"start.law", "no layers"});
    expect_parts(refused({"problem.kind=softmax", law}), {"start.law", "no layers"});
    expect_parts(refused({law, "start.scale=0.5"}), {"start.scale", "size of its own"});
  }
  expect_parts(refused({"start.law=zero", "start.scale=0.5"}, generated), {"start.scale"});
  EXPECT_EQ(named({"problem.hidden=[]", "start.law=fan-in"}).start.law, StartLaw::fan_in);
}

}  // namespace trilemma::start_keys_test
