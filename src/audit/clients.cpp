// Canaries that are whole clients.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "audit/audit_plan.hpp"
#include "experiment/joint.hpp"

namespace trilemma {
namespace {

// Number of participants per round: enough for a client to be drawn among others, and cheap.
constexpr double wanted_participants = 4;
constexpr long most_clients = 64;
// Number of clients among whose messages one is hidden.
constexpr long most_shuffled = 16;
// Gradients longer than this number of bounds would exceed the range of a float.
constexpr double most_excess = 1e18;

struct Cohort {
  long clients = 0;
  long size = 0;  ///< participants of a draw of fixed size
};

// Returns a smaller federation with the same sampling rate.
Cohort shrink(const Plan& plan) {
  const long n = plan.clients;
  const double drawn = plan.schedule->expected();
  switch (plan.schedule->draw()) {
    case Draw::everyone:
    case Draw::dropping:
      return {std::min(n, plan.privacy.view == Adversary::shuffled ? most_shuffled : 2L), 0};
    case Draw::independent:
      return {
          std::min({n, most_clients,
                    std::lround(std::ceil(wanted_participants * static_cast<double>(n) / drawn))}),
          0};
    case Draw::fixed_size:
      break;
  }
  const long size = std::lround(drawn);
  const long common = std::gcd(size, n);
  if (n / common <= most_clients) return {n / common, size / common};
  const double share = drawn / static_cast<double>(n);
  const long fewer = std::max(1L, std::lround(most_clients * share));
  return {std::lround(static_cast<double>(fewer) / share), fewer};
}

void set_cohort(AuditPlan& a) {
  Plan& plan = a.plan;
  // Of two clients, one that drops out would take half of the noise with it.
  if (plan.schedule->draw() == Draw::dropping) {
    plan.schedule_kind = "full";
    a.changes.emplace_back("no client drops out");
  }
  const Cohort cohort = shrink(plan);
  if (cohort.clients != plan.clients)
    a.changes.push_back(fmt::format("{} clients instead of {}", cohort.clients, plan.clients));
  a.clients = static_cast<std::size_t>(cohort.clients);
  std::vector<std::string> overrides = a.asked.overrides;
  if (cohort.size > 0) overrides.push_back(fmt::format("participation.size={}", cohort.size));
  Settings participation =
      plan.schedule_kind == "full"
          ? Settings::empty()
          : Settings::from_file(a.asked.file, overrides).section("participation");
  plan = plan.with({.clients = cohort.clients,
                    .schedule = row(schedules(), plan.schedule_kind).read(participation)});
}

// Returns a norm for which a client's update is many bounds long in every round, whatever its error
// memory or control variate holds by then, and also after steps of the smallest size.
double gradient_of(const Plan& plan) {
  double rate = 1;
  if (plan.takes_steps())
    for (const long round : {0L, plan.rounds - 1})
      rate = std::min(
          rate, plan.method.steps.step_rate(static_cast<std::uint32_t>(round),
                                            static_cast<std::size_t>(plan.method.steps.count)));
  const double kept =
      static_cast<double>(plan.rounds) *
      std::max(1.0, plan.memory->traits.changes_released ? 1.0 : plan.step_of_memory()) *
      std::fmax(1.0, plan.compressor->traits().gain);
  return plan.bound->threshold() * std::min(most_excess, canary_excess * kept / rate);
}

// Noise added by clients covers messages, or their sum if the adversary sees only that; noise of
// the server covers the mean. An adversary who knows all other clients can subtract their
// contributions, unless a draw of fixed size would then reveal who was drawn.
void set_adversary(AuditPlan& a) {
  const PrivacyPlan& p = a.plan.privacy;
  const Draw draw = a.plan.schedule->draw();
  a.tap = p.at_server                     ? Tap::mean
          : p.view == Adversary::server   ? Tap::message
          : p.view == Adversary::shuffled ? Tap::shuffled
                                          : Tap::sum;
  const bool counts = draw == Draw::fixed_size && p.view == Adversary::others;
  a.knows.draws = p.view == Adversary::server || !can_be_secret(draw) || counts;
  a.knows.others = draw != Draw::fixed_size || counts;
  // The decoded noise of the layered quantiser is Gaussian in every direction.
  if (a.plan.rotates && a.tap != Tap::mean && !a.plan.joint.layered) {
    a.plan.rotates = false;
    a.changes.emplace_back("vectors are not turned before they are bounded");
  }
}

Signal signal_of_client(const AuditPlan& a) {
  Signal s;
  s.size = a.releases.of_every_round().sensitivity.total();
  s.sigma = a.sigma;
  s.opposite = a.releases.relation == accounting::Relation::replace_one;
  s.statistic = "log-likelihood ratio of all rounds, Gaussian noise";
  if (a.plan.joint.local) {
    // To first order the ratio of a message is that of Gaussian noise with the variance of its
    // projection.
    s.most = joint_messages(a.plan).pair.epsilon;
    s.statistic = a.tap == Tap::shuffled
                      ? "log of the mean likelihood ratio of the messages, summed over the rounds"
                      : "projections of all rounds, none of which counts more than its epsilon";
    return s;
  }
  if (a.plan.joint.is_masked()) {
    s.rate = a.releases.of_every_round().rate;
    s.statistic += " on secret parts of the vector";
    return s;
  }
  if (a.unsampled) return s;
  if (a.knows.draws) {
    s.statistic += ", in the rounds of the client";
    return s;
  }
  s.rate = a.plan.schedule->expected() / static_cast<double>(a.clients);
  s.statistic += fmt::format(" on {} draws of clients", a.plan.schedule_kind);
  return s;
}

}  // namespace

void place_clients(AuditPlan& a) {
  Plan& plan = a.plan;
  require(
      plan.privacy.at_server || plan.privacy.relation == accounting::Relation::replace_one ||
          !plan.takes_steps() || !plan.method.steps.moves_without_data(),
      "{}: a client of method {} sends something even without data, so an audit cannot set it to "
      "zero while it adds its own noise; set privacy.relation = \"replace_one\", or "
      "privacy.noise_at = \"server\"",
      a.asked.file, plan.method_name);
  const Claimed experiment = claimed_by(plan, 1);
  set_cohort(a);
  // Masks cancel in the sum, which is all that the adversary sees.
  plan.secure_sum = {};
  a.canaries = 1;
  a.records = 1;
  plan.batch = 1;
  a.changes.emplace_back("one record per client");
  set_canary_problem(static_cast<std::size_t>(a.asked.dimension), a);
  keep_noise_ratio(experiment, a);
  a.gradient = gradient_of(plan);
  if (plan.method.steps.family == SolverFamily::zeroth_order) {
    // Far from the model of the round, floats are too coarse for differences over `smoothing`.
    plan.method.steps.rate.first = 0;
    a.changes.emplace_back("all local steps at the model of the round");
  }
  set_adversary(a);
  a.unsampled =
      !can_be_secret(plan.schedule->draw()) && !plan.joint.local && !plan.joint.is_masked();
  a.signal = signal_of_client(a);
}

}  // namespace trilemma
