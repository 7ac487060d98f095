// Whole runs (round, loop, delivery, checkpoints, run file) on any number of ranks: the same bits
// as in one process, without a break, staged and from a checkpoint, whichever number of ranks wrote
// it.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "experiment/read_plan.hpp"
#include "h5/h5.hpp"
#include "run/run_loop.hpp"
#include "tests/ranks/world.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::run_ranks {

using testing::TempFolder;
using Words = std::vector<std::string>;

constexpr int clients = 4;

// Goes on from `checkpoint`, on rank 0, where `resumes`. The run file is at `path`.
void run(const std::string& experiment, const Words& overrides, const Placement& place,
         const std::string& path, bool resumes = false, const std::string& checkpoint = {}) {
  Plan plan = read_plan(Settings::from_text(experiment, "tiny.toml", overrides));
  Ranks ranks = testing::ranks_of(place);
  Assembly parts = assemble(plan, place, "", !resumes);
  RunLoop loop(plan, parts, ranks, place);
  std::unique_ptr<CheckpointReader> reader;
  std::unique_ptr<RunFile> file;
  if (place.rank == 0) {
    RunIdentity identity = testing::sample_identity();
    identity.ranks = place.size;
    const auto metrics = parts.metric_log->metrics();
    if (resumes) {
      reader = std::make_unique<CheckpointReader>(CheckpointName{checkpoint, 3});
      file = std::make_unique<RunFile>(path, identity, metrics, *reader);
    } else {
      const std::vector<std::string> phases(std::begin(phase_names), std::end(phase_names));
      file = std::make_unique<RunFile>(path, identity, metrics, phases);
    }
  }
  loop.record(file.get(), true);
  if (resumes) loop.restore(reader.get());
  EXPECT_EQ(loop.run(), Outcome::finished);
}

// Columns and model of a run file, as bits.
std::map<std::string, std::vector<std::uint64_t>> bits_of(const std::string& path) {
  const h5::File file = h5::File::open(path);
  std::map<std::string, std::vector<std::uint64_t>> all;
  auto take = [&](const std::string& name) {
    for (const double value : file.read_numbers(name, 10'000))
      all[name].push_back(std::bit_cast<std::uint64_t>(value));
  };
  for (const auto& name : file.open_group("rounds").member_names()) take("rounds/" + name);
  take("model/final");
  return all;
}

bool has_server(const std::string& method) {
  Settings none = Settings::empty();
  return !row(methods(), method).make(none).node;
}

// The same run in one process and on all ranks, by every way of exchange, and both halves the other
// way.
void compare(const std::string& method, const Words& more, bool server_hosts = false,
             const std::string& experiment = testing::tiny_experiment) {
  Words words{"method=" + method, "rounds=6", "checkpoint.rounds=3"};
  words.insert(words.end(), more.begin(), more.end());
  const auto with = [&words](const char* word) {
    Words all = words;
    all.emplace_back(word);
    return all;
  };
  const Placement all = testing::spread(clients, server_hosts);
  const bool is_server = all.rank == 0;
  const TempFolder folder;
  if (is_server) run(experiment, words, testing::alone(clients), folder.at("alone.h5"));
  run(experiment, words, all, folder.at("ranks.h5"));
  run(experiment, with("debug.staged=true"), all, folder.at("staged.h5"));
  Words others{"ranks.h5", "staged.h5", "back.h5", "forth.h5"};
  if (has_server(method)) {
    run(experiment, with("exchange.up=reduce"), all, folder.at("reduce.h5"));
    run(experiment, with("exchange.up=overlap"), all, folder.at("overlap.h5"));
    words.emplace_back("exchange.up=hierarchical");
    run(experiment, with("exchange.ranks_per_node=2"), all, folder.at("nodes.h5"));
    words.pop_back();
    others.insert(others.end(), {"reduce.h5", "overlap.h5", "nodes.h5"});
  }
  run(experiment, words, all, folder.at("back.h5"), true, folder.at("alone.h5.checkpoint-3"));
  if (!is_server) return;
  run(experiment, words, testing::alone(clients), folder.at("forth.h5"), true,
      folder.at("ranks.h5.checkpoint-3"));
  const auto expected = bits_of(folder.at("alone.h5"));
  EXPECT_EQ(expected.at("rounds/round").size(), 7U);
  for (const std::string& other : others) {
    const auto found = bits_of(folder.at(other));
    EXPECT_EQ(found.size(), expected.size());
    for (const auto& [name, bits] : expected)
      EXPECT_EQ(found.at(name), bits) << other << ' ' << name;
  }
}

// Returns whether a method or compressor is tried on this number of ranks: each is on 3 ranks and
// on one other number, and with `scripts/test --all` on every number.
bool is_tried(const std::string& name) {
  const int ranks = testing::world().size;
  if (ranks == 3 || std::getenv("TRILEMMA_ALL_TESTS") != nullptr) return true;
  constexpr std::array others{1, 2, 4};
  const auto sum = std::accumulate(name.begin(), name.end(), std::size_t{0});
  return others[sum % others.size()] == ranks;
}

class Runs : public ::testing::TestWithParam<std::string> {
  void SetUp() override {
    if (!is_tried(GetParam())) GTEST_SKIP() << "on this number of ranks with scripts/test --all";
  }
};

TEST_P(Runs, HaveTheSameBitsAndSoAfterARestart) { compare(GetParam(), {}); }

// Some methods need every client in every round, or meet whoever comes. Messages differ in size
// where the method and its claim leave that open.
TEST_P(Runs, HaveTheSameBitsWhereRank0HostsAndFewTakePart) {
  const Plan plan = read_plan(
      Settings::from_text(testing::tiny_experiment, "tiny.toml", {"method=" + GetParam()}));
  Words more;
  if (!plan.memory->traits.needs_everyone && !plan.method.needs_everyone &&
      !plan.method.clients_come)
    more = {"participation.kind=poisson", "participation.rate=0.4"};
  if (plan.method.compressor.empty() && !plan.privacy.at_server)
    more.insert(more.end(), {"compressor.kind=bernoulli", "compressor.p=0.3"});
  compare(GetParam(), more, true);
}

// Whatever a compressor draws and however long its messages are.
class Compressed : public Runs {};

TEST_P(Compressed, RunsHaveTheSameBits) {
  Words more{"compressor.kind=" + GetParam()};
  const auto traits = testing::make_compressor(GetParam(), 16)->traits();
  if (!traits.unbiased) more.emplace_back("memory.kind=error-feedback");
  if (GetParam() == "grid") more.emplace_back("compressor.step=0.01");
  compare("cdp-sgd", more);
}

TEST(SharedMask, RunsHaveTheSameBits) {
  const Words more{"compressor.kind=rand-k", "compressor.mask=shared", "compressor.k=5"};
  compare("soteriafl-sgd", more);
  compare("dp-fedavg-clip", more);
}

// All ranks keep the same copy of the model, also after a restart.
TEST(CompressedDown, RunsHaveTheSameBits) {
  for (const char* kind : {"natural", "top-k", "rand-k", "qsgd"}) {
    const Words more{"exchange.down=compressed", std::string("downlink.kind=") + kind};
    compare("soteriafl-svrg", more);
    compare("pmtl", more);
  }
}

// Every rank moves the model by the scalars alone: no evaluation sends it in between.
TEST(ScalarsDown, RunsHaveTheSameBits) {
  for (const char* method : {"decomfl", "dp-decomfl"}) compare(method, {"evaluate.every=0"});
}

// The noise of the server and the rotation follow from the seed alone, and so do memories.
TEST(BoundedMessages, RunsHaveTheSameBits) {
  const Words more{"compressor.kind=rand-k", "compressor.mask=shared", "compressor.k=5",
                   "compressor.rotate=true", "bound.of=message"};
  compare("dp-normfedavg", more);
  Words biased(more);
  biased.insert(biased.end(), {"compressor.scaled=false", "memory.kind=residual"});
  compare("dp-fedavg-clip", biased);
}

// Integers of all clients, summed modulo 2^b in any order, and messages that are private alone.
// Noise follows from an epsilon.
TEST(JointMechanisms, RunsHaveTheSameBits) {
  std::string experiment = testing::tiny_experiment;
  const std::string sigma = "sigma = 0.05";
  experiment.replace(experiment.find(sigma), sigma.size(), "epsilon = 4.0\ndelta = 1e-3");
  for (const char* kind : {"ddgauss", "skellam", "pbm"})
    for (const Words& sums :
         {Words{}, Words{"secagg.kind=masks"},
          Words{"secagg.kind=masks", "secagg.dropouts=0.5", "participation.kind=drop-outs"}}) {
      Words more{std::string("joint.kind=") + kind};
      more.insert(more.end(), sums.begin(), sums.end());
      compare("dp-fedavg-clip", more, false, experiment);
    }
  for (const char* kind : {"sqkr", "privunit"})
    compare("dp-fedavg-clip", {std::string("joint.kind=") + kind}, false, experiment);
}

// Messages whose sizes follow from the key, of clients and in sums on every rank.
TEST(JointMechanisms, RunsWithATrustedServerHaveTheSameBits) {
  for (const char* kind : {"layered", "csgm", "blocks"})
    compare("dp-fedavg-clip", {std::string("joint.kind=") + kind});
}

// Among them the losses of the clients' own models on the records they train on.
TEST(OwnModels, RunsHaveTheSameBits) {
  for (const char* method : {"pmtl", "pp-sgd"}) compare(method, {"partition.held_out=0.3"});
}

// Every rank reads the records for L and m, and finds the same numbers.
TEST(Theory, RunsHaveTheSameBits) {
  compare("soteriafl-svrg",
          {"server.rate=theory", "local.batch=theory", "local.snapshot_probability=theory"});
}

const auto readable = [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(Compressors, Compressed, ::testing::ValuesIn(names(compressors())),
                         readable);

INSTANTIATE_TEST_SUITE_P(Methods, Runs, ::testing::ValuesIn(names(methods())), readable);

}  // namespace trilemma::run_ranks
