// Reader of IDX image files (src/data/idx.hpp): plain and gzip, and every refusal with the file
// (truncated gzip, wrong magic, label count != image count).

#include "data/idx.hpp"

#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <numeric>

#include "tests/support/idx_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::idx_test {

using testing::expect_parts;
using testing::gzip;
using testing::idx_bytes;

using Raw = std::vector<std::uint8_t>;

// Three images of 2 x 3 pixels, labels 2, 0, 1.
Raw images() {
  Raw pixels(18);
  std::iota(pixels.begin(), pixels.end(), std::uint8_t{10});
  return idx_bytes({0x803, 3, 2, 3}, pixels);
}
Raw labels() { return idx_bytes({0x801, 3}, Raw{2, 0, 1}); }

class Idx : public ::testing::Test {
 protected:
  Dataset read(const Raw& image, const Raw& label, std::size_t features = 6, int classes = 3) {
    return IdxPair(folder_.write("images", image), folder_.write("labels", label), features,
                   classes, 0)
        .read({});
  }
  std::string refused(const Raw& image, const Raw& label, std::size_t features = 6,
                      int classes = 3) {
    return testing::refusal([&] { read(image, label, features, classes); });
  }
  testing::TempFolder folder_;
};

void expect_good(const Dataset& data) {
  EXPECT_EQ(data.label, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(data.classes, 3);
  const auto& rows = std::get<DenseRows>(data.rows);
  EXPECT_EQ(rows.rows(), 3U);
  EXPECT_EQ(rows.columns, 6U);
  ASSERT_EQ(rows.byte.size(), 18U);
  EXPECT_EQ(rows.byte[0], 10);
  EXPECT_EQ(rows.byte[17], 27);
}

TEST_F(Idx, ReadsPlainAndGzipAlike) {
  expect_good(read(images(), labels()));
  expect_good(read(gzip(images()), gzip(labels())));
  expect_good(read(images(), gzip(labels())));
}

TEST_F(Idx, PixelsAreByteOver255WithoutScaling) {
  const Dataset data = read(images(), labels());
  Vector row(6);
  const std::uint32_t second = 1;
  std::get<DenseRows>(data.rows).gather({&second, 1}, row);
  EXPECT_NEAR(row[0], 16.0 / 255.0, 1e-7);
}

TEST_F(Idx, RefusesMissingFiles) {
  const std::string good = folder_.write("good", images());
  expect_parts(testing::refusal([&] { IdxPair(folder_.at("none"), good, 6, 3, 0).read({}); }),
               {folder_.at("none"), "no such data file"});
  expect_parts(testing::refusal([&] { IdxPair(good, folder_.at("none"), 6, 3, 0).read({}); }),
               {folder_.at("none"), "no such data file"});
}

TEST_F(Idx, RefusesWrongMagic) {
  expect_parts(refused(labels(), labels()), {"images", "magic", "0x00000801", "0x00000803"});
  expect_parts(refused(images(), images()), {"labels", "magic", "0x00000803", "0x00000801"});
  expect_parts(refused(Raw{'P', 'N', 'G', '!', 0, 0, 0, 0}, labels()), {"images", "magic"});
}

// Cut at every byte: a plain file is refused always, a gzip file wherever its data are not whole.
TEST_F(Idx, RefusesTruncationAtEveryByte) {
  const Raw image = images();
  for (std::size_t size = 0; size < image.size(); ++size)
    expect_parts(refused(Raw(image.begin(), image.begin() + static_cast<long>(size)), labels()),
                 {"images"});
  const Raw label = labels();
  for (std::size_t size = 0; size < label.size(); ++size)
    expect_parts(refused(images(), Raw(label.begin(), label.begin() + static_cast<long>(size))),
                 {"labels"});
}

TEST_F(Idx, RefusesTruncatedGzipAtEveryByte) {
  const Raw packed = gzip(images());
  for (std::size_t size = 0; size < packed.size(); ++size)
    expect_parts(refused(Raw(packed.begin(), packed.begin() + static_cast<long>(size)), labels()),
                 {"images", "fetch it again"});
}

// As copies by blocks leave them; gzip ignores zeros, and nothing else is data.
TEST_F(Idx, TakesGzipPaddedByZerosAlone) {
  const Raw packed = gzip(images());
  for (const std::size_t zeros : {1U, 7U, 512U, 600'000U}) {
    Raw padded = packed;
    padded.resize(packed.size() + zeros);
    expect_good(read(padded, gzip(labels())));
    padded.push_back(1);
    expect_parts(refused(padded, labels()), {"images", "other bytes than gzip's follow its end"});
  }
  Raw garbage = packed;
  garbage.push_back('x');
  expect_parts(refused(garbage, labels()), {"images", "fetch it again"});
  Raw cut(packed.begin(), packed.end() - 4);
  cut.resize(packed.size() - 1);
  EXPECT_FALSE(refused(cut, labels()).empty());
}

// Members one after the other are one content.
TEST_F(Idx, ReadsGzipOfSeveralMembers) {
  const Raw all = images();
  const auto middle = all.begin() + 20;
  Raw packed = gzip(Raw(all.begin(), middle));
  const Raw second = gzip(Raw(middle, all.end()));
  packed.insert(packed.end(), second.begin(), second.end());
  packed.resize(packed.size() + 100);
  expect_good(read(packed, labels()));
}

// The state of zlib has several KB.
TEST_F(Idx, KeepsNoMemoryOfDamagedGzip) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  Raw packed = gzip(images());
  packed[10] ^= 0x07;  // the type of the first block
  const std::string file = folder_.write("images", packed);
  const auto open = [&] { return testing::refusal([&] { idx_features(file); }); };
  expect_parts(open(), {"images", "cannot be inflated"});
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 100; ++i) open();
  EXPECT_LT(mallinfo2().uordblks, before + 100'000);
#else
  GTEST_SKIP() << "no mallinfo2 here";
#endif
}

TEST_F(Idx, RefusesGzipThatDoesNotMatchItsChecksum) {
  Raw packed = gzip(images());
  packed[packed.size() - 6] ^= 0x40;  // in the CRC
  expect_parts(refused(packed, labels()), {"images", "fetch it again"});
}

TEST_F(Idx, RefusesAnotherNumberOfLabelsThanImages) {
  expect_parts(refused(images(), idx_bytes({0x801, 2}, Raw{0, 1})),
               {"labels", "2 labels", "3 images"});
  expect_parts(refused(images(), idx_bytes({0x801, 4}, Raw{0, 1, 2, 0})), {"4 labels"});
}

TEST_F(Idx, RefusesLabelsOutOfRange) {
  expect_parts(refused(images(), idx_bytes({0x801, 3}, Raw{2, 3, 1})),
               {"labels", "label 3", "position 1", "data.classes = 3"});
}

TEST_F(Idx, RefusesAnotherNumberOfPixels) {
  expect_parts(refused(images(), labels(), 5), {"images", "2 x 3", "data.features = 5"});
}

TEST_F(Idx, RefusesTrailingBytes) {
  Raw more = images();
  more.push_back(0);
  expect_parts(refused(more, labels()), {"images", "more bytes"});
  Raw label = labels();
  label.push_back(0);
  expect_parts(refused(images(), label), {"labels", "more bytes"});
}

TEST_F(Idx, RefusesAFileWithoutImages) {
  expect_parts(refused(idx_bytes({0x803, 0, 2, 3}, {}), idx_bytes({0x801, 0}, {})),
               {"images", "no image"});
}

// Headers that tell of more than the file can hold: refused before memory is taken for it.
TEST_F(Idx, RefusesCountsThatTheFileCannotHold) {
  constexpr std::uint32_t most = 4294967295U;
  const Raw pixels(100, 7);
  for (const bool packed : {false, true}) {
    const auto file = [&](const Raw& bytes) { return packed ? gzip(bytes) : bytes; };
    const Raw label = file(idx_bytes({0x801, most}, pixels));
    const std::string limit = packed ? "can hold (200 times its size)" : "has (truncated)";
    expect_parts(refused(file(idx_bytes({0x803, most, 2, 3}, pixels)), label),
                 {"images", "4294967295", "values, more than the file " + limit});
    expect_parts(refused(file(idx_bytes({0x803, most, most, most}, pixels)), label,
                         std::size_t{most} * most),
                 {"images", "4294967295", "values, more than the file " + limit});
    expect_parts(refused(images(), label),
                 {"labels", "4294967295 values, more than the file " + limit});
  }
}

}  // namespace trilemma::idx_test
