#include "claim/verify.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace trilemma {
namespace {

// Raised by a check that fails; by one that cannot be made.
struct Fails {
  std::string reason;
};
struct Unchecked {
  std::string reason;
};

// How an accountant went about its work, and what the end of a run adds: not compared as they are.
constexpr const char* apart[] = {"accountant_version",
                                 "accountant_method",
                                 "accountant_status",
                                 "orders",
                                 "accountant_tolerance",
                                 "grid_step",
                                 "grid_points",
                                 "error_budget",
                                 "split",
                                 "epsilon",
                                 "epsilon_lower",
                                 "crosscheck_method",
                                 "crosscheck_epsilon",
                                 "best_order",
                                 "rounds_executed",
                                 "drawn_least",
                                 "drawn_mean",
                                 "drawn_most",
                                 "bound_observed"};

bool is_apart(const PrivacyField& field) {
  return std::any_of(std::begin(apart), std::end(apart),
                     [&](const char* name) { return std::string_view(name) == field.name; });
}

bool same(double a, double b, double tolerance = 1e-9) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

void compare(const PrivacyRecord& recorded, const PrivacyRecord& expected) {
  for (const auto& field : privacy_fields()) {
    if (is_apart(field)) continue;
    if (field.text != nullptr && recorded.*field.text != expected.*field.text)
      throw Fails{fmt::format("{} is recorded as {}, but {} follows from the configuration",
                              field.name, quoted(recorded.*field.text),
                              quoted(expected.*field.text))};
    if (field.number != nullptr && !same(recorded.*field.number, expected.*field.number))
      throw Fails{fmt::format("{} is recorded as {}, but {} follows from the configuration",
                              field.name, recorded.*field.number, expected.*field.number)};
  }
}

// Splits of the noise are searched for, with the accountant's own tolerance.
void compare_components(const PrivacyRecord& recorded, const PrivacyRecord& expected) {
  if (recorded.components.size() != expected.components.size())
    throw Fails{fmt::format("{} components are recorded, but {} follow from the configuration",
                            recorded.components.size(), expected.components.size())};
  for (std::size_t i = 0; i < recorded.components.size(); ++i) {
    const PrivacyComponent& a = recorded.components[i];
    const PrivacyComponent& b = expected.components[i];
    if (a.sampling != b.sampling || !same(a.rate, b.rate) || !same(a.steps, b.steps) ||
        !same(a.sigma, b.sigma, 1e-4))
      throw Fails{fmt::format(
          "component {} is recorded as {} {} {} {}, but {} {} {} {} follows from "
          "the configuration",
          i, quoted(a.sampling), a.rate, a.sigma, a.steps, b.sampling, b.rate, b.sigma, b.steps)};
  }
}

void compare_epsilon(const PrivacyRecord& recorded, const PrivacyRecord& expected) {
  if (!same(recorded.epsilon, expected.epsilon, 1e-6))
    throw Fails{fmt::format("epsilon is recorded as {}, the accountant finds {}", recorded.epsilon,
                            expected.epsilon)};
  if (!std::isnan(expected.epsilon) && !(recorded.epsilon >= expected.epsilon_lower * (1 - 1e-9)))
    throw Fails{fmt::format("epsilon is recorded as {}, but is at least {}", recorded.epsilon,
                            expected.epsilon_lower)};
}

// What the rounds have shown.
void check_end(const PrivacyRecord& r, const RunEnd& end) {
  if (!(r.rounds_executed >= 0 && r.rounds_executed <= r.rounds_accounted))
    throw Fails{
        fmt::format("{} rounds were run, {} accounted", r.rounds_executed, r.rounds_accounted)};
  if (!(end.rows <= r.rounds_accounted + 1))
    throw Fails{
        fmt::format("{} rounds are recorded, {} accounted", end.rows - 1, r.rounds_accounted)};
  if (end.is_complete &&
      !(r.rounds_executed == r.rounds_accounted && end.rows == r.rounds_accounted + 1))
    throw Fails{fmt::format("the file calls itself complete with {} of {} rounds",
                            r.rounds_executed, r.rounds_accounted)};
  const bool must_be_seen = r.bound_per == "record" && end.is_complete && r.drawn_most > 0;
  const bool unseen = std::isnan(r.bound_observed) && !must_be_seen;
  if (!unseen && !(r.bound_observed <= r.bound_norm * (1 + 1e-6)))
    throw Fails{
        fmt::format("a norm of {} was seen, the bound is {}", r.bound_observed, r.bound_norm)};
}

void check_promise(const PrivacyRecord& r) {
  if (r.dp_claim == "paper_nominal_only")
    throw Fails{fmt::format(
        "the nominal epsilon is exceeded; accounted is ({}, {}) for one {}, {}, {}",
        accounting::shown(r.epsilon), accounting::shown(r.delta), r.unit, r.relation, r.view)};
  if (r.calibration_epsilon < r.epsilon * (1 - 1e-9))
    throw Fails{
        fmt::format("epsilon {} was promised, {} is spent", r.calibration_epsilon, r.epsilon)};
}

}  // namespace

Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end) {
  Verification out;
  try {
    compare(recorded, expected);
    compare_components(recorded, expected);
    compare_epsilon(recorded, expected);
    out.epsilon = expected.epsilon;
    check_end(recorded, end);
    if (expected.dp_claim == "nothing_released")
      throw Unchecked{"nothing is released, so there is nothing to account"};
    if (expected.dp_claim == "none") throw Unchecked{"the run makes no claim: " + expected.reason};
    check_promise(recorded);
    out.verdict = Verdict::holds;
    out.reason = fmt::format("({}, {}) for one {}, {}, {}", accounting::shown(out.epsilon),
                             accounting::shown(recorded.delta), recorded.unit, recorded.relation,
                             recorded.view);
    if (recorded.preprocessing != "none" || !recorded.releases_outside.empty())
      out.reason +=
          "; outside of it: " +
          (recorded.preprocessing == "none" ? std::string() : recorded.preprocessing + "; ") +
          recorded.releases_outside;
  } catch (const Fails& found) {
    out.verdict = Verdict::fails;
    out.reason = found.reason;
  } catch (const Unchecked& found) {
    out.reason = found.reason;
  }
  return out;
}

}  // namespace trilemma
