#pragma once
// Standard output with the error handling of all other outputs, and text in lines that fit it.

#include <fmt/format.h>

#include <string>
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

/// Returns the columns that printed text may use: those of the environment variable COLUMNS,
/// otherwise of the terminal, or 100 if standard output is none.
std::size_t output_columns();

/// Returns the words of `text` as lines of at most `columns` characters, each with a newline: the
/// first one after `first`, the others after `next`. A longer word has a line of its own.
std::string wrapped(std::string_view text, std::string_view first, std::string_view next,
                    std::size_t columns);

/// Returns the lines of `text`; those longer than `columns` characters wrapped, with an
/// indentation.
std::string fitted(std::string_view text, std::size_t columns);
/// Returns the number of characters of the longest line.
std::size_t widest_line(std::string_view text);

}  // namespace trilemma
