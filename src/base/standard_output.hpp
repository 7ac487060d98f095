#pragma once
// Standard output, with the errors of any other output.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace trilemma {

/// Writes a text to standard output. Throws WriteError where it cannot be written, except where the
/// reader of a pipe has left.
void write_standard_output(std::string_view text);

/// Formats a text like fmt::format and writes it to standard output. Throws WriteError.
template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  write_standard_output(fmt::format(format, std::forward<Values>(values)...));
}

/// Flushes standard output. Throws WriteError where what was printed could not be written.
void flush_standard_output();

}  // namespace trilemma
