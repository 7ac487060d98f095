// Regions for profilers (src/base/region.hpp), on a stand-in for Caliper: they nest, and end when a
// function is left by an exception.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/region.hpp"

namespace {

std::vector<std::string>& heard() {
  static std::vector<std::string> calls;
  return calls;
}

}  // namespace

extern "C" {
void cali_begin_region(const char* name) { heard().push_back(std::string("+") + name); }
void cali_end_region(const char* name) { heard().push_back(std::string("-") + name); }
}

namespace trilemma::region_test {

TEST(Region, LastsAsLongAsItsScope) {
  heard().clear();
  try {
    const Region round("round");
    { const Region clients("clients"); }
    const Region server("server");
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
    heard().emplace_back("caught");
  }
  EXPECT_EQ(heard(), (std::vector<std::string>{"+round", "+clients", "-clients", "+server",
                                               "-server", "-round", "caught"}));
}

}  // namespace trilemma::region_test
