// Limits the vector registers of a test program by TRILEMMA_VECTOR_BITS before its tests start:
// ctest -L width.

#include "numeric/vectors.hpp"

namespace trilemma::testing {
namespace {

const bool is_limited = [] {
  limit_vectors_by_environment();
  return true;
}();

}  // namespace
}  // namespace trilemma::testing
