// Sweeps (src/sweep): cells, their order and names; what is refused, and how.

#include "sweep/sweep.hpp"

#include <algorithm>
#include <set>

#include "tests/support/sweeps.hpp"

namespace trilemma::sweep_test {

using testing::expect_parts;

class Sweeps : public testing::SweepTest {};

TEST_F(Sweeps, HaveEveryCombination) {
  const Sweep s =
      sweep("order_seed = 0\nseeds = 2\n[axes]\nrounds = [3, 1]\nmethod = [\"gd\", \"ldp-sgd\"]\n");
  EXPECT_EQ(names(s), (std::vector<std::string>{
                          "rounds=3 method=gd seed=1", "rounds=3 method=gd seed=2",
                          "rounds=3 method=ldp-sgd seed=1", "rounds=3 method=ldp-sgd seed=2",
                          "rounds=1 method=gd seed=1", "rounds=1 method=gd seed=2",
                          "rounds=1 method=ldp-sgd seed=1", "rounds=1 method=ldp-sgd seed=2"}));
  EXPECT_EQ(s.name, "s");
  for (const auto& cell : s.cells) EXPECT_EQ(cell.refusal, "");
}

TEST_F(Sweeps, TakeQuotedAndNestedKeysOfEveryType) {
  const Sweep s = sweep(
      "order_seed = 0\n[set]\nrounds = 2\n\"start.scale\" = 0.5\n[axes]\n"
      "\"privacy.sigma\" = [0.5, 1]\n[axes.debug]\nstaged = [true]\n[axes.local]\nsampling = "
      "[\"with-replacement\"]\n");
  ASSERT_EQ(s.cells.size(), 2U);
  EXPECT_EQ(
      cell_overrides(s, s.cells[1]),
      (std::vector<std::string>{"rounds = 2", "start.scale = 0.5", "privacy.sigma = 1",
                                "debug.staged = true", "local.sampling = 'with-replacement'"}));
  EXPECT_EQ(s.cells[1].refusal, "");
  EXPECT_EQ(s.cells[1].settings[0].value.value, SettingValue({std::int64_t{1}, "1"}).value);
}

TEST_F(Sweeps, TakeZippedListsInStep) {
  const Sweep s = sweep(
      "order_seed = 0\nseeds = [7]\n[[zip]]\n\"local.batch\" = [5, 10]\nserver.rate = [0.3, 0.6]\n"
      "[[zip]]\nrounds = [1, 2, 3]\n");
  EXPECT_EQ(s.cells.size(), 6U);
  EXPECT_EQ(names(s)[0], "local.batch=5 server.rate=0.3 rounds=1 seed=7");
  EXPECT_EQ(names(s)[4], "local.batch=10 server.rate=0.6 rounds=2 seed=7");
}

TEST_F(Sweeps, MayBeASingleRun) {
  const Sweep s = sweep("name = \"one\"\n");
  EXPECT_EQ(names(s), std::vector<std::string>{"one"});
}

TEST_F(Sweeps, AreRunInAnOrderThatTheSeedFixes) {
  const std::string axes = "\nseeds = 20\n[axes]\nrounds = [1, 2, 3]\n";
  const Sweep written = sweep("order_seed = 0" + axes);
  const Sweep one = sweep("order_seed = 1" + axes);
  EXPECT_EQ(names(one), names(sweep("order_seed = 1" + axes)));
  EXPECT_NE(names(one), names(written));
  EXPECT_NE(names(one), names(sweep("order_seed = 2" + axes)));
  EXPECT_TRUE(std::is_permutation(one.cells.begin(), one.cells.end(), written.cells.begin(),
                                  written.cells.end(),
                                  [](const auto& a, const auto& b) { return a.hash == b.hash; }));
  // Files written elsewhere go on here, so the order is the same everywhere and always.
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < 8; ++i) first.push_back(one.cells[i].combination);
  EXPECT_EQ(first, (std::vector<std::size_t>{28, 8, 47, 29, 59, 25, 27, 57}));
}

TEST_F(Sweeps, NameCellsByWhatTheyCompute) {
  const Sweep s = sweep("seeds = 3\n");
  std::set<std::string> hashes;
  for (const auto& cell : s.cells) {
    EXPECT_EQ(cell.hash.size(), 12U);
    EXPECT_EQ(cell_stem(s, cell), cell.hash);
    hashes.insert(cell.hash);
  }
  EXPECT_EQ(hashes.size(), 3U);
  // More seeds, another order and another place in the file leave the names as they are.
  const Sweep more = sweep("order_seed = 5\n[axes]\nseed = [9, 3, 2, 1]\n");
  for (const auto& cell : more.cells)
    EXPECT_EQ(hashes.count(cell.hash), cell.settings[0].value.toml == "9" ? 0U : 1U);
  const Sweep other = sweep("seeds = 3\n[set]\nrounds = 2\n");
  for (const auto& cell : other.cells) EXPECT_EQ(hashes.count(cell.hash), 0U);
}

TEST_F(Sweeps, RepeatCellsUnderNamesOfTheirOwn) {
  const Sweep s = sweep("order_seed = 0\nrepetitions = 2\nseeds = 2\n");
  ASSERT_EQ(s.cells.size(), 4U);
  EXPECT_EQ(s.cells[0].hash, s.cells[1].hash);
  EXPECT_EQ(cell_stem(s, s.cells[0]), s.cells[0].hash + "-r1");
  EXPECT_EQ(cell_stem(s, s.cells[1]), s.cells[0].hash + "-r2");
  EXPECT_EQ(cell_name(s, s.cells[3]), "seed=2 repetition=2");
}

TEST_F(Sweeps, KeepABadCombinationAsARefusedCell) {
  const Sweep s =
      sweep("order_seed = 0\n[axes]\nmethod = [\"ldp-sgd\", \"cdp-sgd\"]\ncompressor.k = [4]\n");
  ASSERT_EQ(s.cells.size(), 2U);
  expect_parts(s.cells[0].refusal, {"s.toml:5: compressor.k", "do not read this key"});
  EXPECT_EQ(s.cells[0].hash.size(), 12U);
  EXPECT_EQ(s.cells[1].refusal, "");
  const Sweep wrong = sweep("[axes]\nlocal.batch = [5, 16, 17]\n");
  EXPECT_EQ(std::count_if(wrong.cells.begin(), wrong.cells.end(),
                          [](const auto& cell) { return !cell.refusal.empty(); }),
            2);
}

TEST_F(Sweeps, PutTheCommandLineInPlaceOfFixedSettings) {
  const std::string text = "seeds = 2\n[set]\nmethod = \"soteriafl-sgd\"\nrounds = 2\n";
  const Sweep s = sweep(text, {"rounds=3", "methods.soteriafl-sgd.compressor.k=5"});
  EXPECT_EQ(s.cells[0].refusal, "");
  ASSERT_EQ(s.fixed.size(), 3U);  // the third is that of the method
  EXPECT_EQ(s.fixed[1].value.toml, "3");
  const Sweep same = sweep(
      "seeds = 2\n[set]\nrounds = 3\nmethod = \"soteriafl-sgd\"\nmethods.soteriafl-sgd.compressor.k = 5\n");
  EXPECT_EQ(s.cells[0].hash, same.cells[0].hash);
  EXPECT_NE(s.cells[0].hash, sweep(text, {"rounds=3"}).cells[0].hash);
  expect_parts(refused(text, {"seed=3"}), {"--set seed", "s.toml:2", "axis"});
  expect_parts(refused(text, {"roundz=3"}), {"--set: roundz", "did you mean \"rounds\"?"});
  expect_parts(refused(text, {"rounds"}), {"--set rounds", "no '='"});
}

TEST_F(Sweeps, RefuseCellsThatAreTheSame) {
  expect_parts(refused("[axes]\ntiming.enabled = [true, false]\n"),
               {"s.toml", "timing.enabled has no effect", "repetitions"});
  expect_parts(refused("[axes]\nseed = [1, 2, 1]\n"), {"s.toml", "seed=1", "occurs twice"});
  expect_parts(refused("[axes]\nserver.rate = [1, 1.0]\n"), {"server.rate has no effect"});
  // 16 coordinates of 32 bits a round.
  expect_parts(refused("[set]\nmethod = \"ldp-sgd\"\nwire.value = \"float32\"\n[axes]\n"
                       "budget.upload = [\"1kB\", \"1001B\"]\n"),
               {"budget.upload=1kB", "budget.upload=1001B",
                "are the same experiment: both budgets give 15 rounds"});
}

TEST_F(Sweeps, RefuseWhatIsNoList) {
  expect_parts(refused("[axes]\nrounds = 3\n"), {"s.toml:3", "axes.rounds = 3", "[1, 2]", "[set]"});
  expect_parts(refused("[axes]\nrounds = []\n"), {"s.toml:3", "axes.rounds", "empty list"});
  expect_parts(refused("seeds = []\n"), {"s.toml:2", "seeds", "empty list"});
  expect_parts(refused("[set]\nrounds = [1, 2]\n"), {"s.toml:3", "set.rounds", "one value"});
  expect_parts(refused("[axes]\nrounds = [[1], [2]]\n"), {"s.toml:3", "neither a number nor text"});
  expect_parts(refused("seeds = 0\n"), {"s.toml:2", "seeds = 0", "from 1"});
  expect_parts(refused("seeds = [1, -1]\n"), {"s.toml:2", "seeds = [1, -1]", "at least 0"});
  expect_parts(refused("seeds = \"x\"\n"), {"s.toml:2", "seeds = 'x'", "whole numbers"});
}

TEST_F(Sweeps, RefuseZippedListsOfUnequalLength) {
  expect_parts(refused("[[zip]]\nrounds = [1, 2]\nlocal.batch = [1, 2, 3]\n"),
               {"s.toml:4", "zip[0].local.batch", "3 values", "rounds", "has 2"});
  expect_parts(refused("[zip]\nrounds = [1, 2]\n"), {"s.toml:3", "[[zip]]"});
  expect_parts(refused("zip = 3\n"), {"s.toml:2", "[[zip]]"});
  expect_parts(refused("[[axes]]\nrounds = [1, 2]\n"), {"s.toml:3", "[axes]"});
}

TEST_F(Sweeps, RefuseMisspeltKeys) {
  expect_parts(refused("repetition = 3\n"),
               {"s.toml:2", "repetition: unknown key", "did you mean \"repetitions\"?"});
  expect_parts(refused("[axis]\nrounds = [1]\n"), {"s.toml:3", "did you mean \"axes\"?"});
  expect_parts(refused("method = \"gd\"\n"), {"s.toml:2", "method", "[set] or [axes]"});
  expect_parts(refused("[axes]\n\"privacy.epsilom\" = [1]\n"),
               {"s.toml:3", "privacy.epsilom", "did you mean \"privacy.epsilon\"?"});
  expect_parts(refused("[set]\nmethods.gd.server.rat = 1\n"),
               {"s.toml:3", "did you mean \"server.rate\"?"});
}

TEST_F(Sweeps, ShortenWhatTheyRefuse) {
  const std::string word(20'000, 'x');
  const std::string control = "\"\\u001b[2J\"";
  for (const std::string& text :
       {word + " = 1\n", control + " = 1\n", "[set]\n" + word + " = 1\n",
        "[set]\n" + control + " = 1\n", "seeds = [\"" + word + "\"]\n",
        "[set]\nrounds = {x = \"" + word + "\"}\n", "experiment = \"" + word + "\"\n"}) {
    const std::string sentence = refused(text);
    EXPECT_NE(sentence, "") << text.substr(0, 80);
    EXPECT_LT(sentence.size(), 1000U) << text.substr(0, 80);
    EXPECT_EQ(sentence.find('\x1b'), std::string::npos) << text;
  }
}

TEST_F(Sweeps, RefuseASettingInTwoPlaces) {
  expect_parts(refused("[set]\nrounds = 1\n[axes]\nrounds = [1, 2]\n"),
               {"s.toml:5", "rounds is set at", "s.toml:3"});
  expect_parts(refused("seeds = 3\n[axes]\nseed = [1, 2]\n"), {"seed is set at", "s.toml:2"});
}

TEST_F(Sweeps, RefuseBadHeads) {
  const auto whole = [&](const std::string& text) {
    return testing::refusal([&] { read_sweep(folder_.write("s.toml", text)); });
  };
  expect_parts(whole("name = \"x\"\n"), {"s.toml", "no experiment given"});
  expect_parts(whole("experiment = \"gone.toml\"\n"),
               {"s.toml:1", "experiment = 'gone.toml'", "no such file"});
  expect_parts(whole("experiment = 3\n"), {"s.toml:1", "expected text"});
  expect_parts(whole("experiment = \n"), {"s.toml:1", "not valid TOML"});
  expect_parts(refused("name = \"a/b\"\n"), {"s.toml:2", "name = 'a/b'", "folder"});
  expect_parts(refused("repetitions = 0\n"), {"s.toml:2", "repetitions = 0"});
  expect_parts(refused("order_seed = -1\n"), {"s.toml:2", "order_seed = -1"});
  expect_parts(refused("repetitions = 10000\nseeds = 100000\n"), {"s.toml", "1e+09 cells"});
  expect_parts(testing::refusal([&] { read_sweep(folder_.at("none.toml")); }),
               {"none.toml", "no such sweep file"});
  folder_.write("bad.toml", "rouns = 3\n");
  expect_parts(whole("experiment = \"bad.toml\"\n"), {"bad.toml:1", "did you mean \"rounds\"?"});
}

}  // namespace trilemma::sweep_test
