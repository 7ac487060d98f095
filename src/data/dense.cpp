#include "data/dense.hpp"

#include "base/process_memory.hpp"
#include "base/text.hpp"

namespace trilemma {

void make_dense(Dataset& data, const std::string& file) {
  constexpr double most_bytes = 8e9;
  const std::size_t rows = data.kept();
  const double bytes = static_cast<double>(rows) * static_cast<double>(data.features()) *
                       static_cast<double>(sizeof(real));
  require(
      bytes <= most_bytes,
      "{}: data.layout = \"dense\": {} records of {} features would need {:.1f} GB, and at most "
      "{:g} GB are taken; take fewer records or features",
      file, rows, data.features(), bytes / 1e9, most_bytes / 1e9);
  require_memory(fmt::format("{}: {} dense records of {} features", file, rows, data.features()),
                 bytes, "take fewer records or features");
  data.make_dense();
}

}  // namespace trilemma
