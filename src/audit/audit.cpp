#include "audit/audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/progress_line.hpp"

namespace trilemma {
namespace {

using accounting::ErrorLimits;

constexpr long influence_pairs = 50;
// Rounding error of a projection, relative: it is rounded a few times, with float32 on the wire.
constexpr double rounding_unit = 16 * 0x1p-24;

void add_pair(Influence& influence, std::span<const double> absent,
              std::span<const double> present) {
  for (std::size_t t = 0; t < absent.size(); ++t) {
    if (std::isnan(absent[t]) || std::isnan(present[t])) continue;
    influence.observed = std::max(influence.observed, std::abs(present[t] - absent[t]));
    influence.rounding =
        std::max({influence.rounding, rounding_unit * std::abs(absent[t]),
                  rounding_unit * std::abs(present[t]), rounding_unit * influence.declared});
  }
}

// The test of one statistic: of the canary's own releases in all rounds or in the first one, of
// their differences from an idle client's releases, or of their changes from round to round.
enum class Look { all_rounds, first_round, difference, change };

Test test_of(Look look) {
  switch (look) {
    case Look::first_round:
      return {"first_round", "first round alone", {}, {}, {}};
    case Look::difference:
      return {"difference", "difference from a client that holds nothing", {}, {}, {}};
    case Look::change:
      return {"change", "changes from one round to the next", {}, {}, {}};
    case Look::all_rounds:
      break;
  }
  return {"all_rounds", "all rounds", {}, {}, {}};
}

class Repeated {
 public:
  Repeated(const AuditPlan& audit, const Placement& placement, Ranks& ranks)
      : audit_(audit), runner_(audit, placement, ranks), seed_(audit.seed), own_{canary(audit, 0)} {
    const auto rounds = static_cast<std::size_t>(audit.plan.rounds);
    places_ = own_;
    looks_.push_back(Look::all_rounds);
    if (audit.tap == Tap::output) return;
    if (rounds > 1) looks_.push_back(Look::first_round);
    if (audit.tap != Tap::message) return;
    // A record that is in every minibatch does not change what is released.
    if (rounds > 1 && audit.signal.rate < 1) looks_.push_back(Look::change);
    if (audit.clients < 2) return;
    Canary idle = own_[0];
    idle.client = 0;
    places_.insert(places_.begin(), idle);
    looks_.push_back(Look::difference);
  }

  std::vector<Test> run(long runs, bool quiet) {
    ProgressLine progress(quiet, runs);
    std::vector<Test> tests;
    for (const Look look : looks_) tests.push_back(test_of(look));
    for (long i = 0; i < runs; ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      const auto absent = observe(World::absent, run_seed(seed_, SeedOf::absent, number));
      const auto present = observe(World::present, run_seed(seed_, SeedOf::present, number));
      for (std::size_t k = 0; k < tests.size(); ++k) {
        tests[k].absent.push_back(statistic(looks_[k], absent));
        tests[k].present.push_back(statistic(looks_[k], present));
      }
      if (progress.due()) progress.show(i + 1, fmt::format("pair of runs {} of {}", i + 1, runs));
    }
    return tests;
  }

  Influence measure(long pairs) {
    double moved = 0;
    for (const Release& release : audit_.releases.list)
      moved = std::max(moved, release.sensitivity.total());
    Influence influence;
    influence.declared = (audit_.signal.opposite ? 2 : 1) * moved;
    // Projections repeat only if the noise does, and are exact only if compression can be undone.
    // The last model sums up many releases.
    if (audit_.plan.privacy.secret || !audit_.plan.compressor->is_oblivious() ||
        audit_.plan.joint.local || audit_.tap == Tap::output)
      return influence;
    influence.pairs = pairs;
    for (long i = 0; i < pairs; ++i) {
      const std::uint64_t seed = run_seed(seed_, SeedOf::pair, static_cast<std::uint32_t>(i));
      auto projections = [&](World world) {
        CanaryData data = repeated_canary(audit_, world);
        data.turning = i % 2 == 1;
        return runner_.run(std::move(data), seed, own_, Sight::own);
      };
      add_pair(influence, projections(World::absent), projections(World::present));
    }
    return influence;
  }

 private:
  std::vector<double> observe(World world, std::uint64_t seed) {
    return runner_.run(repeated_canary(audit_, world), seed, places_);
  }

  Signal signal_of(Look look, std::size_t round) const {
    Signal signal = audit_.signal_of(round);
    if (look == Look::difference) signal.sigma *= std::numbers::sqrt2;
    return signal;
  }

  // Returns the sum over the rounds; a round in which a coordinate was not sent contributes
  // nothing.
  double statistic(Look look, std::span<const double> seen) const {
    if (look == Look::change) return changes(seen);
    const std::size_t width = places_.size();
    const std::size_t end = look == Look::first_round ? std::min(width, seen.size()) : seen.size();
    double sum = 0;
    for (std::size_t at = 0; at < end; at += width) {
      const double y = seen[at + width - 1] - (look == Look::difference ? seen[at] : 0);
      if (std::isnan(y)) continue;
      // The law of the last model, a sum of releases, depends on their number.
      sum += audit_.shows_ratios() ? y : log_likelihood_ratio(signal_of(look, at / width), y);
    }
    return sum;
  }

  // Returns the sum of the sizes of all changes from a round to the next one in which the
  // coordinate is sent.
  double changes(std::span<const double> seen) const {
    double sum = 0, before = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t at = places_.size() - 1; at < seen.size(); at += places_.size()) {
      if (std::isnan(seen[at])) continue;
      if (!std::isnan(before)) sum += std::abs(seen[at] - before);
      before = seen[at];
    }
    return sum;
  }

  const AuditPlan& audit_;
  AuditRunner runner_;
  std::uint64_t seed_;
  std::vector<Canary> own_, places_;
  std::vector<Look> looks_;
};

void judge(const AuditPlan& audit, AuditResult& out) {
  const double confidence = audit.asked.confidence;
  const BoundOf epsilon = [&](const ErrorLimits& limits) {
    return accounting::epsilon_lower_bound(limits, audit.delta);
  };
  const Test& main = out.tests.front();
  out.reported = attack(main.absent, main.present, confidence, epsilon);
  out.epsilon = out.reported.bound;
  const double level = refutation_level / static_cast<double>(out.tests.size());
  for (Test& test : out.tests) {
    test.decisive = attack(test.absent, test.present, 1 - level, epsilon);
    if (!out.decisive.empty() && test.decisive.bound <= out.epsilon_decisive) continue;
    out.epsilon_decisive = test.decisive.bound;
    out.decisive = test.description;
  }
  if (!audit.unsampled) return;
  out.gaussian = attack(main.absent, main.present, confidence, accounting::mu_lower_bound);
  out.epsilon_gaussian = accounting::gaussian_epsilon(out.gaussian->bound, audit.delta);
}

void in_one_run(const AuditPlan& audit, const Placement& placement, Ranks& ranks,
                AuditResult& out) {
  const std::uint64_t seed = audit.seed;
  AuditRunner runner(audit, placement, ranks);
  Stream coins({run_seed(seed, SeedOf::coins, 0), Purpose::audit, 0, 0});
  std::vector<Canary> places;
  std::vector<bool> included;
  CanaryData data{audit.plan.problem->dimension(), audit.clients, audit.records, {}};
  for (std::size_t i = 0; i < audit.canaries; ++i) {
    places.push_back(canary(audit, i));
    included.push_back(coins.below(2) == 1);
    if (included.back()) data.canaries.push_back(places.back());
  }
  const auto seen = runner.run(std::move(data), run_seed(seed, SeedOf::one_run, 0), places);
  if (seen.empty()) return;
  std::vector<double> score(audit.canaries, 0.0);
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!std::isnan(seen[i]))
      score[i % audit.canaries] +=
          log_likelihood_ratio(audit.signal_of(i / audit.canaries), seen[i]);
  Test scores{"score", "score of every canary", {}, {}, {}};
  for (std::size_t i = 0; i < audit.canaries; ++i)
    (included[i] ? scores.present : scores.absent).push_back(score[i]);
  out.decisive = scores.description;
  out.tests.push_back(std::move(scores));
  out.one_run = guess(score, included);
  out.epsilon = accounting::one_run_epsilon(*out.one_run, audit.delta, audit.asked.confidence);
  out.epsilon_decisive =
      accounting::one_run_epsilon(*out.one_run, audit.delta, 1 - refutation_level);
}

}  // namespace

AuditResult run_audit(const AuditPlan& audit, const Placement& placement, Ranks& ranks,
                      bool quiet) {
  AuditResult out;
  if (audit.asked.one_run) {
    in_one_run(audit, placement, ranks, out);
  } else {
    Repeated runs(audit, placement, ranks);
    out.influence = runs.measure(std::min(audit.runs, influence_pairs));
    out.tests = runs.run(audit.runs, quiet);
    if (placement.rank == 0) judge(audit, out);
  }
  out.refuted = out.epsilon_decisive > audit.account.epsilon.value || out.influence.exceeds();
  return out;
}

}  // namespace trilemma
