#include "base/standard_output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/read_number.hpp"
#include "base/write_error.hpp"

namespace trilemma {
namespace {

// Throws for the last error of standard output, unless its reader has closed the pipe and needs no
// more output.
void require_output(bool is_good) {
  if (is_good) return;
  if (errno == EPIPE) return std::clearerr(stdout);
  throw cannot_write("standard output", errno != 0 ? errno : EIO);
}

// Returns the number of characters of a text in UTF-8.
std::size_t characters(std::string_view text) {
  constexpr unsigned continues = 0x80, mask = 0xc0;
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & mask) != continues; }));
}

}  // namespace

void write_standard_output(std::string_view text) {
  errno = 0;
  require_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flush_standard_output() {
  errno = 0;
  require_output(std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
}

std::size_t output_columns() {
  constexpr long fewest = 40, most = 10000, usual = 100;
  long columns = 0;
  winsize window{};
  if (const char* asked = std::getenv("COLUMNS"); asked != nullptr)
    columns = read_whole_number(asked).value_or(0);
  else if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
    columns = window.ws_col;
  return static_cast<std::size_t>(columns > 0 ? std::clamp(columns, fewest, most) : usual);
}

std::string wrapped(std::string_view text, std::string_view first, std::string_view next,
                    std::size_t columns) {
  std::string lines;
  std::string line(first);
  std::size_t length = characters(line);
  bool is_empty = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t more = characters(word) + 1;
    if (!is_empty && length + more > columns) {
      lines += line + '\n';
      line = next;
      length = characters(line);
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    length += more - (is_empty ? 1 : 0);
    line += word;
    is_empty = false;
  }
  return lines + line + '\n';
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    out += characters(line) <= columns ? line + '\n' : wrapped(line, "", "  ", columns);
  return out;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, characters(line));
  return widest;
}

}  // namespace trilemma
