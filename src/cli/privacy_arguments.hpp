#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "privacy/accountant/accountant.hpp"

namespace trilemma {

/// Command-line arguments of a question to the accountants.
struct PrivacyArguments {
  double sigma = 1, steps = 1, delta = 0, epsilon = 0, order = 2, units = 0;
  std::optional<double> rate;
  bool finds_rate = false;  ///< whether the rate is the result
  double tolerance = accounting::Effort{}.tolerance;
  std::string sampling = "none", relation = "add_remove", sigma_per = "bound";
  std::string method = "automatic", orders = "standard";
  std::vector<std::string> components;
  int points = 20;
  bool json = false;

  /// Returns the described releases. Throws UserError for meaningless combinations.
  accounting::Composition composition() const;
  /// Returns the options of the accountants.
  accounting::Options options() const;
  /// Returns the number of norm bounds in a unit of --sigma: 2 for the distance of two replaced
  /// units, otherwise 1.
  double sigma_unit() const;
};

/// Adds the options that describe the releases: sampling, relation, components and others.
void add_release_options(CLI::App& app, PrivacyArguments& arguments, bool with_sigma,
                         bool with_steps, bool with_rate);
void add_epsilon_option(CLI::App& app, PrivacyArguments& arguments, bool required);
void add_delta_option(CLI::App& app, PrivacyArguments& arguments);

}  // namespace trilemma
