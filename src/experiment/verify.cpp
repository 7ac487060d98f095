#include "experiment/verify.hpp"

#include <cmath>

#include "core/check.hpp"
#include "privacy/account.hpp"

namespace trilemma {
namespace {

using namespace accounting;

// Raised by a check that fails; by one that cannot be made.
struct Fails {
  std::string reason;
};
struct Unchecked {
  std::string reason;
};

template <class Kind>
Kind known(const char* field, const std::string& text, std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds)
    if (text == name(kind)) return kind;
  throw Unchecked{fmt::format("{} = \"{}\" is unknown to this program", field, text)};
}

bool same(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

void agree(const char* what, double recorded, double follows) {
  if (!same(recorded, follows))
    throw Fails{fmt::format("{} is recorded as {}, but {} follows from the other fields", what,
                            recorded, follows)};
}

Composition composition_of(const PrivacyRecord& r) {
  Composition out;
  out.relation = known("relation", r.relation,
                       {Relation::add_remove, Relation::zero_out, Relation::replace_one});
  for (const auto& c : r.components)
    out.components.push_back({known("components/sampling", c.sampling,
                                    {Sampling::none, Sampling::poisson, Sampling::fixed_wor}),
                              c.rate, c.sigma, c.steps});
  if (out.components.empty()) throw Unchecked{"no components are recorded"};
  return out;
}

// The components must be what noise, sensitivity and sampling make.
void check_components(const PrivacyRecord& r) {
  const bool both = r.sensitivity_sampled > 0 && r.sensitivity_full > 0;
  std::size_t next = 0;
  auto expect_part = [&](double sensitivity, double share, const std::string& sampling,
                         double rate) {
    if (!(sensitivity > 0)) return;
    if (next >= r.components.size()) throw Fails{"a part of the release was not accounted"};
    const PrivacyComponent& c = r.components[next++];
    agree("a noise multiplier", c.sigma,
          std::sqrt(both ? share : 1.0) * r.noise_std_on_released / sensitivity);
    agree("a number of releases", c.steps, r.rounds_accounted);
    agree("a sampling rate", c.rate, rate);
    if (c.sampling != sampling)
      throw Fails{fmt::format("a part is accounted with sampling {}, but drawn with {}", c.sampling,
                              sampling)};
  };
  expect_part(r.sensitivity_sampled, r.split, r.sampling_scheme, r.sampling_rate);
  expect_part(r.sensitivity_full, 1 - r.split, "none", 1);
  if (next != r.components.size()) throw Fails{"more components than parts of the release"};
  if (r.sensitivity_sampled > 0)
    agree("sampling_rate", r.sampling_rate, (r.unit == "client" ? r.divisor : r.batch) / r.units);
  // A mean is released, but for clients' vectors that carry their own noise.
  const bool shares = r.unit == "client" && r.noise_place == "client";
  agree("noise_std_on_sum", r.noise_std_on_sum,
        r.noise_std_on_released * (shares ? std::sqrt(r.divisor) : r.divisor));
  agree("delta_times_units", r.delta_times_units, r.delta * r.units);
}

// The same for whole clients: by how much one moves what is perturbed.
void check_client_sensitivity(const PrivacyRecord& r, double least) {
  if (r.noise_place == "server") {
    if ((r.sensitivity_sampled + r.sensitivity_full) * r.divisor < least)
      throw Fails{"the sensitivity is below the norm bound over the divisor"};
    return;
  }
  if (r.sensitivity_sampled > 0) throw Fails{"who sees a client's messages sees when it sends"};
  if (r.view == "V_aggregate" && r.divisor != r.units)
    throw Fails{"the noise of a sum of clients varies with their number"};
  const double shares = r.view == "V_aggregate" ? std::sqrt(r.divisor) : 1;
  if (r.sensitivity_full * shares < least)
    throw Fails{"sensitivity_full is below the norm bound of a client's message"};
}

// What the bound, the neighbours and the way of drawing leave no choice about.
void check_declarations(const PrivacyRecord& r) {
  agree("neighbour_distance", r.neighbour_distance, r.relation == "replace_one" ? 2 : 1);
  const double least = r.bound_norm * (1 - 1e-9);
  if (r.bound_per == "record" && r.sensitivity_sampled > 0 &&
      r.sensitivity_sampled * r.batch < least)
    throw Fails{"sensitivity_sampled is below the norm bound over the batch"};
  if (r.bound_per == "record" && r.sensitivity_full > 0 && r.sensitivity_full * r.units < least)
    throw Fails{"sensitivity_full is below the norm bound over the number of units"};
  if (r.bound_per == "client") check_client_sensitivity(r, least);
  if (r.sensitivity_sampled > 0)
    agree("noise_multiplier", r.noise_multiplier, r.noise_std_on_released / r.sensitivity_sampled);
  const char* fixed = r.unit == "client" ? "fixed-size" : "without-replacement";
  const bool drawn = (r.sampling_scheme == "poisson" && r.sampler == "poisson") ||
                     (r.sampling_scheme == "fixed_wor" && r.sampler == fixed) ||
                     r.sampling_scheme == "none";
  if (!drawn)
    throw Fails{
        fmt::format("{}s are drawn {}, but accounted as {}", r.unit, r.sampler, r.sampling_scheme)};
}

// What voids a claim of "accounted".
void check_conditions(const PrivacyRecord& r) {
  if (r.divisor_kind != "constant")
    throw Fails{fmt::format("the divisor is {}, not a public constant", r.divisor_kind)};
  if (r.noise_mode != "per_coordinate")
    throw Fails{fmt::format("the noise mode is {}, not per_coordinate", r.noise_mode)};
  if (r.bound_per != "record" && r.bound_per != "client")
    throw Fails{fmt::format("the bound limits the {}, not each unit", r.bound_per)};
  if (r.delta_times_units >= 1) throw Fails{"delta is not below one over the number of units"};
  if (r.paired_noise == "true") throw Fails{"the noise was used for another run as well"};
  if (r.rounds_executed > r.rounds_accounted)
    throw Fails{
        fmt::format("{} rounds were run, {} accounted", r.rounds_executed, r.rounds_accounted)};
  if (r.bound_observed > r.bound_norm * (1 + 1e-6))
    throw Fails{
        fmt::format("a norm of {} was seen, the bound is {}", r.bound_observed, r.bound_norm)};
}

double recompute(const PrivacyRecord& r) {
  const Composition composition = composition_of(r);
  const double again =
      accounting::epsilon(composition, r.delta, run_options(r.accountant_tolerance)).value;
  if (!(std::abs(again - r.epsilon) <= 1e-6 * std::max(again, r.epsilon)) &&
      !(std::isinf(again) && std::isinf(r.epsilon)))
    throw Fails{
        fmt::format("epsilon is recorded as {}, the accountant finds {}", r.epsilon, again)};
  const double below =
      accounting::epsilon(composition, r.delta, run_options(r.accountant_tolerance / 4)).lower;
  if (r.epsilon < below * (1 - 1e-9))
    throw Fails{fmt::format("epsilon is recorded as {}, but is at least {}", r.epsilon, below)};
  return again;
}

}  // namespace

Verification verify(const PrivacyRecord& r, const std::string& problem) {
  Verification out{Verdict::unchecked, problem, std::nan("")};
  if (!problem.empty()) return out;
  try {
    if (r.dp_claim == "nothing_released")
      throw Unchecked{"nothing is released, so there is nothing to account"};
    if (std::isinf(r.epsilon)) throw Unchecked{"no finite epsilon holds at this delta"};
    if (std::isnan(r.epsilon)) throw Unchecked{"no epsilon is recorded: " + r.reason};
    check_components(r);
    check_declarations(r);
    out.epsilon = recompute(r);
    if (r.dp_claim == "none") throw Unchecked{"the run makes no claim: " + r.reason};
    check_conditions(r);
    if (r.dp_claim != "accounted" && r.dp_claim != "paper_nominal_only")
      throw Unchecked{fmt::format("dp_claim = \"{}\" is unknown to this program", r.dp_claim)};
    const bool nominal = r.dp_claim == "paper_nominal_only";
    if (!nominal && r.calibration_epsilon < r.epsilon * (1 - 1e-9))
      throw Fails{
          fmt::format("epsilon {} was promised, {} is spent", r.calibration_epsilon, r.epsilon)};
    out.verdict = nominal ? Verdict::fails : Verdict::holds;
    out.reason = fmt::format("{}({}, {}) for one {}, {}, {}",
                             nominal ? "the nominal epsilon is exceeded; accounted is " : "",
                             shown(out.epsilon), shown(r.delta), r.unit, r.relation, r.view);
  } catch (const Fails& found) {
    out.verdict = Verdict::fails;
    out.reason = found.reason;
  } catch (const Unchecked& found) {
    out.reason = found.reason;
  } catch (const std::invalid_argument& error) {
    out.reason = error.what();
  }
  return out;
}

}  // namespace trilemma
