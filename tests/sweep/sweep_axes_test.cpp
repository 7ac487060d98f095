// Axes of one method, cells that are skipped, seeds for tuning (src/sweep/sweep_file.cpp).

#include "sweep/sweep.hpp"
#include "sweep/sweep_status.hpp"
#include "tests/support/sweeps.hpp"

namespace trilemma::sweep_axes_test {

using testing::expect_parts;

class SweepAxes : public testing::SweepTest {};

TEST_F(SweepAxes, HaveSeedsForTuningBesideThoseForResults) {
  const Sweep s = sweep("order_seed = 0\nseeds = 2\ntune = {seeds = [0, 7]}\n");
  EXPECT_EQ(names(s), (std::vector<std::string>{"seed=0", "seed=7", "seed=1", "seed=2"}));
  EXPECT_EQ(s.tuning_seeds, (std::vector<std::int64_t>{0, 7}));
  expect_parts(refused("seeds = 2\ntune.seeds = [2]\n"), {"seed 2", "tune on others"});
  expect_parts(refused("tune.seeds = [2]\n"), {"no seeds for results"});
  expect_parts(refused("seeds = 2\ntune.seeds = 5\n"), {"expected a list"});
  expect_parts(refused("seeds = 2\ntune.seeds = [-1]\n"), {"at least 0"});
  expect_parts(refused("seeds = 2\ntune.rounds = [1]\n"), {"only key of [tune]"});
}

TEST_F(SweepAxes, HaveASplitForEachSeedOnRequest) {
  const Sweep s = sweep("order_seed = 0\nseeds = 2\ntune.seeds = [7]\nreplicates = \"split\"\n");
  EXPECT_EQ(names(s), (std::vector<std::string>{"seed=7 data.seed=7", "seed=1 data.seed=1",
                                                "seed=2 data.seed=2"}));
  EXPECT_EQ(names(sweep("order_seed = 0\nseeds = 2\nreplicates = \"run\"\n")),
            (std::vector<std::string>{"seed=1", "seed=2"}));
  expect_parts(refused("replicates = \"split\"\n"), {"replicates", "no seeds"});
  expect_parts(refused("seeds = 2\nreplicates = \"splits\"\n"), {"replicates", "\"split\""});
  expect_parts(refused("seeds = 2\nreplicates = 3\n"), {"replicates", "\"run\""});
  expect_parts(refused("seeds = 2\nreplicates = \"split\"\n[set]\ndata.seed = 1\n"),
               {"data.seed is set at", "keep one"});
  expect_parts(refused("seeds = 2\nreplicates = \"split\"\n[methods.gd.axes]\ndata.seed = [1]\n"),
               {"data.seed is set at", "keep one"});
}

TEST_F(SweepAxes, HaveAxesOfOneMethod) {
  const Sweep s = sweep(
      "order_seed = 0\nseeds = 1\n[methods.ldp-sgd.axes]\nserver.rate = [0.1, 0.2]\nlocal.batch = [5]\n"
      "[axes]\nmethod = [\"gd\", \"ldp-sgd\"]\nrounds = [3, 1]\n[methods.gd.axes]\nserver.rate = [1]\n");
  EXPECT_EQ(names(s), (std::vector<std::string>{
                          "method=gd rounds=3 server.rate=1 seed=1",
                          "method=gd rounds=1 server.rate=1 seed=1",
                          "method=ldp-sgd rounds=3 server.rate=0.1 local.batch=5 seed=1",
                          "method=ldp-sgd rounds=3 server.rate=0.2 local.batch=5 seed=1",
                          "method=ldp-sgd rounds=1 server.rate=0.1 local.batch=5 seed=1",
                          "method=ldp-sgd rounds=1 server.rate=0.2 local.batch=5 seed=1"}));
  for (const auto& cell : s.cells) EXPECT_EQ(cell.refusal, "");
}

TEST_F(SweepAxes, HaveAxesOfTheMethodOfAllCells) {
  EXPECT_EQ(sweep("[set]\nmethod = \"gd\"\n[methods.gd.axes]\nserver.rate = [1, 2]\n").cells.size(),
            2U);
  EXPECT_EQ(sweep("[methods.gd.axes]\nserver.rate = [1, 2]\n", {"method=gd"}).cells.size(), 2U);
}

TEST_F(SweepAxes, NameMethodsThatExist) {
  expect_parts(refused("[axes]\nmethod = [\"gd\", \"ldp-sdg\"]\n"),
               {"s.toml", "method: unknown method 'ldp-sdg'", "did you mean \"ldp-sgd\""});
}

TEST_F(SweepAxes, RefuseAxesOfMethodsThatHaveNoEffect) {
  expect_parts(refused("[axes]\nmethod = [\"gd\"]\n[methods.ldp-sgd.axes]\nserver.rate = [1]\n"),
               {"[methods.ldp-sgd.axes]", "no cell has this method"});
  expect_parts(refused("[methods.gdd.axes]\nserver.rate = [1]\n"), {"unknown method", "\"gd\""});
  expect_parts(refused("[methods.gd]\nserver.rate = 1\n"), {"[methods.NAME.axes]", "[set]"});
  expect_parts(refused("[axes]\nmethod = [\"gd\"]\n[methods.gd.axes]\nserver.rat = [1]\n"),
               {"server.rat", "server.rate"});
  expect_parts(
      refused(
          "[axes]\nmethod = [\"gd\"]\nserver.rate = [1]\n[methods.gd.axes]\nserver.rate = [2]\n"),
      {"server.rate", "is set at", "keep one"});
  expect_parts(refused("[axes]\nmethod = [\"gd\"]\n[methods.gd.axes]\nseed = [2]\n"), {"seeds"});
}

TEST_F(SweepAxes, HaveOneOfStepSizesForMethodsWithKeysOfTheirOwn) {
  const Sweep s = sweep(
      "order_seed = 0\n[axes]\nstep_size = [0.1, 0.2]\nmethod = [\"gd\", \"dp-fedavg-clip\"]\n"
      "[methods.dp-fedavg-clip.axes]\nserver.rate = [1]\n[set]\nprivacy.sigma = 0.1\n");
  EXPECT_EQ(names(s),
            (std::vector<std::string>{
                "step_size=0.1 method=gd", "step_size=0.1 method=dp-fedavg-clip server.rate=1",
                "step_size=0.2 method=gd", "step_size=0.2 method=dp-fedavg-clip server.rate=1"}));
  EXPECT_EQ(
      cell_overrides(s, s.cells[2]),
      (std::vector<std::string>{"privacy.sigma = 0.1", "server.rate = 0.2", "method = 'gd'"}));
  EXPECT_EQ(cell_overrides(s, s.cells[3]),
            (std::vector<std::string>{"privacy.sigma = 0.1", "local.rate = 0.2",
                                      "method = 'dp-fedavg-clip'", "server.rate = 1"}));
  // The method of the experiment where the sweep has none.
  const Sweep plain = sweep("[axes]\nstep_size = [0.1]\n");
  EXPECT_EQ(cell_overrides(plain, plain.cells[0]), std::vector<std::string>{"server.rate = 0.1"});
}

TEST_F(SweepAxes, RefuseAStepSizeBesideTheKeyThatItStandsFor) {
  expect_parts(refused("[axes]\nstep_size = [0.1]\n[set]\nserver.rate = 1\n"),
               {"step_size is server.rate", "keep one"});
  expect_parts(refused("[axes]\nmethod = [\"fedavg\"]\nstep_size = [0.1]\n"
                       "[methods.fedavg.axes]\nlocal.rate = [1]\n"),
               {"step_size is local.rate of fedavg", "s.toml:6", "keep one"});
  expect_parts(refused("[axes]\nstep_size = [0.1]\n", {"server.rate=1"}),
               {"s.toml:3: step_size is server.rate", "set at --set too", "keep one"});
  expect_parts(refused("[set]\nstep_size = 0.1\n"), {"step_size"});
  const Sweep wrong = sweep("[axes]\nstep_size = [-1]\n");
  expect_parts(wrong.cells[0].refusal, {"s.toml:3", "-1"});
}

TEST_F(SweepAxes, AreMeantByNamesNearStepSize) {
  expect_parts(refused("[axes]\nstep_sizes = [0.1]\n"),
               {"s.toml:3: step_sizes", "did you mean \"step_size\"?"});
  EXPECT_EQ(refused("[set]\nstep_sizes = 0.1\n").find("\"step_size\""), std::string::npos);
}

// One of the keys of the method alone, but not of others that are rates too.
TEST_F(SweepAxes, OfStepSizesAreNotBlamedForOtherRates) {
  const Sweep s = sweep("[axes]\nmethod = [\"fedavg\"]\nstep_size = [0.1]\n", {"server.rate=-1"});
  expect_parts(s.cells[0].refusal, {"--set", "server.rate = -1"});
  EXPECT_EQ(s.cells[0].refusal.find("s.toml"), std::string::npos);
}

TEST_F(SweepAxes, OfOneMethodAreNotSetByTheCommandLineToo) {
  expect_parts(refused("[axes]\nmethod = [\"gd\"]\n[methods.gd.axes]\nserver.rate = [0.1]\n",
                       {"server.rate=1"}),
               {"--set server.rate", "s.toml:5", "axis"});
}

// A method that does not read an axis has no cells with it, and this is no failure.
TEST_F(SweepAxes, LeaveOutCellsWhoseMethodDoesNotReadAnAxis) {
  const Sweep s =
      sweep("order_seed = 0\n[axes]\nmethod = [\"gd\", \"cdp-sgd\"]\ncompressor.k = [2, 3]\n");
  ASSERT_EQ(s.cells.size(), 4U);
  EXPECT_TRUE(s.cells[0].is_skipped && s.cells[1].is_skipped);
  expect_parts(s.cells[0].refusal, {"compressor.k", "do not read this key"});
  EXPECT_FALSE(s.cells[2].is_skipped || s.cells[3].is_skipped);
  const auto states = sweep_status(s, folder_.path(), folder_.path());
  EXPECT_EQ(states[0].state, CellState::skipped);
  EXPECT_EQ(states[2].state, CellState::missing);
  // A setting of all cells that no part reads is a mistake.
  const Sweep wrong = sweep("[set]\ncompressor.k = 3\n[axes]\nmethod = [\"gd\", \"ldp-sgd\"]\n");
  for (const auto& cell : wrong.cells) EXPECT_TRUE(!cell.refusal.empty() && !cell.is_skipped);
}

TEST_F(SweepAxes, NameThePlaceOfAnAxisOfTheMethod) {
  const Sweep s = sweep(
      "order_seed = 0\n[axes]\nmethod = [\"gd\", \"ldp-sgd\"]\n[methods.gd.axes]\nserver.rate = [1]\n"
      "[methods.ldp-sgd.axes]\nserver.rate = [-1]\n");
  expect_parts(s.cells[1].refusal, {"s.toml:8: server.rate = -1"});
  expect_parts(
      refused("[axes]\nmethod = [\"gd\", \"ldp-sgd\"]\n[methods.gd.axes]\nserver.rate = [1]\n"
              "[methods.ldp-sgd.axes]\nserver.rate = [1979-05-27]\n"),
      {"neither a number nor text"});
}

}  // namespace trilemma::sweep_axes_test
