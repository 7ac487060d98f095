#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <cmath>

#include "schedule/speeds.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {

Row<StepTimeMaker> trace_step_time();

namespace {

class TwoSpeeds : public StepTime {
 public:
  TwoSpeeds(const SpeedOptions& options, const Settings& clock, std::uint64_t seed,
            std::uint32_t clients, double least)
      : speeds_(options, clock, seed, clients, least) {}
  double mean(std::uint32_t client) const final { return speeds_.mean(client); }
  std::uint32_t speed_class(std::uint32_t client) const final {
    return speeds_.is_slow(client) ? 1 : 0;
  }

 private:
  Speeds speeds_;
};

// Number of trials up to the first success of probability 1 / mean: 1, 2, ...
class Geometric final : public TwoSpeeds {
 public:
  Geometric(const SpeedOptions& options, const Settings& clock, std::uint64_t seed,
            std::uint32_t clients)
      : TwoSpeeds(options, clock, seed, clients, 1) {}
  double draw(std::uint32_t client, Stream& stream) const override {
    const double u = stream.uniform();
    const double fails = std::log1p(-chance(client));
    return fails == -INFINITY ? 1 : std::max(1.0, std::ceil(std::log(u) / fails));
  }
  bool is_memoryless() const override { return true; }
  // Probability of at least `steps` successes in floor(time) trials.
  double sum_at_most(std::uint32_t client, long steps, double time) const override {
    const double trials = std::floor(time);
    const auto wanted = static_cast<double>(steps);
    if (trials < wanted) return 0;
    if (chance(client) == 1) return 1;
    return boost::math::ibeta(wanted, trials - wanted + 1, chance(client));
  }
};

class Exponential final : public TwoSpeeds {
 public:
  Exponential(const SpeedOptions& options, const Settings& clock, std::uint64_t seed,
              std::uint32_t clients)
      : TwoSpeeds(options, clock, seed, clients, 0) {}
  double draw(std::uint32_t client, Stream& stream) const override {
    return -mean(client) * std::log(stream.uniform());
  }
  bool is_memoryless() const override { return true; }
  double sum_at_most(std::uint32_t client, long steps, double time) const override {
    return time <= 0 ? 0 : boost::math::gamma_p(static_cast<double>(steps), time / mean(client));
  }
};

class Fixed final : public TwoSpeeds {
 public:
  Fixed(const SpeedOptions& options, const Settings& clock, std::uint64_t seed,
        std::uint32_t clients)
      : TwoSpeeds(options, clock, seed, clients, 0) {}
  double draw(std::uint32_t client, Stream&) const override { return mean(client); }
  double sum_at_most(std::uint32_t client, long steps, double time) const override {
    return static_cast<double>(steps) * mean(client) <= time ? 1 : 0;
  }
};

template <class Law>
std::unique_ptr<StepTime> make_law(const SpeedOptions& options, const Settings& clock,
                                   std::uint64_t seed, std::uint32_t clients) {
  return std::make_unique<Law>(options, clock, seed, clients);
}

}  // namespace

std::span<const Row<StepTimeMaker>> step_times() {
  static const Row<StepTimeMaker> table[] = {
      part_with_settings("geometric", "whole units of time, memoryless, with means fast and slow",
                         make_law<Geometric>),
      part_with_settings("exponential", "memoryless, with means fast and slow",
                         make_law<Exponential>),
      part_with_settings("fixed", "always fast or slow", make_law<Fixed>),
      trace_step_time(),
  };
  return table;
}

}  // namespace trilemma
