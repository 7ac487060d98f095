#include "run/round_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/stop_request.hpp"
#include "core/lanes.hpp"
#include "federation/participants.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Where no evaluation asks for a delivery to rank 0, one is due about so often (a signal waits no
// longer) ...
constexpr double delivery_seconds = 0.5;
// ... and at the latest after so many rounds.
constexpr double delivery_rounds = 1024;
// Numbers of a rank and round: phase times and counts.
constexpr std::size_t width = phase_count + 7;

double distance_between(ConstView x, const std::vector<double>& point) {
  std::vector<double> way(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) way[j] = static_cast<double>(x[j]) - point[j];
  return std::sqrt(norm_squared<double>(way));
}

}  // namespace

RoundLoop::RoundLoop(const Plan& plan, Assembly& parts, Exchange& exchange,
                     const Placement& placement, RunFile* file, bool quiet, Heartbeat* heart)
    : plan_(plan),
      parts_(parts),
      exchange_(exchange),
      place_(placement),
      file_(file),
      progress_(quiet || file == nullptr, plan.rounds),
      timer_(plan.timing, heart),
      layout_(plan.compressor->layout()),
      shape_(plan.shape()),
      checkpointer_(plan.checkpoint, parts, exchange, file, at_),
      tells_drift_(plan.takes_steps() && !std::isnan(plan.method.steps.drift(1, 0, 1)) &&
                   plan.shape().up >= plan.shape().model) {}

Outcome RoundLoop::run() {
  delivered_ = now_seconds();
  progress_.start_at(at_.done);
  timer_.start();
  bool good = true;
  if (!is_restored_) {
    good = evaluate();
    note_phases(parts_.clients->counts());
    deliver();
    // Who starts such a run again must draw the same noise, or its rounds would be released twice.
    if (good && plan_.privacy.secret) order_ = std::max(order_, Order::save);
    if (good) save_if_due();
  }
  const auto rounds = static_cast<std::uint32_t>(plan_.rounds);
  while (at_.done < rounds && good && order_ != Order::stop) {
    round(at_.done);
    ++at_.done;
    check_expected();
    const bool look = at_.done == rounds || plan_.evaluation.is_due(at_.done);
    if (look)
      good = evaluate();
    else
      note_row({});
    note_phases(parts_.clients->counts());
    if (look || checkpointer_.due_by_rounds() || phases_.size() >= rounds_to_delivery_ * width)
      deliver();
    if (good && (at_.done < rounds || plan_.checkpoint.at_end)) save_if_due();
  }
  return end(good);
}

void RoundLoop::check_expected() const {
  // Bits, for a coordinate that is NaN differs from itself.
  require(expected_.empty() || at_.done != expected_at_ ||
              std::ranges::equal(std::as_bytes(std::span(parts_.x)),
                                 std::as_bytes(std::span(expected_))),
          "the first {} rounds, made again, do not lead to the model of the run that is prolonged: "
          "its data, the program or the processor were others",
          at_.done);
}

Outcome RoundLoop::end(bool good) {
  progress_.clear();
  checkpointer_.gather_largest_norm();
  const bool is_stopped = good && at_.done < static_cast<std::uint32_t>(plan_.rounds);
  if (file_ != nullptr) {
    file_->set_bound_observed(*parts_.largest_norm);
    if (is_stopped)
      file_->suspend();
    else
      good ? file_->finish(parts_.x) : file_->fail(failure_, parts_.x);
  }
  if (is_stopped) return Outcome::stopped;
  return good ? Outcome::finished : Outcome::failed;
}

void RoundLoop::round(std::uint32_t t) {
  timer_.start();
  draw_participants(plan_, parts_, exchange_, t, participants_);
  exchange_.broadcast_model(View(parts_.x).first(shape_.down));
  timer_.lap(Phase::broadcast);
  const auto mine = parts_.clients->run(t, participants_, parts_.x, timer_);
  if (plan_.separate_wait) {
    exchange_.barrier();
    timer_.lap(Phase::wait);
  }
  const auto all = exchange_.gather_messages(mine, layout_.bytes(), participants_);
  timer_.lap(Phase::exchange);
  parts_.clients->finish_round(t, parts_.x);
  timer_.lap(Phase::local);
  if (parts_.server != nullptr) parts_.server->run(t, participants_, all, parts_.x, timer_);
  count_bits();
}

void RoundLoop::count_bits() {
  const std::uint64_t clients = participants_.size();
  const double value_bits = plan_.model_bits_per_value;
  at_.row.messages += shape_.up > 0 ? clients : 0;
  at_.row.bits_up_model += clients * static_cast<std::uint64_t>(layout_.model_bits(value_bits));
  at_.row.bits_up_payload += clients * layout_.payload_bits();
  // Clients with error memories work on every model, whether they send or not.
  const std::uint64_t receivers = parts_.error_memory->works_without_sending()
                                      ? static_cast<std::uint64_t>(plan_.clients)
                                      : clients;
  at_.row.bits_down_model +=
      receivers * static_cast<std::uint64_t>(value_bits * static_cast<double>(shape_.down));
  at_.row.bits_down_payload += receivers * shape_.down * sizeof(real) * 8;
}

bool RoundLoop::evaluate() {
  // After the last step rank 0 alone has the new model.
  exchange_.broadcast_for_evaluation(parts_.x);
  const Metrics metrics =
      parts_.evaluator->evaluate(parts_.x, exchange_, plan_.evaluation.objective);
  int good = 1;
  if (place_.rank == 0 && plan_.evaluation.objective) {
    good = std::isfinite(metrics.objective) && std::isfinite(metrics.gradient_norm_squared) ? 1 : 0;
    if (good == 0)
      failure_ = fmt::format(
          "round {}: the objective is {} and the squared gradient norm {}; {}", at_.done,
          std::abs(metrics.objective), std::abs(metrics.gradient_norm_squared),
          at_.done == 0 ? "look at the data and the start"
                        : "lower server.rate, or local.rate where clients take local steps");
    at_.utility_sum += metrics.gradient_norm_squared;
    ++at_.evaluations;
  }
  good = exchange_.broadcast_number(good, Use::evaluation);
  timer_.lap(Phase::evaluate);
  note_row(metrics);
  return good == 1;
}

void RoundLoop::note_row(const Metrics& metrics) {
  if (file_ == nullptr) return;
  at_.row.round = at_.done;
  at_.row.objective = metrics.objective;
  at_.row.gradient_norm_squared = metrics.gradient_norm_squared;
  at_.row.accuracy = metrics.accuracy;
  at_.row.test_error = metrics.test_error;
  at_.row.client_mean = metrics.clients.mean;
  at_.row.client_weighted = metrics.clients.weighted;
  at_.row.client_tenth = metrics.clients.tenth;
  at_.row.client_median = metrics.clients.median;
  at_.row.client_ninetieth = metrics.clients.ninetieth;
  at_.row.finetuned_mean = metrics.finetuned.mean;
  at_.row.finetuned_weighted = metrics.finetuned.weighted;
  at_.row.finetuned_tenth = metrics.finetuned.tenth;
  at_.row.finetuned_median = metrics.finetuned.median;
  at_.row.finetuned_ninetieth = metrics.finetuned.ninetieth;
  at_.row.suboptimality = parts_.optimum ? metrics.objective - parts_.optimum->value : nan;
  at_.row.distance =
      parts_.optimum && !std::isnan(metrics.objective)
          ? distance_between(ConstView(parts_.x).first(parts_.optimum->x.size()), parts_.optimum->x)
          : nan;
  at_.row.mean_norm = parts_.server->mean_norm();
  at_.row.noise_norm = parts_.server->noise_norm();
  at_.row.utility =
      std::isnan(metrics.objective) ? nan : at_.utility_sum / static_cast<double>(at_.evaluations);
  at_.row.epsilon = epsilon_ == nullptr ? nan : epsilon_->at(at_.done);
  const MpiTraffic& traffic = exchange_.traffic();
  at_.row.mpi_bits_up = 8 * traffic.up;
  at_.row.mpi_bits_down = 8 * traffic.down;
  at_.row.mpi_bits_evaluation = 8 * traffic.evaluation;
  at_.row.mpi_bits_control = 8 * traffic.control;
  at_.row.least_norm = std::numeric_limits<double>::infinity();
  at_.row.most_norm = -1;
  rows_.push_back(at_.row);
  drifts_.push_back({at_.done == 0 ? 0 : participants_.size(), 0});
}

void RoundLoop::note_phases(const ClientCounts& counts) {
  timer_.lap(Phase::record);
  for (const Ticks ticks : timer_.take()) phases_.push_back(static_cast<double>(ticks));
  phases_.push_back(static_cast<double>(counts.records));
  phases_.push_back(static_cast<double>(counts.clipped));
  phases_.push_back(static_cast<double>(counts.not_finite));
  phases_.push_back(counts.least_norm);
  phases_.push_back(counts.most_norm);
  // In two halves, of which any sum over ranks is exact.
  phases_.push_back(static_cast<double>(counts.drift >> 32U));
  phases_.push_back(static_cast<double>(counts.drift & 0xFFFFFFFFU));
}

// Takes in the counts of one rank and round.
void RoundLoop::add_counts(const double* counts, RunRow& row, Drifts& drifts) {
  at_.row.batch_records += static_cast<std::uint64_t>(counts[0]);
  at_.row.clipped += static_cast<std::uint64_t>(counts[1]);
  at_.row.not_finite += static_cast<std::uint64_t>(counts[2]);
  row.batch_records = at_.row.batch_records;
  row.clipped = at_.row.clipped;
  row.not_finite = at_.row.not_finite;
  row.least_norm = std::min(row.least_norm, counts[3]);
  row.most_norm = std::max(row.most_norm, counts[4]);
  drifts.sum +=
      (static_cast<std::uint64_t>(counts[5]) << 32U) + static_cast<std::uint64_t>(counts[6]);
}

// Brings the phase times and record counts of all ranks to rank 0 and the finished rows to the
// file; with them travel requests to stop, and rank 0's answer.
void RoundLoop::deliver() {
  timer_.start();
  const double seconds_per_tick = scale_.factor();
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (i % width < phase_count) phases_[i] *= seconds_per_tick;
  const std::size_t rows = phases_.size() / width;
  phases_.push_back(stop_requested() ? 1 : 0);
  const auto all = exchange_.gather_by_rank(phases_, Use::control);
  const std::size_t piece = rows * width + 1;
  phases_.clear();
  bool stop_asked_for = false;
  for (std::size_t last = piece; last <= all.size(); last += piece)
    stop_asked_for = stop_asked_for || all[last - 1] != 0;
  // Rank 0 says when the next delivery is due and what to do, so that all ranks agree.
  const double round_seconds = (now_seconds() - delivered_) / static_cast<double>(rows);
  delivered_ = now_seconds();
  constexpr int orders = 3;
  const int answer = exchange_.broadcast_number(
      orders *
              static_cast<int>(std::clamp(delivery_seconds / round_seconds, 1.0, delivery_rounds)) +
          static_cast<int>(decide(stop_asked_for)),
      Use::control);
  rounds_to_delivery_ = static_cast<std::size_t>(answer / orders);
  order_ = static_cast<Order>(answer % orders);
  if (file_ == nullptr) {
    timer_.lap(Phase::record);
    return;
  }
  const auto ranks = static_cast<std::size_t>(place_.size);
  std::vector<double> seconds(rows * ranks * phase_count);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double* from = all.data() + rank * piece + row * width;
      std::copy_n(from, phase_count, seconds.data() + (row * ranks + rank) * phase_count);
      add_counts(from + phase_count, rows_[row], drifts_[row]);
    }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    RunRow& row = rows_[i];
    row.drift = tells_drift_ && drifts_[i].participants > 0
                    ? static_cast<double>(drifts_[i].sum) * ClientCounts::drift_unit /
                          static_cast<double>(drifts_[i].participants)
                    : nan;
    // No participant, or no bound that looks at norms.
    if (row.least_norm > row.most_norm) row.least_norm = row.most_norm = nan;
    file_->add(row);
  }
  progress_.update(rows_.back());
  rows_.clear();
  drifts_.clear();
  file_->add_phases(seconds, rows);
  file_->flush_if_due();
  timer_.lap(Phase::record);
}

RoundLoop::Order RoundLoop::decide(bool stop_asked_for) const {
  if (stop_asked_for) return Order::stop;
  return checkpointer_.due_by_time() ? Order::save : Order::go_on;
}

void RoundLoop::save_if_due() {
  const bool is_last = at_.done == static_cast<std::uint32_t>(plan_.rounds);
  if (order_ == Order::go_on && !checkpointer_.due_by_rounds() && !is_last) return;
  timer_.start();
  checkpointer_.save();
  if (order_ == Order::save) order_ = Order::go_on;
  timer_.lap(Phase::checkpoint);
}

}  // namespace trilemma
