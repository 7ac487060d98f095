#include "run/metrics_collector.hpp"

#include <algorithm>

#include "comm/session.hpp"
#include "record/phase_times.hpp"

namespace trilemma {
namespace {

// Unless an evaluation requires a delivery, the time between two deliveries (a signal waits no
// longer) ...
constexpr double collection_seconds = 0.5;
// ... and the largest number of rounds between them.
constexpr double collection_rounds = 1024;

// Values that a rank delivers once with its rows, after them: energy, request to stop.
constexpr std::size_t values_with_rows = 2;

}  // namespace

MetricsCollector::MetricsCollector(MetricLog& metric_log, PhaseTimer& timer, Ranks& ranks,
                                   const Placement& placement, RunFile* file, Progress& progress,
                                   std::vector<std::int64_t> node, EnergyCounters energy)
    : metric_log_(metric_log),
      timer_(timer),
      ranks_(ranks),
      place_(placement),
      file_(file),
      progress_(progress),
      node_(std::move(node)),
      energy_(std::move(energy)) {}

void MetricsCollector::end_row(std::int64_t round) {
  metric_log_.end_row(round);
  timer_.lap(Phase::record);
  for (const Ticks ticks : timer_.take()) sent_.push_back(static_cast<double>(ticks));
}

void MetricsCollector::keep_until(std::int64_t round) {
  metric_log_.keep_until(round);
  sent_.resize(metric_log_.rows() * phase_count);
}

Order MetricsCollector::run(bool save) {
  if (metric_log_.rows() == 0) return Order::go_on;
  timer_.start();
  const double seconds_per_tick = scale_.factor();
  for (double& ticks : sent_) ticks *= seconds_per_tick;
  const std::size_t rows = metric_log_.rows();
  const auto part = metric_log_.part();
  sent_.insert(sent_.end(), part.begin(), part.end());
  sent_.push_back(energy_.since_last(now_seconds()));
  sent_.push_back(stop_requested() ? 1 : 0);
  const auto all = ranks_.gather_by_rank(sent_, Use::control);
  const std::size_t piece = sent_.size();
  sent_.clear();
  bool stop = false;
  for (std::size_t last = piece; last <= all.size(); last += piece)
    stop = stop || all[last - 1] != 0;
  const Order order = agree(stop ? Order::stop : save ? Order::save : Order::go_on, rows);
  if (file_ == nullptr)
    metric_log_.drop();
  else
    write(all, piece);
  timer_.lap(Phase::record);
  return order;
}

// Rank 0 decides when the next delivery is due and what to do, so that all ranks agree.
Order MetricsCollector::agree(Order order, std::size_t rows) {
  constexpr int orders = 3;
  const double round_seconds = (now_seconds() - delivered_) / static_cast<double>(rows);
  delivered_ = now_seconds();
  const int to_next =
      static_cast<int>(std::clamp(collection_seconds / round_seconds, 1.0, collection_rounds));
  const int answer =
      ranks_.broadcast_number(orders * to_next + static_cast<int>(order), Use::control);
  rounds_to_next_ = static_cast<std::size_t>(answer / orders);
  return static_cast<Order>(answer % orders);
}

// The first rank of a node speaks for it.
std::vector<double> MetricsCollector::joules_of_nodes(const std::vector<double>& all,
                                                      std::size_t piece) const {
  std::vector<double> joules;
  for (std::size_t rank = 0; rank < node_.size(); ++rank)
    if (static_cast<std::size_t>(node_[rank]) == joules.size())
      joules.push_back(all[(rank + 1) * piece - values_with_rows]);
  return joules;
}

void MetricsCollector::write(const std::vector<double>& all, std::size_t piece) {
  const std::size_t rows = metric_log_.rows();
  const auto ranks = static_cast<std::size_t>(place_.size);
  std::vector<double> seconds(rows * ranks * phase_count);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto from = std::span(all).subspan(rank * piece, piece - values_with_rows);
    for (std::size_t row = 0; row < rows; ++row)
      std::copy_n(from.data() + row * phase_count, phase_count,
                  seconds.data() + (row * ranks + rank) * phase_count);
    metric_log_.merge(from.subspan(rows * phase_count));
  }
  const std::int64_t last = metric_log_.last_round();
  metric_log_.take([&](const MetricRow& row) {
    file_->add(row);
    if (row.round == last) progress_.update(row);
  });
  file_->add_phases(seconds, rows);
  if (file_->records_energy())
    file_->add_energy(divided(joules_of_nodes(all, piece), seconds, node_, phase_count), rows);
  file_->flush_if_due();
}

}  // namespace trilemma
