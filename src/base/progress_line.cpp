#include "base/progress_line.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

namespace trilemma {
namespace {

// Global, since messages come from anywhere, also from a handler of signals.
std::atomic<bool> is_line_open = false;

// Returns the columns of the terminal now, since it can change its size.
std::size_t terminal_columns() {
  constexpr std::size_t usual = 80;
  winsize window{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  return is_known ? window.ws_col : usual;
}

}  // namespace

std::string duration_in_words(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string cut_to_line(std::string state, const std::string& left, std::size_t columns) {
  const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  const auto length = [&](const std::string& text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_inside));
  };
  while (!state.empty() && length(state) + length(left) > columns) {
    while (is_inside(state.back())) state.pop_back();
    state.pop_back();
  }
  return state + left;
}

void end_progress_line() {
  if (is_line_open.exchange(false) && write(STDERR_FILENO, "\n", 1) < 0) return;
}

ProgressLine::ProgressLine(bool quiet, std::int64_t total)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), total_(total) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (terminal_ && is_line_open.exchange(false)) std::fputs("\r\033[K", stderr);
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
    left = fmt::format(", {} left", duration_in_words(std::max(0.0, all - (last_ - ended_at_))));
  }
  if (!terminal_) return fmt::print(stderr, "{}{}\n", state, left);
  // The last column stays empty: behind it, some terminals begin a new line.
  fmt::print(stderr, "\r\033[K{}", cut_to_line(state, left, terminal_columns() - 1));
  is_line_open = true;
}

}  // namespace trilemma
