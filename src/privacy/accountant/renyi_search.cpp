#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "privacy/accountant/renyi.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {
namespace {

std::vector<double> make_standard() {
  std::vector<double> list;
  for (int i = 11; i <= 109; ++i) list.push_back(i / 10.0);
  for (int i = 11; i <= 63; ++i) list.push_back(i);
  for (const double a : {128.0, 256.0, 512.0, 1024.0}) list.push_back(a);
  return list;
}

std::vector<double> make_refined() {
  std::vector<double> list = make_standard();
  for (const double a : {1.001, 1.002, 1.005, 1.01, 1.03, 1.05, 1.07, 1.09, 2048.0, 4096.0})
    list.push_back(a);
  for (int i = 72; i <= 120; i += 8) list.push_back(i);
  std::sort(list.begin(), list.end());
  return list;
}

struct Best {
  double order, value;
  std::size_t place;
};

// The bounds are quasi-convex in the order: (a-1) rdp(a) is convex, and so are the terms that the
// conversion adds. The bound of theorem 27 is searched in full, since its terms are minima.
Best search(std::span<const double> orders, bool in_full, const std::function<double(double)>& f) {
  if (in_full) {
    Best best{orders[0], f(orders[0]), 0};
    for (std::size_t i = 1; i < orders.size(); ++i)
      if (const double value = f(orders[i]); value < best.value) best = {orders[i], value, i};
    return best;
  }
  std::size_t low = 0;
  std::size_t high = orders.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (f(orders[middle]) <= f(orders[middle + 1]))
      high = middle;
    else
      low = middle + 1;
  }
  return {orders[low], f(orders[low]), low};
}

// Refines by golden section between the neighbours of the best listed order.
Best refine(std::span<const double> orders, Best best, const std::function<double(double)>& f) {
  const double low = orders[best.place == 0 ? 0 : best.place - 1];
  const double high = orders[std::min(best.place + 1, orders.size() - 1)];
  const std::size_t place = best.place;
  golden_section(
      [&](double order) {
        const double value = f(order);
        if (value < best.value) best = {order, value, place};
        return value;
      },
      low, high, 24);
  return best;
}

}  // namespace

Result renyi_minimum(const Composition& composition, Orders orders,
                     const std::function<double(double)>& bound) {
  const auto list = orders == Orders::standard ? standard_orders() : refined_orders();
  bool in_full = false;
  for (const auto& c : composition.components)
    in_full = in_full || c.sampling == Sampling::fixed_wor;
  Best best = search(list, in_full, bound);
  Result result;
  if (best.place == 0 || best.place + 1 == list.size())
    result.warnings.push_back("the best order, " + shown(best.order) +
                              ", is at the end of the list: the bound may be loose");
  if (orders == Orders::refined) best = refine(list, best, bound);
  result.method = "rdp";
  result.order = best.order;
  result.value = best.value;
  return result;
}

std::span<const double> standard_orders() {
  static const std::vector<double> list = make_standard();
  return list;
}

std::span<const double> refined_orders() {
  static const std::vector<double> list = make_refined();
  return list;
}

Result renyi_epsilon(const Composition& composition, double delta, Orders orders) {
  RenyiCurve curve(composition);
  Result result = renyi_minimum(composition, orders, [&](double a) {
    return curve.at(a) + std::log1p(-1 / a) - (std::log(delta) + std::log(a)) / (a - 1);
  });
  result.value = std::max(0.0, result.value);
  result.upper = result.value;
  return result;
}

Result renyi_delta(const Composition& composition, double epsilon, Orders orders) {
  RenyiCurve curve(composition);
  Result result = renyi_minimum(composition, orders, [&](double a) {
    return (a - 1) * (curve.at(a) - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
  });
  result.value = std::clamp(std::exp(result.value), std::numeric_limits<double>::denorm_min(), 1.0);
  result.upper = result.value;
  return result;
}

}  // namespace trilemma::accounting
