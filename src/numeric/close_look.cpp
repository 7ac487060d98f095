#include "numeric/close_look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma {
namespace {

// All values of type `real` are multiples of 2^last_unit.
constexpr int last_unit =
    std::numeric_limits<real>::min_exponent - std::numeric_limits<real>::digits;

// Coordinates whose sum of magnitudes is large enough are dropped after this number of terms.
constexpr std::size_t terms_between_drops = 16;

}  // namespace

void CloseLook::begin(std::vector<std::size_t> coordinates, const SumUnits& units, double enough) {
  all_ = coordinates.size();
  watched_.clear();
  for (const std::size_t j : coordinates)
    watched_.push_back({.coordinate = j, .number = watched_.size(), .sizes = {}, .first = 0});
  units_ = units;
  enough_ = enough;
  terms_ = 0;
  deeper_.clear();
  shifts_.clear();
  if (units.digits > 0)
    for (int unit = units.last - units.digits; unit > last_unit; unit -= units.digits)
      shifts_.push_back(rounding_shift(unit));
  shifts_.push_back(0);  // no value has smaller parts
}

void CloseLook::keep_deeper(std::size_t number, double left) {
  for (std::size_t i = 0; left != 0; ++i) {
    const double part = (left + shifts_[i + 1]) - shifts_[i + 1];
    if (part == 0) continue;
    if (i >= deeper_.size()) deeper_.resize(i + 1);
    if (deeper_[i].empty()) deeper_[i].assign(all_, 0.0);
    deeper_[i][number] += part;
    left -= part;
  }
}

double CloseLook::layer(std::size_t i, const Watched& watched) const {
  if (i == 0) return watched.first;
  return i > deeper_.size() || deeper_[i - 1].empty() ? 0.0 : deeper_[i - 1][watched.number];
}

inline void CloseLook::add_value(Watched& watched, double value) {
  const Split split = units_.split(value);
  const double first = (split.left + shifts_.front()) - shifts_.front();
  watched.sizes[0] += std::abs(split.coarse);
  watched.sizes[1] += std::copysign(1.0, value) * split.fine;
  watched.first += first;
  if (first != split.left) [[unlikely]]
    keep_deeper(watched.number, split.left - first);
}

bool CloseLook::add(std::size_t first, Support at, ConstView values) {
  auto here = std::ranges::lower_bound(watched_, first, {}, &Watched::coordinate);
  if (at.is_all()) {
    for (; here != watched_.end() && here->coordinate - first < values.size(); ++here)
      add_value(*here, static_cast<double>(values[here->coordinate - first]));
  } else {
    const Coordinates list = at.list();
    auto sent = list.begin();
    while (here != watched_.end() && sent != list.end()) {
      const std::size_t coordinate = first + *sent;
      if (coordinate < here->coordinate) {
        sent = std::lower_bound(sent, list.end(), here->coordinate - first);
      } else if (coordinate > here->coordinate) {
        here = std::ranges::lower_bound(here, watched_.end(), coordinate, {}, &Watched::coordinate);
      } else {
        add_value(*here,
                  static_cast<double>(values[static_cast<std::size_t>(sent - list.begin())]));
        ++here;
        ++sent;
      }
    }
  }
  if (++terms_ % terms_between_drops == 0)
    std::erase_if(watched_, [this](const Watched& w) { return w.sizes[0] >= enough_; });
  return !watched_.empty();
}

void CloseLook::drop_harmless(double share) {
  std::erase_if(watched_, [&](const Watched& w) {
    double taken = 0;
    for (std::size_t i = 0; i < depth(); ++i) taken += std::abs(layer(i, w));
    return taken <= share * (w.sizes[0] + w.sizes[1]);
  });
}

std::vector<double> CloseLook::table(std::size_t depth) const {
  std::vector<double> rows;
  rows.reserve(watched_.size() * (2 + depth));
  for (const Watched& w : watched_) {
    rows.insert(rows.end(), w.sizes.begin(), w.sizes.end());
    for (std::size_t i = 0; i < depth; ++i) rows.push_back(layer(i, w));
  }
  return rows;
}

}  // namespace trilemma
