// Sets and numbers of processors (src/machine/processors.hpp).

#include "machine/processors.hpp"

#include <gtest/gtest.h>

namespace trilemma::processors_test {

TEST(ProcessorLists, AreThoseOfLinux) {
  for (const char* list : {"0", "0-3", "0-3,8", "1,3,5", "0-1,4-5,1023"})
    EXPECT_EQ(list_of(processors_in(list)), list);
  EXPECT_EQ(list_of({}), not_available);
  EXPECT_EQ(processors_in("").count(), 0U);
  EXPECT_EQ(list_of(processors_in("x,2-y,5,1024,7-3")), "5");
}

// On this machine, two readers of the same processors.
TEST(ProcessorCounts, OfHwlocAreThoseOfLinux) {
  const auto found = counts_of_hwloc();
  if (!found) GTEST_SKIP() << "built without hwloc, or HWLOC_XMLFILE is set";
  const ProcessorCounts linux_ones = counts_of_linux("");
  EXPECT_EQ(found->sockets, linux_ones.sockets);
  EXPECT_EQ(found->cores, linux_ones.cores);
  EXPECT_EQ(found->processors, linux_ones.processors);
  EXPECT_GE(found->processors, static_cast<double>(usable_processors().count()));
}

}  // namespace trilemma::processors_test
