#include "base/line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/check.hpp"

namespace trilemma {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18U;

// Without a byte order mark, every second byte of Latin text in UTF-16 is zero.
bool is_utf16(std::string_view begin) {
  using namespace std::literals;
  if (begin.starts_with("\xFF\xFE"sv) || begin.starts_with("\xFE\xFF"sv)) return true;
  const auto is_zero = [&](std::size_t i) { return begin[i] == '\0'; };
  return begin.size() >= 4 && is_zero(0) != is_zero(1) && is_zero(0) == is_zero(2) &&
         is_zero(1) == is_zero(3);
}

}  // namespace

LineReader::LineReader(std::string name, ReadBytes read, std::size_t longest)
    : name_(std::move(name)), read_(std::move(read)), longest_(longest) {}

LineReader::LineReader(std::string name, std::string_view text, std::size_t longest)
    : LineReader(
          std::move(name),
          [text, at = std::make_shared<std::size_t>(0)](char* to, std::size_t most) {
            const std::size_t count = std::min(most, text.size() - *at);
            std::copy_n(text.data() + *at, count, to);
            *at += count;
            return count;
          },
          longest) {}

void LineReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + piece);
  const std::size_t got = read_(buffer_.data() + size, piece);
  buffer_.resize(size + got);
  is_at_end_ = got == 0;
}

void LineReader::take_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  constexpr std::size_t looked_at = 4;
  while (buffer_.size() < looked_at && !is_at_end_) fill();
  require(!is_utf16(std::string_view(buffer_).substr(0, looked_at)),
          "{}: text in UTF-16; convert it to UTF-8, as by `iconv -f UTF-16 -t UTF-8`", name_);
  if (buffer_.starts_with(mark)) at_ = mark.size();
}

bool LineReader::next() {
  if (number_ == 0) take_mark();
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  for (;;) {
    end = buffer_.find('\n', at_ + searched);
    if (end != std::string::npos || is_at_end_) break;
    searched = buffer_.size() - at_;
    require(searched <= longest_, "{}:{}: a line longer than {} bytes; is it another file?", name_,
            number_ + 1, longest_);
    fill();
  }
  is_ended_ = end != std::string::npos;
  if (!is_ended_) end = buffer_.size();
  if (!is_ended_ && at_ == end) return false;
  ++number_;
  line_ = std::string_view(buffer_).substr(at_, end - at_);
  at_ = is_ended_ ? end + 1 : end;
  require(line_.size() <= longest_, "{}: a line longer than {} bytes; is it another file?", place(),
          longest_);
  require(std::memchr(line_.data(), '\0', line_.size()) == nullptr,
          "{}: a zero byte, which no text has; is it another file?", place());
  return true;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace trilemma

fmt::format_context::iterator fmt::formatter<trilemma::LinePlace>::format(
    const trilemma::LinePlace& place, format_context& context) const {
  return fmt::format_to(context.out(), "{}:{}", place.name, place.number);
}
