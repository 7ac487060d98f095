// Work done by a child of this process (src/base/subprocess.hpp).

#include "base/subprocess.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <new>

#include "base/check.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::subprocess_test {

TEST(Subprocess, AnswersWithBytes) {
  const Bytes large(1'000'000, std::byte{7});  // more than a pipe holds
  EXPECT_EQ(read_in_subprocess("x", [&] { return large; }), large);
  EXPECT_TRUE(read_in_subprocess("x", [] { return Bytes{}; }).empty());
  EXPECT_EQ(run_in_subprocess("x", [] { return 5; }), 5);
}

TEST(Subprocess, ThrowsWhatIsThrownThere) {
  const std::string sentence = testing::refusal(
      [] { read_in_subprocess("x", []() -> Bytes { throw UserError("a sentence"); }); });
  EXPECT_EQ(sentence, "a sentence");
  EXPECT_THROW(read_in_subprocess("x", []() -> Bytes { throw std::out_of_range("at"); }),
               LibraryError);
}

TEST(Subprocess, LimitsMemoryByTheSizeOfTheFile) {
  const testing::TempFolder folder;
  const std::string file = folder.write("small.h5", "a few bytes");
  const auto reserve = [] {
    constexpr std::size_t much = std::size_t{3} << 30U;
    void* volatile values = std::malloc(much);  // which no compiler may leave out
    if (values == nullptr) throw std::bad_alloc();
    std::free(values);
    return Bytes{std::byte{1}};
  };
  testing::expect_parts(testing::refusal([&] { read_in_subprocess(file, reserve); }),
                        {"small.h5: the HDF5 library breaks down on it", "damaged"});
  EXPECT_EQ(read_in_subprocess(file, reserve, 20, ChildMemory::any).size(), 1U);
}

TEST(Subprocess, KeepsTheFieldsOfAMistake) {
  const Mistake mistake{.place = {"a.toml", 3},
                        .key = "k",
                        .value = "7",
                        .problem = "too large",
                        .remedy = "lower it"};
  try {
    read_in_subprocess("x", [&]() -> Bytes { throw UserError(mistake); });
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.mistake().place, mistake.place);
    EXPECT_EQ(error.mistake().key, "k");
    EXPECT_EQ(error.mistake().value, "7");
    EXPECT_EQ(error.mistake().problem, "too large");
    EXPECT_EQ(error.mistake().remedy, "lower it");
    EXPECT_STREQ(error.what(), "a.toml:3: k = 7: too large; lower it");
  }
}

TEST(Subprocess, ADeathIsTheFilesDamage) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL})
    testing::expect_parts(testing::refusal([&] {
                            read_in_subprocess("x.h5", [&]() -> Bytes {
                              // The test program's own handlers would report it.
                              std::signal(signal, SIG_DFL);
                              std::raise(signal);
                              return {};
                            });
                          }),
                          {"x.h5: the HDF5 library breaks down on it", "damaged"});
}

}  // namespace trilemma::subprocess_test
