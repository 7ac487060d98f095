// The walk that saves and restores (src/base/state.hpp).

#include "base/state.hpp"

#include <gtest/gtest.h>

namespace trilemma::state_test {

struct Part {
  double number = 0;
  std::uint32_t count = 0;
  Vector values;
  std::vector<double> sums;

  void persist(State& state) {
    state.value(number);
    state.value(count);
    state.values(values);
    state.values(sums);
  }
};

Bytes saved(Part part) {
  Bytes bytes;
  State state = State::saving(bytes);
  part.persist(state);
  return bytes;
}

TEST(State, GivesBackWhatWasSaved) {
  const Bytes bytes = saved({-0.5, 7, {1, 2, 3}, {}});
  EXPECT_EQ(bytes.size(), 8 + 4 + 8 + 3 * sizeof(real) + 8);
  Part found{1, 1, {9, 9, 9}, {}};
  State state = State::restoring(bytes);
  found.persist(state);
  state.finish();
  EXPECT_EQ(found.number, -0.5);
  EXPECT_EQ(found.count, 7U);
  EXPECT_EQ(found.values, (Vector{1, 2, 3}));
  EXPECT_TRUE(found.sums.empty());
}

// What settings have made so long stays so long, whatever the bytes say.
TEST(State, RefusesALengthThatIsNotThatOfTheSettings) {
  const Bytes bytes = saved({1, 2, {3, 4}, {5}});
  for (const std::size_t size : {1U, 3U}) {
    Part found;
    found.values.resize(size);
    State state = State::restoring(bytes);
    EXPECT_THROW(found.persist(state), LibraryError) << size;
  }
}

TEST(State, RefusesBytesThatEndEarly) {
  const Bytes bytes = saved({1, 2, {3, 4}, {5}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Part found;
    State state = State::restoring(std::span(bytes).first(size));
    EXPECT_THROW(found.persist(state), LibraryError) << size;
  }
}

TEST(State, RefusesBytesThatAreLeftOver) {
  Bytes bytes = saved({1, 2, {3}, {}});
  bytes.push_back(std::byte{0});
  Part found;
  State state = State::restoring(bytes);
  found.persist(state);
  EXPECT_THROW(state.finish(), LibraryError);
}

TEST(State, RefusesALengthThatCannotBe) {
  Bytes bytes = saved({1, 2, {3}, {}});
  bytes[12 + 7] = std::byte{0xFF};  // the length of `values`, now beyond all memory
  Part found;
  State state = State::restoring(bytes);
  EXPECT_THROW(found.persist(state), LibraryError);
}

}  // namespace trilemma::state_test
