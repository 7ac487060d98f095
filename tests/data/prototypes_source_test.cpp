// Generated dense records (src/data/prototypes_source.cpp).

#include <gtest/gtest.h>

#include <algorithm>

#include "data/source.hpp"

namespace trilemma::prototypes_source_test {

std::unique_ptr<Source> source(const std::string& more = "") {
  Settings settings =
      Settings::from_text("rows = 40\ntest_rows = 7\nfeatures = 9\nclasses = 3\n" + more, "test");
  return row(sources(), "prototypes").make(settings);
}

const std::vector<std::uint8_t>& bytes(const Dataset& set) {
  return std::get<DenseRows>(set.rows).byte;
}

TEST(Prototypes, RecordsDependOnTheirNumberAlone) {
  const TrainTest few = source()->load("", 5);
  Settings settings = Settings::from_text("rows = 90\nfeatures = 9\nclasses = 3\n", "test");
  const TrainTest many = row(sources(), "prototypes").make(settings)->load("", 5);
  ASSERT_EQ(few.train.size(), 40U);
  ASSERT_EQ(few.test.size(), 7U);
  EXPECT_TRUE(std::equal(few.train.label.begin(), few.train.label.end(), many.train.label.begin()));
  EXPECT_TRUE(
      std::equal(bytes(few.train).begin(), bytes(few.train).end(), bytes(many.train).begin()));
  EXPECT_NE(bytes(source()->load("", 6).train), bytes(few.train));
}

TEST(Prototypes, ARankGeneratesItsRecordsAlone) {
  const TrainTest all = source()->load("", 5);
  const TrainTest part = source()->load_part("", 5, [](const TrainTest& data) {
    KeptRecords kept{std::vector<bool>(data.train.size()), std::vector<bool>(data.test.size())};
    kept.train[3] = kept.train[17] = kept.test[6] = true;
    return kept;
  });
  EXPECT_EQ(part.train.label, all.train.label);
  ASSERT_EQ(bytes(part.train).size(), 18U);
  EXPECT_TRUE(std::equal(bytes(part.train).begin(), bytes(part.train).begin() + 9,
                         bytes(all.train).begin() + 3 * 9));
  EXPECT_TRUE(std::equal(bytes(part.train).begin() + 9, bytes(part.train).end(),
                         bytes(all.train).begin() + 17 * 9));
  EXPECT_EQ(bytes(part.test).size(), 9U);
}

TEST(Prototypes, RecordsAreGeneratedWithoutTheOthers) {
  const TrainTest all = source()->load("", 5);
  const Dataset some = source()->generate(5, 30, 4);
  ASSERT_EQ(some.size(), 4U);
  EXPECT_EQ(some.classes, 3);
  EXPECT_TRUE(std::equal(some.label.begin(), some.label.end(), all.train.label.begin() + 30));
  ASSERT_EQ(bytes(some).size(), 36U);
  EXPECT_TRUE(
      std::equal(bytes(some).begin(), bytes(some).end(), bytes(all.train).begin() + 30 * 9));
}

TEST(Prototypes, RecordsOfAClassLieAroundTheirPrototype) {
  const TrainTest data = source()->load("", 5);
  // Bytes of one class differ by less than 128 in every feature.
  for (std::size_t a = 0; a < data.train.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t j = 0; data.train.label[a] == data.train.label[b] && j < 9; ++j)
        EXPECT_LT(std::abs(bytes(data.train)[9 * a + j] - bytes(data.train)[9 * b + j]), 128);
  const auto [least, most] = std::ranges::minmax(data.train.label);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, 2);
}

TEST(Prototypes, BytesAreFixed) {
  // Changes of these numbers change the checksums of `trilemma bench`.
  const TrainTest data = source()->load("", 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes(data.train).size(); ++i) sum += (i + 1) * bytes(data.train)[i];
  EXPECT_EQ(sum, 8021348U);
}

}  // namespace trilemma::prototypes_source_test
