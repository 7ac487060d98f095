// Decoding and resizing of images (src/data/picture.hpp).

#include "data/picture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::picture_test {

using testing::expect_parts;
using Bytes = std::vector<std::uint8_t>;

std::string refused(const std::string& content) {
  return testing::refusal([&] { read_jpeg("a.JPEG", content); });
}

// An image of one colour.
Bytes plain(std::size_t pixels, const Bytes& colour) {
  Bytes bytes;
  for (std::size_t i = 0; i < pixels; ++i) bytes.insert(bytes.end(), colour.begin(), colour.end());
  return bytes;
}

// A smooth image: JPEG keeps it to a few levels. The planes follow each other.
TEST(ReadJpeg, PutsThePlanesOneAfterTheOther) {
  constexpr std::size_t width = 16, height = 8, size = width * height;
  Bytes pixels;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (const std::size_t value : {8 * x, 20 * y, std::size_t{200}})
        pixels.push_back(static_cast<std::uint8_t>(value));
  const Picture image = read_jpeg("a.JPEG", testing::jpeg(pixels, width, 3));
  ASSERT_EQ(image.width, width);
  ASSERT_EQ(image.height, height);
  ASSERT_EQ(image.bytes.size(), 3 * size);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      EXPECT_NEAR(image.bytes[y * width + x], 8.0 * x, 12);
      EXPECT_NEAR(image.bytes[size + y * width + x], 20.0 * y, 12);
      EXPECT_NEAR(image.bytes[2 * size + y * width + x], 200, 12);
    }
}

TEST(ReadJpeg, MakesThreePlanesOfAGreyImage) {
  const Picture image = read_jpeg("a.JPEG", testing::jpeg(plain(64, {77}), 8, 1));
  EXPECT_EQ(image.bytes, plain(3 * 64, {77}));
}

TEST(ReadJpeg, RefusesDamagedImages) {
  Bytes pixels(std::size_t{3} * 64 * 64);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37);
  const std::string whole = testing::jpeg(pixels, 64, 3);
  EXPECT_EQ(read_jpeg("a.JPEG", whole).width, 64U);
  expect_parts(refused(""), {"a.JPEG", "not a JPEG image"});
  expect_parts(refused("\x89PNG"), {"a.JPEG", "not a JPEG image"});
  // Cut off in the header and in the pixels.
  expect_parts(refused(whole.substr(0, 30)), {"a.JPEG", "cannot be decoded"});
  expect_parts(refused(whole.substr(0, whole.size() / 2)), {"a.JPEG", "Premature end"});
  std::string other = whole;
  const auto frame = other.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  other[frame + 1] = '\xc5';  // a process that no version of the library supports
  expect_parts(refused(other), {"a.JPEG", "cannot be decoded", "fetch it again"});
  // Bytes of the header and of the pixels are changed one after the other: none ends the process.
  std::size_t refusals = 0;
  for (std::size_t at = 2; at < whole.size(); at += 7) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    try {
      read_jpeg("a.JPEG", changed);
    } catch (const UserError&) {
      ++refusals;
    }
  }
  EXPECT_GT(refusals, 0U);
}

TEST(ReadJpeg, RefusesOtherColoursAndHugeImages) {
  expect_parts(refused(testing::jpeg(plain(64, {1, 2, 3, 4}), 8, 4)), {"a.JPEG", "neither grey"});
  std::string huge = testing::jpeg(plain(64, {9}), 8, 1);
  const auto frame = huge.find("\xff\xc0");  // then 2 bytes of length, 1 of precision, the extents
  ASSERT_NE(frame, std::string::npos);
  for (std::size_t i = 5; i < 9; ++i) huge[frame + i] = '\x7f';
  expect_parts(refused(huge), {"a.JPEG", "32639 x 32639 pixels", "16777216"});
}

Picture picture(std::size_t width, std::size_t height, const Bytes& plane) {
  Picture image{width, height, {}};
  for (int i = 0; i < 3; ++i)
    for (const auto byte : plane) image.bytes.push_back(static_cast<std::uint8_t>(byte + i));
  return image;
}

// Cells of 2 x 1 pixels: means (0 + 10) / 2, (20 + 31) / 2 = 25.5, which is rounded up, ...
TEST(Resized, AveragesWholePixels) {
  const Picture small = resized(picture(4, 2, {0, 10, 20, 31, 1, 2, 3, 4}), 2);
  EXPECT_EQ(small.width, 2U);
  EXPECT_EQ(small.height, 2U);
  EXPECT_EQ(small.bytes, (Bytes{5, 26, 2, 4, 6, 27, 3, 5, 7, 28, 4, 6}));
}

// Three pixels in two cells of one and a half: (2 * 0 + 1 * 30) / 3 and (1 * 30 + 2 * 90) / 3.
TEST(Resized, DividesPixels) {
  const Picture small = resized(picture(3, 3, {0, 30, 90, 0, 30, 90, 0, 30, 90}), 2);
  EXPECT_EQ(Bytes(small.bytes.begin(), small.bytes.begin() + 4), (Bytes{10, 70, 10, 70}));
}

TEST(Resized, KeepsImagesOfOneColourAndOfTheSameSize) {
  const Picture plain_one = resized(picture(178, 218, Bytes(std::size_t{178} * 218, 130)), 84);
  EXPECT_EQ(std::count(plain_one.bytes.begin(), plain_one.bytes.begin() + 84 * 84, 130), 84 * 84);
  const Picture same = picture(2, 2, {1, 200, 3, 250});
  EXPECT_EQ(resized(same, 2).bytes, same.bytes);
  EXPECT_EQ(resized(same, 4).bytes[5], 1);  // enlarged: each pixel becomes 2 x 2
  EXPECT_EQ(resized(same, 4).bytes[6], 200);
}

}  // namespace trilemma::picture_test
