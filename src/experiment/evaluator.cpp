#include "experiment/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/lanes.hpp"

namespace trilemma {
namespace {

constexpr std::size_t test_block = 500;
// Coordinates of a gradient that are gathered at a time.
constexpr std::size_t piece = std::size_t{1} << 16U;

}  // namespace

Evaluator::Evaluator(Problem& problem, std::vector<const Dataset*> shards, std::size_t clients,
                     Dataset test, std::size_t test_total)
    : problem_(problem),
      shards_(std::move(shards)),
      clients_(clients),
      test_(std::move(test)),
      test_total_(test_total) {}

// Sums of one number a client and coordinate over all clients, in client order; on rank 0.
void Evaluator::sum_over_clients(Exchange& exchange) {
  const std::size_t each = shards_.empty() ? mean_.size() : own_.size() / shards_.size();
  std::fill(mean_.begin(), mean_.end(), 0.0);
  // In pieces, so that rank 0 never holds all clients' gradients.
  for (std::size_t first = 0; first < each; first += piece) {
    const std::size_t width = std::min(piece, each - first);
    part_.clear();
    for (std::size_t slot = 0; slot < shards_.size(); ++slot) {
      const auto begin = own_.begin() + static_cast<std::ptrdiff_t>(slot * each + first);
      part_.insert(part_.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    const auto all = exchange.gather_by_client(part_, width);
    for (std::size_t c = 0; c < all.size() / width; ++c)
      for (std::size_t j = 0; j < width; ++j) mean_[first + j] += all[c * width + j];
  }
}

Metrics Evaluator::evaluate(ConstView x, Exchange& exchange) {
  // One share a client: mean loss, then the mean gradient.
  const std::size_t each = 1 + x.size();
  own_.assign(each * shards_.size(), 0.0);
  mean_.resize(each);
  for (std::size_t slot = 0; slot < shards_.size(); ++slot) {
    const std::span<double> share = std::span(own_).subspan(slot * each, each);
    share[0] = full_sum(problem_, *shards_[slot], x, share.subspan(1));
    const auto records = static_cast<double>(shards_[slot]->size());
    for (auto& value : share) value /= records;
  }
  sum_over_clients(exchange);
  const auto correct = static_cast<double>(count_correct(x));
  const auto counts = exchange.gather_by_rank({&correct, 1}, Use::evaluation);
  Metrics metrics;
  if (counts.empty()) return metrics;
  for (auto& value : mean_) value /= static_cast<double>(clients_);
  Vector slope(x.size(), real{0});
  problem_.add_regulariser_gradient(x, slope);
  for (std::size_t j = 0; j < x.size(); ++j) mean_[1 + j] += static_cast<double>(slope[j]);
  metrics.objective = mean_[0] + problem_.regulariser(x);
  metrics.gradient_norm_squared = norm_squared<double>(std::span(mean_).subspan(1));
  metrics.accuracy = test_total_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : std::accumulate(counts.begin(), counts.end(), 0.0) /
                                            static_cast<double>(test_total_);
  return metrics;
}

std::size_t Evaluator::count_correct(ConstView x) {
  std::vector<std::uint32_t> rows(test_.size());
  std::iota(rows.begin(), rows.end(), 0U);
  Batch batch;
  std::size_t correct = 0;
  for (std::size_t first = 0; first < rows.size(); first += test_block) {
    const std::size_t count = std::min(test_block, rows.size() - first);
    problem_.load(test_, Coordinates(rows).subspan(first, count), batch);
    correct += problem_.correct(batch, x);
  }
  return correct;
}

std::vector<std::uint32_t> test_rows(std::size_t total, std::size_t host, std::size_t hosts) {
  std::vector<std::uint32_t> rows;
  for (std::size_t first = host * test_block; first < total; first += hosts * test_block)
    for (std::size_t r = first; r < std::min(first + test_block, total); ++r)
      rows.push_back(static_cast<std::uint32_t>(r));
  return rows;
}

}  // namespace trilemma
