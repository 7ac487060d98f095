#include "experiment/observer.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "core/check.hpp"
#include "core/text.hpp"

namespace trilemma {
namespace {

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

Progress::Progress(bool quiet, std::int64_t total)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

bool Progress::due() {
  if (quiet_) return false;
  const double now = now_seconds();
  if (now - last_ < (terminal_ ? 2.0 : 5.0)) return false;
  last_ = now;
  return true;
}

void Progress::show(std::int64_t done, const std::string& state) {
  const double left = done == before_ ? 0
                                      : (last_ - started_) * static_cast<double>(total_ - done) /
                                            static_cast<double>(done - before_);
  fmt::print(stderr, "{}{}  {} left{}", terminal_ ? "\r\033[K" : "", state, duration(left),
             terminal_ ? "" : "\n");
  shown_ = true;
}

void Progress::update(const RunRow& row) {
  if (!std::isnan(row.objective)) objective_ = row.objective;
  if (!std::isnan(row.accuracy)) accuracy_ = row.accuracy;
  if (!due()) return;
  std::string metric;
  if (!std::isnan(objective_))
    metric = fmt::format("  objective {:.6g}", objective_);
  else if (!std::isnan(accuracy_))
    metric = fmt::format("  accuracy {:.4g}", accuracy_);
  show(row.round, fmt::format("round {} of {}{}  {} up", row.round, total_, metric,
                              with_prefix(static_cast<double>(row.bits_up_payload), "bit")));
}

void Progress::update(std::int64_t done, const char* step) {
  if (due()) show(done, fmt::format("{} {} of {}", step, done, total_));
}

}  // namespace trilemma
