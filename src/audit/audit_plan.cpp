#include "audit/audit_plan.hpp"

#include <algorithm>
#include <cmath>

#include "audit/node_reader.hpp"
#include "experiment/claim.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/joint.hpp"
#include "experiment/read_plan.hpp"
#include "experiment/words.hpp"
#include "privacy/accountant/shuffling.hpp"

namespace trilemma {
namespace {

void check_claim(const Plan& plan, const std::string& file) {
  require(plan.method.noise, "{}: method {} adds no noise, so there is no claim to audit", file,
          plan.method_name);
  require(
      !plan.clock,
      "{}: method {} is on a clock, and its settings do not carry over to an audit of few clients; choose a method of rounds",
      file, plan.method_name);
  require(plan.privacy.delta.has_value() || plan.joint.local,
          "{}: privacy.delta is not set, so no epsilon is claimed; set it", file);
  require(std::isfinite(plan.bound->threshold()),
          "{}: gradients are not bounded, so no epsilon is claimed; set bound.kind", file);
  const char* refusal = theorem_for(claim_inputs_of(plan, {}).kind).refusal;
  require(refusal == nullptr, "{}: no epsilon is claimed, so there is nothing to audit: {}", file,
          refusal == nullptr ? "" : refusal);
}

// An audit of nodes recovers the gradients that they release from all their messages.
void check_nodes(const AuditPlan& a, const std::string& file) {
  for (const std::uint32_t round : {0U, 1U})
    require(reveal_of(*a.plan.method.node, round).slope != 0,
            "{}: method {} sends the gradient of a round in the next one, and an audit reads "
            "methods that send it at once; choose another one, porter-dp for example",
            file, a.plan.method_name);
  require(!a.plan.protects_clients(),
          "{}: bound.kind protects whole nodes, and an audit of a decentralised method is about "
          "records; choose clip-record",
          file);
  require(!a.asked.one_run,
          "{}: method {} is decentralised, and an audit in one run looks at clients without a "
          "state; leave --one-run out",
          file, a.plan.method_name);
  require(
      !Settings::from_file(file, a.asked.overrides).origin("compressor.kind").is_asked_for(),
      "--set compressor.kind: an audit of a decentralised method looks at all coordinates; leave it "
      "out");
}

// Two nodes suffice, since the claim is about every node alone.
void set_graph(AuditPlan& a) {
  Settings none = Settings::empty();
  a.plan.graph_options = {.kind = "complete", .edges = row(graphs(), "complete").read(none)};
  if (a.plan.clients > 2) a.changes.emplace_back("nodes that are all neighbours");
}

void check_one_run(const AuditPlan& a, const std::string& file) {
  require(!a.plan.protects_clients(),
          "{}: method {} protects whole clients, and an audit in one run places records; leave "
          "--one-run out",
          file, a.plan.method_name);
  require(!a.plan.privacy.at_server,
          "{}: method {} releases sums over all records, and an audit in one run looks at single "
          "messages; leave --one-run out",
          file, a.plan.method_name);
  require(a.plan.privacy.relation != accounting::Relation::replace_one,
          "{}: privacy.relation = \"replace_one\": an audit in one run needs add_remove or "
          "zero_out; leave --one-run out",
          file);
}

// Chooses the number of runs so that an audit takes about ten seconds.
long number_of_runs(const AuditPlan& a) {
  constexpr long rounds = 2'000'000, fewest = 1000, most = 20'000;
  // The cost of a round is proportional to its participants.
  const long pairs = std::max(1L, std::lround(a.plan.schedule->expected() / 2));
  return a.asked.runs.value_or(std::clamp(rounds / (a.plan.rounds * pairs), fewest, most));
}

}  // namespace

Claimed claimed_by(const Plan& plan, std::size_t records) {
  return {releases(plan, records), noise_sigma(plan, records)};
}

void keep_noise_ratio(const Claimed& experiment, AuditPlan& a) {
  Plan& plan = a.plan;
  // What a joint mechanism draws follows from the epsilon of the experiment, for any sensitivity
  // and number of coordinates.
  if (plan.joint && !plan.privacy.sigma) {
    const Claimed now = claimed_by(plan, a.records);
    a.releases = now.releases;
    a.sigma = now.sigma;
    if (plan.joint.layered || plan.joint.is_masked()) plan.privacy.sigma = a.sigma;
    return;
  }
  // The noise set here is that of every coordinate.
  plan.privacy.sigma = 0;
  plan.privacy.epsilon.reset();
  plan.privacy.total_norm = false;
  const Claimed now = claimed_by(plan, a.records);
  a.releases = now.releases;
  a.sigma = now.sensitivity() == experiment.sensitivity()
                ? experiment.sigma
                : experiment.sigma * now.sensitivity() / experiment.sensitivity();
  plan.privacy.sigma = a.sigma;
  if (a.sigma != experiment.sigma)
    a.changes.push_back(fmt::format("noise {:.6g} instead of {:.6g}: the same for its sensitivity",
                                    a.sigma, experiment.sigma));
}

// The compressor of the command line, with `k` where the experiment sets that; otherwise the
// method's own, or none.
CompressorMaker compressor_of_audit(const AuditOptions& options, const Method& method, bool is_kept,
                                    long k) {
  std::vector<std::string> overrides = options.overrides;
  const bool has_k =
      Settings::from_file(options.file, options.overrides).section("compressor").has("k");
  if (is_kept && has_k) overrides.push_back(fmt::format("compressor.k={}", k));
  if (!is_kept) overrides.emplace_back("compressor.kind=identity");
  Settings section = Settings::from_file(options.file, overrides).section("compressor");
  const auto& kind = method.compressor.empty()
                         ? choose(compressors(), section, "kind", method.default_compressor, "")
                         : row(compressors(), method.compressor);
  return kind.read(section);
}

// A claim does not rely on compression, so the attack is made with all coordinates sent; a
// compressor named on the command line keeps its share of coordinates.
void set_canary_problem(std::size_t dimension, AuditPlan& a) {
  Plan& plan = a.plan;
  const Layout before = plan.compressor->layout();
  const std::size_t coordinates_before = plan.shape().up;
  Settings none = Settings::empty();
  plan.partition = row(partitions(), "contiguous").make(none);
  plan.make_finetuning = row(finetunings(), "none").read(none);
  plan.start = {};
  plan.evaluation.optimum = false;
  plan.held_out = 0;
  plan.test_share = 0;
  const std::size_t coordinates =
      plan.method.shape(dimension, static_cast<std::size_t>(plan.clients)).up;
  const bool is_kept =
      Settings::from_file(a.asked.file, a.asked.overrides).origin("compressor.kind").is_asked_for();
  const double share = plan.compressor->traits().share;
  const auto k = std::max(1L, std::lround(share * static_cast<double>(coordinates)));
  const Choice<Problem> canaries([dimension] { return make_canary_problem(dimension); });
  // What encodes the vectors of a joint mechanism depends on the number of coordinates.
  Plan of_canaries = plan;
  of_canaries.problem = canaries;
  plan =
      plan.with({.problem = canaries,
                 .compressor = plan.joint ? joint_compressor(of_canaries)
                                          : compressor_of_audit(a.asked, plan.method, is_kept, k)});
  if (coordinates != coordinates_before)
    a.changes.push_back(
        fmt::format("{} coordinates instead of {}", coordinates, coordinates_before));
  if (plan.joint) return;
  a.is_denser = !is_kept && share < 1;
  if (before.varies && share < 1)
    a.changes.push_back(
        fmt::format("{} coordinates are sent, in the experiment each with probability {:g}",
                    is_kept ? "as many of the" : "all", share));
  else if (share < 1)
    a.changes.push_back(fmt::format("{} of {} coordinates are sent, in the experiment {} of {}",
                                    is_kept ? std::to_string(k) : "all", coordinates, before.count,
                                    before.dimension));
}

// Returns the epsilon of the audited federation by the accountant of its mechanism.
Account account_of(const AuditPlan& a) {
  const JointChoice& joint = a.plan.joint;
  const auto rounds = static_cast<double>(a.plan.rounds);
  Account out;
  if (joint.trials)
    out.epsilon = accounting::poisson_binomial_epsilon(joint_trials(a.plan), rounds, a.delta);
  else if (joint.local)
    out.epsilon = accounting::messages_epsilon(
        joint_messages(a.plan).pair,
        a.tap == Tap::shuffled ? static_cast<double>(a.plan.clients) : 1, rounds, a.delta);
  else
    out = account(a.releases, a.sigma, a.delta);
  return out;
}

AuditPlan plan_audit(const AuditOptions& options) {
  require_experiment(options.file);
  AuditPlan a;
  a.asked = options;
  DataFolder data(data_folder(options.data_folder));
  a.plan = read_plan(Settings::from_file(options.file, options.overrides), &data);
  a.seed = a.plan.seed;
  // An adversary who reads messages must see them individually; sums are the same for any exchange.
  if (a.plan.privacy.view != Adversary::shuffled) a.plan.uplink = "gather";
  // What the downlink does to a released model is post-processing.
  a.plan.downlink = "plain";
  a.plan.make_down_compressor = nullptr;
  a.plan.down_compressor = {};
  check_claim(a.plan, options.file);
  if (a.plan.is_decentralised()) {
    check_nodes(a, options.file);
    set_graph(a);
  }
  if (options.one_run) check_one_run(a, options.file);
  if (const std::string own = a.plan.problem->own_code(); !own.empty())
    a.changes.push_back(
        fmt::format("{} is not called: what it does with records remains outside the claim", own));
  if (a.plan.privacy.by_closed_form) a.nominal = a.plan.privacy.epsilon;
  a.plan.protects_clients() ? place_clients(a) : place_records(a);
  require(a.sigma > 0, "{}: sigma is 0, so no epsilon is claimed; set privacy.sigma or epsilon",
          options.file);
  a.runs = number_of_runs(a);
  // Messages that are private alone need none.
  a.delta = a.plan.privacy.delta.value_or(0);
  try {
    a.account = account_of(a);
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("{}: privacy: {}", options.file, error.what()));
  }
  return a;
}

Canary canary(const AuditPlan& a, std::size_t i) {
  const auto number = static_cast<std::uint32_t>(i);
  const auto records = static_cast<std::uint32_t>(a.records);
  if (a.canaries > 1) return {number / records, number % records, number % records, a.gradient};
  // Uses the middle of all ranges, so that no boundary of a loop is special.
  return {static_cast<std::uint32_t>(a.clients) - 1, records / 2,
          static_cast<std::uint32_t>(a.plan.problem->dimension() / 2), a.gradient};
}

CanaryData repeated_canary(const AuditPlan& a, World world) {
  CanaryData data{a.plan.problem->dimension(), a.clients, a.records, {}};
  Canary tested = canary(a, 0), other = tested;
  other.gradient *= -1;
  // A message hides best among those of clients that differ from its sender.
  for (other.client = 0; a.tap == Tap::shuffled && other.client < tested.client; ++other.client)
    data.canaries.push_back(other);
  if (world == World::absent) tested.gradient *= -1;
  if (world == World::present || a.signal.opposite) data.canaries.push_back(tested);
  return data;
}

}  // namespace trilemma
