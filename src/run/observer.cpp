#include "run/observer.hpp"

#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {

Progress::Progress(bool quiet, std::int64_t total, const MetricLog& metric_log,
                   std::function<void(std::int64_t, std::int64_t)> tell)
    : line_(quiet, total),
      tell_(std::move(tell)),
      objective_(metric_log.find("objective")),
      accuracy_(metric_log.find("accuracy")),
      bits_(metric_log.find("bits_up_payload")) {}

void Progress::update(const MetricRow& row) {
  const double objective = row.cells[objective_].number;
  const double accuracy = row.cells[accuracy_].number;
  if (!std::isnan(objective)) last_objective_ = objective;
  if (!std::isnan(accuracy)) last_accuracy_ = accuracy;
  if (tell_) tell_(row.round, line_.total());
  if (!line_.due()) return;
  std::string metric;
  if (!std::isnan(last_objective_))
    metric = fmt::format("  objective {:.6g}", last_objective_);
  else if (!std::isnan(last_accuracy_))
    metric = fmt::format("  accuracy {:.4g}", last_accuracy_);
  const auto bits = static_cast<double>(row.cells[bits_].count);
  line_.show(row.round, fmt::format("round {} of {}{}  {} up", row.round, line_.total(), metric,
                                    with_prefix(bits, "bit")));
}

}  // namespace trilemma
