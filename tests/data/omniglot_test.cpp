// Drawings of Omniglot (src/data/omniglot.hpp).

#include "data/omniglot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::omniglot_test {

using testing::expect_parts;

constexpr std::size_t pixels = omniglot_side * omniglot_side;

// White but for the given pixels.
std::vector<std::uint8_t> image(const std::vector<std::size_t>& ink) {
  std::vector<std::uint8_t> bytes(pixels, 255);
  for (const auto at : ink) bytes[at] = 0;
  return bytes;
}

// 105 = 7 * 15: with side 7 cells are whole pixels.
TEST(InkShares, OfWholePixels) {
  std::vector<std::size_t> ink;
  for (std::size_t x = 15; x < 30; ++x) ink.push_back(x);  // a line of the second cell: 15 of 225
  const auto shares = ink_shares(image(ink), 7);
  ASSERT_EQ(shares.size(), 49U);
  EXPECT_EQ(shares[1], 17);  // 255 / 15
  EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0), 17);
  const auto black = ink_shares(std::vector<std::uint8_t>(pixels, 0), 7);
  for (const auto share : black) EXPECT_EQ(share, 255);
}

// With side 28 a cell is 3.75 pixels wide: pixel 3 of the first line belongs to the first cell with
// three quarters of its width, to the second with one; a whole pixel is 16/225 of a cell.
TEST(InkShares, OfPixelsThatAreCut) {
  const auto shares = ink_shares(image({3}), 28);
  EXPECT_EQ(shares[0], 14);  // 255 * 12 / 225 = 13.6
  EXPECT_EQ(shares[1], 5);   // 255 * 4 / 225 = 4.5
  const auto corner = ink_shares(image({3 * omniglot_side + 3}), 28);
  EXPECT_EQ(corner[0], 10);  // 9 / 225
  EXPECT_EQ(corner[1], 3);   // 3 / 225
  EXPECT_EQ(corner[28], 3);
  EXPECT_EQ(corner[29], 1);  // 1 / 225
  const auto last = ink_shares(image({pixels - 1}), 28);
  EXPECT_EQ(last.back(), 18);  // 16 / 225
  for (const auto share : ink_shares(std::vector<std::uint8_t>(pixels, 0), 28))
    EXPECT_EQ(share, 255);
}

class Omniglot : public ::testing::Test {
 protected:
  std::string refused(const std::string& name, const std::string& content, int classes = 40) {
    const std::string zip = folder_.at("o.zip");
    testing::write_zip(zip, {{name, content}});
    return testing::refusal([&] { read_omniglot(zip, 28, classes); });
  }
  testing::TempFolder folder_;
  const std::string good_ = testing::png(image({}), omniglot_side);
};

TEST_F(Omniglot, UsersAreAlphabetsWithDrawers) {
  const std::string zip = folder_.at("o.zip");
  const std::string dark = testing::png(std::vector<std::uint8_t>(pixels, 0), omniglot_side);
  testing::write_zip(zip, {{"all/Latin/character02/0102_01.png", dark},
                           {"all/Latin/character01/0101_02.png", good_},
                           {"all/Greek/character03/0203_01.png", good_},
                           {"all/Latin/character01/0101_01.png", good_}});
  const Dataset data = read_omniglot(zip, 28, 40);
  EXPECT_EQ(data.user, (std::vector<std::uint32_t>{0, 1, 1, 2}));
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{2, 0, 1, 0}));
  const auto& rows = std::get<DenseRows>(data.rows);
  EXPECT_EQ(rows.columns, 784U);
  EXPECT_EQ(rows.byte[2 * 784], 255);
  EXPECT_EQ(rows.byte[0], 0);
}

TEST_F(Omniglot, RefusesOtherArchives) {
  expect_parts(refused("all/Latin/letter01/0101_01.png", good_), {"o.zip", "is not named"});
  expect_parts(refused("Latin/character03/0101_01.png", good_, 2),
               {"character 3", "data.classes = 2"});
  expect_parts(refused("Latin/character00/0101_01.png", good_), {"character 0"});
  expect_parts(
      refused("Latin/character01/0101_01.png", testing::png(std::vector<std::uint8_t>(100, 0), 10)),
      {"o.zip", "0101_01.png", "10 x 10 pixels", "105"});
  expect_parts(refused("Latin/character01/0101_01.png", good_.substr(0, good_.size() / 2)),
               {"0101_01.png", "cannot be decoded"});
  expect_parts(refused("Latin/character01/0101_01.png", "no picture"), {"cannot be decoded"});
}

TEST_F(Omniglot, ReadsNamesOfAnyLengthAndRefusesAllOthers) {
  const std::string zip = folder_.at("o.zip");
  const std::string deep =
      fmt::format("{}/{}/", std::string(30'000, 'f'), std::string(30'000, 'g'));
  testing::write_zip(zip, {{deep + "Latin/character01/0101_01.png", good_}});
  EXPECT_EQ(read_omniglot(zip, 28, 40).size(), 1U);
  const std::string sentence = refused(deep + "Latin/character01/0101_1.png", good_);
  expect_parts(sentence, {"o.zip", "is not named"});
  EXPECT_LT(sentence.size(), 300U);
  for (const char* name :
       {"character01/0101_01.png", "/character01/0101_01.png", "L/character1/0101_01.png",
        "L/character001/0101_01.png", "L/character01/_01.png", "L/character01/0101_001.png",
        "L/character01/01x1_01.png", "L/character01/0101-01.png", "L/character01/0101_0a.png",
        "L/Character01/0101_01.png", "L/character01/sub/0101_01.png", "L/character01/.png"})
    expect_parts(refused(name, good_), {"o.zip"});
}

TEST_F(Omniglot, RefusesADrawingThatComesTwice) {
  const std::string zip = folder_.at("o.zip");
  testing::write_zip(zip, {{"all/Latin/character01/0101_01.png", good_},
                           {"Latin/character01/0101_01.png", good_}});
  expect_parts(testing::refusal([&] { read_omniglot(zip, 28, 40); }),
               {"o.zip", "all/Latin/character01", "same drawing", "twice"});
}

TEST_F(Omniglot, RefusesPicturesThatAreTooLargeBeforeTheyAreInflated) {
  expect_parts(refused("L/character01/0101_01.png", std::string((1U << 20U) + 1, ' ')),
               {"o.zip", "0101_01.png", "at most 1048576"});
}

}  // namespace trilemma::omniglot_test
