#include "run/processor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "numeric/vectors.hpp"
#include "problem/blas.hpp"

namespace trilemma {

std::string processor_in_use() {
  const VectorTarget target = vector_target();
  return fmt::format("{}, {} bits; OpenBLAS {}", target.name, target.bits, blas_core());
}

std::string difference_of_processors(const std::vector<std::string>& processors) {
  const auto other = std::ranges::find_if(
      processors, [&](const std::string& one) { return one != processors.front(); });
  if (other == processors.end()) return "";
  return fmt::format(
      "ranks compute with different instructions (rank 0: {}; rank {}: {}), so that results depend "
      "on where clients live, within rounding; the same bits everywhere: --set "
      "processor.vector_bits=256 --set numerics=portable",
      processors.front(), other - processors.begin(), *other);
}

}  // namespace trilemma
