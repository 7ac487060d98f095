#pragma once

#include <nlohmann/json.hpp>

#include <functional>

#include "cli/privacy_arguments.hpp"

namespace trilemma {

/// The answer to one question: what was asked, what was found, and what it means.
struct Answer {
  const char* quantity;
  accounting::Composition composition;  ///< the one the claim is about
  accounting::Result result;
  double epsilon, delta;          ///< of the claim; NaN where there is none
  accounting::Result crosscheck;  ///< method empty: none
  std::string words{};            ///< of the claim behind epsilon and delta; empty: the usual ones
  std::vector<std::pair<const char*, std::string>> lines{};  ///< more of the text
  nlohmann::ordered_json more{};                             ///< more of the JSON
};

/// A number, or "inf": JSON has no infinity.
nlohmann::ordered_json number(double value);
/// Relation, unit of sigma and components.
nlohmann::ordered_json to_json(const accounting::Composition& composition,
                               const PrivacyArguments& arguments);
/// What holds, in one sentence; empty where there is no epsilon.
std::string claim(const Answer& answer);
/// Prints it as text or, with --json, as JSON. Returns the exit code.
int print(const Answer& answer, const PrivacyArguments& arguments);
/// Runs a question; what the accountants refuse becomes a user's mistake.
int guarded(const std::function<int()>& question);

}  // namespace trilemma
