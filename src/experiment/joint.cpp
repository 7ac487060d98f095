#include "experiment/joint.hpp"

#include <cmath>

#include "memory/memory.hpp"

namespace trilemma {

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

namespace {

// Refuses settings of noise that the mechanism chooses itself.
void check_noise(const Settings& privacy, const Plan& plan) {
  if (plan.joint.layered || plan.joint.is_masked()) return;
  const bool is_local = plan.joint.local.has_value();
  if (plan.privacy.at_server)
    privacy.refuse("noise_at", fmt::format("with {} each client {}; choose client", plan.joint_kind,
                                           is_local ? "randomises its own messages"
                                                    : "adds its share of the noise"));
  if (plan.privacy.sigma)
    privacy.refuse(
        "sigma",
        fmt::format("{} {} for an epsilon of all rounds; leave sigma out, and set "
                    "privacy.epsilon{}",
                    plan.joint_kind, is_local ? "is chosen" : "chooses its scale and noise",
                    is_local ? "" : " and privacy.delta"));
}

// Refuses keys that whoever knows the seed knows, and drop-outs that would end the run: which
// clients drop out of which round follows from the settings.
void check_secure_sum(const Settings& s, const Plan& plan) {
  if (!plan.secure_sum.is_on) return;
  if (plan.privacy.secret)
    s.section("privacy").refuse(
        "rng", "the keys of secure aggregation are drawn from the seed; choose philox");
  if (plan.schedule->draw() != Draw::dropping) return;
  const accounting::MaskTask task = mask_task(plan);
  const auto schedule = plan.schedule.make();
  std::vector<std::uint32_t> left;
  for (std::uint32_t round = 0; round < static_cast<std::uint32_t>(plan.rounds); ++round) {
    schedule->participants(round, left, nullptr);
    const std::size_t gone = task.clients - left.size();
    if (gone > task.dropouts)
      s.section("secagg").refuse(
          "dropouts",
          fmt::format("it allows {} of {} clients to drop out of a round, and {} drop out of round "
                      "{}; raise it, or lower participation.probability",
                      task.dropouts, task.clients, gone, round + 1));
  }
}

// Returns why sums alone are covered.
const char* reason_for_sums(const JointChoice& joint) {
  return joint.sums_integers() ? "a share of the noise protects no message"
                               : "whoever sees messages and can read them sees the updates";
}

void check_view(const Settings& privacy, const Plan& plan) {
  if (plan.joint.local && plan.privacy.view != Adversary::server &&
      plan.privacy.view != Adversary::shuffled)
    privacy.refuse("view", fmt::format("messages of {} are private alone, and no theorem here "
                                       "counts on their sum; choose V_server or V_shuffled",
                                       plan.joint_kind));
  if (!plan.joint.local && plan.privacy.view != Adversary::aggregate)
    privacy.refuse("view",
                   fmt::format("{} is for an adversary who sees sums, since {}; choose V_aggregate",
                               plan.joint_kind, reason_for_sums(plan.joint)));
}

void check_layered(const Settings& s, const Plan& plan) {
  if (plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at", "with layered the noise is the error of a client's message; choose client");
}

void check_masks(const Settings& s, const Plan& plan) {
  if (!plan.privacy.at_server)
    s.section("privacy").refuse(
        "noise_at",
        fmt::format("with {} a client sends a part of its update only, which its noise would not "
                    "hide; choose server",
                    plan.joint_kind));
  if (plan.joint.signs && plan.privacy.relation == accounting::Relation::zero_out)
    s.section("privacy").refuse(
        "relation",
        "with csgm a client whose update is zero still sends random signs, which no theorem "
        "compares with others; choose add_remove or replace_one");
  if (plan.schedule->draw() != Draw::everyone)
    s.section("participation")
        .refuse("kind", fmt::format("the claim of {} is about clients that draw parts of their "
                                    "updates in every round; choose full",
                                    plan.joint_kind));
}

// Both ends draw the masks and the errors of messages from the seed.
void check_shared_draws(const Settings& s, const Plan& plan) {
  if ((plan.joint.layered || plan.joint.is_masked()) && plan.privacy.secret)
    s.section("privacy").refuse(
        "rng", fmt::format("the privacy of {} rests on numbers that client and server draw from "
                           "the seed; choose philox",
                           plan.joint_kind));
}

}  // namespace

void check_joint(const Settings& s, const Plan& plan) {
  if (!plan.joint) return;
  const Settings joint = s.section("joint");
  check_noise(s.section("privacy"), plan);
  if (plan.joint.layered) check_layered(s, plan);
  if (plan.joint.is_masked()) check_masks(s, plan);
  check_shared_draws(s, plan);
  check_view(s.section("privacy"), plan);
  check_secure_sum(s, plan);
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

}  // namespace trilemma
