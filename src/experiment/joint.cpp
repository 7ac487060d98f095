#include "experiment/joint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "memory/memory.hpp"
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

// Returns the number of bits for which the scale is chosen: as many as the table of a sampler
// allows, which holds shares of noise up to a standard deviation of 8192, and sums up to 2^17.
// Further bits are left as room. Where B, with its part d/4 of rounding, is well above sqrt(d) / 2,
// such a grid is as good as real numbers.
int useful_bits(const Plan& plan) {
  constexpr double share_limit = 0x1p13, sum_limit = 0x1p17;
  const accounting::MaskTask task = mask_task(plan);
  const double counted = task.clients - task.corrupt - task.dropouts;
  const double sigma = std::min(share_limit * std::sqrt(counted), sum_limit);
  return std::min(plan.joint.words->bits,
                  1 + static_cast<int>(std::log2(plan.joint.words->wrap * sigma)));
}

accounting::DistributedTask task_of(const Plan& plan) {
  accounting::DistributedTask task = *plan.joint.words;
  const accounting::MaskTask masks = mask_task(plan);
  task.clients = masks.clients;
  task.absent = masks.corrupt + masks.dropouts;
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
  if (!plan.joint) return;
  if (!plan.protects_clients() || !std::isfinite(plan.bound->threshold()))
    joint.refuse("kind", fmt::format("{} protects whole clients whose updates are bounded; choose "
                                     "method = \"dp-fedavg-clip\", or none",
                                     plan.joint_kind));
  if (plan.bound->bounds_message())
    s.section("bound").refuse(
        "of", fmt::format("{} bounds whole updates; choose update", plan.joint_kind));
  if (plan.method.memory != "none" && !row(memories(), plan.method.memory).make.traits.is_free)
    joint.refuse("kind", fmt::format("{} covers bounded updates, not what the memory of method {} "
                                     "makes of them; choose another method, or none",
                                     plan.joint_kind, plan.method_name));
}

void read_secure_sum(const Settings& s, Plan& plan) {
  if (!s.when(plan.joint.sums_integers())) return;
  Settings secure = s.section("secagg");
  const auto& kind = choose(secure_sums(), secure, "kind", "none",
                            "how the sum of words is hidden from the server");
  plan.secure_sum = kind.read(secure)();
  if (!plan.secure_sum.is_on) return;
  try {
    accounting::mask_graph(mask_task(plan));
  } catch (const std::invalid_argument& error) {
    secure.refuse("dropouts", fmt::format("{}; lower it, or secagg.corrupt", error.what()));
  }
}

accounting::MaskTask mask_task(const Plan& plan) {
  const auto clients = static_cast<double>(plan.clients);
  // A share of 0.29 of 100 clients is 29 of them, though its product is a little less.
  const auto rounded_down = [](double value) { return static_cast<std::uint32_t>(value + 1e-9); };
  return {static_cast<std::uint32_t>(plan.clients), rounded_down(plan.secure_sum.corrupt * clients),
          rounded_down(plan.secure_sum.dropouts * clients)};
}

namespace {

void check_sums(const Settings& s, const Plan& plan) {
  if (plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at", fmt::format("with {} each client adds its share of the noise; choose client",
                                plan.joint_kind));
  if (plan.privacy.sigma)
    s.section("privacy").refuse(
        "sigma", fmt::format("{} chooses its scale and noise for an epsilon of all rounds; leave "
                             "sigma out, and set privacy.epsilon and privacy.delta",
                             plan.joint_kind));
}

void check_layered(const Settings& s, const Plan& plan) {
  if (plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at", "with layered the noise is the error of a client's message; choose client");
}

void check_signs(const Settings& s, const Plan& plan) {
  if (!plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at",
        "with csgm a client sends some coordinates only, which its noise would not hide; choose "
        "server");
  if (plan.privacy.relation == accounting::Relation::zero_out)
    s.section("privacy").refuse(
        "relation",
        "with csgm a client whose update is zero still sends random signs, which no theorem "
        "compares with others; choose add_remove or replace_one");
  if (plan.schedule->draw() != Draw::everyone)
    s.section("participation")
        .refuse("kind",
                "the claim of csgm is about clients that draw coordinates in every round; choose "
                "full");
}

// Both ends draw the masks and the errors of messages from the seed.
void check_shared_draws(const Settings& s, const Plan& plan) {
  if (!plan.joint.sums_integers() && plan.privacy.secret)
    s.section("privacy").refuse(
        "rng", fmt::format("the privacy of {} rests on numbers that client and server draw from "
                           "the seed; choose philox",
                           plan.joint_kind));
}

}  // namespace

void check_joint(const Settings& s, const Plan& plan) {
  if (!plan.joint) return;
  const Settings joint = s.section("joint");
  if (plan.joint.sums_integers()) check_sums(s, plan);
  if (plan.joint.layered) check_layered(s, plan);
  if (plan.joint.signs) check_signs(s, plan);
  check_shared_draws(s, plan);
  if (plan.privacy.view != Adversary::aggregate)
    s.section("privacy").refuse(
        "view", fmt::format("{} is for an adversary who sees sums, since {}; choose V_aggregate",
                            plan.joint_kind,
                            plan.joint.sums_integers()
                                ? "a share of the noise protects no message"
                                : "whoever sees messages and can read them sees the updates"));
  if (plan.privacy.by_closed_form)
    s.section("privacy").refuse(
        "calibration", fmt::format("no closed form covers {}; choose accountant", plan.joint_kind));
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
  const std::string asked = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {}", plan.joint_kind, plan.joint.words->bits,
      plan.joint.words->wrap, plan.clients, plan.rounds, plan.shape().up, plan.bound->threshold(),
      *plan.privacy.epsilon, *plan.privacy.delta, accounting::name(plan.privacy.relation),
      plan.secure_sum.corrupt, plan.secure_sum.dropouts);
  if (key == asked) return noise;
  const accounting::DistributedTask task = task_of(plan);
  try {
    noise = accounting::distributed_noise(task);
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format(
        "joint.bits = {}: {}{}", plan.joint.words->bits, error.what(),
        task.bits < plan.joint.words->bits
            ? "; the noise of a client has at most a standard deviation of 8192 integers, so take "
              "more clients, fewer rounds or a larger privacy.epsilon"
            : " (joint.wrap)"));
  }
  key = asked;
  return noise;
}

accounting::PoissonBinomial joint_trials(const Plan& plan) {
  const accounting::MaskTask task = mask_task(plan);
  accounting::PoissonBinomial release{
      .clients = static_cast<double>(task.clients - task.corrupt - task.dropouts),
      .trials = static_cast<double>(plan.joint.trials->trials),
      .dimension = static_cast<double>(plan.shape().up),
      .relation = plan.privacy.relation};
  // A run asks several times, and the search takes a while.
  thread_local std::string key;
  thread_local double theta = 0;
  const std::string asked = fmt::format("{} {} {} {} {} {} {}", release.clients, release.trials,
                                        release.dimension, accounting::name(release.relation),
                                        plan.rounds, *plan.privacy.epsilon, *plan.privacy.delta);
  if (key != asked) {
    try {
      theta = accounting::calibrate_theta(release, static_cast<double>(plan.rounds),
                                          *plan.privacy.epsilon, *plan.privacy.delta)
                  .theta;
    } catch (const std::invalid_argument& error) {
      throw UserError(fmt::format("joint.kind = \"{}\": {}", plan.joint_kind, error.what()));
    }
    key = asked;
  }
  release.theta = theta;
  return release;
}

namespace {

// Returns the bits of the sum of words of so many clients.
unsigned bits_of_trials(const Plan& plan, double clients) {
  const double most = clients * static_cast<double>(plan.joint.trials->trials);
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(most)));
}

}  // namespace

unsigned word_bits(const Plan& plan) {
  if (plan.joint.words) return static_cast<unsigned>(plan.joint.words->bits);
  return bits_of_trials(plan, plan.secure_sum.is_on ? static_cast<double>(plan.clients) : 1);
}

WordSum words_of(const Plan& plan) {
  if (plan.joint.words) return {word_bits(plan), joint_noise(plan).scale};
  if (!plan.joint.trials) return {};
  const int m = plan.joint.trials->trials;
  const double limit = plan.joint.trials->clip.limit(plan.bound->threshold(), plan.shape().up);
  return {.bits = bits_of_trials(plan, static_cast<double>(plan.clients)),
          .scale = m * joint_trials(plan).theta / limit,
          .centre = 0.5 * m - (m + 1) / 2};
}

double joint_sensitivity(const Plan& plan) {
  const accounting::DistributedNoise noise = joint_noise(plan);
  const double bound = std::sqrt(static_cast<double>(noise.bound_squared));
  const double sigma = noise.share_sigma / noise.scale;
  return sigma * std::sqrt(plan.participants()) /
         accounting::gaussian_multiplier(noise.shift_mu, bound);
}

}  // namespace trilemma
