#include "schedule/speeds.hpp"

#include <cmath>

#include "numeric/draws.hpp"
#include "schedule/step_time.hpp"

namespace trilemma {

void SpeedOptions::read(Reader& r) {
  r("slow_share", share, {.low = 0, .high = 1},
    "share of slow clients, rounded up to a whole number and drawn from the seed");
  r("fast", fast, {.low = 0, .low_open = true, .unit = simulated_time},
    "mean time of a local step of a fast client");
  r("slow", slow, {.low = 0, .low_open = true, .unit = simulated_time},
    "mean time of a local step of a slow client");
}

Speeds::Speeds(const SpeedOptions& s, const Settings& clock, std::uint64_t seed,
               std::uint32_t clients, double least)
    : slow_(clients, false) {
  for (const auto& [key, mean] : {std::pair{"fast", s.fast}, std::pair{"slow", s.slow}})
    if (mean < least)
      clock.refuse(key, fmt::format("the times of this law are whole numbers from {:g} on; raise "
                                    "it, or choose clock.law = \"exponential\"",
                                    least));
  mean_[0] = s.fast;
  mean_[1] = s.slow;
  // The tolerance absorbs rounding, so that 1/3 of 300 is 100.
  const double wanted = s.share * clients;
  const auto count = static_cast<std::size_t>(std::ceil(wanted * (1 - 1e-12)));
  std::vector<std::uint32_t> chosen;
  SubsetDraw draw;
  draw({seed, Purpose::step_time, 0xFFFFFFFFU, 0}, clients, count, chosen);
  for (const std::uint32_t client : chosen) slow_[client] = true;
}

}  // namespace trilemma
