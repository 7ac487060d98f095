// The real data sets (shared/data/README.md, spec experiments.md 2.1 and 2.2), where
// TRILEMMA_DATA_DIR names their folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "data/idx.hpp"
#include "data/libsvm.hpp"
#include "data/partition.hpp"
#include "data/scaling.hpp"

namespace trilemma {
namespace {

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TRILEMMA_DATA_DIR");
    if (folder == nullptr || !std::filesystem::is_directory(folder))
      GTEST_SKIP() << "TRILEMMA_DATA_DIR does not name a folder: real data are not tested";
    folder_ = folder;
  }
  /// Path of a file; empty, and the test skipped, if this folder has not got it.
  std::string file(const std::string& name) const {
    const std::string path = folder_ + "/" + name;
    return std::filesystem::is_regular_file(path) ? path : "";
  }
  std::string folder_;
};

struct Counts {
  const char* file;
  std::size_t features, rows, entries, negative, positive;
};

// The table of shared/data/README.md; every pair of labels.
TEST_F(RealData, CountsOfTheLibsvmFiles) {
  const Counts table[] = {
      {"a9a/a9a", 123, 32561, 451592, 24720, 7841},
      {"a9a/a9a.t", 123, 16281, 225731, 12435, 3846},
      {"phishing/phishing", 68, 11055, 331650, 4898, 6157},
      {"mushrooms/mushrooms", 112, 8124, 170604, 3916, 4208},
      {"w8a/w8a", 300, 49749, 579586, 48270, 1479},
  };
  int read = 0;
  for (const auto& row : table) {
    const std::string path = file(row.file);
    if (path.empty()) continue;
    ++read;
    const Dataset data = read_libsvm(path, row.features);
    EXPECT_EQ(data.size(), row.rows) << row.file;
    EXPECT_EQ(std::get<SparseRows>(data.rows).column.size(), row.entries) << row.file;
    EXPECT_EQ(std::count(data.label.begin(), data.label.end(), -1), row.negative) << row.file;
    EXPECT_EQ(std::count(data.label.begin(), data.label.end(), 1), row.positive) << row.file;
  }
  if (read == 0) GTEST_SKIP() << "no LIBSVM file in " << folder_;
}

// experiments.md 2.1: 32,560 rows and a bias column, spectral norm 486.6796, divisor 1.348562.
TEST_F(RealData, SpectralNormOfA9a) {
  const std::string path = file("a9a/a9a");
  if (path.empty()) GTEST_SKIP() << "no a9a in " << folder_;
  Dataset data = read_libsvm(path, 123);
  data.truncate(32560);
  append_bias(data);
  EXPECT_EQ(data.features(), 124U);
  const double norm = spectral_norm(std::get<SparseRows>(data.rows));
  EXPECT_NEAR(norm, 486.6796, 5e-5);
  EXPECT_NEAR(norm / (2.0 * std::sqrt(32560.0)), 1.348562, 5e-7);
}

// experiments.md 2.1: clients 0-6 only negative, client 7 1,928 negative and 1,328 positive, 8-9
// only positive.
TEST_F(RealData, LabelSortedBlocksOfA9a) {
  const std::string path = file("a9a/a9a");
  if (path.empty()) GTEST_SKIP() << "no a9a in " << folder_;
  Dataset data = read_libsvm(path, 123);
  data.truncate(32560);
  Settings settings = Settings::empty();
  const Partition p = row(partitions(), "label-sorted").make(settings)->spread(data, 10, 1);
  for (std::size_t c = 0; c < 10; ++c) {
    ASSERT_EQ(p.client[c].size(), 3256U);
    const auto positive = std::count_if(p.client[c].begin(), p.client[c].end(),
                                        [&](std::uint32_t r) { return data.label[r] == 1; });
    EXPECT_EQ(positive, c < 7 ? 0 : c == 7 ? 1328 : 3256) << c;
  }
}

// experiments.md 2.2: mean 0.1307 and standard deviation 0.3081 of all training pixels.
TEST_F(RealData, MnistCountsAndScaling) {
  const std::string images = file("mnist/train-images-idx3-ubyte.gz");
  const std::string test_images = file("mnist/t10k-images-idx3-ubyte.gz");
  if (images.empty() || test_images.empty()) GTEST_SKIP() << "no MNIST in " << folder_;
  TrainTest data;
  data.train = read_idx(images, file("mnist/train-labels-idx1-ubyte.gz"), 784, 10);
  data.test = read_idx(test_images, file("mnist/t10k-labels-idx1-ubyte.gz"), 784, 10);
  EXPECT_EQ(data.train.size(), 60000U);
  EXPECT_EQ(data.test.size(), 10000U);
  scale_features(data, "standard");
  const auto& rows = std::get<DenseRows>(data.train.rows);
  EXPECT_NEAR(1.0 / (255.0 * rows.scale), 0.3081, 5e-5);
  EXPECT_NEAR(-rows.shift / (255.0 * rows.scale), 0.1307, 5e-5);
}

}  // namespace
}  // namespace trilemma
