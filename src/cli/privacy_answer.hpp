#pragma once

#include <nlohmann/json.hpp>

#include <functional>

#include "cli/privacy_arguments.hpp"

namespace trilemma {

/// The answer to a question to the accountants.
struct Answer {
  const char* quantity;
  accounting::Composition composition;  ///< the composition that the claim is about
  accounting::Result result;
  double epsilon, delta;          ///< of the claim; NaN if there is none
  accounting::Result crosscheck;  ///< empty method: none
  /// Whether a smaller value is the safe side: it is then rounded down in the text.
  bool rounds_down = false;
  std::string words{};  ///< wording of the claim; empty: the usual wording
  std::vector<std::pair<const char*, std::string>> lines{};  ///< further lines of the text
  nlohmann::ordered_json more{};                             ///< further fields of the JSON
};

/// Returns a JSON number, or the text "inf" for infinity, which JSON cannot represent.
nlohmann::ordered_json number(double value);
/// Returns relation, unit of sigma, and components as JSON.
nlohmann::ordered_json to_json(const accounting::Composition& composition,
                               const PrivacyArguments& arguments);
/// Returns the claim in one sentence, with epsilon and delta in full precision; empty if there is
/// no epsilon.
std::string claim(const Answer& answer);
/// Returns the same with six digits, rounded up.
std::string rounded_claim(const Answer& answer);
/// Prints the answer as text or, with --json, as JSON. Returns the exit code.
int print(const Answer& answer, const PrivacyArguments& arguments);
/// Returns question(); an error of the accountants becomes a UserError.
int guarded(const std::function<int()>& question);

}  // namespace trilemma
