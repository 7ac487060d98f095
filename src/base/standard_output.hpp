#pragma once
// Standard output with the error handling of all other outputs.

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace trilemma {

/// Writes a text to standard output. Throws WriteError if that fails, except if the reader of a
/// pipe has closed it.
void write_standard_output(std::string_view text);

/// Formats a text like fmt::format and writes it to standard output. Throws WriteError.
template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  write_standard_output(fmt::format(format, std::forward<Values>(values)...));
}

/// Flushes standard output. Throws WriteError if buffered text could not be written.
void flush_standard_output();

}  // namespace trilemma
