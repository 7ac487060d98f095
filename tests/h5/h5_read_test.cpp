// Reading what anybody may have written (src/h5/h5_read.hpp): a sentence, never a belief.

#include "h5/h5_read.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>

#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::h5_read_test {

using testing::expect_parts;
using testing::refusal;
using testing::TempFolder;

class Hdf5Reading : public ::testing::Test {
 protected:
  hid_t file() const { return file_.get(); }
  std::string refused(const std::string& name) const {
    return refusal([&] { h5::open_dataset(file(), name); });
  }
  // An attribute of `count` values of a type.
  void set_array(const char* name, hid_t type, hsize_t count, const void* values) const {
    const h5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
    const h5::Handle attribute(
        H5Acreate2(file(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
    ASSERT_GE(H5Awrite(attribute.get(), type, values), 0);
  }

  TempFolder folder_;
  h5::Handle file_ = h5::create_file(folder_.at("x.h5"));
};

TEST_F(Hdf5Reading, AnAttributeOfManyValuesIsNoScalar) {
  const std::vector<double> values(5000, 1.0);
  set_array("epsilon", H5T_NATIVE_DOUBLE, values.size(), values.data());
  for (const auto& read :
       std::vector<std::function<void()>>{[&] { h5::number_attribute(file(), "epsilon"); },
                                          [&] { h5::text_attribute(file(), "epsilon"); },
                                          [&] { h5::integer_attribute(file(), "epsilon", 0, 1); }})
    expect_parts(refusal(read), {folder_.at("x.h5"), "/@epsilon", "5000 values where one"});
}

TEST_F(Hdf5Reading, AnAttributeHasTheClassAskedFor) {
  h5::set_attribute(file(), "text", std::string("word"));
  h5::set_attribute(file(), "number", 2.5);
  h5::set_attribute<std::int64_t>(file(), "count", -3);
  EXPECT_EQ(h5::text_attribute(file(), "text"), "word");
  EXPECT_EQ(h5::number_attribute(file(), "number"), 2.5);
  EXPECT_EQ(h5::number_attribute(file(), "count"), -3);
  EXPECT_EQ(h5::integer_attribute(file(), "count", -5, 5), -3);
  expect_parts(refusal([&] { h5::number_attribute(file(), "text"); }), {"@text", "text where"});
  expect_parts(refusal([&] { h5::text_attribute(file(), "number"); }),
               {"@number", "a number where"});
  expect_parts(refusal([&] { h5::integer_attribute(file(), "number", 0, 9); }),
               {"not a whole number"});
  expect_parts(refusal([&] { h5::integer_attribute(file(), "count", 0, 9); }),
               {"-3 is not from 0 to 9"});
  expect_parts(refusal([&] { h5::number_attribute(file(), "gone"); }), {"@gone", "is missing"});
}

// Fixed length with every way to fill it up, and the empty text.
TEST_F(Hdf5Reading, TextOfFixedLengthIsTextToo) {
  h5::set_fixed_attribute(file(), "fixed",
                          "fa\xC3\xA7"
                          "ade");
  EXPECT_EQ(h5::text_attribute(file(), "fixed"),
            "fa\xC3\xA7"
            "ade");
  for (const auto& [pad, bytes] : {std::pair(H5T_STR_NULLTERM, std::string("ab\0?", 4)),
                                   std::pair(H5T_STR_NULLPAD, std::string("ab\0\0", 4)),
                                   std::pair(H5T_STR_SPACEPAD, std::string("ab  "))}) {
    const h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
    ASSERT_GE(H5Tset_size(type.get(), 4), 0);
    ASSERT_GE(H5Tset_strpad(type.get(), pad), 0);
    h5::set_attribute(file(), "padded", type.get(), bytes.data());
    EXPECT_EQ(h5::text_attribute(file(), "padded"), "ab");
  }
  h5::set_attribute(file(), "empty", std::string());
  EXPECT_EQ(h5::text_attribute(file(), "empty"), "");
}

TEST_F(Hdf5Reading, LinksAreNotFollowed) {
  {
    const h5::Handle other = h5::create_file(folder_.at("other.h5"));
    const double value = 1;
    h5::write_array(other.get(), "x", H5T_NATIVE_DOUBLE, 1, &value, "1", "");
  }
  const double value = 2;
  h5::write_array(file(), "own", H5T_NATIVE_DOUBLE, 1, &value, "1", "");
  ASSERT_GE(H5Lcreate_external(folder_.at("other.h5").c_str(), "/", file(), "group", H5P_DEFAULT,
                               H5P_DEFAULT),
            0);
  ASSERT_GE(H5Lcreate_soft("/own", file(), "soft", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_EQ(h5::read_numbers(file(), "own", 1).at(0), 2);
  for (const char* name : {"group/x", "group", "soft"})
    expect_parts(refused(name), {"a link to another place"});
  expect_parts(refusal([&] { h5::has_member(file(), "group/x"); }),
               {"/group", "a link to another place"});
  expect_parts(refused("no/where"), {"/no", "is missing"});
}

h5::Handle list_of_creation() { return {H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list"}; }

TEST_F(Hdf5Reading, DataOfOtherFilesAreRefused) {
  const hsize_t count = 4;
  const h5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
  const h5::Handle raw = list_of_creation();
  ASSERT_GE(H5Pset_external(raw.get(), "/etc/passwd", 0, 32), 0);
  const h5::Handle external(H5Dcreate2(file(), "raw", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                       raw.get(), H5P_DEFAULT),
                            H5Dclose, "raw");
  const h5::Handle list = list_of_creation();
  ASSERT_GE(H5Pset_virtual(list.get(), space.get(), "other.h5", "x", space.get()), 0);
  const h5::Handle made(H5Dcreate2(file(), "virtual", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT,
                                   list.get(), H5P_DEFAULT),
                        H5Dclose, "virtual");
  for (const char* name : {"raw", "virtual"}) expect_parts(refused(name), {"other files"});
}

// Sizes that are claimed but not there, also where a product of extents passes 2^64.
TEST_F(Hdf5Reading, ExtentsAreComparedWithTheFile) {
  const std::vector<hsize_t> shapes[] = {
      {400'000'000}, {hsize_t{1} << 61U, 8}, {0, hsize_t{1} << 32U, hsize_t{1} << 32U}};
  int number = 0;
  for (const auto& shape : shapes) {
    const std::string name = fmt::format("x{}", number++);
    const h5::Handle list = list_of_creation();
    const std::vector<hsize_t> chunk(shape.size(), 1);
    ASSERT_GE(H5Pset_chunk(list.get(), static_cast<int>(shape.size()), chunk.data()), 0);
    const h5::Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                           H5Sclose, "space");
    const h5::Handle set(H5Dcreate2(file(), name.c_str(), H5T_NATIVE_DOUBLE, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         H5Dclose, "set");
    if (shape[0] == 0) {
      EXPECT_EQ(h5::extents(h5::open_dataset(file(), name), shape.size()), shape);
      continue;
    }
    expect_parts(refusal([&] { h5::extents(h5::open_dataset(file(), name), shape.size()); }),
                 {"/" + name, "bytes where the file has 0"});
    expect_parts(refusal([&] { h5::extents(h5::open_dataset(file(), name), 7); }), {"/" + name});
  }
}

TEST_F(Hdf5Reading, RanksTypesAndLengthsAreThoseAskedFor) {
  const std::vector<double> values(6, 1.0);
  h5::write_array(file(), "six", H5T_NATIVE_DOUBLE, 6, values.data(), "1", "");
  h5::write_text(file(), "words", {"a", "", "c"}, false, "");
  EXPECT_EQ(h5::read_texts(file(), "words"), (std::vector<std::string>{"a", "", "c"}));
  expect_parts(refusal([&] { h5::read_numbers(file(), "six", 5); }),
               {"/six", "6 values where 5 at most"});
  expect_parts(refusal([&] { h5::read_numbers(file(), "words", 9); }),
               {"/words", "text where numbers"});
  expect_parts(refusal([&] { h5::read_texts(file(), "six"); }), {"/six", "numbers where text"});
  expect_parts(refusal([&] { h5::read_text(file(), "words"); }), {"/words", "3 texts where one"});
  expect_parts(refusal([&] { h5::byte_count(h5::open_dataset(file(), "six")); }),
               {"/six", "no bytes"});
  const h5::Handle six = h5::open_dataset(file(), "six");
  expect_parts(refusal([&] { h5::extents(six, 2); }), {"/six", "1 dimensions where 2"});
}

TEST_F(Hdf5Reading, OddTypesAreNeitherTextNorNumbers) {
  const h5::Handle odd(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose, "type");
  ASSERT_GE(H5Tset_ebias(odd.get(), 7), 0);
  const double value = 1;
  h5::set_attribute(file(), "odd", odd.get(), &value);
  const h5::Handle pair(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, std::array<hsize_t, 1>{1}.data()),
                        H5Tclose, "type");
  h5::set_attribute(file(), "array", pair.get(), &value);
  for (const char* name : {"odd", "array"})
    expect_parts(refusal([&] { h5::number_attribute(file(), name); }),
                 {"neither text nor usual numbers"});
}

TEST_F(Hdf5Reading, NamesAreNotPrintedRaw) {
  const std::string sentence = refused("a\x1b[31m");
  EXPECT_NE(sentence.find("\\x1b[31m"), std::string::npos) << sentence;
}

TEST(Hdf5Files, APrivateFileIsNewAndForItsOwner) {
  const TempFolder folder;
  EXPECT_THROW(h5::create_private_file(folder.write("x", "content")), LibraryError);
  std::filesystem::create_symlink(folder.at("there"), folder.at("link"));
  EXPECT_THROW(h5::create_private_file(folder.at("link")), LibraryError);
  EXPECT_FALSE(std::filesystem::exists(folder.at("there")));
  h5::create_private_file(folder.at("new"));
  EXPECT_EQ(std::filesystem::status(folder.at("new")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace trilemma::h5_read_test
