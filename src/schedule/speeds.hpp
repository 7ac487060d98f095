#pragma once

#include <cstdint>
#include <vector>

#include "settings/settings.hpp"

namespace trilemma {

/// Two kinds of clients, [FAV] section 5: ceil(share * n) of them, drawn from the seed, are slow.
class Speeds {
 public:
  /// Reads slow_share, fast and slow of [clock]; no mean is less than `least`.
  Speeds(Settings& clock, std::uint64_t seed, std::uint32_t clients, double least);
  static void declare(Settings& clock);

  bool is_slow(std::uint32_t client) const { return slow_[client]; }
  double mean(std::uint32_t client) const { return mean_[slow_[client] ? 1 : 0]; }

 private:
  std::vector<bool> slow_;
  double mean_[2];
};

}  // namespace trilemma
