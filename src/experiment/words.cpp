#include "experiment/words.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace trilemma {

std::string data_folder(const std::string& given) {
  if (!given.empty()) return given;
  const char* set = std::getenv("TRILEMMA_DATA_DIR");
  return set != nullptr && *set != '\0' ? set : "data";
}

std::string shape_and_settings(const Plan& plan) {
  return fmt::format("{} features, {} classes and settings with checksum {}",
                     plan.source->features(), plan.source->classes(), plan.fingerprint);
}

std::string records_in_words(const Plan& plan, const std::string& scaling) {
  std::string words = plan.source->description();
  // `scaling` states the number of incomplete records, which privacy.strict withholds.
  if (!plan.privacy.strict && !scaling.empty()) words += fmt::format(" ({})", scaling);
  if (plan.test_share > 0)
    words += fmt::format("; a share of {:g} drawn for tests", plan.test_share);
  return words;
}

std::string data_in_words(const Plan& plan, const std::string& scaling,
                          const std::string& partition) {
  std::string words = records_in_words(plan, scaling) + "; " + partition;
  if (plan.held_out > 0)
    words += fmt::format("; a share of {:g} held out for tests by each client", plan.held_out);
  return words;
}

std::string note_on_bias(const Plan& plan) {
  if (!plan.source->preprocessing().has_bias || !plan.problem->has_bias()) return "";
  return "the model has a bias of its own, and data.bias = true appends a constant feature, whose "
         "weights do the same; set data.bias = false for a smaller model";
}

std::string local_work_in_words(const Plan& plan) {
  const std::string records =
      !plan.uses_batch ? "all records"
                       : fmt::format("minibatches of {} ({})", plan.batch, plan.sampler->name());
  if (!plan.takes_steps()) return fmt::format("estimator {} on {}", plan.method.estimator, records);
  const LocalSteps& steps = plan.method.steps;
  const std::string number = fmt::format(
      "{}{}", steps.can_be_fewer ? "up to " : "",
      counted(static_cast<std::size_t>(steps.count), steps.counts_epochs ? "epoch" : "step"));
  std::string words = steps.solver + ", ";
  if (steps.is_pass)
    words += "a step for each record";
  else
    words += fmt::format("{} {} {}", number, steps.counts_epochs ? "of" : "on", records);
  words += fmt::format(", rate {:g}", plan.local_rate());
  if (steps.divides_rate) words += " divided by the number of steps";
  if (steps.rate.decay == 1) return words;
  const auto every = static_cast<std::size_t>(steps.rate.every);
  return words + fmt::format(", times {:g} every {}", steps.rate.decay,
                             every == 1 ? "round" : counted(every, "round"));
}

std::string generator_in_words(const Plan& plan) {
  return plan.privacy.secret
             ? "ChaCha20 seeded by the operating system: cryptographic, not reproducible"
             : "Philox4x32-10: not cryptographic, for simulation only";
}

std::string noise_in_words(const Plan& plan, double sigma) {
  if (plan.joint.words)
    return in_words(plan.joint.words->law, joint_noise(plan), word_bits(plan)) +
           ", added by each client";
  if (plan.joint.trials)
    return make_random_trials(
               plan.joint.trials->trials, joint_trials(plan).theta,
               plan.joint.trials->clip.limit(plan.bound->threshold(), plan.shape().up))
        ->description();
  if (plan.joint.local) return in_words(joint_messages(plan)) + ", chosen by each client";
  const std::string noise = make_gaussian(sigma)->description();
  if (sigma == 0) return noise;
  if (plan.joint.layered) return noise + ", the error of each client's message";
  return noise +
         (plan.privacy.at_server ? ", added by the server to the mean" : ", added by each client");
}

}  // namespace trilemma
