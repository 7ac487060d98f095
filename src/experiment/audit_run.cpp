#include "experiment/audit_run.hpp"

#include <cmath>
#include <limits>

#include "experiment/assembly.hpp"

namespace trilemma {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

AuditRunner::AuditRunner(AuditPlan& audit, const Placement& placement, Exchange& exchange)
    : audit_(audit),
      place_(placement),
      exchange_(exchange),
      layout_(audit.plan.compressor->layout()) {
  const Plan& plan = audit.plan;
  if (auto* oblivious = plan.compressor->oblivious()) gain_ = oblivious->gain();
  if (plan.method.shift)
    shift_step_ = plan.shift_step.value_or(theory_shift_step(plan.compressor->traits().omega));
}

std::vector<double> AuditRunner::run(CanaryData data, std::uint64_t seed,
                                     std::span<const Canary> places) {
  Plan& plan = audit_.plan;
  plan.problem = make_canary_problem(data.dimension, data.turning);
  plan.source = make_canary_source(std::move(data));
  plan.seed = seed;
  Assembly parts = assemble(plan, place_, "");
  const std::size_t dimension = parts.x.size();
  shift_.assign(audit_.clients, Vector(dimension, real{0}));
  released_.resize(dimension);
  std::vector<double> projections;
  std::vector<std::uint32_t> everyone;
  plan.schedule->participants(0, everyone);
  const auto rounds = static_cast<std::uint32_t>(plan.rounds);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    exchange_.broadcast_model(parts.x);
    const auto mine = parts.clients->run(t, everyone, parts.x, timer_);
    const auto all = exchange_.gather_messages(mine, layout_.bytes(), everyone);
    parts.clients->finish_round(t, parts.x);
    if (parts.server == nullptr) continue;
    read(all, t, places, projections);
    parts.server->run(t, everyone, all, parts.x, timer_);
  }
  return projections;
}

// Places are in client order.
void AuditRunner::read(std::span<const std::byte> bytes, std::uint32_t round,
                       std::span<const Canary> places, std::vector<double>& out) {
  const std::size_t size = layout_.bytes();
  std::size_t next = 0;
  for (std::uint32_t client = 0; client < audit_.clients; ++client) {
    read_message(bytes.subspan(client * size, size), client, round);
    for (; next < places.size() && places[next].client == client; ++next)
      out.push_back(released_[places[next].coordinate]);
  }
}

void AuditRunner::read_message(std::span<const std::byte> bytes, std::uint32_t client,
                               std::uint32_t round) {
  Compressor& compressor = *audit_.plan.compressor;
  decode(layout_, bytes, message_);
  compressor.recall({audit_.plan.seed, Purpose::mask, client, round}, message_);
  const SparseView sent = compressor.expand(message_);
  released_.assign(released_.size(), nan);
  for (std::size_t i = 0; i < sent.value.size(); ++i) {
    const std::size_t j = sent.index.empty() ? i : sent.index[i];
    real& shift = shift_[client][j];
    released_[j] = static_cast<double>(sent.value[i]) / gain_ + static_cast<double>(shift);
    shift += static_cast<real>(shift_step_) * sent.value[i];
  }
}

std::uint64_t run_seed(std::uint64_t seed, SeedOf what, std::uint32_t run) {
  Stream stream({seed, Purpose::audit, static_cast<std::uint32_t>(what), run});
  const std::uint64_t high = stream.word();
  return high << 32U | stream.word();
}

}  // namespace trilemma
