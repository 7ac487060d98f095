#include "base/progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace trilemma {
namespace {

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, std::int64_t total)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

bool ProgressLine::due() {
  if (quiet_) return false;
  const double now = now_seconds();
  if (now - last_ < (terminal_ ? 2.0 : 5.0)) return false;
  last_ = now;
  return true;
}

void ProgressLine::show(std::int64_t done, const std::string& state) {
  std::string left;  // unknown until a step is done
  if (done > before_) {
    // The estimate uses the time at the end of a step; the time since then reduces the remaining
    // time.
    if (done != ended_) ended_at_ = last_;
    ended_ = done;
    const double each = (ended_at_ - started_) / static_cast<double>(done - before_);
    const double all = each * static_cast<double>(total_ - done);
    left = fmt::format(", {} left", duration(std::max(0.0, all - (last_ - ended_at_))));
  }
  fmt::print(stderr, "{}{}{}{}", terminal_ ? "\r\033[K" : "", state, left, terminal_ ? "" : "\n");
  shown_ = true;
}

}  // namespace trilemma
