// Why an output cannot be written (src/base/write_error.hpp).

#include "base/write_error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/refusal.hpp"

namespace trilemma::write_error_test {

TEST(WriteError, KnowsTheFaultByItsNumber) {
  const std::pair<int, WriteFault> cases[] = {
      {ENOSPC, WriteFault::disk_full},      {EDQUOT, WriteFault::over_quota},
      {EFBIG, WriteFault::file_size_limit}, {EROFS, WriteFault::read_only},
      {EACCES, WriteFault::no_permission},  {EPERM, WriteFault::no_permission},
      {ENOENT, WriteFault::no_folder},      {ENOTDIR, WriteFault::no_folder},
      {ELOOP, WriteFault::symbolic_link},   {EIO, WriteFault::device},
      {EMFILE, WriteFault::other}};
  for (const auto& [error, fault] : cases) {
    EXPECT_EQ(write_fault(error), fault);
    EXPECT_EQ(cannot_write("x.h5", error).fault(), fault);
    EXPECT_EQ(cannot_write("x.h5", error).error(), error);
  }
}

TEST(WriteError, NamesFaultAndRemedy) {
  testing::expect_parts(cannot_write("x.h5", ENOSPC).what(),
                        {"x.h5: cannot be written: the disk is full (No space left on device)",
                         "free some space, or choose another place"});
  testing::expect_parts(cannot_write("x.h5", EFBIG).what(),
                        {"the limit on the size of a file is reached", "ulimit -f"});
  testing::expect_parts(write_problem("x.h5", EROFS, "--output"),
                        {"read-only", "or choose another --output"});
}

}  // namespace trilemma::write_error_test
