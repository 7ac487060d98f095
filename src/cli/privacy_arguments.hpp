#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "privacy/accountant/accountant.hpp"

namespace trilemma {

/// Command-line arguments of the commands `privacy ...`, which ask the accountants.
struct PrivacyArguments {
  /// `sigma`: standard deviation of the noise, in the unit that `sigma_per` names. `steps`: number
  /// of releases. `order`: Renyi order. `units`: number of records or clients, 0 = unknown.
  double sigma = 1, steps = 1, delta = 0, epsilon = 0, order = 2, units = 0;
  std::optional<double> rate;
  bool finds_rate = false;  ///< whether the rate is the result
  double tolerance = accounting::Effort{}.tolerance;
  std::string sampling = "none", relation = "add_remove", sigma_per = "bound";
  std::string method = "automatic", orders = "standard";
  std::vector<std::string> components;
  int points = 20;
  bool json = false;

  /// Returns the releases that the arguments describe. Throws UserError for meaningless
  /// combinations and unknown names.
  accounting::Composition composition() const;
  /// Returns the options of the accountants. Throws UserError for unknown names and values out of
  /// range.
  accounting::Options options() const;
  /// Returns the unit of --sigma as a multiple of the norm bound C: 2 if `sigma_per` is "distance"
  /// and the relation is replace_one, otherwise 1.
  double sigma_unit() const;
};

/// Adds to `app` the options that describe the releases: sampling, relation, components and others,
/// and --sigma, --steps and --rate if `with_sigma`, `with_steps` and `with_rate` are true. Without
/// --rate, the rate is the result. Parsing writes to `arguments`, which must outlive `app`.
void add_release_options(CLI::App& app, PrivacyArguments& arguments, bool with_sigma,
                         bool with_steps, bool with_rate);
/// Adds --epsilon, which the user must give if `required` is true.
void add_epsilon_option(CLI::App& app, PrivacyArguments& arguments, bool required);
/// Adds --delta, which the user must give.
void add_delta_option(CLI::App& app, PrivacyArguments& arguments);

}  // namespace trilemma
