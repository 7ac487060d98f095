#include "cli/privacy_arguments.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

using accounting::Component;
using accounting::Composition;
using accounting::Options;
using accounting::Orders;
using accounting::Relation;
using accounting::Sampling;

// Returns the accountants' name for a word: hyphens become underscores, and the experiments' names
// for draws without replacement (of records, of clients) become fixed_wor.
std::string accountants_name(std::string word) {
  std::replace(word.begin(), word.end(), '-', '_');
  return word == "without_replacement" || word == "fixed_size" ? "fixed_wor" : word;
}

// Returns the kind with this name. Throws UserError with a list of the names if there is none.
template <class Kind>
Kind by_name(const char* option, const std::string& wanted, std::initializer_list<Kind> kinds) {
  const std::string meant = accountants_name(wanted);
  std::vector<std::string> names;
  for (const Kind kind : kinds) {
    if (meant == name(kind)) return kind;
    names.emplace_back(name(kind));
  }
  throw UserError(fmt::format("{} {}: unknown; {}", option, wanted,
                              did_you_mean(meant, names, "known are " + join(names))));
}

double number_of(const std::string& component, const std::string& text) {
  const FoundNumber found = read_number(text);
  require(found.text == NumberText::number,
          "--component {}: \"{}\" is not a number; write rate:sigma:steps, such as 0.01:1.1:1000",
          component, text);
  return found.value;
}

Component parse(const std::string& text, Sampling sampled) {
  const auto first = text.find(':');
  const auto second = first == std::string::npos ? first : text.find(':', first + 1);
  require(second != std::string::npos && text.find(':', second + 1) == std::string::npos,
          "--component {}: expected rate:sigma:steps, such as 0.01:1.1:1000", text);
  Component c;
  c.rate = number_of(text, text.substr(0, first));
  c.sigma = number_of(text, text.substr(first + 1, second - first - 1));
  c.steps = number_of(text, text.substr(second + 1));
  c.sampling = c.rate == 1 ? Sampling::none : sampled;
  return c;
}

}  // namespace

double PrivacyArguments::sigma_unit() const {
  return sigma_per == "distance" && accountants_name(relation) == "replace_one" ? 2 : 1;
}

Composition PrivacyArguments::composition() const {
  require(sigma_per == "bound" || sigma_per == "distance",
          "--sigma-per {}: unknown; known are bound, distance", sigma_per);
  Composition out;
  out.relation = by_name("--relation", relation,
                         {Relation::add_remove, Relation::zero_out, Relation::replace_one});
  const Sampling how =
      by_name("--sampling", sampling,
              {Sampling::none, Sampling::poisson, Sampling::fixed_wor, Sampling::revealed});
  for (const auto& text : components)
    out.components.push_back(parse(text, how == Sampling::none ? Sampling::poisson : how));
  require(how == Sampling::none || rate || !components.empty() || finds_rate,
          "--sampling {}: at which rate? Add --rate, a number in (0, 1]", sampling);
  require(how != Sampling::none || rate.value_or(1) == 1 || rate.value_or(1) == 0 ||
              !components.empty(),
          "--rate {:g}: without --sampling every unit is in every release; add --sampling poisson "
          "(each unit drawn by its own coin), or leave --rate out",
          rate.value_or(1));
  require(how != Sampling::fixed_wor || out.relation == Relation::replace_one,
          "--sampling {}: no theorem covers draws of a fixed size where the relation is {}; add "
          "--relation replace_one, or choose --sampling poisson",
          sampling, relation);
  if (components.empty()) out.components.push_back({how, rate.value_or(1), sigma, steps});
  for (auto& c : out.components) c.sigma *= sigma_unit();
  return out;
}

Options PrivacyArguments::options() const {
  Options out;
  using enum accounting::Method;
  out.method = by_name("--method", method,
                       {automatic, gaussian, one_step, pld, rdp, saddle_point, revealed});
  require(orders == "standard" || orders == "refined",
          "--orders {}: unknown; known are standard, refined", orders);
  out.orders = orders == "standard" ? Orders::standard : Orders::refined;
  require(tolerance >= 1e-7 && tolerance <= 0.5,
          "--tolerance {}: give a relative width from 1e-7 to 0.5", tolerance);
  out.effort.tolerance = tolerance;
  require(units >= 0 && std::isfinite(units), "--units {}: give the number of units, 0 = unknown",
          units);
  out.units = units;
  return out;
}

void add_release_options(CLI::App& app, PrivacyArguments& a, bool with_sigma, bool with_steps,
                         bool with_rate) {
  if (with_sigma)
    app.add_option("--sigma", a.sigma,
                   "standard deviation of the noise on the sum, in the unit of --sigma-per")
        ->capture_default_str();
  app.add_option(
         "--sigma-per", a.sigma_per,
         "unit of sigma: the norm bound C of one contribution (bound), or the full distance "
         "between two neighbours (distance)")
      ->capture_default_str();
  app.add_option("--sampling", a.sampling,
                 "none, poisson, fixed_wor (fixed size, without replacement; aliases: "
                 "without-replacement, fixed-size) or revealed (the drawn units are known)")
      ->capture_default_str();
  a.finds_rate = !with_rate;
  if (with_rate)
    app.add_option("--rate", a.rate,
                   "sampling rate q: probability, or share drawn (default: 1 without --sampling)");
  if (with_steps)
    app.add_option("--steps,--releases,--rounds", a.steps,
                   "number of releases T: rounds of a run, steps of an optimiser")
        ->capture_default_str();
  app.add_option("--relation", a.relation, "neighbours: add_remove, zero_out or replace_one")
      ->capture_default_str();
  app.add_option("--component", a.components,
                 "rate:sigma:steps of one part of a mixed composition; repeat it (default: one "
                 "part, described by the other options)")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option(
         "--method", a.method,
         "automatic, gaussian, one_step, pld, rdp, revealed, or saddle_point (not certified)")
      ->capture_default_str();
  app.add_option("--orders", a.orders,
                 "Renyi orders: standard (the usual list) or refined (a longer list, then "
                 "golden-section search)")
      ->capture_default_str();
  app.add_option("--tolerance", a.tolerance,
                 "relative width of the bounds that the accountant must reach")
      ->capture_default_str();
  app.add_option("--units", a.units,
                 "number of units N, to judge whether delta is small enough; 0 = unknown")
      ->capture_default_str();
  app.add_flag("--json", a.json, "print JSON");
}

void add_epsilon_option(CLI::App& app, PrivacyArguments& a, bool required) {
  app.add_option("--epsilon", a.epsilon, "epsilon of the guarantee")->required(required);
}
void add_delta_option(CLI::App& app, PrivacyArguments& a) {
  app.add_option("--delta", a.delta, "delta of the guarantee")->required();
}

}  // namespace trilemma
