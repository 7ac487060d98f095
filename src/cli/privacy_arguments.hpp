#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "privacy/accountant/accountant.hpp"

namespace trilemma {

/// What is asked of an accountant on the command line.
struct PrivacyArguments {
  double sigma = 1, steps = 1, delta = 0, epsilon = 0, order = 2, units = 0;
  std::optional<double> rate;
  bool finds_rate = false;  ///< the rate is the answer
  double tolerance = accounting::Effort{}.tolerance;
  std::string sampling = "none", relation = "add_remove", sigma_per = "bound";
  std::string method = "automatic", orders = "standard";
  std::vector<std::string> components;
  int points = 20;
  bool json = false;

  /// The releases that are described; refuses combinations that mean nothing.
  accounting::Composition composition() const;
  /// How they are to be accounted.
  accounting::Options options() const;
  /// Norm bounds in a unit of --sigma: 2 for the distance of two replaced units, else 1.
  double sigma_unit() const;
};

/// Declares what describes the releases: sampling, relation, components and the like.
void add_release_options(CLI::App& app, PrivacyArguments& arguments, bool with_sigma,
                         bool with_steps, bool with_rate);
void add_epsilon_option(CLI::App& app, PrivacyArguments& arguments, bool required);
void add_delta_option(CLI::App& app, PrivacyArguments& arguments);

}  // namespace trilemma
