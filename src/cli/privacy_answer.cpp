#include "cli/privacy_answer.hpp"

#include <cmath>
#include <cstdio>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"

namespace trilemma {

using accounting::Composition;
using accounting::Result;
using accounting::shown;
using accounting::Status;
using nlohmann::ordered_json;

ordered_json number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

ordered_json to_json(const Composition& composition, const PrivacyArguments& a) {
  ordered_json parts = ordered_json::array();
  for (const auto& c : composition.components)
    parts.push_back({{"sampling", name(c.sampling)},
                     {"rate", c.rate},
                     {"sigma", c.sigma / a.sigma_unit()},
                     {"steps", c.steps}});
  return {
      {"relation", name(composition.relation)}, {"sigma_per", a.sigma_per}, {"components", parts}};
}

namespace {

// Returns the claim with epsilon and delta as `number` writes them.
std::string claim_with(const Answer& answer, std::string (*number)(double)) {
  if (std::isnan(answer.epsilon)) return "";
  if (std::isinf(answer.epsilon)) return "no finite epsilon holds at this delta";
  return fmt::format("({}, {})-differential privacy {}", number(answer.epsilon),
                     number(answer.delta),
                     answer.words.empty() ? sentence(answer.composition) : answer.words);
}

}  // namespace

std::string claim(const Answer& answer) { return claim_with(answer, shown); }
std::string rounded_claim(const Answer& answer) { return claim_with(answer, rounded_up); }

namespace {

void print_json(const Answer& answer, const PrivacyArguments& a) {
  const Result& r = answer.result;
  ordered_json json = {{"quantity", answer.quantity},
                       {"value", number(r.value)},
                       {"lower", number(r.lower)},
                       {"upper", number(r.upper)},
                       {"width", width(r)},
                       {"method", r.method},
                       {"status", name(r.status)},
                       {"certified", r.certified},
                       {"order", r.order},
                       {"epsilon", number(answer.epsilon)},
                       {"delta", number(answer.delta)},
                       {"claim", claim(answer)},
                       {"warnings", r.warnings},
                       {"evaluations", r.evaluations},
                       {"grid_step", r.grid_step},
                       {"grid_points", r.grid_points},
                       {"error_budget", r.error_budget}};
  json.update(to_json(answer.composition, a));
  if (!answer.more.is_null()) json.update(answer.more);
  if (!answer.crosscheck.method.empty())
    json["crosscheck"] = {{"method", answer.crosscheck.method},
                          {"value", number(answer.crosscheck.value)},
                          {"order", answer.crosscheck.order}};
  print("{}\n", json.dump(2));
}

// Six digits, rounded to one side, or all digits of a whole number.
std::string up(double value) {
  return value == std::floor(value) ? shown(value) : rounded_up(value);
}
std::string down(double value) {
  return value == std::floor(value) ? shown(value) : rounded_down(value);
}

void print_text(const Answer& answer) {
  const Result& r = answer.result;
  const std::string margin(13, ' ');
  auto line = [&margin, columns = output_columns()](const char* label, const std::string& text) {
    if (!text.empty()) print("{}", wrapped(text, fmt::format("{:<13}", label), margin, columns));
  };
  // --json has all digits.
  line(answer.quantity, answer.rounds_down ? down(r.value) : up(r.value));
  line("bounds",
       fmt::format("[{}, {}]{}", down(r.lower), up(r.upper), r.certified ? "" : ", not certified"));
  line("method", r.method + (r.order > 0 ? fmt::format(", best order {:.6g}", r.order) : "") +
                     (r.grid_points > 0 ? fmt::format(", {:.0f} grid points of {:.3g}",
                                                      r.grid_points, r.grid_step)
                                        : "") +
                     (r.evaluations > 1 ? fmt::format(", {} evaluations", r.evaluations) : ""));
  if (!answer.crosscheck.method.empty())
    line("cross-check", fmt::format("{} {} (best order {:.6g})", answer.crosscheck.method,
                                    rounded_up(answer.crosscheck.value), answer.crosscheck.order));
  for (const auto& [label, text] : answer.lines) line(label, text);
  if (r.status != Status::ok) line("status", name(r.status));
  for (const auto& warning : r.warnings) line("warning", warning);
  line("claim", rounded_claim(answer));
}

}  // namespace

int print(const Answer& answer, const PrivacyArguments& a) {
  if (a.json)
    print_json(answer, a);
  else
    print_text(answer);
  return 0;
}

int guarded(const std::function<int()>& question) {
  try {
    return question();
  } catch (const std::invalid_argument& error) {
    throw UserError(error.what());
  }
}

}  // namespace trilemma
