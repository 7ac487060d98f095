#pragma once
// The accountants behind one front: which theorem applies is chosen here, by name on request.

#include "privacy/accountant/pld.hpp"
#include "privacy/accountant/renyi.hpp"

namespace trilemma::accounting {

/// automatic: the tightest certified one (gaussian where nothing is sampled, one_step for a single
/// release, revealed where the adversary knows who was drawn, pld for the rest, with every other
/// valid bound that is smaller).
enum class Method { automatic, gaussian, one_step, pld, rdp, saddle_point, revealed };

/// The name on the command line: "automatic", "pld", ...
const char* name(Method method);

/// How to account.
struct Options {
  Method method = Method::automatic;
  Orders orders = Orders::standard;
  Effort effort;
  double units = 0;  ///< N, for the warning about delta; 0 = unknown
};

/// Smallest epsilon that is known to hold at `delta`. delta = 0 gives infinity, status unbounded.
Result epsilon(const Composition& composition, double delta, const Options& options = {});

/// Smallest delta that is known to hold at `epsilon`.
Result delta(const Composition& composition, double epsilon, const Options& options = {});

/// Adds the warnings that follow from the size of delta: "delta_too_large" where delta N >= 1, a
/// word of caution from 0.1 on.
void judge_delta(Result& result, double delta, double units);

}  // namespace trilemma::accounting
