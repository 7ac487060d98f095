// The bound on the utility in run files (src/record/theory_record.hpp): written and read, and its
// words.

#include "record/theory_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::theory_record_test {

TheoryRecord with_bound() {
  return {.status = BoundStatus::holds,
          .bound = 0.5,
          .smoothness = 2,
          .suboptimality = 0.75,
          .threshold = 0.25,
          .beta = 0.125,
          .rate = 0.01,
          .largest_rate = 0.02};
}

TEST(TheoryRecord, IsWhatWasWritten) {
  const testing::TempFolder folder;
  const h5::File file = h5::File::create(folder.at("x.h5"));
  EXPECT_FALSE(read_theory_record(file));
  write_fields(file, theory_fields(), with_bound());
  const auto found = read_theory_record(file);
  ASSERT_TRUE(found);
  for (const auto& field : theory_fields())
    EXPECT_TRUE(same_value(field.get(*found), field.get(with_bound()), 0)) << field.name;
  write_fields(file, theory_fields(), TheoryRecord{.status = BoundStatus::step_too_large});
  EXPECT_EQ(read_theory_record(file)->status, BoundStatus::step_too_large);
  file.set_attribute("theory_status", "of the future");
  EXPECT_FALSE(read_theory_record(file));
}

TEST(TheoryRecord, Words) {
  const double unknown = std::nan("");
  testing::expect_parts(in_words(with_bound(), 0.2),
                        {"0.5 for the mean over all rounds", "L = 2", "at most 0.75)"});
  testing::expect_parts(in_words(with_bound(), unknown), {"0.5", "if no gradient", "0.25"});
  testing::expect_parts(in_words(with_bound(), 0.25),
                        {"none", "at most G = 0.25", "shortened some", "0.5"});
  TheoryRecord record = with_bound();
  for (const auto& [status, words] :
       {std::pair(BoundStatus::no_smoothness, "server.smoothness"),
        {BoundStatus::no_suboptimality, "server.suboptimality"},
        {BoundStatus::step_too_large, "server.rate = 0.01 is above 0.02"},
        {BoundStatus::other_bound, "clip-record"},
        {BoundStatus::other_sampling, "poisson"},
        {BoundStatus::other_shift_step, "shift.step"},
        {BoundStatus::compressed_down, "exchange.down"}}) {
    record.status = status;
    testing::expect_parts(in_words(record, 0.2), {"none: ", words});
    EXPECT_EQ(bound_status_named(name(status)), status);
  }
}

}  // namespace trilemma::theory_record_test
