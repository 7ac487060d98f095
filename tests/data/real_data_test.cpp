// The real data sets, where TRILEMMA_DATA_DIR names their folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "data/cifar.hpp"
#include "data/data_folder.hpp"
#include "data/idx.hpp"
#include "data/libsvm.hpp"
#include "data/partition.hpp"
#include "data/scaling.hpp"

namespace trilemma::real_data_test {

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
  /// Training records of a source with its default settings.
  TrainTest load(const std::string& source) const {
    Settings settings = Settings::empty();
    const auto made = row(sources(), source).make(settings);
    DataFolder(folder_).settle(*made, settings);
    return made->load(folder_, 1);
  }
  std::string folder_;
};

// Records of each user, ascending.
std::vector<std::size_t> sizes_of_users(const Dataset& data) {
  std::vector<std::size_t> sizes;
  for (const auto user : data.user) {
    if (user >= sizes.size()) sizes.resize(user + 1);
    ++sizes[user];
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

struct Counts {
  const char* file;
  std::size_t features, rows, entries, negative, positive;
};

// Counts of another reader; every pair of labels.
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
    LibsvmLabels labels;
    LibsvmReading found;
    const Dataset data = read_libsvm(path, row.features, labels, found);
    EXPECT_EQ(data.size(), row.rows) << row.file;
    EXPECT_EQ(std::get<SparseRows>(data.rows).column.size(), row.entries) << row.file;
    EXPECT_EQ(std::count(data.label.begin(), data.label.end(), -1), row.negative) << row.file;
    EXPECT_EQ(std::count(data.label.begin(), data.label.end(), 1), row.positive) << row.file;
  }
  if (read == 0) GTEST_SKIP() << "no LIBSVM file in " << folder_;
}

// Numbers that the experiments on these files state, found where they are left out; a9a has 123 in
// the training file, 122 in the test file.
TEST_F(RealData, ShapesAreFoundInTheFiles) {
  struct Shape {
    const char* source;
    const char* file;
    std::size_t features;
    int classes;
  };
  const Shape table[] = {
      {"libsvm", "a9a/a9a", 124, 2},
      {"idx", "mnist/train-images-idx3-ubyte.gz", 784, 10},
      {"csv", "parkinsons-telemonitoring/parkinsons_updrs.data", 20, 0},
      {"leaf", "femnist-test/mytest.json.zip", 784, 62},
      {"omniglot", "omniglot-small1/images_background_small1.zip", 784, 40},
  };
  int read = 0;
  for (const auto& row : table) {
    if (file(row.file).empty()) continue;
    ++read;
    Settings settings = Settings::empty();
    const auto source = trilemma::row(sources(), row.source).make(settings);
    EXPECT_FALSE(source->open().empty()) << row.source;
    DataFolder(folder_).settle(*source, settings);
    EXPECT_EQ(source->features(), row.features) << row.source;
    EXPECT_EQ(source->classes(), row.classes) << row.source;
  }
  if (read == 0) GTEST_SKIP() << "no file of a default source in " << folder_;
}

// experiments.md 2.1: 32,560 rows and a bias column, spectral norm 486.6796, divisor 1.348562.
TEST_F(RealData, SpectralNormOfA9a) {
  const std::string path = file("a9a/a9a");
  if (path.empty()) GTEST_SKIP() << "no a9a in " << folder_;
  LibsvmLabels labels;
  LibsvmReading found;
  Dataset data = read_libsvm(path, 123, labels, found);
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
  LibsvmLabels labels;
  LibsvmReading found;
  Dataset data = read_libsvm(path, 123, labels, found);
  data.truncate(32560);
  Settings settings = Settings::empty();
  const Partition p = row(partitions(), "label-sorted").make(settings)->partition(data, 10, 1);
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
  data.train = IdxPair(images, file("mnist/train-labels-idx1-ubyte.gz"), 784, 10, 0).read({});
  data.test = IdxPair(test_images, file("mnist/t10k-labels-idx1-ubyte.gz"), 784, 10, 0).read({});
  EXPECT_EQ(data.train.size(), 60000U);
  EXPECT_EQ(data.test.size(), 10000U);
  scale_features(data, Scaling::standard);
  const auto& rows = std::get<DenseRows>(data.train.rows);
  EXPECT_NEAR(1.0 / (255.0 * rows.scale), 0.3081, 5e-5);
  EXPECT_NEAR(-rows.shift / (255.0 * rows.scale), 0.1307, 5e-5);
}

// The data's own description: 5,875 recordings of 42 patients, motor_UPDRS from 5.0377 to 39.511.
TEST_F(RealData, ParkinsonsTelemonitoring) {
  if (file("parkinsons-telemonitoring/parkinsons_updrs.data").empty())
    GTEST_SKIP() << "no Parkinsons in " << folder_;
  const TrainTest data = load("csv");
  EXPECT_EQ(data.train.size(), 5875U);
  EXPECT_EQ(data.train.features(), 20U);
  const auto sizes = sizes_of_users(data.train);
  EXPECT_EQ(sizes.size(), 42U);
  EXPECT_EQ(sizes.front(), 101U);
  EXPECT_EQ(sizes.back(), 168U);
  const auto [least, most] =
      std::minmax_element(data.train.target.begin(), data.train.target.end());
  EXPECT_NEAR(*least, 5.0377, 1e-4);
  EXPECT_NEAR(*most, 39.511, 1e-3);
  const auto& value = std::get<DenseRows>(data.train.rows).value;
  EXPECT_NEAR(value[0], 72, 1e-5);        // age
  EXPECT_NEAR(value[2], 5.6431, 1e-5);    // test_time
  EXPECT_NEAR(value[18], 0.16006, 1e-7);  // PPE
  EXPECT_EQ(value[19], 1);
}

// 206 writers with 5 to 69 images each, 6,237 in all.
TEST_F(RealData, FemnistWriters) {
  if (file("femnist-test/mytest.json.zip").empty()) GTEST_SKIP() << "no FEMNIST in " << folder_;
  const TrainTest data = load("leaf");
  EXPECT_EQ(data.train.size(), 6237U);
  const auto sizes = sizes_of_users(data.train);
  EXPECT_EQ(sizes.size(), 206U);
  EXPECT_EQ(sizes.front(), 5U);
  EXPECT_EQ(sizes.back(), 69U);
  std::vector<bool> seen(62);
  for (const auto label : data.train.label) seen[static_cast<std::size_t>(label)] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 62);
  const auto& value = std::get<DenseRows>(data.train.rows).value;
  EXPECT_EQ(*std::min_element(value.begin(), value.end()), 0);
  EXPECT_EQ(*std::max_element(value.begin(), value.end()), 1);
}

TEST_F(RealData, OmniglotDrawers) {
  if (file("omniglot-small1/images_background_small1.zip").empty())
    GTEST_SKIP() << "no Omniglot in " << folder_;
  const TrainTest data = load("omniglot");
  EXPECT_EQ(data.train.size(), 2720U);
  const auto sizes = sizes_of_users(data.train);
  EXPECT_EQ(sizes.size(), 100U);
  for (const std::size_t size : {22U, 24U, 26U, 40U})
    EXPECT_NE(std::count(sizes.begin(), sizes.end(), size), 0) << size;
  EXPECT_EQ(*std::max_element(data.train.label.begin(), data.train.label.end()), 39);
  // Lines are thin: some tenth of the paper is ink.
  const auto& byte = std::get<DenseRows>(data.train.rows).byte;
  double sum = 0;
  for (const auto share : byte) sum += share;
  const double ink = sum / 255 / static_cast<double>(byte.size());
  EXPECT_GT(ink, 0.02);
  EXPECT_LT(ink, 0.15);
}

// Label counts and channel means of the first 4,000 images, counted by other means.
TEST_F(RealData, PartOfCifar) {
  const std::string images = file("cifar-10-subset/data_batch_1.first4000.bin");
  if (images.empty()) GTEST_SKIP() << "no part of CIFAR-10 in " << folder_;
  const Dataset data = read_cifar({images}, cifar10());
  EXPECT_EQ(data.size(), 4000U);
  const long wanted[] = {396, 366, 420, 384, 422, 393, 414, 385, 407, 413};
  for (int label = 0; label < 10; ++label)
    EXPECT_EQ(std::count(data.label.begin(), data.label.end(), label), wanted[label]) << label;
  const auto& byte = std::get<DenseRows>(data.rows).byte;
  const double means[] = {0.4916, 0.4818, 0.4447};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    double sum = 0;
    for (std::size_t r = 0; r < data.size(); ++r)
      for (std::size_t i = 0; i < 1024; ++i) sum += byte[r * cifar_features + channel * 1024 + i];
    EXPECT_NEAR(sum / 255 / 1024 / 4000, means[channel], 5e-5);
  }
}

// The whole set where it is there: 5,000 and 1,000 images of each class.
TEST_F(RealData, WholeCifar) {
  if (file("cifar-10-batches-bin/test_batch.bin").empty())
    GTEST_SKIP() << "no whole CIFAR-10 in " << folder_;
  const TrainTest data = load("cifar");
  for (int label = 0; label < 10; ++label) {
    EXPECT_EQ(std::count(data.train.label.begin(), data.train.label.end(), label), 5000);
    EXPECT_EQ(std::count(data.test.label.begin(), data.test.label.end(), label), 1000);
  }
}

// 500 and 100 images of each fine label.
TEST_F(RealData, WholeCifar100) {
  if (file("cifar-100-binary/test.bin").empty())
    GTEST_SKIP() << "no whole CIFAR-100 in " << folder_;
  const TrainTest data = load("cifar100");
  for (int label = 0; label < 100; ++label) {
    EXPECT_EQ(std::count(data.train.label.begin(), data.train.label.end(), label), 500);
    EXPECT_EQ(std::count(data.test.label.begin(), data.test.label.end(), label), 100);
  }
}

}  // namespace trilemma::real_data_test
