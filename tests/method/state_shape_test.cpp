// Sizes of what is kept, broadcast and sent (src/method/state_shape.cpp).

#include "method/state_shape.hpp"

#include <gtest/gtest.h>

namespace trilemma::state_shape_test {

Vector common(const StateShape& shape, const Vector& state) {
  Vector room;
  const ConstView found = shape.common(state, room);
  return {found.begin(), found.end()};
}

TEST(StateShape, OneModel) {
  for (const ShapeMaker make : {plain_shape, silent_shape}) {
    const StateShape shape = make(2, 3);
    EXPECT_EQ(shape.begin({4, 5}), (Vector{4, 5}));
    EXPECT_EQ(common(shape, {6, 7}), (Vector{6, 7}));
  }
}

TEST(StateShape, AModelAndAVectorOfItsSize) {
  const StateShape shape = paired_shape(2, 3);
  EXPECT_EQ(shape.down, 4U);
  EXPECT_EQ(shape.up, 4U);
  EXPECT_EQ(shape.begin({4, 5}), (Vector{4, 5, 0, 0}));
  EXPECT_EQ(common(shape, {6, 7, 8, 9}), (Vector{6, 7}));
}

TEST(StateShape, AModelForEachClient) {
  const StateShape shape = blocks_shape(2, 3);
  EXPECT_EQ(shape.down, 6U);
  EXPECT_EQ(shape.up, 2U);
  EXPECT_EQ(shape.begin({4, 5}), (Vector{4, 5, 4, 5, 4, 5}));
  EXPECT_EQ(common(shape, {1, 2, 3, 5, 5, 11}), (Vector{3, 6}));
}

}  // namespace trilemma::state_shape_test
