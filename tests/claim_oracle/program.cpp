#include "tests/claim_oracle/program.hpp"

#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/text.hpp"
#include "experiment/claim.hpp"
#include "experiment/joint.hpp"
#include "experiment/read_plan.hpp"
#include "numeric/random.hpp"
#include "numeric/secret.hpp"

namespace trilemma::claims {
namespace {

Plan plan_of(const std::vector<std::string>& overrides) {
  return read_plan(Settings::from_text("", "e.toml", overrides));
}

/// Noise of a client, together with its part of what rounding to integers adds to the sum: a
/// variance of 1/4 at most at the only coordinate of a client's vector.
double with_rounding(const Plan& plan, const Facts& facts, double sigma) {
  if (!plan.joint.words) return sigma;
  const double step = 1 / joint_noise(plan).scale;
  return std::hypot(sigma,
                    step / 2 / std::sqrt(static_cast<double>(facts.clients - facts.missing)));
}

/// What a client moves all coordinates of the counts by: 2 theta sqrt(m d / n), where a count has
/// its largest variance n m / 4.
double step_of_trials(const Plan& plan, const Facts& facts) {
  const accounting::PoissonBinomial release = joint_trials(plan);
  return 2 * release.theta *
         std::sqrt(release.trials * release.dimension /
                   static_cast<double>(facts.clients - facts.missing));
}

void add_joint(const Plan& plan, Facts& facts) {
  facts.sigma = with_rounding(plan, facts, facts.sigma);
  if (plan.joint.trials) facts.trial_step = step_of_trials(plan, facts);
  if (!plan.joint.is_masked()) return;
  const auto d = plan.shape().up;
  const double norm = plan.bound->threshold();
  // As many coordinates or blocks as a vector of this norm has at their own bound.
  const auto full = [norm](double of_part) {
    return std::max(1L, static_cast<long>(norm * norm / (of_part * of_part) * (1 + 1e-9)));
  };
  if (plan.joint.signs) {
    facts.mask_rate = plan.joint.signs->rate;
    facts.part = plan.joint.signs->size(norm, d);
    facts.full_parts = full(plan.joint.signs->clip.limit(norm, d));
  } else {
    facts.mask_rate = plan.joint.blocks->rate;
    facts.part = plan.joint.blocks->limit(norm, d) / plan.joint.blocks->rate;
    facts.full_parts = full(plan.joint.blocks->limit(norm, d));
  }
}

/// Two runs that differ in their secrets only.
bool participants_are_public() {
  const std::vector<std::string> secret{"method=dp-fedavg-clip",      "clients=64",
                                        "participation.kind=poisson", "participation.rate=0.5",
                                        "privacy.rng=chacha20",       "privacy.sigma=1",
                                        "privacy.noise_at=server"};
  const Plan plan = plan_of(secret);
  const Secret one, other;
  const auto schedule = plan.schedule.make();
  std::vector<std::uint32_t> first, second;
  for (std::uint32_t round = 0; round < 4; ++round) {
    schedule->participants(round, first, plan.draws_secretly() ? &one : nullptr);
    schedule->participants(round, second, plan.draws_secretly() ? &other : nullptr);
    if (first != second) return false;
  }
  return true;
}

}  // namespace

std::string Request::text() const {
  std::string all;
  for (const std::string& word : overrides) all += "--set " + word + " ";
  return all + fmt::format("[{} to {} records a client]", least, most);
}

std::optional<Answer> ask(const Request& request, std::string& refused) {
  try {
    const Plan plan = plan_of(request.overrides);
    const ShardSizes shards(static_cast<std::size_t>(request.least),
                            static_cast<std::size_t>(request.most));
    const double sigma = noise_sigma(plan, shards);
    const Claim claim = make_claim(plan, sigma, shards);
    Answer answer;
    answer.facts = read_facts(plan.config);
    const CompressorTraits sent = plan.compressor->traits();
    answer.facts.gain = sent.unbiased ? 1 / sent.share : sent.gain;  // masks scale by the share
    answer.facts.least = request.least;
    answer.facts.most = request.most;
    answer.facts.sigma = sigma;
    add_joint(plan, answer.facts);
    answer.dp_claim = claim.record.dp_claim;
    answer.sentence = claim.sentence;
    answer.preprocessing =
        join(claim.record.preprocessing, "; ") + "; " + join(claim.record.releases_outside, "; ");
    answer.epsilon = claim.record.epsilon;
    answer.delta = claim.record.delta;
    answer.epsilon_half = claim.curve ? claim.curve->at(static_cast<std::size_t>(plan.rounds / 2))
                                      : std::numeric_limits<double>::quiet_NaN();
    return answer;
  } catch (const UserError& error) {
    refused = error.what();
    return {};
  }
}

Machine machine() {
  return {.noise_cut = largest_normal(),
          .public_participants = participants_are_public(),
          .regulariser_before_noise = false};
}

}  // namespace trilemma::claims
