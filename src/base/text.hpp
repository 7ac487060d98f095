#pragma once
// Small helpers for names and messages.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trilemma {

/// Levenshtein distance of two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`: one letter away, else begun by it, else not far away; or empty.
/// Among equally near ones the one that begins like the word for longest, then the first.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean "a" or "b"?" with the nearest candidates, three at most where several are equally
/// near and begin alike; `otherwise` where none is near enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise);

/// Words joined by ", ".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// "1 record", "2 records".
std::string counted(std::size_t count, std::string_view word);

/// Text from outside as it may go to a terminal or into a sentence: control characters, bytes that
/// are no UTF-8, and marks that turn the direction of writing are spelt out (\n, \x1b, \u202e).
std::string printable(std::string_view text);

/// Why a text cannot be part of a file's name (a path in it, a control character, ...); empty where
/// it can.
std::string name_problem(std::string_view name);

/// The same of at most `most` bytes, between characters of UTF-8; what is cut off leaves "...".
std::string shown(std::string_view text, std::size_t most = 60);

/// Six significant digits, rounded up (but for one part in 10^12): an epsilon must not be shown
/// smaller than it is.
std::string rounded_up(double value);

/// Four significant digits with a decimal prefix: with_prefix(1497152, "bit") = "1.497 Mbit".
std::string with_prefix(double value, std::string_view unit);

/// The bits in a size as "1MB", "500 kB", "2MiB", "8 Mbit" or "300 bit"; nothing where the text is
/// no such size, or not above 0. Bytes have 8 bits; k, M, G and T stand for powers of 1000, Ki, Mi,
/// Gi and Ti of 1024.
std::optional<double> bits_in(std::string_view size);

/// Why a text is no size, and what to write instead.
std::string size_problem(std::string_view size);

}  // namespace trilemma
