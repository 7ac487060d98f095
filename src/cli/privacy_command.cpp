#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <memory>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/privacy_answer.hpp"
#include "privacy/accountant/calibrate.hpp"

namespace trilemma {
namespace {

using accounting::Composition;
using accounting::RenyiCurve;
using accounting::Result;
using accounting::Sampling;
using nlohmann::ordered_json;

Result crosscheck(const Composition& composition, double delta, const Result& result) {
  if (result.method == "rdp" || result.method == "none" || delta == 0) return {};
  return renyi_epsilon(without_idle(composition), delta);
}

int epsilon_command(const PrivacyArguments& a) {
  const Composition c = a.composition();
  const Result r = epsilon(c, a.delta, a.options());
  return print({"epsilon", c, r, r.value, a.delta, crosscheck(c, a.delta, r)}, a);
}

int delta_command(const PrivacyArguments& a) {
  const Composition c = a.composition();
  const Result r = delta(c, a.epsilon, a.options());
  return print({"delta", c, r, a.epsilon, r.value, {}}, a);
}

int rdp_command(const PrivacyArguments& a) {
  Composition c = a.composition();
  validate(c);
  if (!(a.order > 1) || std::isinf(a.order) || a.order > 1e5)
    throw std::invalid_argument("order = " + accounting::shown(a.order) +
                                ": must be a number above 1, at most 1e5");
  Result r;
  r.method = "rdp";
  r.order = a.order;
  r.value = r.lower = r.upper = RenyiCurve(without_idle(c)).at(a.order);
  return print({"rdp", c, r, std::nan(""), std::nan(""), {}}, a);
}

int sigma_command(const PrivacyArguments& a) {
  Composition c = a.composition();
  Result r = calibrate_noise(c, a.epsilon, a.delta, a.options());
  for (auto& part : c.components) part.sigma *= r.value;
  return print({"sigma", c, r, a.epsilon, a.delta, {}}, a);
}

int rounds_command(const PrivacyArguments& a) {
  Composition c = a.composition();
  const Result r = calibrate_rounds(c, a.epsilon, a.delta, a.options());
  for (auto& part : c.components) part.steps *= r.value;
  return print({"rounds", c, r, a.epsilon, a.delta, {}, true}, a);
}

int rate_command(const PrivacyArguments& a) {
  Composition c = a.composition();
  const Result r = calibrate_rate(c, a.epsilon, a.delta, a.options());
  for (auto& part : c.components)
    if (part.sampling != Sampling::none) part.rate = r.value;
  return print({"rate", c, r, a.epsilon, a.delta, {}, true}, a);
}

// Prints epsilon after 1, ..., T rounds, about equally spaced in log T.
int curve_command(const PrivacyArguments& a) {
  require(a.points >= 1 && a.points <= 10000, "--points {}: give a number from 1 to 10000",
          a.points);
  // A single component is followed over its steps; several components are one round, repeated
  // --steps times.
  Composition one = a.composition();
  validate(one);
  const bool single = one.components.size() == 1;
  const double last = single ? one.components[0].steps : a.steps;
  if (single) one.components[0].steps = 1;
  accounting::validate_delta(a.delta);
  const accounting::Options options = a.options();
  require(last >= 1 && last <= 1e15 && last == std::floor(last),
          "steps = {}: must be a whole number from 1 to 1e15", last);
  Composition c = one;
  std::vector<double> rounds;
  for (int i = 0; i < a.points && last > 0; ++i) {
    const double share = a.points == 1 ? 1 : static_cast<double>(i) / (a.points - 1);
    const double round = std::floor(std::pow(last, share) + 1e-9);
    if (rounds.empty() || round > rounds.back()) rounds.push_back(round);
  }
  if (!rounds.empty()) rounds.back() = last;
  ordered_json json = {{"rounds", rounds}, {"delta", a.delta}};
  if (!a.json) print("{:>10}  {:>12}  {:>12}  {}\n", "rounds", "epsilon", "lower", "method");
  Result result;
  for (const double round : rounds) {
    for (std::size_t i = 0; i < c.components.size(); ++i)
      c.components[i].steps = round * one.components[i].steps;
    result = epsilon(c, a.delta, options);
    json["value"].push_back(number(result.value));
    json["lower"].push_back(number(result.lower));
    json["upper"].push_back(number(result.upper));
    if (!a.json)
      print("{:>10.0f}  {:>12}  {:>12}  {}\n", round, rounded_up(result.value),
            rounded_down(result.lower), result.method);
  }
  json["method"] = result.method;
  json["status"] = name(result.status);
  const Answer last_row{"epsilon", c, result, result.value, a.delta, {}};
  json["claim"] = claim(last_row);
  json.update(to_json(c, a));
  if (a.json)
    print("{}\n", json.dump(2));
  else
    print("{}",
          wrapped("claim of the last row: " + rounded_claim(last_row), "", "  ", output_columns()));
  return 0;
}

}  // namespace

std::vector<Command> add_privacy_commands(CLI::App& parent) {
  auto* family = parent.add_subcommand(
      "privacy", "compute epsilon, delta or noise for given releases with the accountants");
  family->require_subcommand(1);
  struct Kind {
    const char* name;
    const char* help;
    int (*run)(const PrivacyArguments&);
    bool sigma, steps, rate;
  };
  const Kind kinds[] = {
      {"epsilon", "epsilon of given releases at a given delta", epsilon_command, true, true, true},
      {"sigma",
       "smallest noise for a given epsilon and delta (with --component: factor on the given noise)",
       sigma_command, false, true, true},
      {"rounds", "largest number of releases within a given epsilon and delta", rounds_command,
       true, false, true},
      {"rate", "largest sampling rate within a given epsilon and delta", rate_command, true, true,
       false},
      {"curve", "epsilon after 1, ..., T releases", curve_command, true, true, true},
      {"delta", "delta of given releases (one by default) at a given epsilon", delta_command, true,
       true, true},
      {"rdp", "Renyi divergence of a given order", rdp_command, true, true, true},
  };
  std::vector<Command> commands;
  for (const Kind& kind : kinds) {
    auto a = std::make_shared<PrivacyArguments>();
    auto* app = family->add_subcommand(kind.name, kind.help);
    const std::string which = kind.name;
    add_release_options(*app, *a, kind.sigma, kind.steps, kind.rate);
    if (which != "delta" && which != "rdp") add_delta_option(*app, *a);
    if (which == "sigma" || which == "rounds" || which == "rate" || which == "delta")
      add_epsilon_option(*app, *a, true);
    if (which == "rdp") app->add_option("--order", a->order, "Renyi order, above 1")->required();
    if (which == "curve")
      app->add_option("--points", a->points, "number of rows")->capture_default_str();
    commands.push_back({app, [run = kind.run, a] { return guarded([&] { return run(*a); }); }});
  }
  commands.push_back(add_tuning_command(*family));
  commands.push_back(add_network_privacy_command(*family));
  return commands;
}

}  // namespace trilemma
