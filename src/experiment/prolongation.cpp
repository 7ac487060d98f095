#include "experiment/prolongation.hpp"

#include <cmath>

#include "experiment/plan.hpp"
#include "experiment/settings_difference.hpp"

namespace trilemma {
namespace {

// privacy.sigma that leads to the noise `sigma` of every coordinate, to the last bit.
double setting_for(const Plan& plan, double sigma) {
  if (!plan.privacy.total_norm) return sigma;
  const StateShape shape = plan.shape();
  const double root =
      std::sqrt(static_cast<double>(plan.privacy.at_server ? shape.state : shape.up));
  const double near = sigma * root;
  for (const double total : {near, std::nextafter(near, 0), std::nextafter(near, HUGE_VAL)})
    if (total / root == sigma) return total;
  return near;
}

Settings settings_of(const Prolongation& prolongation, const RunOptions& options,
                     const std::vector<std::string>& more) {
  std::vector<std::string> overrides = options.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Settings::from_text(prolongation.run.config, options.file, overrides);
}

}  // namespace

Prolongation prolongation_of(const RunOptions& options) {
  Prolongation out{read_run_head(options.file), 0};
  require(out.run.complete,
          "{}: a run that is not complete; bring it to its end with --resume, then prolong it",
          options.file);
  require(out.run.real == real_name,
          "{}: written by a program with {} numbers, this one has {}; use the other program",
          options.file, out.run.real, real_name);
  const Plan plan = read_plan(settings_of(out, options, {}));
  require(plan.fingerprint == out.run.fingerprint,
          "{}: prolonged with --set, or by another version of the program, its settings would be "
          "others ({}); settings of the results stay as they were",
          options.file, settings_difference(out.run.config, plan.config));
  require(out.run.rounds_done == static_cast<std::uint64_t>(plan.rounds),
          "{}: {} rounds where its configuration has {}; take another copy of it", options.file,
          out.run.rounds_done, plan.rounds);
  out.rounds = plan.rounds;
  return out;
}

Settings prolonged_settings(const Prolongation& prolongation, const RunOptions& options) {
  const Plan plan = read_plan(settings_of(prolongation, options, {}));
  std::vector<std::string> more = {
      fmt::format("rounds={}", prolongation.rounds + options.rounds_more)};
  if (plan.method.noise && plan.privacy.epsilon)
    more.push_back(
        fmt::format("privacy.sigma={}", setting_for(plan, prolongation.run.noise_sigma)));
  return settings_of(prolongation, options, more);
}

}  // namespace trilemma
