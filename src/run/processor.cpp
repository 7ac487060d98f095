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

std::string difference_of_processors(const std::vector<std::string>& processors, bool is_portable) {
  const auto is_narrow = [](const std::string& one) { return one.find("128 bits") < one.size(); };
  const auto other = std::ranges::find_if(processors, [&](const std::string& one) {
    return is_portable ? is_narrow(one) != is_narrow(processors.front())
                       : one != processors.front();
  });
  if (other == processors.end()) return "";
  std::string text = fmt::format(
      "ranks compute with different instructions (rank 0: {}; rank {}: {}), so that results depend "
      "on where clients live, within rounding",
      processors.front(), other - processors.begin(), *other);
  if (std::ranges::none_of(processors, is_narrow))
    text += "; with --set numerics=portable they do not";
  return text;
}

}  // namespace trilemma
