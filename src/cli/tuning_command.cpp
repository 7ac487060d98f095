#include <cmath>
#include <memory>

#include "base/check.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/privacy_answer.hpp"
#include "privacy/accountant/tuning.hpp"

namespace trilemma {
namespace {

using accounting::Composition;
using accounting::Count;
using accounting::gamma_of;
using accounting::Options;
using accounting::Result;
using accounting::Runs;
using accounting::shown;

struct TuningArguments {
  PrivacyArguments releases;
  double runs = 1;
  std::string distribution = "geometric";
  double eta = std::nan("");
  bool asks_sigma = false;
};

Runs runs_of(const TuningArguments& a) {
  const std::string& kind = a.distribution;
  const bool shaped = kind == "negative-binomial";
  require(shaped || kind == "geometric" || kind == "logarithmic" || kind == "poisson" ||
              kind == "composition",
          "--distribution {}: unknown; known are geometric, logarithmic, negative-binomial, "
          "poisson, composition",
          kind);
  require(shaped != std::isnan(a.eta),
          "--eta: give it with --distribution negative-binomial, and only there");
  Runs runs;
  runs.mean = a.runs;
  if (kind == "poisson") runs.count = Count::poisson;
  if (kind == "composition") runs.count = Count::composition;
  if (kind == "logarithmic") runs.eta = 0;
  if (shaped) runs.eta = a.eta;
  validate(runs);
  return runs;
}

// Describes the number of runs and the law of that number.
std::string count_in_words(const Runs& runs, const std::string& kind) {
  if (runs.count == Count::composition) return shown(runs.mean) + ", all of which may be published";
  return shown(runs.mean) + " expected, their number K " + kind;
}

std::string draw_in_words(const Runs& runs) {
  std::string law;
  if (runs.count == Count::composition) return "";
  if (runs.count == Count::poisson)
    law = fmt::format("P[K = k] = e^-{0} {0}^k / k!, k = 0, 1, ... (numpy: poisson({0}))",
                      shown(runs.mean));
  else if (runs.eta == 1)
    law = fmt::format("P[K = k] = g (1-g)^(k-1), k = 1, 2, ..., g = {0} (numpy: geometric({0}))",
                      shown(gamma_of(runs.eta, runs.mean)));
  else if (runs.eta == 0)
    law = fmt::format(
        "P[K = k] = (1-g)^k / (k log(1/g)), k = 1, 2, ..., g = {0} (numpy: logseries(1 - {0}))",
        shown(gamma_of(runs.eta, runs.mean)));
  else
    law = fmt::format(
        "P[K = k] proportional to (1-g)^k times the product of ({0} + l)/(1 + l) over "
        "l = 0 .. k-1, k = 1, 2, ..., g = {1}{2}",
        shown(runs.eta), shown(gamma_of(runs.eta, runs.mean)),
        runs.eta > 0
            ? fmt::format(" (numpy: negative_binomial({}, g) until it is above 0)", shown(runs.eta))
            : "");
  return "K once, in secret, with " + law +
         "; then K runs, each with settings drawn at random, independently, from the candidates; "
         "publish the best run alone, and not K";
}

std::string words(const Composition& composition, const Runs& runs) {
  if (runs.count == Count::composition) return "";
  return fmt::format(
      "of choosing, by theorem {} of Papernot and Steinke 2022, holds when {}, against an observer "
      "of the chosen run alone: the best of K runs, {} expected, each of them {}",
      runs.count == Count::poisson ? 6 : 2, in_words(composition.relation), shown(runs.mean),
      in_words(composition));
}

Composition all_runs(Composition composition, const Runs& runs) {
  if (runs.count == Count::composition)
    for (auto& c : composition.components) c.steps *= runs.mean;
  return composition;
}

int tuning_command(const TuningArguments& a) {
  const Runs runs = runs_of(a);
  const PrivacyArguments& p = a.releases;
  Composition one = p.composition();
  const Options options = p.options();
  Result result;
  if (a.asks_sigma) {
    result = calibrate_tuning(one, p.epsilon, p.delta, runs, options);
    for (auto& part : one.components) part.sigma *= result.value;
  } else {
    result = tuning_epsilon(one, p.delta, runs, options);
  }
  const Result each = epsilon(one, p.delta, options);
  const Composition all = all_runs(one, runs);
  nlohmann::ordered_json more = {
      {"each_run", {{"epsilon", number(each.value)}, {"method", each.method}}},
      {"runs", {{"distribution", a.distribution}, {"expected", runs.mean}}}};
  if (runs.count == Count::negative_binomial) {
    more["runs"]["eta"] = runs.eta;
    more["runs"]["gamma"] = gamma_of(runs.eta, runs.mean);
  }
  if (runs.count != Count::composition) more["runs"]["draw"] = draw_in_words(runs);
  return print({a.asks_sigma ? "sigma" : "epsilon",
                all,
                result,
                a.asks_sigma ? p.epsilon : result.value,
                p.delta,
                {},
                false,
                words(one, runs),
                {{"each run", fmt::format("epsilon {}, {}", rounded_up(each.value), each.method)},
                 {"runs", count_in_words(runs, a.distribution)},
                 {"draw", draw_in_words(runs)}},
                std::move(more)},
               p);
}

}  // namespace

Command add_tuning_command(CLI::App& family) {
  auto a = std::make_shared<TuningArguments>();
  auto* app = family.add_subcommand(
      "tuning",
      "epsilon of choosing the best of several runs or, with --epsilon, the noise for it");
  add_release_options(*app, a->releases, true, true, true);
  add_delta_option(*app, a->releases);
  auto* wanted =
      app->add_option("--epsilon", a->releases.epsilon,
                      "target epsilon for choosing the best run: compute the smallest sigma "
                      "for it (with --component: factor on the given noise)");
  wanted->excludes(app->get_option("--sigma"));
  app->add_option("--runs", a->runs,
                  "number of runs: the expected number or, with composition, the exact number")
      ->required();
  app->add_option("--distribution", a->distribution,
                  "distribution of the number of runs, of which only the best is published: "
                  "geometric, logarithmic, negative-binomial (with --eta) or poisson; or "
                  "composition: a fixed number of runs, all of which may be published")
      ->capture_default_str();
  app->add_option(
      "--eta", a->eta,
      "shape of the negative binomial distribution, above -1; 1 gives the geometric, 0 the "
      "logarithmic distribution (default: none)");
  return {app, [a, wanted] {
            a->asks_sigma = wanted->count() > 0;
            return guarded([&a] { return tuning_command(*a); });
          }};
}

}  // namespace trilemma
