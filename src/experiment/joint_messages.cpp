// What the messages of a joint mechanism follow from: its noise, its trials, and their encoding.

#include <algorithm>
#include <bit>
#include <cmath>

#include "compress/layered.hpp"
#include "compress/masked_blocks.hpp"
#include "compress/masked_signs.hpp"
#include "compress/words.hpp"
#include "experiment/joint.hpp"
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

accounting::MaskTask mask_task(const Plan& plan) {
  const auto clients = static_cast<double>(plan.clients);
  // A share of 0.29 of 100 clients is 29 of them, though its product is a little less.
  const auto rounded_down = [](double value) { return static_cast<std::uint32_t>(value + 1e-9); };
  return {static_cast<std::uint32_t>(plan.clients), rounded_down(plan.secure_sum.corrupt * clients),
          rounded_down(plan.secure_sum.dropouts * clients)};
}

LocalMessages joint_messages(const Plan& plan) {
  LocalTask task = *plan.joint.local;
  task.dimension = plan.shape().up;
  task.norm = plan.bound->threshold();
  task.rounds = static_cast<double>(plan.rounds);
  task.epsilon = *plan.privacy.epsilon;
  task.delta = plan.privacy.delta.value_or(0);
  if (plan.privacy.view == Adversary::shuffled) task.shuffled = static_cast<double>(plan.clients);
  // A run asks several times, and the search takes a while where there are many rounds.
  thread_local std::string key;
  thread_local LocalMessages messages;
  const std::string asked =
      fmt::format("{} {} {} {} {} {} {} {}", plan.joint_kind, task.bits, task.dimension, task.norm,
                  task.rounds, task.epsilon, task.delta, task.shuffled);
  if (key == asked) return messages;
  try {
    messages = local_messages(task);
  } catch (const std::invalid_argument& error) {
    throw UserError(fmt::format("privacy.epsilon = {:g}: {}", task.epsilon, error.what()));
  }
  key = asked;
  return messages;
}

CompressorMaker joint_compressor(const Plan& plan) {
  const JointChoice& joint = plan.joint;
  const double norm = plan.bound->threshold();
  if (joint.sums_integers())
    return [bits = word_bits(plan)](std::size_t dimension, ValueFormat) {
      return make_words(dimension, bits);
    };
  if (joint.layered)  // with the noise of make_compressor(plan, sigma)
    return [clip = *joint.layered, norm](std::size_t dimension, ValueFormat) {
      return make_layered({.dimension = dimension, .limit = clip.limit(norm, dimension)});
    };
  if (joint.blocks)
    return [blocks = *joint.blocks, norm](std::size_t dimension, ValueFormat) {
      return make_masked_blocks(blocks, dimension, norm);
    };
  if (joint.signs)
    return [signs = *joint.signs, norm](std::size_t dimension, ValueFormat) {
      return make_masked_signs(signs, dimension, norm);
    };
  if (joint.local->kind == LocalKind::privunit) {
    Settings none = Settings::empty();
    return row(compressors(), "identity").read(none);
  }
  const LocalMessages messages = joint_messages(plan);
  const SqkrOptions options{.norm = norm,
                            .epsilon = messages.pair.epsilon,
                            .bits = messages.bits,
                            .own_coins = messages.own_coins};
  return [options](std::size_t dimension, ValueFormat) { return make_answers(dimension, options); };
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

// Returns the bits of the sum of the counts of `clients` clients.
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
