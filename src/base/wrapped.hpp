#pragma once

#include <string>
#include <string_view>

namespace trilemma {

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
