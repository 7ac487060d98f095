#include "compress/count.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace trilemma {
namespace {

constexpr std::array<std::pair<const char*, IndexCode>, 4> codes{{{"smallest", IndexCode::smallest},
                                                                  {"fixed", IndexCode::fixed},
                                                                  {"rice", IndexCode::rice},
                                                                  {"bitmap", IndexCode::bitmap}}};

}  // namespace

void CountOptions::read(Reader& r) {
  r("k", k, at_least(0), "coordinates in a message; 0 = d / divisor, rounded down");
  r("divisor", divisor, at_least(1), "k = d / divisor if k = 0");
}

std::size_t CountOptions::count(std::size_t dimension, const Settings& settings) const {
  const long d = static_cast<long>(dimension);
  if (k > d)
    settings.refuse("k", fmt::format("more than the d = {} coordinates of the model; lower k", d));
  return static_cast<std::size_t>(k > 0 ? k : std::max(1L, d / divisor));
}

CompressorTraits sparse_traits(const Layout& layout, double gain) {
  const RoundingTraits rounding = rounding_traits(layout.value, layout.count);
  return {.unbiased = true,
          .omega = gain * (1 + rounding.omega) - 1,
          .gain = gain * rounding.gain,
          .share = 1 / gain,
          .chooses_coordinates = layout.index != IndexCode::all};
}

CompressorTraits unscaled_traits(const Layout& layout, double one_in) {
  const RoundingTraits rounding = rounding_traits(layout.value, layout.count);
  return {.unbiased = false,
          .omega = std::numeric_limits<double>::quiet_NaN(),
          .gain = rounding.gain,
          .share = 1 / one_in,
          .chooses_coordinates = true,
          .delta = std::max(0.0, (1 - rounding.omega) / one_in)};
}

void read_index_code(Reader& r, IndexCode& code) {
  r("index", code,
    {{"smallest", IndexCode::smallest, "the smallest of the others for each message"},
     {"fixed", IndexCode::fixed, "ceil(log2 d) bits each"},
     {"rice", IndexCode::rice, "Rice codes of the gaps"},
     {"bitmap", IndexCode::bitmap, "one bit per coordinate of the vector"}},
    "code of the coordinates");
}

std::string format_note(ValueFormat format) {
  switch (format) {
    case ValueFormat::bfloat16:
      return ", bfloat16 values";
    case ValueFormat::float16:
      return ", float16 values";
    case ValueFormat::natural:
      return ", natural values";
    default:
      return "";
  }
}

const char* name_of(IndexCode code) {
  for (const auto& [name, known] : codes)
    if (known == code) return name;
  return "";
}

}  // namespace trilemma
