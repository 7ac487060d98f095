// Reading what anybody may have written (src/h5/h5.hpp): a sentence, never a belief.

#include "h5/h5.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>

#include "h5/library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::h5_test {

using testing::expect_parts;
using testing::refusal;
using testing::TempFolder;

class Hdf5Reading : public ::testing::Test {
 protected:
  const h5::File& file() const { return file_; }
  std::string refused(const std::string& name) const {
    return refusal([&] { file().open_dataset(name); });
  }
  // An attribute of `count` values of a type.
  void set_array(const char* name, hid_t type, hsize_t count, const void* values) const {
    const h5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
    const h5::Handle attribute(
        H5Acreate2(file().id(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
    ASSERT_GE(H5Awrite(attribute.get(), type, values), 0);
  }

  TempFolder folder_;
  h5::File file_ = h5::File::create(folder_.at("x.h5"));
};

TEST_F(Hdf5Reading, AnAttributeOfManyValuesIsNoScalar) {
  const std::vector<double> values(5000, 1.0);
  set_array("epsilon", H5T_NATIVE_DOUBLE, values.size(), values.data());
  for (const auto& read : std::vector<std::function<void()>>{
           [&] { file().number_attribute("epsilon"); }, [&] { file().text_attribute("epsilon"); },
           [&] { file().integer_attribute("epsilon", 0, 1); }})
    expect_parts(refusal(read), {folder_.at("x.h5"), "/@epsilon", "5000 values where one"});
}

TEST_F(Hdf5Reading, AnAttributeHasTheClassAskedFor) {
  file().set_attribute("text", std::string("word"));
  file().set_attribute("number", 2.5);
  file().set_attribute<std::int64_t>("count", -3);
  EXPECT_EQ(file().text_attribute("text"), "word");
  EXPECT_EQ(file().number_attribute("number"), 2.5);
  EXPECT_EQ(file().number_attribute("count"), -3);
  EXPECT_EQ(file().integer_attribute("count", -5, 5), -3);
  expect_parts(refusal([&] { file().number_attribute("text"); }), {"@text", "text where"});
  expect_parts(refusal([&] { file().text_attribute("number"); }), {"@number", "a number where"});
  expect_parts(refusal([&] { file().integer_attribute("number", 0, 9); }), {"not a whole number"});
  expect_parts(refusal([&] { file().integer_attribute("count", 0, 9); }),
               {"-3 is not from 0 to 9"});
  expect_parts(refusal([&] { file().number_attribute("gone"); }), {"@gone", "is missing"});
}

// Fixed length with every way to fill it up, and the empty text.
TEST_F(Hdf5Reading, TextOfFixedLengthIsTextToo) {
  file().set_fixed_attribute("fixed",
                             "fa\xC3\xA7"
                             "ade");
  EXPECT_EQ(file().text_attribute("fixed"),
            "fa\xC3\xA7"
            "ade");
  for (const auto& [pad, bytes] : {std::pair(H5T_STR_NULLTERM, std::string("ab\0?", 4)),
                                   std::pair(H5T_STR_NULLPAD, std::string("ab\0\0", 4)),
                                   std::pair(H5T_STR_SPACEPAD, std::string("ab  "))}) {
    const h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type");
    ASSERT_GE(H5Tset_size(type.get(), 4), 0);
    ASSERT_GE(H5Tset_strpad(type.get(), pad), 0);
    h5::set_scalar(file().id(), "padded", type.get(), bytes.data());
    EXPECT_EQ(file().text_attribute("padded"), "ab");
  }
  file().set_attribute("empty", std::string());
  EXPECT_EQ(file().text_attribute("empty"), "");
}

TEST_F(Hdf5Reading, LinksAreNotFollowed) {
  {
    const h5::File other = h5::File::create(folder_.at("other.h5"));
    const double value = 1;
    other.write_array("x", std::vector{value}, "1", "");
  }
  const double value = 2;
  file().write_array("own", std::vector{value}, "1", "");
  ASSERT_GE(H5Lcreate_external(folder_.at("other.h5").c_str(), "/", file().id(), "group",
                               H5P_DEFAULT, H5P_DEFAULT),
            0);
  ASSERT_GE(H5Lcreate_soft("/own", file().id(), "soft", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_EQ(file().read_numbers("own", 1).at(0), 2);
  for (const char* name : {"group/x", "group", "soft"})
    expect_parts(refused(name), {"a link instead of the data"});
  expect_parts(refusal([&] { file().has_member("group/x"); }),
               {"/group", "a link instead of the data"});
  expect_parts(refused("no/where"), {"/no", "is missing"});
}

h5::Handle list_of_creation() { return {H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "list"}; }

TEST_F(Hdf5Reading, DataOfOtherFilesAreRefused) {
  const hsize_t count = 4;
  const h5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "space");
  const h5::Handle raw = list_of_creation();
  ASSERT_GE(H5Pset_external(raw.get(), "/etc/passwd", 0, 32), 0);
  const h5::Handle external(H5Dcreate2(file().id(), "raw", H5T_NATIVE_DOUBLE, space.get(),
                                       H5P_DEFAULT, raw.get(), H5P_DEFAULT),
                            H5Dclose, "raw");
  const h5::Handle list = list_of_creation();
  ASSERT_GE(H5Pset_virtual(list.get(), space.get(), "other.h5", "x", space.get()), 0);
  const h5::Handle made(H5Dcreate2(file().id(), "virtual", H5T_NATIVE_DOUBLE, space.get(),
                                   H5P_DEFAULT, list.get(), H5P_DEFAULT),
                        H5Dclose, "virtual");
  for (const char* name : {"raw", "virtual"}) expect_parts(refused(name), {"other files"});
}

// Sizes that are claimed but not there, also where a product of extents passes 2^64.
TEST_F(Hdf5Reading, ExtentsAreComparedWithTheFile) {
  const h5::Extents shapes[] = {
      {400'000'000}, {hsize_t{1} << 61U, 8}, {0, hsize_t{1} << 32U, hsize_t{1} << 32U}};
  int number = 0;
  for (const auto& shape : shapes) {
    const std::string name = fmt::format("x{}", number++);
    const h5::Handle list = list_of_creation();
    const std::vector<hsize_t> chunk(shape.size(), 1);
    ASSERT_GE(H5Pset_chunk(list.get(), static_cast<int>(shape.size()), chunk.data()), 0);
    const h5::Handle space(
        H5Screate_simple(static_cast<int>(shape.size()), h5::native(shape).data(), nullptr),
        H5Sclose, "space");
    const h5::Handle set(H5Dcreate2(file().id(), name.c_str(), H5T_NATIVE_DOUBLE, space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         H5Dclose, "set");
    if (shape[0] == 0) {
      EXPECT_EQ(file().open_dataset(name).extents(shape.size()), shape);
      continue;
    }
    expect_parts(refusal([&] { file().open_dataset(name).extents(shape.size()); }),
                 {"/" + name, "bytes where the file has 0"});
    expect_parts(refusal([&] { file().open_dataset(name).extents(7); }), {"/" + name});
  }
}

TEST_F(Hdf5Reading, RanksTypesAndLengthsAreThoseAskedFor) {
  const std::vector<double> values(6, 1.0);
  file().write_array("six", values, "1", "");
  file().write_texts("words", {"a", "", "c"}, "");
  EXPECT_EQ(file().read_texts("words"), (std::vector<std::string>{"a", "", "c"}));
  expect_parts(refusal([&] { file().read_numbers("six", 5); }),
               {"/six", "6 values where at most 5"});
  expect_parts(refusal([&] { file().read_numbers("words", 9); }), {"/words", "text where numbers"});
  expect_parts(refusal([&] { file().read_texts("six"); }), {"/six", "numbers where text"});
  expect_parts(refusal([&] { file().read_text("words"); }), {"/words", "3 texts where one"});
  expect_parts(refusal([&] { file().open_dataset("six").byte_count(); }),
               {"/six", "not a data set of bytes"});
  const h5::Dataset six = file().open_dataset("six");
  expect_parts(refusal([&] { six.extents(2); }), {"/six", "1 dimensions where 2"});
}

TEST_F(Hdf5Reading, OddTypesAreNeitherTextNorNumbers) {
  const h5::Handle odd(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose, "type");
  ASSERT_GE(H5Tset_ebias(odd.get(), 7), 0);
  const double value = 1;
  h5::set_scalar(file().id(), "odd", odd.get(), &value);
  const h5::Handle pair(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, std::array<hsize_t, 1>{1}.data()),
                        H5Tclose, "type");
  h5::set_scalar(file().id(), "array", pair.get(), &value);
  for (const char* name : {"odd", "array"})
    expect_parts(refusal([&] { file().number_attribute(name); }),
                 {"neither text nor numbers of at most 64 bits"});
}

TEST_F(Hdf5Reading, NamesAreNotPrintedRaw) {
  const std::string sentence = refused("a\x1b[31m");
  EXPECT_NE(sentence.find("\\x1b[31m"), std::string::npos) << sentence;
}

TEST(Hdf5Files, APrivateFileIsNewAndForItsOwner) {
  const TempFolder folder;
  EXPECT_THROW(h5::File::create_private(folder.write("x", "content")), LibraryError);
  std::filesystem::create_symlink(folder.at("there"), folder.at("link"));
  EXPECT_THROW(h5::File::create_private(folder.at("link")), LibraryError);
  EXPECT_FALSE(std::filesystem::exists(folder.at("there")));
  h5::File::create_private(folder.at("new"));
  EXPECT_EQ(std::filesystem::status(folder.at("new")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace trilemma::h5_test
