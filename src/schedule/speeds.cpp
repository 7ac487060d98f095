#include "schedule/speeds.hpp"

#include <cmath>

#include "numeric/draws.hpp"

namespace trilemma {
namespace {

struct SpeedSettings {
  double share, fast, slow;
};

SpeedSettings read(Settings& clock) {
  SpeedSettings s{};
  s.share = clock.number("slow_share", 1.0 / 3.0, {.low = 0, .high = 1},
                         "share of slow clients, rounded up to whole ones and drawn from the seed");
  s.fast = clock.number("fast", 2.0, positive(), "mean time of a local step of a fast client");
  s.slow = clock.number("slow", 16.0, positive(), "mean time of a local step of a slow client");
  return s;
}

}  // namespace

Speeds::Speeds(Settings& clock, std::uint64_t seed, std::uint32_t clients, double least)
    : slow_(clients, false) {
  const SpeedSettings s = read(clock);
  for (const auto& [key, mean] : {std::pair{"fast", s.fast}, std::pair{"slow", s.slow}})
    if (mean < least)
      clock.refuse(key, fmt::format("the times of this law are whole numbers from {:g} on; raise "
                                    "it, or choose clock.law = \"exponential\"",
                                    least));
  mean_[0] = s.fast;
  mean_[1] = s.slow;
  // 1/3 of 300 is 100, whatever the rounding of 1/3 says.
  const double wanted = s.share * clients;
  const auto count = static_cast<std::size_t>(std::ceil(wanted * (1 - 1e-12)));
  std::vector<std::uint32_t> chosen;
  SubsetDraw draw;
  draw({seed, Purpose::step_time, 0xFFFFFFFFU, 0}, clients, count, chosen);
  for (const std::uint32_t client : chosen) slow_[client] = true;
}

void Speeds::declare(Settings& clock) { read(clock); }

}  // namespace trilemma
