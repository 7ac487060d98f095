// The reader of all files that others wrote (src/base/input_file.hpp, line_reader.hpp) and what
// their first bytes say (file_format.hpp).

#include "base/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file_format.hpp"
#include "base/line_reader.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::input_file_test {

using testing::expect_parts;
using testing::refusal;

TEST(InputFile, OpensRegularFilesAlone) {
  const testing::TempFolder folder;
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  const auto refused = [](const std::string& path) {
    return refusal([&] { InputFile file(path); });
  };
  expect_parts(refused(folder.at("pipe")), {"pipe", "a pipe or a device"});
  expect_parts(refused("/dev/zero"), {"/dev/zero", "a pipe or a device"});
  expect_parts(refused(folder.path()), {"a folder"});
  expect_parts(refused(folder.at("none")), {"none", "no such file"});
  expect_parts(refused(std::string("a\0b", 3)), {"not the name of a file"});
}

TEST(InputFile, LimitsTheSize) {
  const testing::TempFolder folder;
  const std::string file = folder.write("x", std::string(11, 'x'));
  EXPECT_EQ(input_content(file, 11).size(), 11U);
  expect_parts(refusal([&] { input_content(file, 10); }), {"11 bytes", "at most 10"});
}

std::vector<std::string> lines_of(const std::string& text, std::size_t longest = 100) {
  LineReader lines("f", text, longest);
  std::vector<std::string> found;
  while (lines.next()) found.push_back(fmt::format("{}:{}", lines.number(), lines.line()));
  return found;
}

TEST(LineReader, NumbersLinesAndSkipsAByteOrderMark) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\n\nb"),
            (Lines{"1:a", "2:", "3:b"}));
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), (Lines{"1:"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"), Lines{});
}

TEST(LineReader, RefusesWhatIsNoText) {
  expect_parts(refusal([] { lines_of("a\n" + std::string(101, 'x')); }),
               {"f:2", "longer than 100"});
  expect_parts(refusal([] { lines_of("a\n" + std::string(101, 'x') + "\nb"); }), {"f:2", "longer"});
  expect_parts(refusal([] { lines_of(std::string("a\nb\0c", 5)); }), {"f:2", "zero byte"});
  for (const auto& text :
       {std::string("\xFF\xFE"
                    "a\0",
                    4),
        std::string("\xFE\xFF\0a", 4), std::string("a\0b\0", 4), std::string("\0a\0b", 4)})
    expect_parts(refusal([&] { lines_of(text); }), {"UTF-16", "iconv"});
}

// A stream that never ends is refused at its first line.
TEST(LineReader, StopsWhereALineDoesNotEnd) {
  LineReader lines("f", [](char* to, std::size_t most) {
    std::fill_n(to, most, 'x');
    return most;
  });
  expect_parts(refusal([&] { lines.next(); }), {"f:1", "longer"});
}

TEST(FileFormat, IsToldByTheFirstBytes) {
  using namespace std::literals;
  const std::pair<std::string_view, FileFormat> table[] = {
      {"", FileFormat::empty},
      {"\x93NUMPY\x01\x00"sv, FileFormat::numpy},
      {"\x89HDF\r\n\x1a\n", FileFormat::hdf5},
      {"\x1f\x8b\x08", FileFormat::gzip},
      {"PAR1", FileFormat::parquet},
      {"ARROW1\0\0"sv, FileFormat::arrow},
      {"\x80\x04\x95", FileFormat::pickle},
      {"SQLite format 3\0"sv, FileFormat::sqlite},
      {"\x89PNG\r\n\x1a\n", FileFormat::image},
      {"\xFF\xD8\xFF\xE0", FileFormat::image},
      {"\xFF\xFE"
       "a",
       FileFormat::utf16},
      {"\n <!DOCTYPE HTML><html>", FileFormat::html},
      {"\0\0\x0D\x03"sv, FileFormat::idx},
      {"version https://git-lfs.github.com/spec/v1", FileFormat::git_lfs},
      {"a,b\n1,2\n", FileFormat::unknown},
      {"{\"users\": []}", FileFormat::unknown},
  };
  for (const auto& [begin, format] : table) EXPECT_EQ(format_of(begin), format) << begin;
}

TEST(FileFormat, TellsArchivesByTheirFirstFile) {
  const auto archive = [](const std::string& name, const std::string& content = "x") {
    std::string head("PK\x03\x04", 4);
    head.resize(30, '\0');
    head[26] = static_cast<char>(name.size());
    return head + name + content;
  };
  EXPECT_EQ(format_of(archive("X.npy")), FileFormat::numpy_zip);
  EXPECT_EQ(format_of(archive("archive/data.pkl")), FileFormat::pytorch);
  EXPECT_EQ(format_of(archive("[Content_Types].xml")), FileFormat::spreadsheet);
  EXPECT_EQ(format_of(archive("mimetype", "application/vnd.oasis.opendocument.spreadsheet")),
            FileFormat::spreadsheet);
  EXPECT_EQ(format_of(archive("a.json")), FileFormat::zip);
}

TEST(FileFormat, IsRefusedWithARemedy) {
  expect_parts(refusal([] { refuse_foreign("x", "\x93NUMPY", {}, "CSV"); }),
               {"x: a NumPy array (.npy), not CSV; set data.source = \"arrays\""});
  EXPECT_NO_THROW(refuse_foreign("x", "\x93NUMPY", {FileFormat::numpy}, "CSV"));
  EXPECT_NO_THROW(refuse_foreign("x", "a,b", {}, "CSV"));
}

}  // namespace trilemma::input_file_test
