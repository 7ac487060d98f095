// The sum over a run file's content (src/record/content_sum.hpp).

#include "record/content_sum.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "h5/library.hpp"
#include "record/run_reader.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/run_files.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::content_sum_test {

using testing::TempFolder;

class ContentSum : public ::testing::Test {
 protected:
  void SetUp() override {
    RunIdentity identity = testing::sample_identity();
    identity.privacy.components = {{"poisson", 0.1, 2, 30}};
    RunFile file(path_, identity, testing::sample_metrics(), testing::sample_phase_names);
    for (std::int64_t t = 0; t <= 5; ++t) file.add(testing::sample_row(t));
    for (std::int64_t t = 0; t <= 5; ++t) file.add_class_accuracy(t, {0.5, 0.25});
    file.finish(Vector{1, 2, 3, 4});
  }
  template <class Edit>
  void edit(Edit change) {
    std::filesystem::copy_file(path_, copy_, std::filesystem::copy_options::overwrite_existing);
    const h5::File file = h5::File::change(copy_);
    change(file);
  }
  // Writes one number of a data set.
  static void set_number(const h5::File& file, const char* name, double value) {
    const h5::Dataset set = file.open_dataset(name);
    const h5::Handle space(H5Dget_space(set.id()), H5Sclose, "space");
    const hsize_t first = 2, one = 1;
    ASSERT_GE(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &one, nullptr), 0);
    const h5::Handle memory(H5Screate(H5S_SCALAR), H5Sclose, "space");
    ASSERT_GE(H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, &value),
              0);
  }

  TempFolder folder_;
  std::string path_ = folder_.at("run.h5"), copy_ = folder_.at("copy.h5");
};

TEST_F(ContentSum, AFinishedRunIsWhole) {
  EXPECT_EQ(check_content(path_), "");
  EXPECT_EQ(content_of(h5::File::open(path_)), Content::whole);
}

// It is about the content, not about bytes.
TEST_F(ContentSum, RewritingTheSameIsNoChange) {
  edit([](const h5::File& file) {
    file.set_fixed_attribute("name", file.text_attribute("name"));
    set_number(file, "rounds/objective", testing::sample_row(2)["objective"].number);
    set_number(file, "rounds/round", 2);
  });
  EXPECT_EQ(check_content(copy_), "");
}

TEST_F(ContentSum, EveryChangeIsNoticed) {
  static constexpr std::int64_t seven = 7;
  const std::vector<std::function<void(const h5::File&)>> edits = {
      [](const h5::File& f) { f.set_attribute("noise_sigma", 0.0); },
      [](const h5::File& f) { f.set_attribute("claim", std::string("holds")); },
      [](const h5::File& f) { f.set_attribute<std::int64_t>("rounds", 9999); },
      [](const h5::File& f) { f.set_attribute("rounds", 10.0); },
      [](const h5::File& f) { f.set_attribute("more", 1.0); },
      [](const h5::File& f) { f.remove_attribute("failure"); },
      [](const h5::File& f) { f.open_group("privacy").set_attribute("view", std::string("V")); },
      [](const h5::File& f) { set_number(f, "rounds/objective", 0); },
      [](const h5::File& f) { set_number(f, "mpi/bits_up", 0); },
      [](const h5::File& f) { set_number(f, "model/final", 0); },
      [](const h5::File& f) { f.open_dataset("starts/round").overwrite(std::span(&seven, 1)); },
      [](const h5::File& f) {
        const std::vector<double> other(12, 0.75);
        f.open_dataset("classes/accuracy").overwrite(std::span(other));
      },
      [](const h5::File& f) { set_number(f, "classes/round", 9); },
      [](const h5::File& f) { f.remove_member("classes"); },
      [](const h5::File& f) { f.remove_member("phases/seconds"); },
      [](const h5::File& f) {
        f.open_dataset("rounds/epsilon").set_attribute("units", std::string("nat"));
      },
      [](const h5::File& f) { f.remove_member("config"); },
      [](const h5::File& f) { f.remove_member("rounds/drift"); },
      [](const h5::File& f) {
        H5Lmove(f.id(), "rounds/drift", f.id(), "mpi/drift", H5P_DEFAULT, H5P_DEFAULT);
      },
      [](const h5::File& f) { f.remove_member("privacy/components/sigma"); },
      [](const h5::File& f) {
        f.remove_member("environment/cpu");
        f.open_group("environment").write_text("cpu", "another", "");
      },
      [](const h5::File& f) {
        const hsize_t fewer = 3;
        H5Dset_extent(f.open_dataset("rounds/epsilon").id(), &fewer);
      },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    edit(edits[i]);
    testing::expect_parts(check_content(copy_), {copy_, "its content has changed"});
  }
}

TEST_F(ContentSum, WhatCannotBeReadIsSaid) {
  edit([](const h5::File& f) {
    f.remove_member("rounds/drift");
    H5Lcreate_external("other.h5", "/x", f.id(), "rounds/drift", H5P_DEFAULT, H5P_DEFAULT);
  });
  testing::expect_parts(check_content(copy_), {copy_, "/rounds/drift", "a link instead"});
}

TEST_F(ContentSum, AFileWithoutASumIsNotBlamed) {
  edit([](const h5::File& f) { f.remove_attribute(content_sum_attribute); });
  EXPECT_EQ(check_content(copy_), "");
  EXPECT_EQ(content_of(h5::File::open(copy_)), Content::unsummed);
}

}  // namespace trilemma::content_sum_test
