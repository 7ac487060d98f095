#include "base/standard_output.hpp"

#include <cerrno>
#include <cstdio>

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

}  // namespace

void write_standard_output(std::string_view text) {
  errno = 0;
  require_output(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void flush_standard_output() {
  errno = 0;
  require_output(std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
}

}  // namespace trilemma
