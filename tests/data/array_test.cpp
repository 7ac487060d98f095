// Arrays of NumPy (src/data/numpy.cpp, array.hpp) and the source of arrays.

#include "data/array.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "data/data_folder.hpp"
#include "data/source.hpp"
#include "h5/h5.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::array_test {

using testing::expect_parts;

std::string numpy(const std::string& type, const std::string& shape, const std::string& items,
                  bool is_fortran = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': (" +
                       shape + "), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + items;
}

class Arrays : public ::testing::Test {
 protected:
  TrainTest load(const std::string& toml) {
    Settings data =
        Settings::from_text("[data]\nscaling = 'none'\n" + toml, "e.toml").section("data");
    const auto source = row(sources(), "arrays").make(data);
    DataFolder(folder_.path()).settle(*source, data);
    return source->load(folder_.path(), 1);
  }
  // The values of two records with the labels 0 and 1.
  Vector values(const std::string& array, const std::string& more = "") {
    folder_.write("x.npy", array);
    folder_.write("y.npy", numpy("|u1", "2,", std::string("\0\1", 2)));
    const TrainTest data = load("train = 'x.npy'\nlabels = 'y.npy'\n" + more);
    const auto& rows = std::get<DenseRows>(data.train.rows);
    Vector all(rows.value);
    for (const auto byte : rows.byte) all.push_back(static_cast<real>(byte));
    return all;
  }
  std::string refused(const std::string& array, const std::string& more = "") {
    return testing::refusal([&] { values(array, more); });
  }
  testing::TempFolder folder_;
};

TEST_F(Arrays, TakeEveryTypeOfNumber) {
  using namespace std::literals;
  const Vector expected{1, 254};
  EXPECT_EQ(values(numpy("|u1", "2,", "\x01\xFE")), expected);
  EXPECT_EQ(values(numpy("<u2", "2,", "\x01\0\xFE\0"s)), expected);
  EXPECT_EQ(values(numpy(">i4", "2,", "\0\0\0\x01\0\0\0\xFE"s)), expected);
  EXPECT_EQ(values(numpy("|i1", "2,", "\x01\xFE")), (Vector{1, -2}));
  EXPECT_EQ(values(numpy("|b1", "2,", "\0\x01"s)), (Vector{0, 1}));
  // 1.5 and -0.25 of 16, 32 and 64 bits.
  const Vector reals{1.5, -0.25};
  EXPECT_EQ(values(numpy("<f2", "2,", "\0\x3E\0\xB4"s)), reals);
  EXPECT_EQ(values(numpy(">f4", "2,", "\x3F\xC0\0\0\xBE\x80\0\0"s)), reals);
  EXPECT_EQ(values(numpy("<f8", "2,", "\0\0\0\0\0\0\xF8\x3F\0\0\0\0\0\0\xD0\xBF"s)), reals);
}

TEST_F(Arrays, TakeBothOrdersOfIndices) {
  const Vector rows{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(values(numpy("|u1", "2, 3", "\1\2\3\4\5\6")), rows);
  EXPECT_EQ(values(numpy("|u1", "2, 3", "\1\4\2\5\3\6", true)), rows);
  // Element (r, i, j) of 2 x 2 x 2 is 4 r + 2 i + j.
  EXPECT_EQ(values(numpy("|u1", "2, 2, 2", std::string("\0\4\2\6\1\5\3\7", 8), true)),
            (Vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

// A pixel with its colours becomes a value in each of the planes, which cnn wants one by one.
TEST_F(Arrays, PutColoursInPlanes) {
  const std::string last = "abcdefghijkl";  // 2 records of 2 x 1 pixels
  const Vector planes{'a', 'd', 'b', 'e', 'c', 'f', 'g', 'j', 'h', 'k', 'i', 'l'};
  EXPECT_EQ(values(numpy("|u1", "2, 2, 1, 3", last), "axes = 'nhwc'"), planes);
  // The only extent that can be that of colours: the last, or the first.
  EXPECT_EQ(values(numpy("|u1", "2, 2, 1, 3", last)), planes);
  EXPECT_EQ(values(numpy("|u1", "2, 3, 1, 2", last)),
            (Vector{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'}));
  expect_parts(refused(numpy("|u1", "2, 1, 1, 3", "abcdef")), {"2 x 1 x 1 x 3", "data.axes"});
  EXPECT_EQ(values(numpy("|u1", "2, 3, 2, 1", last), "axes = 'nchw'"),
            (Vector{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'}));
  expect_parts(refused(numpy("|u1", "2, 3, 2, 1", last)), {"2 x 3 x 2 x 1", "data.axes"});
  expect_parts(refused(numpy("|u1", "2, 1, 1, 1, 1", "ab")), {"2 x 1 x 1 x 1 x 1"});
}

TEST_F(Arrays, AreRefusedWhereTheyAreNoNumbers) {
  using namespace std::literals;
  expect_parts(refused(numpy("|O", "2,", "\x80\x04")), {"x.npy", "Python objects", "astype"});
  expect_parts(refused(numpy("<c8", "2,", std::string(16, '\0'))), {"x.npy", "<c8"});
  expect_parts(refused(numpy("<U1", "2,", std::string(8, 'a'))), {"text"});
  expect_parts(refused(numpy("<f4", "2,", "\0\0\xC0\x7F\0\0\0\0"s)), {"record 0", "nan"});
  expect_parts(refused(numpy("<f8", "1000000000, 1000000000", "ab")), {"more than the file has"});
  expect_parts(refused(numpy("<f8", "18446744073709551615, 8", "ab")), {"more than the file has"});
  expect_parts(refused(numpy("|u1", "3, 1", "abc")), {"2 values for 3 records"});
  const std::string good = numpy("|u1", "2, 3", "abcdef");
  for (std::size_t size = 0; size < good.size(); ++size)
    expect_parts(refused(good.substr(0, size)), {"x.npy"});
}

// The type is read to its end.
TEST_F(Arrays, AreRefusedWhereTheTypeIsNotKnownWhole) {
  for (const char* type : {"<f8abc", "<f8 ", "<f", "<f-8", "xf8", "<f8,<f4", "<u1[ns]"})
    expect_parts(refused(numpy(type, "2,", std::string(16, '\0'))),
                 {"x.npy", std::string("items of type ") + type + ";"});
}

// Other files than .npy hold a single array under some name.
TEST_F(Arrays, OfLabelsAndUsersAreTheOnlyOnesOfTheirFiles) {
  const std::string bytes("\1\0", 2);
  folder_.write("x.npy", numpy("|u1", "2, 1", "ab"));
  const auto write = [&](const std::vector<const char*>& names) {
    const h5::File file = h5::File::create(folder_.at("y.h5"));
    std::vector<std::pair<std::string, std::string>> arrays;
    for (const char* name : names) {
      file.write_array(name, std::vector<std::uint8_t>(bytes.begin(), bytes.end()), "", "");
      arrays.emplace_back(std::string(name) + ".npy", numpy("|u1", "2,", bytes));
    }
    testing::write_zip(folder_.at("y.npz"), arrays);
  };
  for (const std::string name : {"y.h5", "y.npz"}) {
    std::filesystem::remove(folder_.at("y.h5"));
    write({"whatever"});
    const std::string train = "train = 'x.npy'\n";
    const std::string labels = "labels = '" + name + "'\n";
    EXPECT_EQ(load(train + labels).train.label, (std::vector<std::int32_t>{1, 0})) << name;
    const std::string users = "users = '" + name + "'\n";
    EXPECT_EQ(load(train + labels + users).train.user, (std::vector<std::uint32_t>{0, 1})) << name;
    const std::string test = "test = 'x.npy'\ntest_labels = 'z.npz'\n";
    testing::write_zip(folder_.at("z.npz"), {{"a.npy", numpy("|u1", "2,", bytes)},
                                             {"b.npy", numpy("|u1", "2,", bytes)},
                                             {"c.npy", numpy("|u1", "2,", bytes)}});
    expect_parts(testing::refusal([&] { load(train + labels + test); }),
                 {"z.npz: 3 arrays (a, b, c)", "data.test_labels"});
    std::filesystem::remove(folder_.at("y.h5"));
    write({"one", "two"});
    expect_parts(testing::refusal([&] { load(train + labels); }),
                 {name + ": 2 arrays (one, two)", "data.labels"});
    folder_.write("y.npy", numpy("|u1", "2,", bytes));
    expect_parts(testing::refusal([&] { load(train + "labels = 'y.npy'\n" + users); }),
                 {name + ": 2 arrays (one, two)", "data.users"});
  }
  std::filesystem::remove(folder_.at("y.h5"));
  h5::File::create(folder_.at("y.h5"));
  expect_parts(testing::refusal([&] { load("train = 'x.npy'\nlabels = 'y.h5'"); }),
               {"y.h5: an HDF5 file without arrays"});
}

TEST_F(Arrays, AreFoundByUsualNamesInArchives) {
  const std::string x = numpy("|u1", "2, 1", "ab"),
                    text = numpy("|S2", "2,", std::string("no\0y", 4));
  testing::write_zip(folder_.at("a.npz"),
                     {{"x_train.npy", x},
                      {"y_train.npy", text},
                      {"x_test.npy", numpy("|u1", "1, 1", "c")},
                      {"y_test.npy", numpy("<U2", "1,", std::string("n\0\0\0o\0\0\0", 8))},
                      {"who.npy", numpy("|u1", "2,", "\7\3")}});
  const TrainTest data = load("train = 'a.npz'\ntest = 'a.npz'");
  EXPECT_EQ(data.train.classes, 2);
  EXPECT_EQ(data.test.size(), 1U);
  EXPECT_TRUE(data.remark.empty());  // arrays of one file
  EXPECT_EQ(load("train = 'a.npz'\nuser = 'who'").train.user, (std::vector<std::uint32_t>{0, 1}));
  expect_parts(testing::refusal([&] { load("train = 'a.npz'\narray = 'z'"); }),
               {"a.npz", "\"z\"", "x_test", "data.array"});
}

TEST_F(Arrays, LabelsAreWholeNumbersUnlessTheyAreTargets) {
  using namespace std::literals;
  folder_.write("x.npy", numpy("|u1", "2, 1", "ab"));
  folder_.write("y.npy", numpy("<f4", "2,", "\0\0\xC0\x3F\0\0\x80\x3F"s));
  expect_parts(testing::refusal([&] { load("train = 'x.npy'\nlabels = 'y.npy'"); }),
               {"y.npy", "1.5", "data.classes = 0"});
  EXPECT_EQ(load("train = 'x.npy'\nlabels = 'y.npy'\nclasses = 0").train.target, (Vector{1.5, 1}));
}

}  // namespace trilemma::array_test
