#include "schedule/step_count.hpp"

#include <cmath>

namespace trilemma {
namespace {

constexpr std::uint32_t simulated_contacts = 1U << 16U;

// Sets at_least[q] to P(E ^ K >= q), summed over the number of server steps between two contacts
// until the client has almost surely done K steps. Returns false if the law has no closed forms.
bool add_exactly(const StepTime& law, std::uint32_t client, double duration, double contacted,
                 std::vector<double>& at_least) {
  constexpr double negligible = 1e-16;
  double weight = contacted;
  for (double gap = 1; weight > 0; ++gap) {
    double slowest = 1;
    for (std::size_t q = 1; q < at_least.size(); ++q) {
      const double p = law.sum_at_most(client, static_cast<long>(q), gap * duration);
      if (std::isnan(p)) return false;
      at_least[q] += weight * p;
      slowest = p;
    }
    const double rest = weight * (1 - contacted) / contacted;
    if (1 - slowest <= negligible || rest <= negligible) {
      for (std::size_t q = 1; q < at_least.size(); ++q) at_least[q] += rest;
      return true;
    }
    weight *= 1 - contacted;
  }
  return true;
}

StepCount differences(const std::vector<double>& at_least) {
  StepCount count;
  for (std::size_t q = 0; q < at_least.size(); ++q)
    count.probability.push_back(at_least[q] - (q + 1 < at_least.size() ? at_least[q + 1] : 0));
  return count;
}

// Returns the number of steps that end by `now`, at most `most_steps`. `end` is the end of the
// first step on entry and of the step under way on return; NaN if the client waits.
std::uint32_t steps_until(const StepTime& law, std::uint32_t client, long most_steps, double now,
                          Stream& stream, double& end) {
  std::uint32_t steps = 0;
  while (end <= now) {
    if (++steps == most_steps) {
      end = std::nan("");
      break;
    }
    end += law.draw(client, stream);
  }
  return steps;
}

StepCount simulate(const StepTime& law, std::uint32_t client, const StepCounting& how) {
  StepCount count{std::vector<double>(static_cast<std::size_t>(how.most_steps) + 1, 0.0)};
  constexpr double share = 1.0 / simulated_contacts;
  double under_way = std::nan("");
  for (std::uint32_t contact = 0; contact < simulated_contacts; ++contact) {
    Stream stream({0, Purpose::step_time, client, contact});
    double time = how.duration;
    while (stream.uniform() >= how.contacted) time += how.duration;
    double end = how.keeps && !std::isnan(under_way) ? under_way : law.draw(client, stream);
    count.probability[steps_until(law, client, how.most_steps, time, stream, end)] += share;
    under_way = end - time;
  }
  return count;
}

}  // namespace

double StepCount::mean() const {
  double sum = 0;
  for (std::size_t q = 1; q < probability.size(); ++q)
    sum += static_cast<double>(q) * probability[q];
  return sum;
}

double StepCount::mean_square() const {
  double sum = 0;
  for (std::size_t q = 1; q < probability.size(); ++q)
    sum += static_cast<double>(q * q) * probability[q];
  return sum;
}

double StepCount::mean_inverse() const {
  double sum = 0;
  for (std::size_t q = 1; q < probability.size(); ++q)
    sum += probability[q] / static_cast<double>(q);
  return sum;
}

StepCount count_steps(const StepTime& law, std::uint32_t client, const StepCounting& how) {
  std::vector<double> at_least(static_cast<std::size_t>(how.most_steps) + 1, 0.0);
  at_least[0] = 1;
  const bool is_exact = (!how.keeps || law.is_memoryless()) &&
                        add_exactly(law, client, how.duration, how.contacted, at_least);
  return is_exact ? differences(at_least) : simulate(law, client, how);
}

StepCount count_drawn_steps(double chance, long most_steps) {
  std::vector<double> at_least{1.0};
  for (long q = 1; q <= most_steps; ++q)
    at_least.push_back(std::pow(1 - chance, static_cast<double>(q - 1)));
  return differences(at_least);
}

StepCounter::StepCounter(const StepTime& law, std::uint32_t clients, long most_steps, bool keeps)
    : law_(law),
      most_steps_(most_steps),
      keeps_(keeps),
      since_(clients, 0.0),
      under_way_(keeps ? clients : 0, std::nan("")) {}

std::uint32_t StepCounter::take(std::uint32_t client, double now, Stream& stream) {
  double end = keeps_ && !std::isnan(under_way_[client])
                   ? under_way_[client]
                   : since_[client] + law_.draw(client, stream);
  since_[client] = now;
  const std::uint32_t steps = steps_until(law_, client, most_steps_, now, stream, end);
  if (keeps_) under_way_[client] = end;
  return steps;
}

}  // namespace trilemma
