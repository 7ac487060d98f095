// Who may write a file (src/base/write_lock.hpp, src/record/output_status.hpp).

#include "base/write_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/durable.hpp"
#include "h5/h5.hpp"
#include "record/output_status.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::write_lock_test {

namespace fs = std::filesystem;
using testing::TempFolder;

TEST(WriteLock, IsForOne) {
  const TempFolder folder;
  const std::string path = folder.write("x", "content");
  {
    const WriteLock first(path);
    EXPECT_TRUE(is_locked(path));
    testing::expect_parts(testing::refusal([&] { WriteLock second(path); }),
                          {path, "another run is writing to it"});
  }
  EXPECT_FALSE(is_locked(path));
  const WriteLock third(path);
  EXPECT_EQ(testing::bytes_of(path).size(), 7U);  // nothing was cut off
}

TEST(WriteLock, LeavesNoEmptyFile) {
  const TempFolder folder;
  { const WriteLock lock(folder.at("x")); }
  EXPECT_FALSE(fs::exists(folder.at("x")));
}

TEST(WriteLock, FollowsNoSymbolicLink) {
  const TempFolder folder;
  const std::string precious = folder.write("precious", "content");
  fs::create_symlink(precious, folder.at("x"));
  testing::expect_parts(testing::refusal([&] { WriteLock lock(folder.at("x")); }),
                        {folder.at("x"), "symbolic link"});
  fs::remove(folder.at("x"));
  fs::create_symlink(folder.at("nothing"), folder.at("x"));
  testing::refusal([&] { WriteLock lock(folder.at("x")); });
  EXPECT_FALSE(fs::exists(folder.at("nothing")));
}

// Whoever waits for a file that gets another name meanwhile must not lock that file.
TEST(WriteLock, GoesWithTheNameNotWithTheFile) {
  const TempFolder folder;
  WriteLock first(folder.write("x", "content"));
  std::atomic<bool> has_second = false;
  std::thread other([&] {
    const WriteLock second(folder.at("x"));
    has_second = true;
    EXPECT_EQ(fs::file_size(folder.at("x")), 0U);
  });
  first.rename(folder.at("y"));
  first.release();
  other.join();
  EXPECT_TRUE(has_second);
  EXPECT_EQ(testing::bytes_of(folder.at("y")).size(), 7U);
}

std::string file_of_schema(const TempFolder& folder, const std::string& schema) {
  const std::string path = folder.at(schema + ".h5");
  const h5::File file = h5::File::create(path);
  file.set_attribute("schema", schema);
  return path;
}

TEST(OutputStatus, TellsRunFilesFromAllElse) {
  const TempFolder folder;
  EXPECT_EQ(output_status(folder.at("none")), OutputStatus::nothing);
  EXPECT_EQ(output_status(folder.write("empty", "")), OutputStatus::nothing);
  EXPECT_EQ(output_status(folder.write("text", "words")), OutputStatus::other);
  EXPECT_EQ(output_status(folder.path()), OutputStatus::other);
  const std::string run = file_of_schema(folder, "trilemma-run");
  EXPECT_EQ(output_status(run), OutputStatus::run);
  EXPECT_EQ(output_status(file_of_schema(folder, "trilemma-audit")), OutputStatus::audit);
  EXPECT_EQ(output_status(file_of_schema(folder, "matlab")), OutputStatus::other);
  fs::create_symlink(run, folder.at("link"));
  EXPECT_EQ(output_status(folder.at("link")), OutputStatus::other);
  const auto bytes = testing::bytes_of(run);
  EXPECT_EQ(output_status(folder.write("cut", std::span(bytes).first(bytes.size() / 2))),
            OutputStatus::unreadable);
}

TEST(OutputStatus, OnlyItsOwnKindIsReplacedAndOnlyIfAskedFor) {
  const TempFolder folder;
  const std::string run = file_of_schema(folder, "trilemma-run");
  check_replaceable(folder.at("none"), OutputStatus::run, "a run file", false);
  check_replaceable(run, OutputStatus::run, "a run file", true);
  testing::expect_parts(
      testing::refusal([&] { check_replaceable(run, OutputStatus::run, "a run file", false); }),
      {run, "a run file already", "--overwrite"});
  testing::expect_parts(
      testing::refusal([&] { check_replaceable(run, OutputStatus::audit, "an audit file", true); }),
      {run, "not an audit file"});
}

}  // namespace trilemma::write_lock_test
