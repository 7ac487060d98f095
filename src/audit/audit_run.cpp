#include "audit/audit_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "federation/assembly.hpp"
#include "federation/participants.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

AuditRunner::AuditRunner(AuditPlan& audit, const Placement& placement, Exchange& exchange)
    : audit_(audit),
      place_(placement),
      exchange_(exchange),
      reader_(audit.plan),
      shape_(audit.plan.shape()) {
  auto tapped = std::make_unique<TappedStep>(std::move(audit.plan.method.step));
  step_ = tapped.get();
  audit.plan.method.step = std::move(tapped);
  State state = State::saving(step_at_start_);
  step_->persist(state);
}

// Makes the plan that of a new run. A client that is added or removed is not among the
// participants of the world without it, where the server adds the noise: returns true there.
bool AuditRunner::begin(CanaryData data, std::uint64_t seed, std::span<const Canary> places) {
  Plan& plan = audit_.plan;
  const bool is_away = audit_.tap == Tap::mean && data.canaries.empty();
  plan.problem = make_canary_problem(data.dimension, data.turning);
  plan.source = make_canary_source(std::move(data));
  plan.seed = seed;
  plan.schedule = audit_.schedule(seed);
  State state = State::restoring(step_at_start_);
  step_->persist(state);
  reader_.begin(plan);
  before_ = 0;
  expect(audit_.tap == Tap::message || places.size() == 1, "one canary in a sum");
  return is_away;
}

std::vector<double> AuditRunner::run(CanaryData data, std::uint64_t seed,
                                     std::span<const Canary> places, Sight sight) {
  Plan& plan = audit_.plan;
  const bool is_away = begin(std::move(data), seed, places);
  Assembly parts = assemble(plan, place_, "");
  const std::uint32_t tested = places.front().client;
  std::vector<double> out;
  const auto rounds = static_cast<std::uint32_t>(plan.rounds);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    draw_participants(plan, parts, exchange_, t, participants_);
    is_drawn_ = std::binary_search(participants_.begin(), participants_.end(), tested);
    if (is_away) std::erase(participants_, tested);
    exchange_.broadcast_model(View(parts.x).first(shape_.down));
    const auto mine = parts.clients->run(t, participants_, parts.x, timer_);
    const auto all = exchange_.gather_messages(mine, reader_.bytes(), participants_);
    parts.clients->finish_round(t, parts.x);
    if (parts.server == nullptr) continue;
    if (audit_.tap == Tap::message) read_messages(all, t, places, out);
    if (audit_.tap == Tap::sum) out.push_back(sum(all, t, places.front(), sight));
    const bool without_others =
        audit_.tap == Tap::mean && (audit_.knows.others || sight == Sight::own);
    const double known = without_others ? others(all, t, places.front()) : 0;
    parts.server->run(t, participants_, all, parts.x, timer_);
    if (audit_.tap == Tap::mean) out.push_back(mean(t, places.front(), known));
  }
  return out;
}

// On a canary's direction. A client that sends a second vector, for what its steps are corrected
// by, turns both in opposite directions.
double AuditRunner::project(std::span<const double> vector, std::size_t at) const {
  if (shape_.up == shape_.model) return vector[at];
  return (vector[at] - vector[at + shape_.model]) / std::numbers::sqrt2;
}

// Places are in client order.
void AuditRunner::read_messages(std::span<const std::byte> all, std::uint32_t round,
                                std::span<const Canary> places, std::vector<double>& out) {
  const std::size_t size = reader_.bytes();
  std::size_t next = 0;
  auto skip_to = [&](std::uint32_t client) {
    for (; next < places.size() && places[next].client < client; ++next) out.push_back(nan);
  };
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const std::uint32_t client = participants_[number];
    const auto released = reader_.read(all.subspan(number * size, size), client, round);
    skip_to(client);
    for (; next < places.size() && places[next].client == client; ++next)
      out.push_back(project(released, places[next].coordinate));
  }
  skip_to(static_cast<std::uint32_t>(audit_.clients));
}

// A coordinate carries the noise of all, or, where not all send it, that of its client alone.
double AuditRunner::sum(std::span<const std::byte> all, std::uint32_t round, const Canary& place,
                        Sight sight) {
  const std::size_t size = reader_.bytes();
  const bool is_shared = audit_.plan.compressor->traits().omega == 0 && shape_.stride == 0;
  double total = 0, own = nan;
  std::size_t senders = 0;
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const std::uint32_t client = participants_[number];
    const double sent =
        project(reader_.read(all.subspan(number * size, size), client, round), place.coordinate);
    if (client == place.client) own = sent;
    if (std::isnan(sent) || (shape_.stride > 0 && client != place.client)) continue;
    total += sent;
    ++senders;
  }
  if (is_shared)
    return (sight == Sight::own ? own : total) / std::sqrt(static_cast<double>(senders));
  return senders == 1 ? own : nan;
}

// What the other participants contribute to the mean.
double AuditRunner::others(std::span<const std::byte> all, std::uint32_t round,
                           const Canary& place) {
  if (shape_.stride > 0) return 0;
  const std::size_t size = reader_.bytes();
  double total = 0;
  for (std::size_t number = 0; number < participants_.size(); ++number) {
    const std::uint32_t client = participants_[number];
    if (client == place.client) continue;
    const double sent =
        project(reader_.read(all.subspan(number * size, size), client, round), place.coordinate);
    if (!std::isnan(sent)) total += reader_.gain() * sent;
  }
  return total / audit_.plan.schedule->expected();
}

// The perturbed mean, from the direction of the step. Who knows earlier directions undoes the
// error memory.
double AuditRunner::mean(std::uint32_t round, const Canary& place, double others) {
  const Method& method = audit_.plan.method;
  double value = project(step_->seen(), place.client * shape_.stride + place.coordinate);
  if (method.error_memory) {
    const double estimate = value;
    value = (estimate - before_) / method.error_step;
    before_ = estimate;
  }
  const bool shows =
      (is_drawn_ || !audit_.knows.draws) && reader_.sends(place.client, round, place.coordinate);
  return shows ? value - others : nan;
}

std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run) {
  Stream stream({seed, Purpose::audit, static_cast<std::uint32_t>(what), run});
  const std::uint64_t high = stream.word();
  return high << 32U | stream.word();
}

}  // namespace trilemma
