#pragma once
// Text from outside, line by line.

#include <string>
#include <string_view>

#include "base/input_file.hpp"

namespace trilemma {

/// The lines of a text: their numbers are carried along, and content that is not text is refused
/// before its bytes reach a parser or a message. A byte order mark of UTF-8 is skipped.
class LineReader {
 public:
  static constexpr std::size_t usual_longest = std::size_t{64} << 20U;  ///< bytes of a line

  /// `name` stands for the file in messages; `read` delivers its bytes.
  LineReader(std::string name, ReadBytes read, std::size_t longest = usual_longest);
  /// The lines of a text in memory, which must live as long as the reader.
  LineReader(std::string name, std::string_view text, std::size_t longest = usual_longest);

  /// Goes to the next line; false at the end of the text. Refuses a line longer than `longest`, a
  /// zero byte, UTF-16 and UTF-32.
  bool next();
  /// Returns the line without its line feed.
  std::string_view line() const { return line_; }
  /// Returns whether the line ends with a line feed, as all but the last one do.
  bool is_ended() const { return is_ended_; }
  /// Returns the number of the line, from 1; before the first call of next() 0.
  std::size_t number() const { return number_; }
  /// Returns "NAME:NUMBER" for messages.
  std::string place() const;

 private:
  void fill();
  void take_mark();

  std::string name_;
  ReadBytes read_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t at_ = 0;  ///< where the next line begins in the buffer
  bool is_at_end_ = false, is_ended_ = false;
  std::string_view line_;
  std::size_t number_ = 0;
};

/// Returns the text without the blanks (space, tab, carriage return) at both of its ends.
std::string_view trimmed(std::string_view text);

}  // namespace trilemma
