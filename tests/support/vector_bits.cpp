// Limits the vector registers of a test program by the environment, before its tests: ctest -L width.

#include "numeric/vectors.hpp"

namespace trilemma::testing {
namespace {

const bool is_limited = [] {
  limit_vectors_by_environment();
  return true;
}();

}  // namespace
}  // namespace trilemma::testing
