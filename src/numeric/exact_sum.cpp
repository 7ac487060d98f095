#include "numeric/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "numeric/rounded_add.hpp"

namespace trilemma {

void ExactSum::begin(std::size_t terms, double largest) {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  std::fill(rest_.begin(), rest_.end(), 0.0);
  if (is_inexact_) std::fill(inexact_.begin(), inexact_.end(), 0);
  is_inexact_ = false;
  added_ = 0;
  close_.clear();
  depth_ = 0;
  units_ = sum_units(terms, largest, is_fine());
}

bool ExactSum::began_as(std::size_t terms, double largest) const {
  return units_ == sum_units(terms, largest, is_fine());
}

real ExactSum::add(std::size_t first, Support at, ConstView values) {
  double* const sum = sum_.data() + first;
  blocks_.resize(std::max(blocks_.size(), values.size() / rounding_block + 1));
  const RoundedAdd found = is_fine() ? add_rounded({units_.shift, units_.fine_shift}, values, at,
                                                   sum, rest_.data() + first, blocks_.data())
                                     : add_rounded(units_.shift, values, at, sum, blocks_.data());
  ++added_;
  // If a value is larger than expected, the terms will be added again with another unit.
  if (found.inexact > 0 && static_cast<double>(found.largest) < units_.limit)
    mark_inexact(first, at, values, found.inexact);
  return found.largest;
}

void ExactSum::mark_inexact(std::size_t first, Support at, ConstView values, std::size_t blocks) {
  is_inexact_ = true;
  // Values of at least this magnitude are multiples of the last unit.
  const double whole = std::ldexp(1.0, units_.last + std::numeric_limits<real>::digits - 1);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = blocks_[b] * rounding_block;
    const std::size_t end = std::min(begin + rounding_block, values.size());
    if (at.is_all()) {
      for (std::size_t run = (first + begin) / rounded_together;
           run <= (first + end - 1) / rounded_together; ++run)
        inexact_[run] = 1;
      continue;
    }
    for (std::size_t i = begin; i < end; ++i)
      if (std::abs(static_cast<double>(values[i])) < whole)
        inexact_[(first + at[i]) / rounded_together] = 1;
  }
}

// Counts one term more than were added, to allow for the rounding of comparisons with the result.
double ExactSum::enough() const {
  return static_cast<double>(added_ + 1) * std::ldexp(0.5, units_.last) / precision();
}

// Uses that the magnitude of a sum is at most the sum of the magnitudes.
bool ExactSum::doubt() {
  if (!is_inexact_) return false;
  const double precise = enough();
  std::vector<std::size_t> doubtful;
  for (std::size_t run = 0; run < inexact_.size(); ++run) {
    if (inexact_[run] == 0) continue;
    const std::size_t end = std::min((run + 1) * rounded_together, sum_.size());
    for (std::size_t j = run * rounded_together; j < end; ++j)
      if (std::abs(sum_[j] + (is_fine() ? rest_[j] : 0)) < precise) doubtful.push_back(j);
  }
  close_.begin(std::move(doubtful), units_, precise);
  return !close_.is_empty();
}

// The rounding errors and the magnitudes are sums over all ranks that have terms. So where the
// total error is too large for the total magnitude, it is so on at least one rank, which marks the
// coordinate. Half the precision leaves room for the rounding of the comparison itself.
bool ExactSum::mark() {
  close_.drop_harmless(0.5 * precision());
  marks_.assign(sum_.size() / 64 + 1, 0);
  for (std::size_t k = 0; k < close_.count(); ++k)
    marks_[close_.coordinate(k) / 64] |= std::uint64_t{1} << close_.coordinate(k) % 64;
  return !close_.is_empty();
}

void ExactSum::inspect_again() {
  std::vector<std::size_t> marked;
  for (std::size_t w = 0; w < marks_.size(); ++w)
    for (std::uint64_t left = marks_[w]; left != 0; left &= left - 1)
      marked.push_back(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
  close_.begin(std::move(marked), units_, std::numeric_limits<double>::infinity());
}

std::span<double> ExactSum::finish(const std::function<void(std::span<double>)>& combine) {
  const std::size_t depth = depth_ > 0 ? depth_ : close_.depth();
  std::vector<double> table = close_.table(depth);
  if (combine) {
    combine(sum_);
    if (is_fine()) combine(rest_);
    if (depth_ > 0) combine(table);
  }
  add_rests(table, depth);
  for (std::size_t j = 0; j < rest_.size(); ++j) sum_[j] += rest_[j];
  return sum_;
}

void ExactSum::add_rests(const std::vector<double>& table, std::size_t depth) {
  for (std::size_t k = 0; k < close_.count(); ++k) {
    const double* const row = table.data() + k * (2 + depth);
    double taken = 0;
    for (std::size_t i = depth; i-- > 0;) taken += row[2 + i];
    if (std::abs(taken) > precision() * (row[0] + row[1]))
      (is_fine() ? rest_ : sum_)[close_.coordinate(k)] += taken;
  }
}

}  // namespace trilemma
