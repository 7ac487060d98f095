#pragma once

#include <string>
#include <string_view>

namespace trilemma {

/// Returns the words of `text` as lines of at most `columns` characters, each with a newline: the
/// first one after `first`, the others after `next`. A longer word has a line of its own.
std::string wrapped(std::string_view text, std::string_view first, std::string_view next,
                    std::size_t columns);

}  // namespace trilemma
