// LIBSVM files as a source (src/data/libsvm_source.cpp): classes, real targets, dense rows.

#include <gtest/gtest.h>

#include "data/source.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::libsvm_source_test {

using testing::expect_parts;

class LibsvmSource : public ::testing::Test {
 protected:
  std::unique_ptr<Source> make(const std::string& more,
                               const std::vector<std::string>& overrides = {}) {
    Settings s = Settings::from_text(
        "train = 'a'\nfeatures = 3\nbias = false\nscaling = 'none'\n" + more, "e.toml", overrides);
    return row(sources(), "libsvm").make(s);
  }
  TrainTest load(const std::string& text, const std::string& more,
                 const std::vector<std::string>& overrides = {}) {
    folder_.write("a", text);
    return make(more, overrides)->load(folder_.path(), 1);
  }
  testing::TempFolder folder_;
};

Vector values(const Dataset& data) { return std::get<DenseRows>(data.rows).value; }
using Labels = std::vector<std::int32_t>;

TEST_F(LibsvmSource, KeepsTwoClassesInSparseRows) {
  const auto source = make("");
  EXPECT_TRUE(source->sparse());
  EXPECT_EQ(source->classes(), 2);
  EXPECT_EQ(source->description(), "libsvm a, 3 features, scaling none");
  EXPECT_EQ(load("5 1:1\n9 3:1\n", "").train.label, (Labels{-1, 1}));
}

TEST_F(LibsvmSource, FillsInZerosWhereRowsAreDense) {
  EXPECT_FALSE(make("layout = 'dense'")->sparse());
  const Dataset data = load("5 1:1 3:-2\n9\n5 2:0.5\n", "layout = 'dense'", {"bias=true"}).train;
  EXPECT_EQ(data.features(), 4U);
  EXPECT_EQ(values(data), (Vector{1, 0, -2, 1, 0, 0, 0, 1, 0, 0.5, 0, 1}));
  EXPECT_EQ(data.label, (Labels{0, 1, 0}));
}

TEST_F(LibsvmSource, OtherNumbersOfClassesAreDense) {
  const auto source = make("classes = 3");
  EXPECT_FALSE(source->sparse());
  EXPECT_EQ(source->classes(), 3);
  EXPECT_EQ(source->description(),
            "libsvm a, 3 classes from 3 features in dense rows, scaling none");
  folder_.write("b", std::string("7 2:4\n"));
  const TrainTest data = load("3 1:1\n-1 2:1\n7 3:1\n", "classes = 3\ntest = 'b'");
  EXPECT_EQ(data.train.label, (Labels{1, 0, 2}));
  EXPECT_EQ(data.test.label, (Labels{2}));
  EXPECT_EQ(values(data.test), (Vector{0, 4, 0}));
  const Dataset real = load("3.5 1:1\n-1 2:1\n", "classes = 0").train;
  EXPECT_EQ(real.target, (Vector{3.5, -1}));
  EXPECT_EQ(values(real), (Vector{1, 0, 0, 0, 1, 0}));
}

TEST_F(LibsvmSource, RefusesWhatTheFileDoesNotHold) {
  const std::string three = "3 1:1\n-1 2:1\n7 3:1\n";
  expect_parts(testing::refusal([&] { load(three, ""); }), {"3 different labels", "data.classes"});
  expect_parts(testing::refusal([&] { make("classes = 1"); }), {"e.toml:5", "real targets"});
  folder_.write("b", std::string("-1 1:1\n5 2:4\n"));
  expect_parts(testing::refusal([&] { load(three, "classes = 3\ntest = 'b'"); }),
               {"b:2", "label 5", "no training record"});
}

// Sizes are known before the memory is asked for.
TEST_F(LibsvmSource, RefusesDenseRowsThatNeedTooMuchMemory) {
  folder_.write("a", std::string("1 1:1\n2 2:1\n3 3:1\n"));
  Settings s = Settings::from_text(
      "train = 'a'\nfeatures = 1000000000\nbias = false\nscaling = 'none'\nclasses = 3", "e.toml");
  const auto source = row(sources(), "libsvm").make(s);
  expect_parts(testing::refusal([&] { source->load(folder_.path(), 1); }),
               {"data.layout = \"dense\"", "3 records of 1000000000 features",
                sizeof(real) == 4 ? "12.0 GB" : "24.0 GB", "at most 8 GB"});
}

}  // namespace trilemma::libsvm_source_test
