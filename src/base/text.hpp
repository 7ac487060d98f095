#pragma once
// Functions on names and messages.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Returns the Levenshtein distance of two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate nearest to `word`: one edit away, otherwise starting with the word,
/// otherwise at a small distance; empty if there is none. Ties go to the longest common prefix with
/// the word, then to the first candidate.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "did you mean "a" or "b"?" with the nearest candidates, at most three if several are
/// equally near and share a prefix; `otherwise` if none is near enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise);

/// Returns the words joined by `separator`.
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Returns "1 record", "2 records".
std::string counted(std::size_t count, std::string_view word);

/// Returns text from outside made safe for a terminal or a sentence: control characters, bytes that
/// are not UTF-8, and marks that change the direction of writing are escaped (\n, \x1b, \u202e).
std::string printable(std::string_view text);

/// Returns why a text cannot be part of a file name (it contains a path, a control character, ...);
/// empty if it can.
std::string name_problem(std::string_view name);

/// Returns printable(text), truncated between UTF-8 characters to at most `most` bytes; truncation
/// is marked by "...".
std::string shown(std::string_view text, std::size_t most = 60);

/// Returns six significant digits, rounded up (except for one part in 10^12), since an epsilon must
/// not be shown smaller than it is.
std::string rounded_up(double value);

/// Returns four significant digits with a decimal prefix: with_prefix(1497152, "bit") = "1.497
/// Mbit".
std::string with_prefix(double value, std::string_view unit);

/// Returns the bits in a size such as "1MB", "500 kB", "2MiB", "8 Mbit" or "300 bit"; nullopt if
/// the text is not a size, or not above 0. Bytes have 8 bits; k, M, G and T are powers of 1000; Ki,
/// Mi, Gi and Ti are powers of 1024.
std::optional<double> bits_in(std::string_view size);

/// Returns why a text is not a size, and what to write instead.
std::string size_problem(std::string_view size);

}  // namespace trilemma
