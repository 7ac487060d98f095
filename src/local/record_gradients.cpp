#include "local/record_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "problem/kernels/record_factors.hpp"

namespace trilemma {
namespace {

// Counts the ratios to the threshold of the norms norm_of(0), ..., norm_of(count - 1), those of
// records first, first + 1, ... of a batch, of which every eighth is counted: their median needs no
// more, and all would take a twentieth of a round on a9a.
template <class Norm>
void count_ratios(GradientNotes& notes, std::size_t first, std::size_t count, double threshold,
                  Norm norm_of) {
  constexpr std::size_t stride = 8;
  const double inverse = 1 / threshold;
  for (std::size_t i = (stride - first % stride) % stride; i < count; i += stride)
    if (const double norm = norm_of(i); std::isfinite(norm)) notes.ratios.add(norm * inverse);
}

}  // namespace

void RecordGradients::load(const Dataset& shard, Coordinates rows) {
  problem_.load(shard, rows, batch_);
  hidden_.clear();
  if (std::isinf(bound_.threshold) || shard.has_finite_norms) return;
  const std::size_t columns = shard.features();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= shard.row_norm.size() || std::isfinite(shard.row_norm[rows[i]])) continue;
    hidden_.push_back(i);
    // A product with such features would not be finite even where the factors are 0.
    if (batch_.dense.size() >= (i + 1) * columns)
      std::fill_n(batch_.dense.begin() + static_cast<std::ptrdiff_t>(i * columns), columns,
                  real{0});
  }
}

View RecordGradients::compute(ConstView x) {
  const std::size_t width = problem_.factors();
  const std::size_t count = batch_.rows.size();
  if (factors_.size() < count * width) factors_.resize(count * width);
  const View factors = View(factors_).first(count * width);
  problem_.linearise(batch_, x, factors, false);
  if (std::isinf(bound_.threshold)) return factors;
  norm_.resize(count);
  if (hidden_.empty() && problem_.lengths(batch_, norm_)) {
    if (notes_ != nullptr)
      count_ratios(*notes_, first_, count, bound_.threshold, [&](std::size_t i) {
        return std::abs(static_cast<double>(factors[i])) * norm_[i];
      });
    note(clip_factors(norm_, bound_.threshold, bound_.is_smooth, factors), count);
    return factors;
  }
  problem_.norms(batch_, factors, norm_);
  for (const std::size_t i : hidden_) norm_[i] = std::numeric_limits<double>::infinity();
  if (notes_ != nullptr) {
    count_ratios(*notes_, first_, count, bound_.threshold, [&](std::size_t i) { return norm_[i]; });
    for (const double norm : norm_) {
      if (!std::isfinite(norm)) continue;
      ++notes_->bounded;
      notes_->clipped += norm > bound_.threshold ? 1 : 0;
    }
  }
  const bool changed = clip(factors, width);
  drop_small(factors);
  if (notes_ == nullptr) return factors;
  if (changed) measure_clipped(factors);
  for (std::size_t i = 0; i < count; ++i)
    notes_->largest_norm = std::max(notes_->largest_norm, norm_[i]);
  return factors;
}

// Replaces the norms by those of the gradients after clip(): computed from the factors actually
// used, or, where that takes long, by bounds on them, since the product of a factor and a weight
// rounds by less than an ulp.
void RecordGradients::measure_clipped(ConstView factors) {
  if (problem_.has_cheap_norms()) return problem_.norms(batch_, factors, norm_);
  constexpr double rounding = 1 + static_cast<double>(std::numeric_limits<real>::epsilon());
  for (double& norm : norm_) {
    const double factor = weight(norm);
    norm = std::isnormal(factor) ? norm * factor * rounding : 0;
  }
}

void RecordGradients::note(const NormsOfFactors& norms, std::size_t count) {
  if (notes_ == nullptr) return;
  notes_->largest_norm = std::max(notes_->largest_norm, norms.largest);
  notes_->not_finite += norms.not_finite;
  notes_->bounded += count - norms.not_finite;
  notes_->clipped += norms.clipped;
}

// Returns the factor of a gradient of this norm; 1 leaves it as it is.
double RecordGradients::weight(double norm) const {
  const double g = bound_.threshold;
  if (bound_.is_smooth) return g / (g + norm);
  return norm <= g ? 1 : g / norm;
}

// Scales gradients by their factors; returns false if all of these are 1.
bool RecordGradients::clip(View factors, std::size_t width) {
  bool changed = false;
  for (std::size_t i = 0; i < norm_.size(); ++i) {
    const double factor = weight(norm_[i]);
    if (factor == 1) continue;
    const View own = factors.subspan(i * width, width);
    if (std::isnormal(factor))
      problem_.scale(own, factor);
    else
      std::fill(own.begin(), own.end(), real{0});
    if (notes_ != nullptr && !std::isfinite(norm_[i])) ++notes_->not_finite;
    changed = true;
  }
  return changed;
}

void RecordGradients::add(const Dataset& shard, Coordinates rows, ConstView x, double weight,
                          View sum, const std::optional<Key>& coins, Support at) {
  batch_.coins = coins;
  each_block(shard, rows, [&](std::size_t first, std::size_t) {
    batch_.block = static_cast<std::uint32_t>(first / block_);
    if (std::isinf(bound_.threshold) && problem_.add_sum(batch_, x, weight, sum)) return;
    accumulate(compute(x), weight, sum, at);
  });
  batch_.coins.reset();
}

}  // namespace trilemma
