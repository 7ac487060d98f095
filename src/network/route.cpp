#include "network/route.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace trilemma {
namespace {

using enum Algorithm;

// The nodes of the longest path are preceded by 2^i - 1 ranks.
Route binary_tree(int ranks) {
  double with_two = 0, with_one = 0;
  for (long node = 0; 2 * node + 1 < ranks; node = 2 * node + 1)
    ++(2 * node + 2 < ranks ? with_two : with_one);
  return {binary, {{with_two, 2}, {with_one, 1}}, ranks > 2 ? 2.0 : 1.0};
}

// Each half is sent to half of the ranks; then every rank receives the other half.
Route split_binary_tree(int ranks) {
  const Route whole = binary_tree(ranks);
  Route split{split_binary, whole.steps, 1};
  for (Route::Step& step : split.steps) step.copies /= 2;
  split.steps.push_back({1, 0.5});
  return split;
}

// A tree in which a rank sends to its largest subtrees first: every level multiplies the number of
// ranks by `radix`.
Route growing_tree(Algorithm algorithm, long radix, int ranks, bool is_eager) {
  long power = 1;
  int levels = 0;
  for (; power * radix < ranks; power *= radix) ++levels;
  const auto top = static_cast<double>((ranks + power - 1) / power - 1);
  const auto below = static_cast<double>(radix - 1);
  Route route{algorithm, {}, top + levels * below};
  if (!is_eager) {
    route.steps = {{1, top}, {static_cast<double>(levels), below}};
    return route;
  }
  route.steps = {{1, route.server_copies}};
  for (int left = levels; left > 0; --left) route.steps.push_back({1, left * below});
  return route;
}

Route scatter_and_allgather(int ranks) {
  Route route{scatter_allgather, {}, 2 * (1 - 1.0 / ranks)};
  double part = 1;
  for (long reached = 1; reached < ranks; reached *= 2) route.steps.push_back({2, part /= 2});
  return route;
}

constexpr double any = std::numeric_limits<double>::infinity();
constexpr int all = std::numeric_limits<int>::max();

struct Threshold {
  int ranks_below;
  double bytes_below;
  Algorithm algorithm;
};

// Thresholds of Open MPI 4.1.4, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c. Its pipeline is a
// chain without segments here.
constexpr Threshold open_mpi_broadcast[] = {{4, 32, chain},
                                            {4, 256, binary},
                                            {4, 512, chain},
                                            {4, 1024, knomial},
                                            {4, 32768, linear},
                                            {4, 131072, binary},
                                            {4, 262144, chain},
                                            {4, 524288, linear},
                                            {4, 1048576, binomial},
                                            {4, any, binary},
                                            {8, 64, binary},
                                            {8, 128, binomial},
                                            {8, 2048, binary},
                                            {8, 8192, binomial},
                                            {8, 1048576, linear},
                                            {8, any, chain},
                                            {16, 8, knomial},
                                            {16, 64, binary},
                                            {16, 4096, knomial},
                                            {16, 16384, binary},
                                            {16, 32768, binomial},
                                            {16, any, linear},
                                            {32, 4096, knomial},
                                            {32, 1048576, binomial},
                                            {32, any, scatter_allgather},
                                            {64, 2048, binomial},
                                            {128, any, knomial},
                                            {256, 2, binomial},
                                            {256, 16384, binary},
                                            {256, 32768, linear},
                                            {256, 65536, binary},
                                            {256, any, knomial},
                                            {1024, 16384, knomial},
                                            {1024, 32768, split_binary},
                                            {1024, any, knomial},
                                            {2048, 524288, knomial},
                                            {4096, 262144, knomial},
                                            {4096, any, scatter_allgather},
                                            {all, 8192, knomial},
                                            {all, 16384, binary},
                                            {all, 262144, knomial},
                                            {all, any, scatter_allgather}};
// The in-order trees, which Open MPI uses for a few sizes below 16 kB on 256 ranks or more, are
// omitted.
constexpr Threshold open_mpi_reduce[] = {
    {4, 8, scatter_allgather}, {4, 16, binary},        {4, 32, chain},    {4, 262144, linear},
    {4, any, chain},           {8, 4096, binary},      {8, 65536, chain}, {8, 262144, binomial},
    {8, 524288, linear},       {8, 1048576, binomial}, {8, any, linear},  {16, 8192, binary},
    {32, 4096, binary},        {all, any, binomial}};

// Returns the algorithm of the first row whose bounds are above `ranks` and `bytes`.
Algorithm look_up(std::span<const Threshold> choices, int ranks, double bytes) {
  for (const Threshold& choice : choices)
    if (ranks < choice.ranks_below && bytes < choice.bytes_below) return choice.algorithm;
  return choices.back().algorithm;
}

Algorithm chosen_by_mpich(Operation operation, int ranks, double bytes) {
  constexpr double short_sum = 2048, short_broadcast = 12288;
  constexpr int few = 8;
  if (operation == Operation::reduce) return bytes <= short_sum ? binomial : scatter_allgather;
  return bytes < short_broadcast || ranks < few ? binomial : scatter_allgather;
}

}  // namespace

double Route::path_copies() const {
  return std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, const Step& step) {
    return sum + step.times * step.copies;
  });
}

Route route_of(Algorithm algorithm, Operation operation, int ranks, double bytes) {
  constexpr long two = 2, four = 4;
  const double others = ranks - 1;
  const double depth = std::bit_width(static_cast<unsigned>(ranks - 1));
  const bool is_eager = operation == Operation::broadcast && bytes <= eager_limit;
  switch (algorithm) {
    case linear:
      return {linear, {{1, others}}, others};
    case chain:
      return {chain, {{others, 1}}, 1};
    case binary:
      return binary_tree(ranks);
    case split_binary:
      return split_binary_tree(ranks);
    case binomial:
      return growing_tree(binomial, two, ranks, is_eager);
    case knomial:
      return growing_tree(knomial, four, ranks, is_eager);
    case scatter_allgather:
      return scatter_and_allgather(ranks);
    case recursive_doubling:
      return {recursive_doubling, {{depth, 1}}, depth};
    case direct:
      break;
  }
  return {direct, {{1, 1}}, 1};
}

Algorithm chosen(Rule rule, Operation operation, int ranks, double bytes) {
  if (operation == Operation::point_to_point) return direct;
  if (operation == Operation::gather || rule == Rule::star) return linear;
  if (rule == Rule::mpich) return chosen_by_mpich(operation, ranks, bytes);
  return look_up(operation == Operation::broadcast ? std::span<const Threshold>(open_mpi_broadcast)
                                                   : std::span<const Threshold>(open_mpi_reduce),
                 ranks, bytes);
}

}  // namespace trilemma
