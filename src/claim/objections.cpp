#include <cmath>

#include "base/text.hpp"
#include "claim/claim.hpp"
#include "claim/theorems.hpp"
#include "privacy/mechanism.hpp"

namespace trilemma {
namespace {

void object_to_delta(const ClaimInputs& f, std::vector<std::string>& found) {
  if (!f.delta) {
    found.emplace_back("privacy.delta is not set, so no epsilon can be stated");
    return;
  }
  if (f.kind.unit == Unit::client) {
    if (*f.delta * f.clients >= 1)
      found.push_back(
          fmt::format("delta = {:g} is not below 1/n for n = {:.0f} clients "
                      "(delta_too_large)",
                      *f.delta, f.clients));
    return;
  }
  if (f.kind.place == Place::server) {
    if (*f.delta * records_at_stake(f) >= 1)
      found.push_back(fmt::format(
          "delta = {:g} is not below 1/N, where all clients have {}N = {:.0f} records "
          "(delta_too_large)",
          *f.delta, f.shards.least == f.shards.most ? "" : "up to ", records_at_stake(f)));
    return;
  }
  // Publishing one record at random satisfies (0, 1/m)-DP, so the client with most records decides.
  if (*f.delta * static_cast<double>(f.shards.most) >= 1)
    found.push_back(
        fmt::format("delta = {:g} is not below 1/m, where a client has {}m = {} records "
                    "(delta_too_large)",
                    *f.delta, f.shards.least == f.shards.most ? "" : "up to ", f.shards.most));
}

}  // namespace

double records_at_stake(const ClaimInputs& f) {
  const auto most = static_cast<double>(f.shards.most);
  return f.kind.place == Place::server ? f.clients * most : most;
}

bool is_rounded_away(const ClaimInputs& f, double sigma) {
  if (f.sends_integers() || f.messages) return false;
  const auto is_lost = [&](double noise, double largest) {
    const double steps = f.kind.place == Place::server ? noise_resolution<double>(noise, largest)
                                                       : noise_resolution(noise, largest);
    return std::isfinite(largest) && !(steps >= least_noise_resolution);
  };
  return is_lost(sigma, f.largest) ||
         (f.later && is_lost(sigma * f.later->noise, f.later->largest));
}

std::vector<std::string> objections(const ClaimInputs& f, double sigma) {
  std::vector<std::string> found;
  if (f.start_at_optimum)
    found.emplace_back("the start is the minimiser over all records (start.at = \"optimum\")");
  if (f.sends_nothing) return found;
  if (!f.adds_noise) return {"the method adds no noise"};
  if (!(sigma > 0)) return {"sigma is 0"};
  if (!f.bound_objection.empty()) found.push_back(f.bound_objection);
  if (!std::isfinite(f.sensitivity.sampled + f.sensitivity.full) && f.bound_objection.empty())
    found.emplace_back("nothing limits what one unit can change");
  if (f.total_norm)
    found.emplace_back(
        "the noise is spread over all coordinates (privacy.noise_mode = \"total_norm\"), too thin "
        "for its epsilon");
  const Theorem& theorem = theorem_for(f.kind);
  if (theorem.refusal != nullptr) found.emplace_back(theorem.refusal);
  const bool is_sum = f.kind.unit == Unit::client && f.kind.place == Place::client &&
                      f.kind.view == Adversary::aggregate && f.noise_is_shared;
  if (f.sends_integers() && !is_sum)
    found.emplace_back("shares of integer noise protect the sum of all clients only");
  if (f.noise_is_decoded && !(is_sum && f.kind.generator == Generator::simulation))
    found.emplace_back(
        "noise of decoded messages protects their sum only, from whoever does not know the seed");
  if (f.kind.unit == Unit::record && f.kind.records == RecordDraw::repeated && f.by_closed_form &&
      f.epsilon)
    found.push_back(fmt::format(
        "the closed form counts on amplification by sampling, which drawing {} does not give",
        f.record_sampler));
  if (is_rounded_away(f, sigma))
    found.push_back(fmt::format(
        "the noise (sigma = {:.3g}) is lost where it is added to numbers of up to {:.3g}", sigma,
        f.largest));
  object_to_delta(f, found);
  return found;
}

}  // namespace trilemma
