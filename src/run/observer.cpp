#include "run/observer.hpp"

#include <cmath>

#include "core/check.hpp"
#include "core/text.hpp"

namespace trilemma {

void Progress::update(const RunRow& row) {
  if (!std::isnan(row.objective)) objective_ = row.objective;
  if (!std::isnan(row.accuracy)) accuracy_ = row.accuracy;
  if (!line_.due()) return;
  std::string metric;
  if (!std::isnan(objective_))
    metric = fmt::format("  objective {:.6g}", objective_);
  else if (!std::isnan(accuracy_))
    metric = fmt::format("  accuracy {:.4g}", accuracy_);
  line_.show(row.round, fmt::format("round {} of {}{}  {} up", row.round, line_.total(), metric,
                                    with_prefix(static_cast<double>(row.bits_up_payload), "bit")));
}

}  // namespace trilemma
