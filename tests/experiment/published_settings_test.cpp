// The experiment files against the published settings: rounds,
// batches, steps, noise, mask, snapshots, for every method.

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "federation/assembly.hpp"
#include "federation/start_model.hpp"
#include "memory/memory.hpp"

namespace trilemma::published_settings_test {

struct Published {
  const char* file;
  long records, rounds, batch, svrg_batch, k;
  double epsilon, cdp, soteria_sgd, soteria_svrg, ldp;  // steps
  double c8, c12, c96;                                  // sigmas
};

constexpr Published table[] = {
    {"sot-a9a-eps1", 3256, 25, 10, 54, 6, 1, .6, .6, .6, 1, .005708, .006991, .019772},
    {"sot-a9a-eps5", 3256, 100, 51, 54, 6, 5, .1, .3, .3, 1, .002283, .002796, .007909},
    {"sot-a9a-eps10", 3256, 150, 103, 54, 6, 10, .3, .6, .6, 1, .001398, .001712, .004843},
    {"sot-mnist-eps1", 6000, 150, 128, 82, 2544, 1, .3, .6, .3, 1, .015174, .018585, .052565},
    {"sot-mnist-eps2", 6000, 200, 128, 82, 2544, 2, .3, .6, .3, 1, .008761, .010730, .030349},
    {"sot-mnist-eps4", 6000, 300, 128, 82, 2544, 4, .6, 1, .6, 1, .005365, .006571, .018585},
    {"sot-mnist-eps8", 6000, 500, 128, 82, 2544, 8, .6, 1, .6, 1, .003463, .004241, .011996},
    {"sot-mnist-eps16", 6000, 1000, 128, 82, 2544, 16, .6, 1, .6, 1, .002449, .002999, .008483},
};

Plan plan(const Published& p, const std::string& method, const std::string& mode = "private") {
  const std::string file = std::string(TRILEMMA_SOURCE_DIR "/jobs/experiments/") + p.file + ".toml";
  return read_plan(Settings::from_file(file, {"method=" + method, "mode=" + mode}));
}
double step(const Plan& p) {
  Vector x{0};
  p.method.step.make()->apply(0, x, std::vector<double>{-1.0});
  return x[0];
}

TEST(PublishedSettings, RoundsBatchesStepsAndNoise) {
  for (const auto& p : table) {
    const struct {
      const char* method;
      double rate, sigma;
      long batch;
    } rows[] = {{"cdp-sgd", p.cdp, p.c8, p.batch},
                {"soteriafl-sgd", p.soteria_sgd, p.c12, p.batch},
                {"soteriafl-svrg", p.soteria_svrg, p.c96, p.svrg_batch},
                {"ldp-sgd", p.ldp, p.c8, p.batch},
                {"ldp-svrg", p.ldp, p.c96, p.svrg_batch}};
    for (const auto& row : rows) {
      SCOPED_TRACE(std::string(p.file) + " " + row.method);
      const Plan read = plan(p, row.method, "authors");
      EXPECT_EQ(read.rounds, p.rounds);
      EXPECT_EQ(read.clients, 10);
      EXPECT_EQ(static_cast<long>(read.source->rows()), 10 * p.records);
      EXPECT_EQ(read.batch, row.batch);
      EXPECT_NEAR(step(read), row.rate, 1e-6);
      EXPECT_EQ(*read.privacy.epsilon, p.epsilon);
      EXPECT_EQ(*read.privacy.delta, 1e-3);
      EXPECT_NEAR(noise_sigma(read, static_cast<std::size_t>(p.records)), row.sigma, 6e-7);
      EXPECT_FALSE(read.snapshot_probability.has_value());  // p = b/m
      const bool compressed = row.method[0] != 'l';
      EXPECT_EQ(read.compressor->layout().count,
                compressed ? static_cast<std::size_t>(p.k) : read.problem->dimension());
      EXPECT_EQ(read.model_bits_per_value, 64);
    }
  }
}

TEST(PublishedSettings, ModelsAndShiftSteps) {
  const Plan a9a = plan(table[0], "soteriafl-sgd");
  EXPECT_EQ(a9a.problem->dimension(), 124U);
  EXPECT_EQ(a9a.bound->threshold(), 0.5);
  EXPECT_NEAR(theory_shift_step(a9a.compressor->traits().omega), 0.04779819, 5e-9);
  EXPECT_EQ(start_model(a9a.start, 1, 124).size(), 124U);
  const Plan mnist = plan(table[3], "soteriafl-sgd");
  EXPECT_EQ(mnist.problem->dimension(), 50890U);
  EXPECT_EQ(mnist.bound->threshold(), 1.0);
  EXPECT_EQ(mnist.start.scale, 0.2);
  EXPECT_NEAR(theory_shift_step(mnist.compressor->traits().omega), 0.04936147, 5e-9);
  EXPECT_FALSE(a9a.memory_step.has_value());
  EXPECT_FALSE(mnist.memory_step.has_value());
}

// Networks whose start the paper or its code states keep it; the others keep that of their tables.
TEST(PublishedSettings, StartsOfNetworks) {
  const auto start = [](const std::string& name) {
    return read_plan(
               Settings::from_file(TRILEMMA_SOURCE_DIR "/jobs/experiments/" + name + ".toml", {}))
        .start;
  };
  for (const char* pytorch : {"fav-mnist", "fav-mnist-iid", "fav-mnist-slow"})
    EXPECT_EQ(start(pytorch).law, StartLaw::fan_in) << pytorch;
  for (const char* normal : {"fav-fmnist-s", "fav-cifar-s", "fav-cifar-qnn-s", "nec-fmnist-s",
                             "pmtl-fmnist-s", "pmtl-femnist-t", "pmtl-omni-s", "soteria-mnist"}) {
    EXPECT_EQ(start(normal).law, StartLaw::normal) << normal;
    EXPECT_EQ(start(normal).scale, normal == std::string("soteria-mnist") ? 0.2 : 0.05) << normal;
  }
}

// The private mode is what the analysis needs, the authors' mode what their script does.
TEST(PublishedSettings, Modes) {
  for (const auto& p : table) {
    const Plan ours = plan(p, "soteriafl-sgd", "private");
    EXPECT_STREQ(ours.sampler->name(), "poisson");
    EXPECT_EQ(ours.bound->record_threshold(), ours.bound->threshold());
    EXPECT_EQ(ours.bound->objection(), "");
    const Plan theirs = plan(p, "soteriafl-sgd", "authors");
    EXPECT_STREQ(theirs.sampler->name(), "with-replacement");
    EXPECT_NE(theirs.bound->objection(), "");
  }
}

TEST(PublishedSettings, EveryMethodReadsInEveryFile) {
  for (const auto& p : table)
    for (const auto& row : methods())
      for (const char* mode : {"private", "authors"})
        EXPECT_NO_THROW(plan(p, row.name, mode)) << p.file << ' ' << row.name << ' ' << mode;
  const std::string demo = TRILEMMA_SOURCE_DIR "/jobs/experiments/demo.toml";
  for (const auto& row : methods())
    EXPECT_NO_THROW(read_plan(Settings::from_file(demo, {std::string("method=") + row.name})));
}

// experiments.md 5.3: users are the clients, a quarter of their records is held out, delta = 1/m
// rounded down; inputs x hidden x classes with biases, or 19 features and a bias.
TEST(PublishedSettings, MultiTaskLearningWithNaturalUsers) {
  const struct {
    const char* file;
    long clients;
    std::size_t dimension;
    bool last;
    double expected;  // participants of a round
  } table[] = {{"pmtl-park-s", 42, 20, true, 42},
               {"pmtl-femnist-t", 206, 784 * 64 + 64 + 64 * 62 + 62, false, 100},
               {"pmtl-omni-s", 100, 784 * 64 + 64 + 64 * 40 + 40, false, 100}};
  for (const auto& row : table)
    for (const char* method : {"pmtl", "dp-fedavg-clip", "fedavg", "fedprox"}) {
      SCOPED_TRACE(std::string(row.file) + " " + method);
      const std::string file =
          std::string(TRILEMMA_SOURCE_DIR "/jobs/experiments/") + row.file + ".toml";
      const Plan read = read_plan(Settings::from_file(file, {std::string("method=") + method}));
      EXPECT_EQ(read.clients, row.clients);
      EXPECT_EQ(read.partition_kind, "natural");
      EXPECT_EQ(read.held_out, 0.25);
      EXPECT_EQ(read.held_out_last, row.last);
      EXPECT_EQ(read.problem->dimension(), row.dimension);
      EXPECT_EQ(read.schedule->expected(), row.expected);
      if (!read.method.noise) continue;
      EXPECT_EQ(*read.privacy.sigma, 0.05);
      EXPECT_EQ(read.bound->threshold(), 0.5);
      EXPECT_GE(*read.privacy.delta * static_cast<double>(row.clients), 1);  // 1/m is no claim
      EXPECT_LT(*read.privacy.delta * static_cast<double>(row.clients), 1.01);
    }
}

// experiments.md 5.1: softmax on 10,000 words and 500 tags, a local epoch in minibatches of 100.
TEST(PublishedSettings, MultiTaskLearningOnStackOverflow) {
  const std::string file = TRILEMMA_SOURCE_DIR "/jobs/experiments/pmtl-stackoverflow.toml";
  for (const char* method : {"pmtl", "dp-fedavg-clip", "fedavg", "fedprox"}) {
    SCOPED_TRACE(method);
    const Plan read = read_plan(Settings::from_file(file, {std::string("method=") + method}));
    EXPECT_EQ(read.clients, 400);
    EXPECT_EQ(read.problem->dimension(), 500U * 10'001U);
    EXPECT_EQ(read.schedule->expected(), 100);
    EXPECT_TRUE(read.method.steps.counts_epochs);
    EXPECT_EQ(read.method.steps.count, 1);
    EXPECT_EQ(read.batch, 100);
  }
}

}  // namespace trilemma::published_settings_test
