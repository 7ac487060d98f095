#include "claim/verify.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "privacy/bound.hpp"

namespace trilemma {
namespace {

using Differences = std::vector<Difference>;

// `account_tolerance` is for epsilon, `work_tolerance` for diagnostics of an accountant of the same
// version on another processor.
constexpr double account_tolerance = 1e-6;
constexpr double work_tolerance = 1e-3;
// The split of the noise is optimised within the accountant's own tolerance.
constexpr double split_tolerance = 1e-4;

// Returns the tolerance of a field; nullopt if the field is not compared here.
std::optional<double> tolerance_of(Compared compared, bool same_version) {
  switch (compared) {
    case Compared::exactly:
      return 1e-9;
    case Compared::account:
      return account_tolerance;
    case Compared::work:
      return same_version ? std::optional(work_tolerance) : std::nullopt;
    case Compared::rounds:
    case Compared::repeated:
    case Compared::nowhere:
      break;
  }
  return {};
}

void compare_fields(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    Differences& found) {
  const bool same_version = recorded.accountant_version == expected.accountant_version;
  for (const auto& field : privacy_fields()) {
    const auto tolerance = tolerance_of(field.compared, same_version);
    if (!tolerance) continue;
    const FieldValue there = field.get(recorded);
    const FieldValue follows = field.get(expected);
    if (!same_value(there, follows, *tolerance))
      found.push_back({.field = field.name,
                       .recorded = difference_value(there),
                       .expected = difference_value(follows)});
  }
}

void compare_components(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                        Differences& found) {
  if (recorded.components.size() != expected.components.size()) {
    found.push_back({.field = "number of components",
                     .recorded = static_cast<double>(recorded.components.size()),
                     .expected = static_cast<double>(expected.components.size())});
    return;
  }
  for (std::size_t i = 0; i < recorded.components.size(); ++i) {
    const PrivacyComponent& a = recorded.components[i];
    const PrivacyComponent& b = expected.components[i];
    if (a.sampling != b.sampling)
      found.push_back({.field = "components/sampling",
                       .recorded = a.sampling,
                       .expected = b.sampling,
                       .row = i});
    const std::tuple<const char*, double, double, double> numbers[] = {
        {"components/rate", a.rate, b.rate, 1e-9},
        {"components/sigma", a.sigma, b.sigma, split_tolerance},
        {"components/steps", a.steps, b.steps, 1e-9},
    };
    for (const auto& [what, there, follows, tolerance] : numbers)
      if (!same_number(there, follows, tolerance))
        found.push_back({.field = what, .recorded = there, .expected = follows, .row = i});
  }
}

void compare_epsilon(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                     Differences& found) {
  const bool is_below =
      !std::isnan(expected.epsilon) && !(recorded.epsilon >= expected.epsilon_lower * (1 - 1e-9));
  if (is_below && same_number(recorded.epsilon, expected.epsilon, account_tolerance))
    found.push_back({.kind = Mismatch::below,
                     .field = "epsilon",
                     .recorded = recorded.epsilon,
                     .expected = expected.epsilon_lower});
}

// Compares fields that the rounds determine with the end of the run.
void check_end(const PrivacyRecord& r, const RunEnd& end, Differences& found) {
  const auto above = [&found](const char* field, double recorded, double most) {
    found.push_back(
        {.kind = Mismatch::above, .field = field, .recorded = recorded, .expected = most});
  };
  if (!(r.rounds_executed >= 0 && r.rounds_executed <= r.rounds_accounted))
    above("rounds_executed", r.rounds_executed, r.rounds_accounted);
  if (!(end.rows <= r.rounds_accounted + 1))
    above("number of rounds in /rounds", end.rows - 1, r.rounds_accounted);
  else if (end.is_complete &&
           !(r.rounds_executed == r.rounds_accounted && end.rows == r.rounds_accounted + 1))
    found.push_back({.kind = Mismatch::unfinished,
                     .field = "complete",
                     .recorded = std::min(r.rounds_executed, end.rows - 1),
                     .expected = r.rounds_accounted});
  const bool must_be_seen =
      r.bound_per == name(Bounds::record) && end.is_complete && r.drawn_most > 0;
  const bool unseen = std::isnan(r.bound_observed) && !must_be_seen;
  if (!unseen && !(r.bound_observed <= r.bound_norm * (1 + 1e-6)))
    above("bound_observed", r.bound_observed, r.bound_norm);
}

// Reports an epsilon that is promised but exceeded by the account.
void check_promise(const PrivacyRecord& r, Differences& found) {
  if (r.dp_claim == name(DpClaim::paper_nominal_only) ||
      r.calibration_epsilon < r.epsilon * (1 - 1e-9))
    found.push_back({.kind = Mismatch::exceeded,
                     .field = "epsilon",
                     .recorded = r.epsilon,
                     .expected = r.calibration_epsilon});
}

// Lists releases and uses of the data outside the account.
std::vector<std::string> outside(const PrivacyRecord& r) {
  std::vector<std::string> found = r.preprocessing;
  found.insert(found.end(), r.releases_outside.begin(), r.releases_outside.end());
  return found;
}

}  // namespace

const char* name(Verdict verdict) {
  constexpr const char* names[] = {"holds", "fails", "unchecked", "no_claim"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* words(Verdict verdict) {
  constexpr const char* sentences[] = {"claim holds", "claim fails", "claim cannot be checked",
                                       "nothing to check"};
  return sentences[static_cast<std::size_t>(verdict)];
}

std::vector<Difference> privacy_differences(const PrivacyRecord& recorded,
                                            const PrivacyRecord& expected, const RunEnd& end) {
  Differences found;
  compare_fields(recorded, expected, found);
  compare_components(recorded, expected, found);
  compare_epsilon(recorded, expected, found);
  check_end(recorded, end, found);
  return found;
}

Verification verdict_on(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                        std::vector<Difference> differences) {
  Verification out;
  out.expected = expected;
  const bool claims = expected.dp_claim != name(DpClaim::nothing_released) &&
                      expected.dp_claim != name(DpClaim::none);
  if (differences.empty() && claims) check_promise(recorded, differences);
  out.differences = std::move(differences);
  if (!out.differences.empty()) {
    out.verdict = Verdict::fails;
    out.reason = in_words(out.differences);
  } else if (claims) {
    out.verdict = Verdict::holds;
    out.claim = loss_in_words(expected);
    out.outside = outside(expected);
    out.remarks = remarks_in_words(expected);
    out.reason = out.claim +
                 (out.outside.empty() ? "" : "; outside of it: " + join(out.outside, "; ")) +
                 out.remarks;
  } else {
    out.verdict = Verdict::no_claim;
    out.reason = expected.dp_claim == name(DpClaim::none)
                     ? "the run makes no claim: " + expected.reason
                     : "nothing is released, so there is nothing to account";
  }
  return out;
}

Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end) {
  return verdict_on(recorded, expected, privacy_differences(recorded, expected, end));
}

}  // namespace trilemma
