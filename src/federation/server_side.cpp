#include "federation/server_side.hpp"

#include <algorithm>
#include <cmath>

#include "core/lanes.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {
namespace {

// Takes the place of a client in the address of the server's noise; clients have smaller numbers.
constexpr std::uint32_t server_client = 0xFFFFFFFFU;

}  // namespace

ServerSide::ServerSide(const ServerParts& parts, std::size_t dimension, std::uint64_t seed)
    : parts_(parts),
      seed_(seed),
      receiver_(*parts.compressor),
      sum_(dimension, parts.compressor->layout().value == ValueFormat::float64),
      mean_norm_(parts.journal->declare(
          {.name = "mean_norm",
           .units = "1",
           .description =
               "norm of the mean of the updates received in the round; 0 at the start"})),
      noise_norm_(parts.journal->declare(
          {.name = "noise_norm",
           .units = "1",
           .description = "norm of the server's noise on that mean; 0 = none"})) {
  parts.journal->set(mean_norm_, 0);
  parts.journal->set(noise_norm_, 0);
}

std::span<const double> ServerSide::aggregate(std::uint32_t round, Coordinates participants,
                                              const Packets& all, PhaseTimer& timer) {
  sum_.begin(participants.size(), largest(all, participants.size()));
  for (std::size_t number = 0; number < participants.size(); ++number) {
    const SparseView sent = receiver_.open(all[number], mask(participants[number], round));
    sum_.add(participants[number] * parts_.stride, sent.at, sent.value);
  }
  mean_ = sum_.finish();
  const double share = 1.0 / parts_.divisor;
  for (auto& value : mean_) value *= share;
  const double norm = std::sqrt(norm_squared<double>(mean_));
  parts_.journal->set(mean_norm_, norm);
  if (!std::isfinite(norm)) refuse_not_finite(round, participants, all);
  timer.lap(Phase::decode);
  parts_.journal->set(
      noise_norm_,
      perturb_mean(mean_, parts_.sigma,
                   {seed_, Purpose::noise, server_client, round, parts_.secret}, noise_));
  timer.lap(Phase::perturb);
  return mean_;
}

void ServerSide::step(std::uint32_t round, View x, PhaseTimer& timer) {
  parts_.memory->restore(mean_);
  parts_.step->apply(round, x, mean_);
  timer.lap(Phase::server);
}

double ServerSide::largest(const Packets& all, std::size_t messages) {
  double most = 0;
  for (std::size_t number = 0; number < messages; ++number) {
    const auto size = static_cast<double>(receiver_.largest(all[number]));
    if (!std::isfinite(size)) return size;
    most = std::max(most, size);
  }
  return most;
}

// Looks for the client whose message made the mean useless; a sum may overflow without any.
void ServerSide::refuse_not_finite(std::uint32_t round, Coordinates participants,
                                   const Packets& all) {
  for (std::size_t number = 0; number < participants.size(); ++number) {
    const SparseView sent = receiver_.open(all[number], mask(participants[number], round));
    const bool good = std::all_of(sent.value.begin(), sent.value.end(),
                                  [](real value) { return std::isfinite(value); });
    if (!good)
      throw RunFailure(fmt::format(
          "round {}: the message of client {} holds a NaN or an infinite value; look at the "
          "client's records, or lower server.rate, or local.rate where clients take local steps",
          round + 1, participants[number]));
  }
}

void ServerSide::persist(State& state) {
  parts_.memory->persist(state);
  parts_.step->persist(state);
  if (parts_.secret != nullptr) parts_.secret->persist(state);
}

}  // namespace trilemma
