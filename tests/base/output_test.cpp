// Files that are written whole or not at all (src/base/output.hpp).

#include "base/output.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/durable.hpp"
#include "base/input_file.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::output_test {

namespace fs = std::filesystem;
using testing::TempFolder;

// The fault that `write` is stopped by.
template <class Write>
WriteFault fault_of(Write&& write) {
  try {
    write();
  } catch (const WriteError& error) {
    return error.fault();
  }
  ADD_FAILURE() << "nothing was refused";
  return WriteFault::other;
}

std::size_t files_in(const TempFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(WriteFile, ReplacesTheWholeContent) {
  const TempFolder folder;
  const std::string path = folder.write("x", "something longer");
  write_file(path, "short");
  EXPECT_EQ(file_content(path), "short");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(WriteFile, CreatesTheFolder) {
  const TempFolder folder;
  write_file(folder.at("a/b/x"), "content");
  EXPECT_EQ(file_content(folder.at("a/b/x")), "content");
}

TEST(WriteFile, ReplacesASymbolicLinkItself) {
  const TempFolder folder;
  const std::string precious = folder.write("precious", "untouched");
  fs::create_symlink(precious, folder.at("x"));
  write_file(folder.at("x"), "content");
  EXPECT_EQ(file_content(precious), "untouched");
  EXPECT_FALSE(fs::is_symlink(folder.at("x")));
  EXPECT_EQ(file_content(folder.at("x")), "content");
}

TEST(WriteFile, ReplacesAPipeWithoutWaitingForAReader) {
  const TempFolder folder;
  ASSERT_EQ(mkfifo(folder.at("x").c_str(), 0600), 0);
  write_file(folder.at("x"), "content");
  EXPECT_EQ(file_content(folder.at("x")), "content");
}

// Another machine's process with the same number may be writing them, on a shared folder.
TEST(WriteFile, LeavesTemporaryFilesOfOthersAlone) {
  const TempFolder folder;
  constexpr int others = 300;
  std::vector<std::string> paths;
  for (int i = 1; i <= others; ++i)
    paths.push_back(folder.write(fmt::format("x.{}-{}.tmp", getpid(), i), "of another"));
  write_file(folder.at("x"), "content");
  EXPECT_EQ(file_content(folder.at("x")), "content");
  for (const auto& path : paths) ASSERT_EQ(file_content(path), "of another") << path;
  EXPECT_EQ(files_in(folder), paths.size() + 1);
}

TEST(WriteFile, LeavesAFolderAlone) {
  const TempFolder folder;
  fs::create_directory(folder.at("x"));
  EXPECT_THROW(write_file(folder.at("x"), "content"), WriteError);
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(WriteFile, LeavesTheOldContentAtALimitOnTheSize) {
  const TempFolder folder;
  const std::string path = folder.write("x", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const WriteFault fault = fault_of([&] { write_file(path, std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(fault, WriteFault::file_size_limit);
  EXPECT_EQ(file_content(path), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(OutputFile, IsNotCreatedWhereSomethingExists) {
  const TempFolder folder;
  const std::string precious = folder.write("precious", "untouched");
  fs::create_symlink(precious, folder.at("x"));
  for (const auto* name : {"precious", "x"})
    EXPECT_THROW(OutputFile file(folder.at(name)), WriteError) << name;
  EXPECT_EQ(file_content(precious), "untouched");
  EXPECT_EQ(fault_of([&] { OutputFile file(folder.at("none/x")); }), WriteFault::no_folder);
}

// Neither a device nor a folder of /proc can be synchronised.
TEST(Synchronise, GoesOnWhereTheFileSystemCannot) {
  for (const char* path : {"/dev/null", "/proc/self"}) EXPECT_NO_THROW(synchronise(path)) << path;
  EXPECT_EQ(fault_of([] { synchronise("/none/x"); }), WriteFault::no_folder);
}

TEST(OutputFile, IsRemovedUnlessClosed) {
  const TempFolder folder;
  { OutputFile file(folder.at("x")); }
  EXPECT_EQ(files_in(folder), 0U);
}

TEST(SpaceReserve, HasNoName) {
  const TempFolder folder;
  const SpaceReserve reserve(folder.at("x"), 4096);
  EXPECT_EQ(files_in(folder), 0U);
}

}  // namespace trilemma::output_test
