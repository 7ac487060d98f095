#pragma once
// Functions on names and messages.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Returns the Levenshtein distance between two words, counted in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the candidate nearest to `word`, ignoring case; empty if there is none. In this order: a
/// dotted key that ends with ".word", a candidate one edit away, the shortest candidate that begins
/// with `word`, a candidate within an edit distance of half the word's length (at least 2). Ties go
/// to the longest common prefix with `word`, then to the first candidate.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns a question such as `did you mean "a" or "b"?` with up to three of the candidates that
/// nearest() chooses from; `otherwise` if none is near enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise);

/// Returns the words joined by `separator`.
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Returns "1 record", "2 records".
std::string counted(std::size_t count, std::string_view word);

/// Returns `text`, which may come from outside the program, in a form that is safe for a terminal
/// or a sentence: control characters, bytes that are not UTF-8, line separators and marks that
/// change the direction of writing are escaped (\n, \x1b, \u202e).
std::string printable(std::string_view text);

/// Returns why `name` cannot be part of a file name, such as "it has a slash"; empty if it can.
std::string name_problem(std::string_view name);

/// Returns printable() of the first `most` bytes of `text`, which is cut between UTF-8 characters;
/// "..." marks a cut. Escapes can make the result longer than `most` bytes.
std::string shown(std::string_view text, std::size_t most = 60);

/// Returns `value` with six significant digits, rounded up, since an epsilon must not be shown
/// smaller than it is. A relative excess of up to 1e-12, which floating-point errors can cause, is
/// dropped instead.
std::string rounded_up(double value);
/// Returns `value` in the same way, rounded down.
std::string rounded_down(double value);

/// Returns `value` with four significant digits and a decimal prefix of `unit`: "1.497 Mbit" for
/// 1497152 and "bit".
std::string with_prefix(double value, std::string_view unit);

/// Returns the number of bits in a size such as "1MB", "500 kB", "2MiB", "8 Mbit" or "300 bit";
/// nullopt if the text is not a size, or not above 0. Bytes have 8 bits; k, M, G and T are powers
/// of 1000; Ki, Mi, Gi and Ti are powers of 1024.
std::optional<double> bits_in(std::string_view size);

/// Returns why bits_in() does not accept `size`, and what to write instead.
std::string size_problem(std::string_view size);

}  // namespace trilemma
