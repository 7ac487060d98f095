#include "run/extension.hpp"

#include <cmath>
#include <filesystem>

#include "experiment/budget.hpp"
#include "experiment/read_plan.hpp"
#include "record/content_sum.hpp"
#include "run/run_names.hpp"

namespace trilemma {
namespace {

// Returns the privacy.sigma that leads to noise `sigma` per coordinate, to the last bit.
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

Settings settings_of(const Extension& extension, const RunOptions& options,
                     const std::vector<std::string>& more) {
  std::vector<std::string> overrides = options.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Settings::from_text(extension.run.config, options.file, overrides);
}

}  // namespace

Extension extension_of(const RunOptions& options) {
  std::error_code ignored;
  require(!std::filesystem::is_symlink(options.file, ignored),
          "{}: a symbolic link, through which nothing is written; name the file itself",
          options.file);
  Extension out{read_run_head(options.file), 0};
  require(out.run.complete,
          "{}: a run that is not complete; bring it to its end with --resume, then extend it",
          options.file);
  const std::string damage = check_content(options.file);
  require(damage.empty(), "{}", damage);
  require(out.run.real == real_name,
          "{}: written by a program with {} numbers, this one has {}; use the other program",
          options.file, out.run.real, real_name);
  const Plan plan = read_plan(settings_of(out, options, {}));
  require(
      plan.fingerprint == out.run.fingerprint,
      "{}: here its settings would differ ({}): by --set, another file that they name, or another version of the program; settings that affect results must not change",
      options.file, difference_in_words(out.run, plan));
  require(out.run.rounds_done == static_cast<std::uint64_t>(plan.rounds),
          "{}: {} rounds where its configuration has {}; take another copy of it", options.file,
          out.run.rounds_done, plan.rounds);
  require(
      !plan.method.ends_differently,
      "{}: its last server step gave the mean of all models (server.output), so that none can follow; start a new run with more rounds",
      options.file);
  require(
      !plan.method.output,
      "{}: its last server step gave the model of a random round, which was drawn among {} rounds; start a new run with more rounds",
      options.file, plan.rounds);
  require(
      !(plan.method.recursion.remembers() && plan.privacy.by_closed_form),
      "{}: its noise between anchors follows from the closed form for {} rounds; start a new run with more rounds",
      options.file, plan.rounds);
  out.rounds = plan.rounds;
  require(static_cast<double>(out.rounds + options.rounds_more) <= most_rounds,
          "--rounds-more: {} has {} rounds, and a run has at most {:.0f}; give fewer", options.file,
          out.rounds, most_rounds);
  return out;
}

Settings extended_settings(const Extension& extension, const RunOptions& options) {
  const Plan plan = read_plan(settings_of(extension, options, {}));
  std::vector<std::string> more = {
      fmt::format("rounds={}", extension.rounds + options.rounds_more)};
  if (plan.method.noise && plan.privacy.epsilon)
    more.push_back(fmt::format("privacy.sigma={}", setting_for(plan, extension.run.noise_sigma)));
  return settings_of(extension, options, more);
}

}  // namespace trilemma
