// The sum over a run file's content (src/record/content_sum.hpp).

#include "record/content_sum.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

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
    const h5::Handle file = h5::change_file(copy_);
    change(file.get());
  }
  // Writes one number of a data set.
  static void set_number(hid_t file, const char* name, double value) {
    const h5::Handle set = h5::open_dataset(file, name);
    const h5::Handle space(H5Dget_space(set.get()), H5Sclose, "space");
    const hsize_t first = 2, one = 1;
    ASSERT_GE(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &one, nullptr), 0);
    const h5::Handle memory(H5Screate(H5S_SCALAR), H5Sclose, "space");
    ASSERT_GE(
        H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, &value), 0);
  }

  TempFolder folder_;
  std::string path_ = folder_.at("run.h5"), copy_ = folder_.at("copy.h5");
};

TEST_F(ContentSum, AFinishedRunIsWhole) {
  EXPECT_EQ(check_content(path_), "");
  EXPECT_EQ(content_of(h5::open_file(path_).get()), Content::whole);
}

// It is about the content, not about bytes.
TEST_F(ContentSum, RewritingTheSameIsNoChange) {
  edit([](hid_t file) {
    h5::set_fixed_attribute(file, "name", h5::text_attribute(file, "name"));
    set_number(file, "rounds/objective", testing::sample_row(2)["objective"].number);
    set_number(file, "rounds/round", 2);
  });
  EXPECT_EQ(check_content(copy_), "");
}

TEST_F(ContentSum, EveryChangeIsNoticed) {
  static constexpr int seven = 7;
  const std::vector<std::function<void(hid_t)>> edits = {
      [](hid_t f) { h5::set_attribute(f, "noise_sigma", 0.0); },
      [](hid_t f) { h5::set_attribute(f, "claim", std::string("holds")); },
      [](hid_t f) { h5::set_attribute<std::int64_t>(f, "rounds", 9999); },
      [](hid_t f) { h5::set_attribute(f, "rounds", 10.0); },
      [](hid_t f) { h5::set_attribute(f, "more", 1.0); },
      [](hid_t f) { H5Adelete(f, "failure"); },
      [](hid_t f) {
        h5::set_attribute(h5::open_group(f, "privacy").get(), "view", std::string("V"));
      },
      [](hid_t f) { set_number(f, "rounds/objective", 0); },
      [](hid_t f) { set_number(f, "mpi/bits_up", 0); },
      [](hid_t f) { set_number(f, "model/final", 0); },
      [](hid_t f) {
        h5::overwrite(h5::open_dataset(f, "starts/round"), H5T_NATIVE_INT, 1, &seven);
      },
      [](hid_t f) {
        const real other[] = {0.5, 0.75};
        h5::overwrite(h5::open_dataset(f, "classes/accuracy"), H5T_NATIVE_DOUBLE, 1, other);
      },
      [](hid_t f) { set_number(f, "classes/round", 9); },
      [](hid_t f) { H5Ldelete(f, "classes", H5P_DEFAULT); },
      [](hid_t f) { H5Ldelete(f, "phases/seconds", H5P_DEFAULT); },
      [](hid_t f) {
        h5::set_attribute(h5::open_dataset(f, "rounds/epsilon").get(), "units", std::string("nat"));
      },
      [](hid_t f) { H5Ldelete(f, "config", H5P_DEFAULT); },
      [](hid_t f) { H5Ldelete(f, "rounds/drift", H5P_DEFAULT); },
      [](hid_t f) { H5Lmove(f, "rounds/drift", f, "mpi/drift", H5P_DEFAULT, H5P_DEFAULT); },
      [](hid_t f) { H5Ldelete(f, "privacy/components/sigma", H5P_DEFAULT); },
      [](hid_t f) {
        H5Ldelete(f, "environment/cpu", H5P_DEFAULT);
        h5::write_text(h5::open_group(f, "environment").get(), "cpu", {"another"}, true, "");
      },
      [](hid_t f) {
        const hsize_t fewer = 3;
        H5Dset_extent(h5::open_dataset(f, "rounds/epsilon").get(), &fewer);
      },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    edit(edits[i]);
    testing::expect_parts(check_content(copy_), {copy_, "its content has changed"});
  }
}

TEST_F(ContentSum, WhatCannotBeReadIsSaid) {
  edit([](hid_t f) {
    H5Ldelete(f, "rounds/drift", H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/x", f, "rounds/drift", H5P_DEFAULT, H5P_DEFAULT);
  });
  testing::expect_parts(check_content(copy_), {copy_, "/rounds/drift", "another place"});
}

TEST_F(ContentSum, AFileWithoutASumIsNotBlamed) {
  edit([](hid_t f) { H5Adelete(f, content_sum_attribute); });
  EXPECT_EQ(check_content(copy_), "");
  EXPECT_EQ(content_of(h5::open_file(copy_).get()), Content::unsummed);
}

}  // namespace trilemma::content_sum_test
