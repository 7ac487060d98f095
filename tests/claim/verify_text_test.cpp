// Text of `trilemma verify` (src/claim/verify_text.hpp).

#include "claim/verify_text.hpp"

#include <gtest/gtest.h>

namespace trilemma::verify_text_test {

VerifiedFile holding(const std::string& file, double epsilon) {
  return {.file = file,
          .verdict = Verdict::holds,
          .reason = "a long sentence",
          .epsilon = epsilon,
          .delta = 1e-5,
          .terms = "one record",
          .outside = {"labels", "times"},
          .remarks = "; noise from a generator"};
}

TEST(VerifyText, SeveralFilesAreOneParagraph) {
  const std::vector<VerifiedFile> files = {holding("a.h5", 0.5), holding("b.h5", 2),
                                           holding("c.h5", 2)};
  EXPECT_EQ(to_text(files, 200),
            "3 files, 3 claims hold: 1 x (0.5, 1e-05)-DP, 2 x (2, 1e-05)-DP, for one record\n"
            "outside of the claims: labels; times\n"
            "remarks on the claims: noise from a generator\n");
}

TEST(VerifyText, NamesExceptionsAndCountsWhatDiffers) {
  VerifiedFile other = holding("b.h5", 2);
  other.outside = {"times"};
  other.terms = "one client";
  other.remarks = "";
  const VerifiedFile wrong{.file = "c.h5",
                           .verdict = Verdict::fails,
                           .reason = "sigma",
                           .terms = {},
                           .outside = {},
                           .remarks = {}};
  const VerifiedFile none{.file = "gd.h5",
                          .verdict = Verdict::no_claim,
                          .reason = "no noise",
                          .terms = {},
                          .outside = {},
                          .remarks = {}};
  EXPECT_EQ(to_text({holding("a.h5", 0.5), other, wrong, none}, 200),
            "4 files, 2 claims hold: 1 x (0.5, 1e-05)-DP, for one record; 1 x (2, 1e-05)-DP, for "
            "one client\n"
            "c.h5: claim fails: sigma\n"
            "nothing to check in 1 file (no claim is made): gd.h5\n"
            "outside of the claims: labels (in 1 of 2); times\n"
            "remarks on the claims: noise from a generator (in 1 of 2)\n");
  EXPECT_EQ(to_text({none, none}, 200).find("2 files, no claim holds\n"), 0U);
}

TEST(VerifyText, KeepsRemarksOnFilesWithoutAClaim) {
  const VerifiedFile none{.file = "gd.h5",
                          .verdict = Verdict::no_claim,
                          .reason = "no noise",
                          .terms = {},
                          .outside = {},
                          .remarks = "; repeated with equal results"};
  EXPECT_EQ(to_text({none, holding("a.h5", 2)}, 200),
            "2 files, 1 claim holds: 1 x (2, 1e-05)-DP, for one record\n"
            "nothing to check in 1 file (no claim is made): gd.h5\n"
            "outside of the claims: labels; times\n"
            "remarks on the claims: noise from a generator\n"
            "remarks on the files without a claim: repeated with equal results\n");
}

TEST(VerifyText, LinesFit) {
  const VerifiedFile file = holding("a_long_name_of_a_file.h5", 2);
  const std::string text =
      to_text(std::vector<VerifiedFile>(12, file), 40) + to_text(file, true, 40);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(text.find('\n', at) - at, 40U) << text;
}

}  // namespace trilemma::verify_text_test
