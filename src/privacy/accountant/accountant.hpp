#pragma once
// Common interface of the accountants, which selects the applicable theorem or takes one by name.

#include "privacy/accountant/pld.hpp"
#include "privacy/accountant/renyi.hpp"

namespace trilemma::accounting {

/// automatic: the tightest certified bound (gaussian if no release is sampled, one_step for a
/// single release, revealed if the adversary knows which units were drawn, pld for the rest, and
/// any other valid bound that is smaller).
enum class Method { automatic, gaussian, one_step, pld, rdp, saddle_point, revealed };

/// Returns the name on the command line: "automatic", "pld", ...
const char* name(Method method);

/// Options of the accountants.
struct Options {
  Method method = Method::automatic;
  Orders orders = Orders::standard;
  Effort effort;
  double units = 0;  ///< N, number of units, for the warning about delta; 0 = unknown
};

/// Returns the smallest epsilon known to hold at `delta`. delta = 0 gives infinity with status
/// unbounded.
Result epsilon(const Composition& composition, double delta, const Options& options = {});

/// Returns the smallest delta known to hold at `epsilon`.
Result delta(const Composition& composition, double epsilon, const Options& options = {});

/// Adds the warnings that follow from the size of delta: "delta_too_large" if delta N >= 1, and a
/// note of caution if delta N >= 0.1.
void judge_delta(Result& result, double delta, double units);

}  // namespace trilemma::accounting
