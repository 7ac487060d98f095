#pragma once

#include "comm/exchange.hpp"
#include "problem/problem.hpp"

namespace trilemma {

/// Exact metrics of one model.
struct Metrics {
  double objective = 0;
  double gradient_norm_squared = 0;
  double accuracy = 0;  ///< NaN without test records
};

/// Evaluates f, its gradient and the test accuracy over all ranks. Sums run in client order in
/// double, test records are counted, so the result does not depend on the placement.
class Evaluator {
 public:
  /// `test` holds the test records of this rank, of `test_total` in all.
  Evaluator(Problem& problem, std::vector<const Dataset*> shards, std::size_t clients, Dataset test,
            std::size_t test_total);

  /// Collective; the result is meaningful on rank 0.
  Metrics evaluate(ConstView x, Exchange& exchange);

 private:
  void sum_over_clients(Exchange& exchange);
  std::size_t count_correct(ConstView x);

  Problem& problem_;
  std::vector<const Dataset*> shards_;
  std::size_t clients_;
  Dataset test_;
  std::size_t test_total_;
  std::vector<double> own_, part_, mean_;
};

/// Rows of a test set that belong to one of `hosts` hosts: blocks of fixed size, dealt in turn. The
/// same blocks are formed for any number of hosts.
std::vector<std::uint32_t> test_rows(std::size_t total, std::size_t host, std::size_t hosts);

}  // namespace trilemma
