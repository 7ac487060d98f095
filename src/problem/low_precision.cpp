#include "problem/low_precision.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "numeric/lanes.hpp"
#include "problem/kernels/elementwise.hpp"

namespace trilemma {
namespace {

constexpr int highest_power = 6;  // J

// Calls visit with each row of a matrix, or with the whole matrix if it is contiguous.
template <class Matrix, class Visit>
void each_run(Matrix& m, Visit&& visit) {
  const bool is_one_run = m.outerStride() == m.cols();
  const auto length = static_cast<std::size_t>(is_one_run ? m.size() : m.cols());
  for (Eigen::Index r = 0; r < (is_one_run ? 1 : m.rows()); ++r)
    visit(std::span(m.data() + r * m.outerStride(), length));
}

}  // namespace

std::string LowPrecision::text() const {
  if (!is_on) return "";
  return fmt::format(", luq, {} bits{}", bits, spares_ends ? " in inner layers" : "");
}

void LowPrecision::read(Reader& r, std::size_t layers) {
  r("quantise", is_on,
    {{"none", false, "full precision"},
     {"luq", true,
      "weights and activations rounded to levels, derivatives rounded at random to powers of two "
      "(4 bits)"}},
    "low precision");
  if (!r.when(is_on)) return;
  r("quantised_bits", bits, {.low = 3, .high = 4, .unit = "bits"},
    "bits of weights and activations, for quantise = luq");
  r("quantised_layers", spares_ends,
    {{"all", false}, {"inner", true, "all layers except the first and the last"}},
    "layers in low precision, for quantise = luq");
  if (spares_ends && layers < 3)
    r.refuse("quantised_layers",
             fmt::format("{} layers have none between the first and the last; choose all", layers));
}

double sawb_clip(ConstMatrixView x, int bits) {
  double squares = 0;
  double sizes = 0;
  each_run(x, [&](ConstView run) {
    squares += norm_squared(run);
    sizes += sum_of_sizes(run);
  });
  const auto count = static_cast<double>(x.size());
  const double first = bits == 3 ? 7.40 : 11.86;
  const double second = bits == 3 ? -6.66 : -11.68;
  return count == 0 ? 0 : first * std::sqrt(squares / count) + second * (sizes / count);
}

void quantise_levels(MatrixView x, int bits, bool is_non_negative) {
  const int levels = (1 << bits) - 1;
  const real lowest = is_non_negative ? 0 : static_cast<real>(-(1 << (bits - 1)));
  const real highest = lowest + static_cast<real>(levels);
  const ConstMatrixView values(x.data(), x.rows(), x.cols(), Eigen::OuterStride<>(x.outerStride()));
  const auto scale = static_cast<real>(2 * sawb_clip(values, bits) / static_cast<double>(levels));
  if (!(scale > 0)) return;
  each_run(x, [&](View run) { to_levels(run, scale, lowest, highest); });
}

void quantise_derivatives(MatrixView g, const Key& coins, std::uint32_t part,
                          std::vector<std::uint32_t>& words) {
  real most = 0;
  bool is_finite = true;
  each_run(g, [&](View run) {
    const real size = largest_size(run);
    is_finite = is_finite && std::isfinite(size);
    most = std::max(most, size);
  });
  const real least = most * static_cast<real>(1.0 / (1 << highest_power));
  if (!(least > 0) || !is_finite) return;
  words.resize(static_cast<std::size_t>(g.size()));
  Key own = coins;
  own.seed += (std::uint64_t{part} + 1) << 32U;
  random_words(own, 0, words);
  const std::uint32_t* coin = words.data();
  each_run(g, [&](View run) {
    to_powers(run, least, coin);
    coin += run.size();
  });
}

}  // namespace trilemma
