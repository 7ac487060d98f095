#include "tests/support/test_model.hpp"

namespace trilemma::testing {

std::string test_model() { return TRILEMMA_TEST_MODEL; }

std::string plugin_settings(const std::string& options) {
  return "library = \"" + test_model() + "\"\noptions = \"" + options + "\"\nl2 = 0.1\n";
}

}  // namespace trilemma::testing
