#pragma once

#include <cstdint>
#include <vector>

#include "settings/reader.hpp"

namespace trilemma {

/// Keys of the section `clock` for fast and slow clients.
struct SpeedOptions {
  double share = 1.0 / 3.0, fast = 2, slow = 16;
  void read(Reader& r);
};

/// Fast and slow clients ([FAV] section 5): ceil(share * n) clients, drawn from the seed, are slow.
class Speeds {
 public:
  /// Throws UserError for a mean less than `least`; `clock` gives its place.
  Speeds(const SpeedOptions& options, const Settings& clock, std::uint64_t seed,
         std::uint32_t clients, double least);

  bool is_slow(std::uint32_t client) const { return slow_[client]; }
  double mean(std::uint32_t client) const { return mean_[slow_[client] ? 1 : 0]; }

 private:
  std::vector<bool> slow_;
  double mean_[2];
};

}  // namespace trilemma
