#pragma once
// Small helpers for names and messages.

#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Levenshtein distance of two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or empty where none is near enough to be meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Words joined by ", ".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Text of unknown origin for a message: control characters become '?', and of more than `most`
/// bytes the rest is cut off, between characters of UTF-8.
std::string shown(std::string_view text, std::size_t most = 60);

/// Six significant digits, rounded up (but for one part in 10^12): an epsilon must not be shown
/// smaller than it is.
std::string rounded_up(double value);

}  // namespace trilemma
