// Work done by a child of this process (src/base/apart.hpp).

#include "base/apart.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/check.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::apart_test {

TEST(Apart, AnswersWithBytes) {
  const Bytes large(1'000'000, std::byte{7});  // more than a pipe holds
  EXPECT_EQ(read_apart("x", [&] { return large; }), large);
  EXPECT_TRUE(read_apart("x", [] { return Bytes{}; }).empty());
  EXPECT_EQ(command_apart("x", [] { return 5; }), 5);
}

TEST(Apart, ThrowsWhatIsThrownThere) {
  const std::string sentence =
      testing::refusal([] { read_apart("x", []() -> Bytes { throw UserError("a sentence"); }); });
  EXPECT_EQ(sentence, "a sentence");
  EXPECT_THROW(read_apart("x", []() -> Bytes { throw std::out_of_range("at"); }), LibraryError);
}

TEST(Apart, ADeathIsTheFilesDamage) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL})
    testing::expect_parts(testing::refusal([&] {
                            read_apart("x.h5", [&]() -> Bytes {
                              // The test program's own handlers would report it.
                              std::signal(signal, SIG_DFL);
                              std::raise(signal);
                              return {};
                            });
                          }),
                          {"x.h5: the HDF5 library breaks down on it", "damaged"});
}

}  // namespace trilemma::apart_test
