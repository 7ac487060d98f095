// Whether ranks round alike, by the width of their registers (src/run/machine.hpp).

#include "run/machine.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace trilemma::machine_test {

const Processor narrow{"SSE2, 128 bits; OpenBLAS Prescott", 128};
const Processor middle{"AVX2, 256 bits; OpenBLAS Zen", 256};
const Processor wide{"AVX3, 512 bits; OpenBLAS SkylakeX", 512};

TEST(Processors, OfOneKindRoundAlike) {
  for (const bool is_portable : {false, true}) {
    EXPECT_EQ(difference_of_processors({middle, middle}, is_portable), "");
    EXPECT_EQ(change_of_processors(middle, {middle, middle}, is_portable), "");
  }
}

TEST(Processors, OfTwoWidthsRoundAlikeWithPortableNumericsUnlessOneIsNarrow) {
  testing::expect_parts(difference_of_processors({middle, wide}, false),
                        {"rank 0: AVX2, 256 bits", "rank 1: AVX3, 512 bits", "numerics=portable"});
  EXPECT_EQ(difference_of_processors({middle, wide}, true), "");
  EXPECT_NE(difference_of_processors({middle, narrow}, true), "");
  EXPECT_EQ(difference_of_processors({middle, narrow}, false).find("numerics"), std::string::npos);
  EXPECT_EQ(change_of_processors(middle, {wide}, true), "");
  testing::expect_parts(change_of_processors(narrow, {wide}, true),
                        {"SSE2, 128 bits; OpenBLAS Prescott", "AVX3, 512 bits"});
}

// The description is for people: its words decide nothing.
TEST(Processors, AreToldApartByTheirWidthWhateverTheirDescription) {
  const Processor renamed{"registers of 16 bytes", 128};
  const Processor misleading{"AVX2, emulates 128 bits", 256};
  EXPECT_EQ(difference_of_processors({narrow, renamed}, true), "");
  EXPECT_EQ(difference_of_processors({middle, misleading}, true), "");
  EXPECT_NE(difference_of_processors({renamed, misleading}, true), "");
}

TEST(Processors, OfFilesThatContainNoneAreNotCompared) {
  EXPECT_EQ(change_of_processors(recorded_processor({}), {middle}, false), "");
  RunHead run;
  run.processors = "AVX2, 256 bits; OpenBLAS Zen\nAVX3, 512 bits; OpenBLAS SkylakeX\n";
  run.vector_bits = 256;
  EXPECT_EQ(recorded_processor(run), middle);
}

}  // namespace trilemma::machine_test
