#include "claim/verify.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace trilemma {
namespace {

// Raised by a check that fails; by one that cannot be made.
struct Fails {
  std::string reason;
  std::optional<Difference> difference = {};
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

// Fields as they stand in the file.
[[noreturn]] void differs(const char* field, Difference::Value recorded,
                          Difference::Value expected) {
  const Difference difference{field, std::move(recorded), std::move(expected)};
  throw Fails{in_words(difference), difference};
}

void compare(const PrivacyRecord& recorded, const PrivacyRecord& expected) {
  for (const auto& field : privacy_fields()) {
    if (is_apart(field)) continue;
    if (field.text != nullptr && recorded.*field.text != expected.*field.text)
      differs(field.name, recorded.*field.text, expected.*field.text);
    if (field.number != nullptr && !same(recorded.*field.number, expected.*field.number))
      differs(field.name, recorded.*field.number, expected.*field.number);
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
          "component {} is recorded as {}, rate {:.6g}, sigma {:.6g}, {} steps, but {}, rate "
          "{:.6g}, sigma {:.6g}, {} steps follows from the configuration",
          i, quoted(a.sampling), a.rate, a.sigma, a.steps, quoted(b.sampling), b.rate, b.sigma,
          b.steps)};
  }
}

void compare_epsilon(const PrivacyRecord& recorded, const PrivacyRecord& expected) {
  if (!same(recorded.epsilon, expected.epsilon, 1e-6))
    differs("epsilon", recorded.epsilon, expected.epsilon);
  if (!std::isnan(expected.epsilon) && !(recorded.epsilon >= expected.epsilon_lower * (1 - 1e-9)))
    throw Fails{fmt::format("epsilon is recorded as {:.6g}, but is at least {:.6g}",
                            recorded.epsilon, expected.epsilon_lower)};
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
    throw Fails{fmt::format("a norm of {:.6g} was seen, the bound is {:.6g}", r.bound_observed,
                            r.bound_norm)};
}

void check_promise(const PrivacyRecord& r) {
  if (r.dp_claim == "paper_nominal_only")
    throw Fails{fmt::format("the nominal epsilon {:g} is exceeded; accounted is {}",
                            r.calibration_epsilon, loss_in_words(r))};
  if (r.calibration_epsilon < r.epsilon * (1 - 1e-9))
    throw Fails{fmt::format("epsilon {:g} was promised, {} is spent", r.calibration_epsilon,
                            rounded_up(r.epsilon))};
}

// What the file releases, or did with the data, beside what is accounted.
std::string outside(const PrivacyRecord& r) {
  constexpr std::string_view prefix = "non_private: ";
  std::vector<std::string> found;
  if (r.preprocessing != "none")
    found.push_back(r.preprocessing.starts_with(prefix) ? r.preprocessing.substr(prefix.size())
                                                        : r.preprocessing);
  if (!r.releases_outside.empty()) found.push_back(r.releases_outside);
  return found.empty() ? "" : "; outside of it: " + join(found, "; ");
}

}  // namespace

const char* name(Verdict verdict) {
  constexpr const char* names[] = {"holds", "fails", "unchecked"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* words(Verdict verdict) {
  constexpr const char* sentences[] = {"claim holds", "claim fails", "claim cannot be checked"};
  return sentences[static_cast<std::size_t>(verdict)];
}

std::string in_words(const Difference& difference) {
  constexpr double all_whole = 9007199254740992;  // 2^53: below, a double has every whole number
  const auto text = [](const Difference::Value& value, const char* format) {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr) return quoted(std::get<std::string>(value));
    if (std::abs(*number) < all_whole && *number == std::trunc(*number))
      return fmt::format("{:.0f}", *number);
    return fmt::format(fmt::runtime(format), *number);
  };
  constexpr const char* brief = "{:.6g}";
  const bool is_close = text(difference.recorded, brief) == text(difference.expected, brief);
  const char* format = is_close ? "{}" : brief;
  return fmt::format("{} is recorded as {}, but {} follows from the configuration",
                     difference.field, text(difference.recorded, format),
                     text(difference.expected, format));
}

Verification verify(const PrivacyRecord& recorded, const PrivacyRecord& expected,
                    const RunEnd& end) {
  Verification out;
  out.expected = expected;
  try {
    compare(recorded, expected);
    compare_components(recorded, expected);
    compare_epsilon(recorded, expected);
    check_end(recorded, end);
    if (expected.dp_claim == "nothing_released")
      throw Unchecked{"nothing is released, so there is nothing to account"};
    if (expected.dp_claim == "none") throw Unchecked{"the run makes no claim: " + expected.reason};
    check_promise(recorded);
    out.verdict = Verdict::holds;
    out.reason = loss_in_words(expected) + outside(expected) + remarks_in_words(expected);
  } catch (const Fails& found) {
    out.verdict = Verdict::fails;
    out.reason = found.reason;
    out.difference = found.difference;
  } catch (const Unchecked& found) {
    out.reason = found.reason;
  }
  return out;
}

}  // namespace trilemma
