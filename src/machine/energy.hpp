#pragma once
// Energy counters of a node: those of the processors (Linux, powercap) and of whole nodes (Cray,
// pm_counters).

#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// Who counts the energy of a node.
enum class EnergySource {
  none,         ///< there is no counter, or it cannot be read
  powercap,     ///< Linux: processor packages, and memory where it is counted (RAPL)
  pm_counters,  ///< Cray: the whole node
};
/// Returns the name in run files: "not available", "powercap", "pm_counters".
const char* name(EnergySource source);

/// Energy counters of this node.
class EnergyCounters {
 public:
  /// Counts nothing.
  EnergyCounters() = default;
  /// Finds the counters under `root`, the folder that holds sys; "" for the machine itself. Where
  /// one counter of a kind cannot be read, none of this kind is used.
  explicit EnergyCounters(const std::string& root);

  EnergySource source() const { return source_; }
  /// Returns the joules since the last call, or since the construction; NaN if they are not known:
  /// without counters, or if a counter of powercap may have wrapped more than once since then, at a
  /// kilowatt. `now` is the time of the call in s, as of now_seconds().
  double since_last(double now);

 private:
  struct Counter {
    std::string file;
    double unit;   ///< joules
    double range;  ///< counts after which it starts again at 0; 0 = not known
    double last;   ///< counts
  };
  static std::optional<Counter> counter(const std::string& file, double unit, double range);

  EnergySource source_ = EnergySource::none;
  double read_at_ = 0;  ///< time of the last reading, s
  std::vector<Counter> counters_;
};

/// Returns the counters of this node, under $TRILEMMA_ENERGY_ROOT where that is set: containers see
/// the counters of their host in another folder.
EnergyCounters energy_counters();

}  // namespace trilemma
