// What a source does to records changes its claim by values alone, never by the names of settings
// (src/experiment/claim.cpp, src/data/preprocessing.hpp).

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "experiment/disclosures.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::preprocessing_claim_test {

constexpr const char* private_run = R"(
method = "ldp-sgd"
clients = 42
[data]
scaling = "none"
[privacy]
sigma = 1
delta = 1e-5
)";

// A source like another one, but with words and preprocessing of its own.
class Renamed final : public Source {
 public:
  Renamed(std::shared_ptr<const Source> source, std::string words, Preprocessing done)
      : source_(std::move(source)), words_(std::move(words)), done_(done) {}
  std::size_t features() const override { return source_->features(); }
  int classes() const override { return source_->classes(); }
  bool sparse() const override { return source_->sparse(); }
  std::size_t rows() const override { return source_->rows(); }
  TrainTest load(const std::string& folder, std::uint64_t seed) const override {
    return source_->load(folder, seed);
  }
  Preprocessing preprocessing() const override { return done_; }
  std::string description() const override { return words_; }

 private:
  std::shared_ptr<const Source> source_;
  std::string words_;
  Preprocessing done_;
};

Plan plan_with(const std::string& words, const Preprocessing& done) {
  Plan plan = read_plan(Settings::from_text(private_run, "e.toml"));
  plan.source = std::make_shared<Renamed>(plan.source, words, done);
  // The resolved configuration, in which a setting may have any value.
  plan.config += "scaling = \"" + words + "\"\nmissing = \"" + words + "\"\n";
  return plan;
}

std::string claim(const Plan& plan) { return make_claim(plan, 1, 100).sentence; }

// Names that contain those of other values, and names that do not.
constexpr const char* names[] = {"none", "nonelinear", "mean", "mean-free",
                                 "drop", "standard",   "x"};

TEST(PreprocessingClaim, NamesOfValuesChangeNothing) {
  const std::string open = claim(plan_with("none", {}));
  const std::string scaled = claim(plan_with("none", {.scaling = Scaling::standard}));
  const std::string filled = claim(plan_with("none", {.missing = MissingValues::mean}));
  for (const char* words : names) {
    EXPECT_EQ(claim(plan_with(words, {})), open) << words;
    EXPECT_EQ(claim(plan_with(words, {.scaling = Scaling::standard})), scaled) << words;
    EXPECT_EQ(claim(plan_with(words, {.missing = MissingValues::mean})), filled) << words;
  }
}

// One value adds one exception, and leaves the rest of the claim and its epsilon as they are.
TEST(PreprocessingClaim, EachValueChangesTheClaimAsMeant) {
  const Claim open = make_claim(plan_with("x", {}), 1, 100);
  EXPECT_EQ(open.status, ClaimStatus::holds);
  const std::pair<Preprocessing, std::string> cases[] = {
      {{.scaling = Scaling::spectral}, "feature scaling"},
      {{.scaling = Scaling::standard}, "feature scaling"},
      {{.missing = MissingValues::mean}, "means in place of missing values"},
      {{.has_word_features = true}, "features for the words that occur"},
      {{.chooses_users = true}, "the choice of users by their records"}};
  for (const auto& [done, exception] : cases) {
    const Claim found = make_claim(plan_with("x", done), 1, 100);
    EXPECT_EQ(found.status, ClaimStatus::holds);
    EXPECT_EQ(found.record.epsilon, open.record.epsilon);
    testing::expect_parts(found.sentence, {"except for " + exception});
    EXPECT_EQ(open.sentence.find(exception), std::string::npos);
    EXPECT_NE(found.record.preprocessing, open.record.preprocessing);
  }
  for (const Preprocessing& done :
       {Preprocessing{.scaling = Scaling::channels},
        Preprocessing{.missing = MissingValues::refuse},
        Preprocessing{.missing = MissingValues::drop}, Preprocessing{.has_bias = true}})
    EXPECT_EQ(make_claim(plan_with("x", done), 1, 100).record.preprocessing,
              open.record.preprocessing);
}

// Which records were incomplete follows from their number.
TEST(PreprocessingClaim, DroppedRecordsAreDisclosed) {
  const auto before = disclosures(plan_with("drop", {})).size();
  EXPECT_EQ(disclosures(plan_with("x", {.missing = MissingValues::drop})).size(), before + 1);
}

}  // namespace trilemma::preprocessing_claim_test
