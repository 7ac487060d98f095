#include "experiment/observer.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "core/check.hpp"

namespace trilemma {
namespace {

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

Progress::Progress(bool quiet, std::int64_t rounds)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), rounds_(rounds) {}

Progress::~Progress() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(const RunRow& row) {
  if (quiet_) return;
  const double now = now_seconds();
  if (now - last_ < (terminal_ ? 2.0 : 5.0)) return;
  last_ = now;
  const double left = row.round == 0 ? 0
                                     : (now - started_) * static_cast<double>(rounds_ - row.round) /
                                           static_cast<double>(row.round);
  const std::string line =
      fmt::format("round {} of {}  objective {:.6g}  {:.4g} Mbit up  {} left", row.round, rounds_,
                  row.objective, static_cast<double>(row.bits_up_payload) * 1e-6, duration(left));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  shown_ = true;
}

}  // namespace trilemma
