#include "privacy/accountant/loss_atoms.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {

LossAtoms::LossAtoms(std::vector<LossAtom> atoms, double infinite) : infinite_(infinite) {
  std::ranges::sort(atoms, {}, &LossAtom::loss);
  atoms_ = std::make_shared<const std::vector<LossAtom>>(std::move(atoms));
}

LossAtoms::Place LossAtoms::place(double x) const {
  const auto end = std::ranges::upper_bound(*atoms_, x, {}, &LossAtom::loss);
  return {x, static_cast<std::size_t>(end - atoms_->begin())};
}

Masses LossAtoms::between(const Place& from, const Place& to) const {
  Masses sum;
  for (std::size_t i = from.index; i < to.index; ++i) {
    const LossAtom& atom = (*atoms_)[i];
    sum.p += atom.mass;
    sum.q += atom.mass * std::exp(-atom.loss);
  }
  if (to.x == inf) sum.p += infinite_;
  return sum;
}

std::array<double, 2> loss_range(const DominatingPair& pair, double tail) {
  const double reach = 1 + pair.sigma() * normal_upper_quantile(tail);
  return {pair.loss(-reach), pair.loss(reach)};
}

std::array<double, 2> loss_range(const LossAtoms& pair, double tail) {
  const std::vector<LossAtom>& atoms = pair.atoms();
  std::size_t first = 0;
  std::size_t last = atoms.size() - 1;
  for (double left = tail; first < last && (left -= atoms[first].mass) >= 0;) ++first;
  for (double left = tail; last > first && (left -= atoms[last].mass) >= 0;) --last;
  return {atoms[first].loss, atoms[last].loss};
}

LossAtoms from_curve(const std::vector<CurvePoint>& points) {
  std::vector<LossAtom> atoms;
  // delta - 1 + t has the kinks of delta, and its slope is larger by 1.
  double slope = points.front().loss < 0
                     ? points.front().below * std::exp(-points.front().loss)
                     : (points.front().delta - 1) * std::exp(-points.front().loss);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const CurvePoint& here = points[i];
    double next = here.loss < 0 ? 1 : 0;
    if (i + 1 < points.size()) {
      const CurvePoint& after = points[i + 1];
      const double width = std::exp(here.loss) * std::expm1(after.loss - here.loss);
      next =
          here.loss < 0 ? (after.below - here.below) / width : (after.delta - here.delta) / width;
    }
    // From here on the slope is that of delta.
    if (here.loss >= 0 && i > 0 && points[i - 1].loss < 0) slope -= 1;
    atoms.push_back({here.loss, std::max(0.0, std::exp(here.loss) * (next - slope))});
    slope = next;
  }
  return LossAtoms(std::move(atoms), points.back().delta);
}

}  // namespace trilemma::accounting
