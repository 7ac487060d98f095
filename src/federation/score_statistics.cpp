#include "federation/score_statistics.hpp"

#include <algorithm>

#include "federation/sum_over_clients.hpp"
#include "problem/interfaces.hpp"

namespace trilemma {

ScoreStatistics::ScoreStatistics(Problem& problem, std::span<const Dataset* const> shards,
                                 const Placement& place)
    : problem_(problem),
      normalised_(problem.as_batch_normalised()),
      shards_(shards.begin(), shards.end()),
      place_(place) {}

ScoreStatistics::Scope::Scope(BatchNormalised* problem, ConstView statistics) : problem_(problem) {
  if (problem_ != nullptr) problem_->use_statistics(statistics);
}

ScoreStatistics::Scope::~Scope() {
  if (problem_ != nullptr) problem_->use_statistics({});
}

void ScoreStatistics::measure_all(ConstView x, Ranks& ranks) {
  if (normalised_ == nullptr) return;
  std::vector<double> sum(2 * normalised_->normalised_channels());
  TreeSum own(sum.size());
  std::vector<double> share(sum.size());
  for (std::size_t slot = 0; slot < shards_.size(); ++slot) {
    measure(slot, x, share);
    own.add({static_cast<std::uint64_t>(place_.first(place_.rank)) + slot, 1}, share);
  }
  sum_over_clients(own, ranks, sum);
  of_all_ = means_and_variances(sum, static_cast<double>(place_.clients));
  ranks.broadcast(of_all_, Use::evaluation);
}

ScoreStatistics::Scope ScoreStatistics::of_client(std::size_t slot, ConstView model) {
  if (normalised_ == nullptr) return {nullptr, {}};
  std::vector<double> sum(2 * normalised_->normalised_channels());
  measure(slot, model, sum);
  return {normalised_, means_and_variances(sum, 1)};
}

void ScoreStatistics::measure(std::size_t slot, ConstView x, std::span<double> found) {
  const Dataset& shard = *shards_[slot];
  const std::size_t count = std::min(normalised_->statistics_records(), shard.size());
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = static_cast<std::uint32_t>(i * shard.size() / count);
  problem_.load(shard, rows, batch_);
  normalised_->measure_statistics(batch_, x, found);
}

// Mean squares exceed squares of means, except for rounding.
Vector ScoreStatistics::means_and_variances(std::span<const double> sum, double batches) const {
  const std::size_t channels = normalised_->normalised_channels();
  Vector found(2 * channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = sum[c] / batches;
    found[c] = static_cast<real>(mean);
    found[channels + c] =
        static_cast<real>(std::max(0.0, sum[channels + c] / batches - mean * mean));
  }
  return found;
}

}  // namespace trilemma
