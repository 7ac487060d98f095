#include "experiment/round_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Where no evaluation asks for a delivery to rank 0, one is due about so often ...
constexpr double delivery_seconds = 2.0;
// ... and at the latest after so many rounds.
constexpr double delivery_rounds = 1024;

}  // namespace

RoundLoop::RoundLoop(const Plan& plan, Assembly& parts, Exchange& exchange,
                     const Placement& placement, RunFile* file, bool quiet)
    : plan_(plan),
      parts_(parts),
      exchange_(exchange),
      place_(placement),
      file_(file),
      progress_(quiet || file == nullptr, plan.rounds),
      timer_(plan.timing),
      layout_(plan.compressor->layout()) {}

Outcome RoundLoop::run() {
  started_ = now_seconds();
  delivered_ = started_;
  timer_.start();
  bool good = evaluate(0);
  note_phases(0);
  deliver();
  const auto rounds = static_cast<std::uint32_t>(plan_.rounds);
  for (std::uint32_t t = 0; t < rounds && good; ++t) {
    round(t);
    const bool due =
        t + 1 == rounds || (plan_.evaluate_every > 0 && (t + 1) % plan_.evaluate_every == 0);
    if (due)
      good = evaluate(t + 1);
    else
      note_row(t + 1, {nan, nan, nan});
    note_phases(parts_.clients->records());
    if (due || phases_.size() >= rounds_to_delivery_ * (phase_count + 1)) deliver();
  }
  const auto norms = exchange_.gather_by_rank(std::span(parts_.largest_norm.get(), 1));
  if (file_ != nullptr) {
    file_->set_bound_observed(*std::max_element(norms.begin(), norms.end()));
    const double wall = now_seconds() - started_;
    good ? file_->finish(parts_.x, wall) : file_->fail(failure_, parts_.x, wall);
  }
  return good ? Outcome::finished : Outcome::failed;
}

void RoundLoop::round(std::uint32_t t) {
  timer_.start();
  exchange_.broadcast_model(parts_.x);
  timer_.lap(Phase::broadcast);
  const auto mine = parts_.clients->run(t, parts_.x, timer_);
  if (plan_.separate_wait) {
    exchange_.barrier();
    timer_.lap(Phase::wait);
  }
  const auto all = exchange_.gather_messages(mine, layout_.bytes());
  timer_.lap(Phase::exchange);
  parts_.clients->finish_round(t, parts_.x);
  timer_.lap(Phase::local);
  if (parts_.server != nullptr) parts_.server->run(t, all, parts_.x, timer_);
  plan_.schedule->participants(t, participants_);
  count_bits();
}

void RoundLoop::count_bits() {
  const std::uint64_t clients = participants_.size();
  const double value_bits = plan_.model_bits_per_value;
  const auto dimension = parts_.x.size();
  row_.bits_up_model += clients * static_cast<std::uint64_t>(layout_.model_bits(value_bits));
  row_.bits_up_payload += clients * layout_.payload_bits();
  row_.bits_down_model +=
      clients * static_cast<std::uint64_t>(value_bits * static_cast<double>(dimension));
  row_.bits_down_payload += clients * dimension * sizeof(real) * 8;
}

bool RoundLoop::evaluate(std::uint32_t done) {
  // After the last step rank 0 alone has the new model.
  exchange_.broadcast_for_evaluation(parts_.x);
  const Metrics metrics = parts_.evaluator->evaluate(parts_.x, exchange_);
  int good = 1;
  if (place_.rank == 0) {
    good = std::isfinite(metrics.objective) && std::isfinite(metrics.gradient_norm_squared) ? 1 : 0;
    if (good == 0)
      failure_ =
          fmt::format("round {}: the objective is {} and the squared gradient norm {}; {}", done,
                      std::abs(metrics.objective), std::abs(metrics.gradient_norm_squared),
                      done == 0 ? "look at the data and the start" : "lower server.rate");
    utility_sum_ += metrics.gradient_norm_squared;
    ++evaluations_;
  }
  good = exchange_.broadcast_number(good);
  timer_.lap(Phase::evaluate);
  note_row(done, metrics);
  return good == 1;
}

void RoundLoop::note_row(std::uint32_t done, const Metrics& metrics) {
  if (file_ == nullptr) return;
  row_.round = done;
  row_.objective = metrics.objective;
  row_.gradient_norm_squared = metrics.gradient_norm_squared;
  row_.accuracy = metrics.accuracy;
  row_.utility =
      std::isnan(metrics.objective) ? nan : utility_sum_ / static_cast<double>(evaluations_);
  row_.epsilon = epsilon_ == nullptr ? nan : epsilon_->at(done);
  const MpiTraffic& traffic = exchange_.traffic();
  row_.mpi_bits_up = 8 * traffic.up;
  row_.mpi_bits_down = 8 * traffic.down;
  row_.mpi_bits_evaluation = 8 * traffic.evaluation;
  rows_.push_back(row_);
}

void RoundLoop::note_phases(std::size_t records) {
  timer_.lap(Phase::record);
  for (const Ticks ticks : timer_.take()) phases_.push_back(static_cast<double>(ticks));
  phases_.push_back(static_cast<double>(records));
}

// Brings the phase times and record counts of all ranks to rank 0 and the finished rows to the
// file.
void RoundLoop::deliver() {
  timer_.start();
  constexpr std::size_t width = phase_count + 1;
  const double seconds_per_tick = scale_.factor();
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (i % width != phase_count) phases_[i] *= seconds_per_tick;
  const std::size_t rows = phases_.size() / width;
  const auto all = exchange_.gather_by_rank(phases_);
  phases_.clear();
  // Rank 0 says when the next delivery is due, so that all ranks agree.
  const double round_seconds = (now_seconds() - delivered_) / static_cast<double>(rows);
  delivered_ = now_seconds();
  rounds_to_delivery_ = static_cast<std::size_t>(exchange_.broadcast_number(
      static_cast<int>(std::clamp(delivery_seconds / round_seconds, 1.0, delivery_rounds))));
  if (file_ == nullptr) {
    timer_.lap(Phase::record);
    return;
  }
  const auto ranks = static_cast<std::size_t>(place_.size);
  std::vector<double> seconds(rows * ranks * phase_count);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double* from = all.data() + (rank * rows + row) * width;
      std::copy_n(from, phase_count, seconds.data() + (row * ranks + rank) * phase_count);
      row_.batch_records += static_cast<std::uint64_t>(from[phase_count]);
      rows_[row].batch_records = row_.batch_records;
    }
  for (const RunRow& row : rows_) file_->add(row);
  progress_.update(rows_.back());
  rows_.clear();
  file_->add_phases(seconds, rows);
  file_->flush_if_due();
  timer_.lap(Phase::record);
}

}  // namespace trilemma
