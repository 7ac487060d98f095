#include "machine/energy.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/clock.hpp"
#include "machine/system_file.hpp"

namespace trilemma {
namespace {

namespace fs = std::filesystem;

double count_in(const std::string& file) {
  const double count = number_in(file);
  return count >= 0 ? count : not_known;
}

// Returns the folders of the powercap zones that add up to what a node counts: the packages, and
// memory, which is a zone within them. The zones core and uncore are parts of a package; psys
// contains the packages; intel-rapl-mmio shows them a second time.
std::vector<fs::path> zones_under(const fs::path& powercap) {
  std::vector<fs::path> zones;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(powercap, error)) {
    const std::string zone = entry.path().filename().string();
    if (!zone.starts_with("intel-rapl:")) continue;
    const std::string what = line_in(entry.path() / "name");
    if (what.starts_with("package") || what == "dram") zones.push_back(entry.path());
  }
  std::ranges::sort(zones);
  return zones;
}

}  // namespace

const char* name(EnergySource source) {
  switch (source) {
    case EnergySource::powercap:
      return "powercap";
    case EnergySource::pm_counters:
      return "pm_counters";
    case EnergySource::none:
      break;
  }
  return not_available;
}

std::optional<EnergyCounters::Counter> EnergyCounters::counter(const std::string& file, double unit,
                                                               double range) {
  const double now = count_in(file);
  if (now != now) return {};
  return Counter{file, unit, range, now};
}

EnergyCounters::EnergyCounters(const std::string& root) : read_at_(now_seconds()) {
  if (const auto node = counter(root + "/sys/cray/pm_counters/energy", 1, 0)) {
    source_ = EnergySource::pm_counters;
    counters_ = {*node};
    return;
  }
  constexpr double microjoule = 1e-6;
  for (const fs::path& zone : zones_under(root + "/sys/class/powercap")) {
    const double range = count_in(zone / "max_energy_range_uj");
    const auto found = counter((zone / "energy_uj").string(), microjoule, range);
    if (!found || range != range) {
      counters_.clear();
      return;
    }
    counters_.push_back(*found);
  }
  if (!counters_.empty()) source_ = EnergySource::powercap;
}

double EnergyCounters::since_last(double now) {
  if (counters_.empty()) return not_known;
  constexpr double most_watts = 1000;
  const double elapsed = now - read_at_;
  read_at_ = now;
  double joules = 0;
  for (Counter& one : counters_) {
    const double count = count_in(one.file);
    const bool wraps = count < one.last;
    const bool wraps_once = one.range > 0 && most_watts * elapsed < one.unit * one.range;
    const bool is_known = one.range == 0 ? !wraps : wraps_once;
    joules += is_known ? one.unit * (count - one.last + (wraps ? one.range : 0)) : not_known;
    one.last = count;
  }
  return joules;
}

EnergyCounters energy_counters() {
  const char* const root = std::getenv("TRILEMMA_ENERGY_ROOT");
  return EnergyCounters(root == nullptr ? std::string() : std::string(root));
}

}  // namespace trilemma
