// Reading whole files (src/base/input_file.hpp).

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/input_file.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::file_content_test {

TEST(FileContent, IsEveryByte) {
  const testing::TempFolder folder;
  const std::string bytes("a\r\nb\0\xff\n", 7);
  EXPECT_EQ(file_content(folder.write("file", bytes)), bytes);
}

TEST(FileContent, IsEmptyWhereNothingCanBeRead) {
  const testing::TempFolder folder;
  EXPECT_EQ(file_content(folder.write("empty", "")), "");
  EXPECT_EQ(file_content(folder.at("no such file")), "");
  EXPECT_EQ(file_content(folder.path()), "");
}

TEST(FileContent, IsEmptyWhereReadingWouldNotEnd) {
  const testing::TempFolder folder;
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(file_content(folder.at("pipe")), "");
}

TEST(FileContent, ANameThatIsTooLongIsNoFile) {
  const testing::TempFolder folder;
  EXPECT_TRUE(is_file(folder.write("file", "")));
  EXPECT_FALSE(is_file(folder.at(std::string(10'000, 'x'))));
  EXPECT_EQ(file_content(std::string(10'000, 'x')), "");
}

}  // namespace trilemma::file_content_test
