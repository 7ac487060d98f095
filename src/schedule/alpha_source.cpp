#include "schedule/alpha_source.hpp"

#include <algorithm>

#include "schedule/step_count.hpp"

namespace trilemma {
namespace {

using Factor = InterruptingOptions::Factor;

class NoAlpha final : public AlphaSource {
 public:
  Alpha alpha(std::uint32_t) const override { return {}; }
};

class KnownAlpha final : public AlphaSource {
 public:
  KnownAlpha(Factor factor, std::unique_ptr<StepTime> law)
      : factor_(factor), law_(std::move(law)) {}

  void find(const ClockSettings& clock, std::uint32_t clients, const StepCounting& how) {
    for (std::uint32_t client = 0; client < clients; ++client) {
      const std::uint32_t speed = law_->speed_class(client);
      if (speed < mean_.size() && mean_[speed] > 0) continue;
      const StepCount count = clock.draws_steps
                                  ? count_drawn_steps(law_->chance(client), how.most_steps)
                                  : count_steps(*law_, client, how);
      mean_.resize(std::max<std::size_t>(mean_.size(), speed + 1));
      some_.resize(mean_.size());
      mean_[speed] = count.mean();
      some_[speed] = count.some();
    }
  }
  Alpha alpha(std::uint32_t client) const override {
    const std::uint32_t speed = law_->speed_class(client);
    if (factor_ == Factor::deterministic) return {.whole = mean_[speed]};
    return {.per_step = some_[speed]};
  }

 private:
  Factor factor_;
  std::unique_ptr<StepTime> law_;
  std::vector<double> mean_, some_;  ///< E[E ^ K] and P(E > 0), by speed class
};

class EstimatedAlpha final : public AlphaSource {
 public:
  EstimatedAlpha(Factor factor, std::uint32_t clients) : factor_(factor), seen_(clients) {}

  Alpha alpha(std::uint32_t client) const override {
    const Seen& seen = seen_[client];
    if (seen.some == 0) return {.per_step = 1};
    const double contacts = seen.contacts;
    if (factor_ == Factor::deterministic) return {.whole = seen.steps / contacts};
    return {.per_step = seen.some / contacts};
  }
  void observe(std::uint32_t client, std::uint32_t steps) override {
    Seen& seen = seen_[client];
    ++seen.contacts;
    seen.steps += steps;
    if (steps > 0) ++seen.some;
  }
  void persist(State& state) override { state.values(seen_); }

 private:
  struct Seen {
    std::uint32_t contacts = 0;
    std::uint32_t some = 0;  ///< contacts with at least one step
    double steps = 0;
  };
  Factor factor_;
  std::vector<Seen> seen_;  ///< by client
};

}  // namespace

std::unique_ptr<AlphaSource> known_alpha(ClockSettings clock, const InterruptingOptions& options,
                                         const PolicySetup& setup, double duration,
                                         double expected) {
  if (options.factor == Factor::none) return std::make_unique<NoAlpha>();
  auto known = std::make_unique<KnownAlpha>(options.factor, clock.make_law(setup));
  known->find(clock, setup.clients,
              {.most_steps = options.most_steps,
               .duration = duration,
               .contacted = expected / setup.clients,
               .keeps = clock.keeps});
  return known;
}

std::unique_ptr<AlphaSource> estimated_alpha(const InterruptingOptions& options,
                                             std::uint32_t clients) {
  if (options.factor == Factor::none) return std::make_unique<NoAlpha>();
  return std::make_unique<EstimatedAlpha>(options.factor, clients);
}

}  // namespace trilemma
