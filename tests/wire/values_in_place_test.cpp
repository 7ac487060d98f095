// Messages that are read where they are (src/wire/codec.cpp): the values that would be decoded, and
// which messages are not read like this.

#include <gtest/gtest.h>

#include "wire/layout.hpp"

namespace trilemma::values_in_place_test {

constexpr bool is_double = sizeof(real) == sizeof(double);
constexpr ValueFormat ours = is_double ? ValueFormat::float64 : ValueFormat::float32;
constexpr ValueFormat others = is_double ? ValueFormat::float32 : ValueFormat::float64;
constexpr Layout layout{.dimension = 3, .count = 3, .value = ours};

Bytes bytes_of(const Vector& values) {
  const Message message{.scalar = {}, .index = {}, .value = values, .level = {}};
  const Measure measured = measure(layout, message);
  Bytes bytes(measured.bytes());
  encode(layout, message, measured, bytes);
  return bytes;
}

TEST(ValuesInPlace, AreThoseThatAreDecoded) {
  const Vector values{real{0.5}, real{-3}, real{7}};
  const Bytes bytes = bytes_of(values);
  const ConstView found = values_in_place(layout, bytes);
  EXPECT_EQ(Vector(found.begin(), found.end()), values);
  EXPECT_EQ(static_cast<const void*>(found.data()), bytes.data());
  Message message;
  decode(layout, bytes, message);
  EXPECT_EQ(message.value, values);
}

TEST(ValuesInPlace, NothingElseIsReadLikeThis) {
  Bytes bytes = bytes_of({real{0.5}, real{-3}, real{7}});
  EXPECT_TRUE(values_in_place(layout, std::span(bytes).first(2 * sizeof(real))).empty());
  for (const Layout& other :
       {Layout{.dimension = 3, .count = 3, .value = others},
        Layout{.dimension = 9, .count = 3, .index = IndexCode::keyed, .value = ours},
        Layout{.dimension = 3, .count = 3, .value = ours, .varies = true},
        Layout{.dimension = 3, .count = 3, .scalars = 1, .value = ours}})
    EXPECT_TRUE(values_in_place(other, bytes).empty());
  bytes.insert(bytes.begin(), std::byte{0});
  EXPECT_TRUE(values_in_place(layout, std::span(bytes).subspan(1)).empty());  // not aligned
}

}  // namespace trilemma::values_in_place_test
