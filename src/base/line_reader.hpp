#pragma once
// Reading of text from outside, line by line.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/input_file.hpp"

namespace trilemma {

/// A line of a file, printed as "NAME:NUMBER". It is not text, since readers pass it to checks of
/// every number of a file, and nearly all of these succeed.
struct LinePlace {
  std::string_view name;
  std::size_t number = 0;
};

/// Reads the lines of a text and counts them. Content that is not text is refused before its bytes
/// reach a parser or a message. A byte order mark of UTF-8 is skipped.
class LineReader {
 public:
  /// Default of `longest`.
  static constexpr std::size_t usual_longest = std::size_t{64} << 20U;  ///< bytes of a line

  /// `name` identifies the file in messages; `read` delivers its bytes.
  LineReader(std::string name, ReadBytes read, std::size_t longest = usual_longest);
  /// Reads the lines of a text in memory, which must outlive the reader.
  LineReader(std::string name, std::string_view text, std::size_t longest = usual_longest);

  /// Advances to the next line; returns false at the end of the text. Throws UserError for a line
  /// longer than `longest`, a zero byte, UTF-16 and UTF-32.
  bool next();
  /// Returns the line without its line feed.
  std::string_view line() const { return line_; }
  /// Returns whether the line ends with a line feed, as all lines except possibly the last do.
  bool is_ended() const { return is_ended_; }
  /// Returns the number of the line, from 1; 0 before the first call of next().
  std::size_t number() const { return number_; }
  /// Returns the place of the line for messages.
  LinePlace place() const { return {name_, number_}; }

 private:
  void fill();
  void take_mark();

  std::string name_;
  ReadBytes read_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t at_ = 0;  ///< start of the next line in the buffer
  bool is_at_end_ = false, is_ended_ = false;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// Returns the text without leading and trailing blanks (space, tab, carriage return).
std::string_view trimmed(std::string_view text);

}  // namespace trilemma

template <>
struct fmt::formatter<trilemma::LinePlace> {
  constexpr auto parse(format_parse_context& context) const { return context.begin(); }
  // Defined in a source: inline, each room that names a line would compile fmt's formatting of
  // numbers.
  format_context::iterator format(const trilemma::LinePlace& place, format_context& context) const;
};
