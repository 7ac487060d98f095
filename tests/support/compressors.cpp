#include "tests/support/compressors.hpp"

#include <stdexcept>

#include "tests/support/examples.hpp"

namespace trilemma::testing {

std::unique_ptr<Compressor> make_compressor(const std::string& name, std::size_t dimension,
                                            const std::string& toml, ValueFormat format) {
  Settings settings = Settings::from_text(toml, "compressor.toml");
  for (const auto& row : compressors())
    if (name == row.name) return row.make(settings, dimension, format);
  if (const auto row = largest_share_compressor(); name == row.name)
    return row.make(settings, dimension, format);
  throw std::logic_error("no compressor " + name);
}

std::vector<double> dense(const SparseView& sparse, std::size_t dimension) {
  std::vector<double> out(dimension, 0.0);
  for (std::size_t i = 0; i < sparse.value.size(); ++i)
    out[sparse.at[i]] += static_cast<double>(sparse.value[i]);
  return out;
}

}  // namespace trilemma::testing
