#include "experiment/releases.hpp"

#include <cmath>

namespace trilemma {
namespace {

using accounting::Relation;
using accounting::Sampling;

Relation relation_of(const Plan& plan) {
  for (const Relation r : {Relation::add_remove, Relation::zero_out, Relation::replace_one})
    if (plan.privacy.relation == accounting::name(r)) return r;
  return Relation::add_remove;
}

// One record of a client, which sends a vector in every round.
void release_records(const Plan& plan, std::size_t records, Releases& r) {
  const Sensitivity average = plan.takes_steps()
                                  ? Sensitivity{.full = std::numeric_limits<double>::infinity()}
                                  : plan.estimator.sensitivity(plan.bound->record_threshold(),
                                                               static_cast<double>(plan.batch),
                                                               static_cast<double>(records));
  r.sensitivity = plan.bound->sensitivity(average, r.relation == Relation::replace_one ? 2.0 : 1.0);
  if (!plan.sampler || r.sensitivity.sampled == 0) return;
  const auto batch = static_cast<std::size_t>(plan.batch);
  if (plan.sampler->scheme() == Sampling::none) {
    // Without a theorem for the draws every record may be in each of them, as often as it can.
    r.sensitivity.full += r.sensitivity.sampled * plan.sampler->occurrences(batch);
    r.sensitivity.sampled = 0;
    return;
  }
  r.sampling = plan.sampler->scheme();
  r.rate = plan.sampler->rate(records, batch);
}

// A whole client. Who sees its messages sees when it takes part, so drawing it hides nothing, and
// it may take part in every round. In a mean perturbed by the server it is hidden by the draw. The
// sum of the noise of all n clients is sqrt(n) times that of one, where all send every coordinate;
// one that a client alone has sent, by rand-k or as a block of its own, carries its noise alone.
void release_clients(const Plan& plan, Releases& r) {
  const double threshold = plan.bound->threshold();
  const double drawn = plan.schedule->expected();
  if (!plan.privacy.at_server) {
    const bool sums = plan.privacy.view == "V_aggregate" && plan.compressor->traits().omega == 0 &&
                      plan.shape().stride == 0;
    r.sensitivity.full = sums ? threshold / std::sqrt(drawn) : threshold;
    return;
  }
  const double moved = plan.compressor->traits().gain * threshold / drawn;
  if (plan.schedule->draw() == Draw::everyone) {
    r.sensitivity.full = moved;
    return;
  }
  r.sensitivity.sampled = moved;
  r.sampling = plan.schedule->draw() == Draw::independent ? Sampling::poisson : Sampling::fixed_wor;
  r.rate = drawn / static_cast<double>(plan.clients);
}

}  // namespace

Releases releases(const Plan& plan, std::size_t records) {
  Releases r;
  r.relation = relation_of(plan);
  r.rounds = static_cast<double>(plan.rounds);
  if (plan.protects_clients())
    release_clients(plan, r);
  else
    release_records(plan, records, r);
  return r;
}

namespace {

// sigma as it is asked for, or as it follows from epsilon.
double wanted_sigma(const Plan& plan, std::size_t records) {
  const auto& p = plan.privacy;
  if (p.sigma) return *p.sigma;
  if (p.calibration == "accountant") {
    try {
      return calibrated_sigma(releases(plan, records), *p.epsilon, *p.delta);
    } catch (const std::invalid_argument& error) {
      throw UserError(fmt::format("privacy: {}", error.what()));
    }
  }
  return plan.method.paper_noise({.constant = p.constant.value_or(plan.method.noise_constant),
                                  .threshold = plan.bound->threshold(),
                                  .rounds = static_cast<double>(plan.rounds),
                                  .delta = *p.delta,
                                  .epsilon = *p.epsilon,
                                  .records = static_cast<double>(records),
                                  .clients = static_cast<double>(plan.clients),
                                  .participants = plan.schedule->expected(),
                                  .at_server = p.at_server});
}

}  // namespace

double noise_sigma(const Plan& plan, std::size_t records) {
  if (!plan.method.noise) return 0;
  const double sigma = wanted_sigma(plan, records);
  const StateShape shape = plan.shape();
  const std::size_t noisy = plan.privacy.at_server ? shape.state : shape.up;
  return plan.privacy.total_norm ? sigma / std::sqrt(static_cast<double>(noisy)) : sigma;
}

}  // namespace trilemma
