#include "experiment/joint.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/account.hpp"
#include "privacy/joint.hpp"

namespace trilemma {
namespace {

// Returns the noise multiplier z with which a Gaussian release in each round meets the target.
double wanted_multiplier(const Plan& plan) {
  const Release of_a_round{.sensitivity = {.full = 1}, .times = static_cast<double>(plan.rounds)};
  return calibrated_sigma({plan.privacy.relation, {of_a_round}}, *plan.privacy.epsilon,
                          *plan.privacy.delta);
}

// Returns the number of bits for which the scale is chosen. A grid on which the noise of a client
// has a standard deviation of 8192, or that of the sum 2^17, is as good as real numbers; further
// bits are left as room.
int useful_bits(const Plan& plan) {
  constexpr double share_limit = 0x1p13, sum_limit = 0x1p17;
  const double sigma = std::min(share_limit * std::sqrt(plan.participants()), sum_limit);
  return std::min(plan.joint->bits, 1 + static_cast<int>(std::log2(plan.joint->wrap * sigma)));
}

accounting::DistributedTask task_of(const Plan& plan) {
  accounting::DistributedTask task = *plan.joint;
  task.clients = static_cast<double>(plan.clients);
  task.dimension = static_cast<double>(plan.shape().up);
  task.norm = plan.bound->threshold();
  task.flatness = rotation_flatness(plan.shape().up);
  task.multiplier = wanted_multiplier(plan);
  task.bits = useful_bits(plan);
  return task;
}

}  // namespace

void read_joint(const Settings& s, Plan& plan) {
  if (!s.when(plan.method.noise && !plan.is_decentralised() && !plan.clock && !plan.policy)) return;
  Settings joint = s.section("joint");
  plan.joint_kind = choose(joints(), joint, "kind", "none",
                           "mechanism that replaces noise, compressor and format of messages")
                        .name;
  plan.joint = row(joints(), plan.joint_kind).read(joint)();
  if (plan.joint && (!plan.protects_clients() || plan.bound->bounds_message() ||
                     !std::isfinite(plan.bound->threshold())))
    joint.refuse("kind", fmt::format("{} protects whole clients whose updates are bounded; choose "
                                     "method = \"dp-fedavg-clip\", or none",
                                     plan.joint_kind));
}

void check_joint(const Settings& s, const Plan& plan) {
  if (!plan.joint) return;
  const Settings joint = s.section("joint");
  if (plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at", fmt::format("with {} each client adds its share of the noise; choose client",
                                plan.joint_kind));
  if (plan.privacy.view != Adversary::aggregate)
    s.section("privacy").refuse(
        "view", fmt::format("{} is for an adversary who sees sums, since a share of the noise "
                            "protects no message; choose V_aggregate",
                            plan.joint_kind));
  if (!plan.privacy.epsilon || plan.privacy.by_closed_form || plan.privacy.total_norm)
    s.section("privacy").refuse(
        "epsilon", fmt::format("{} chooses its scale and noise for an epsilon by the accountant; "
                               "set privacy.epsilon and privacy.delta, and leave sigma out",
                               plan.joint_kind));
  if (plan.method.memory != "none")
    s.section("memory").refuse(
        "kind", fmt::format("{} covers bounded updates, not what a memory makes of them; choose "
                            "none",
                            plan.joint_kind));
  const StateShape shape = plan.shape();
  if (shape.stride != 0 || shape.up != shape.model || plan.weighs_records)
    joint.refuse("kind",
                 fmt::format("{} sums one update of the model's size from each client with equal "
                             "weights, and method {} does not; choose none",
                             plan.joint_kind, plan.method_name));
}

accounting::DistributedNoise joint_noise(const Plan& plan) {
  // A run asks several times, and the search takes a while.
  thread_local std::string key;
  thread_local accounting::DistributedNoise noise;
  const std::string asked = fmt::format("{} {} {} {} {}", plan.config, plan.clients, plan.rounds,
                                        plan.shape().up, *plan.privacy.epsilon);
  if (key == asked && !plan.config.empty()) return noise;
  try {
    noise = accounting::distributed_noise(task_of(plan));
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("joint.kind = \"{}\": {} (joint.bits, joint.wrap)", plan.joint_kind,
                                error.what()));
  }
  key = asked;
  return noise;
}

double joint_sensitivity(const Plan& plan) {
  const accounting::DistributedNoise noise = joint_noise(plan);
  return noise.share_sigma / noise.scale * noise.shift_mu *
         std::sqrt(static_cast<double>(noise.bound_squared)) * std::sqrt(plan.participants());
}

}  // namespace trilemma
