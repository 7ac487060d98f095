#include "experiment/claim.hpp"

namespace trilemma {

double noise_sigma(const Plan& plan, std::size_t records) {
  if (!plan.method.noise) return 0;
  const auto& p = plan.privacy;
  if (p.sigma) return *p.sigma;
  return paper_sigma(p.constant.value_or(plan.method.noise_constant), plan.bound->threshold(),
                     static_cast<double>(plan.rounds), *p.delta, static_cast<double>(records),
                     *p.epsilon);
}

std::string privacy_claim(const Plan& plan, double sigma, std::size_t records) {
  const std::string none = "not a private run: ";
  if (!plan.method.noise) return none + "the method adds no noise";
  if (sigma == 0) return none + "sigma is 0";
  if (const std::string objection = plan.bound->objection(); !objection.empty())
    return none + objection;
  if (!plan.privacy.epsilon)
    return none + "noise was given as sigma and its epsilon was not computed";
  std::string claim = fmt::format(
      "nominal only: ({:g}, {:g})-DP for one record replaced, every message visible, by the paper's closed "
      "form; no accountant has checked it",
      *plan.privacy.epsilon, *plan.privacy.delta);
  if (plan.privacy.constant && *plan.privacy.constant != plan.method.noise_constant)
    claim += fmt::format("; with constant {:g} instead of the published {:g}",
                         *plan.privacy.constant, plan.method.noise_constant);
  if (plan.estimator.uses_batch) {
    const double rate = static_cast<double>(plan.batch) / static_cast<double>(records);
    const double limit = rate * rate * static_cast<double>(plan.rounds);
    if (*plan.privacy.epsilon > limit)
      claim += fmt::format(
          "; the form's condition, epsilon below a constant times b^2 T/m^2 = {:.3g}, is in doubt",
          limit);
  }
  if (plan.sampler && std::string_view(plan.sampler->name()) != "poisson")
    claim += fmt::format("; the closed form's proof needs Poisson sampling, the run draws {}",
                         plan.sampler->name());
  if (*plan.privacy.delta * static_cast<double>(records) >= 1)
    claim += fmt::format("; delta is not below 1/m for clients of m = {} records", records);
  return claim;
}

}  // namespace trilemma
