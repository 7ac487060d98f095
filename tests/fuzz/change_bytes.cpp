#include "tests/fuzz/change_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace trilemma::fuzz {

std::size_t pick(Stream& stream, std::size_t bound) {
  return bound == 0 ? 0 : stream.below(static_cast<std::uint32_t>(bound));
}

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 18U;

std::string_view word(Stream& stream) {
  static constexpr std::string_view words[] = {"0",
                                               "-1",
                                               "1",
                                               "2",
                                               "1e400",
                                               "-1e400",
                                               "1e-400",
                                               "nan",
                                               "inf",
                                               "-inf",
                                               "0x1p3",
                                               "4294967295",
                                               "4294967296",
                                               "99999999999999999999",
                                               "18446744073709551616",
                                               "1.5",
                                               ".",
                                               ",",
                                               ":",
                                               ";",
                                               "=",
                                               "\n",
                                               "\r\n",
                                               "\t",
                                               " ",
                                               "\"",
                                               "\"\"",
                                               "'",
                                               "'''",
                                               "\"\"\"",
                                               "[",
                                               "]",
                                               "[[",
                                               "{",
                                               "}",
                                               "\\",
                                               "#",
                                               "/",
                                               "_",
                                               "-",
                                               "+",
                                               "true",
                                               "null",
                                               "x.",
                                               "[x.",
                                               "\"x\".",
                                               "{a=",
                                               "character01/",
                                               "0101_01.png",
                                               "\xEF\xBB\xBF",
                                               "\x1B[1m",
                                               "\xFF\xFE",
                                               "methods",
                                               "mode",
                                               "base = ",
                                               "data."};
  static constexpr std::string_view zero("\0", 1);
  const std::size_t at = pick(stream, std::size(words) + 1);
  return at == std::size(words) ? zero : words[at];
}

void flip_bit(std::string& input, Stream& stream) {
  if (input.empty()) return;
  char& c = input[pick(stream, input.size())];
  c = static_cast<char>(static_cast<unsigned char>(c) ^ (1U << stream.below(8)));
}

void set_byte(std::string& input, Stream& stream) {
  if (!input.empty()) input[pick(stream, input.size())] = static_cast<char>(stream.below(256));
}

void cut(std::string& input, Stream& stream) {
  const std::size_t at = pick(stream, input.size() + 1);
  const std::size_t most = stream.below(4) == 0 ? input.size() : 8;
  input.erase(at, pick(stream, most + 1));
}

void insert_words(std::string& input, Stream& stream) {
  static constexpr std::size_t counts[] = {1, 1, 1, 1, 2, 3, 20, 1000, 60'000};
  const std::string_view text = word(stream);
  std::string run;
  for (std::size_t n = counts[pick(stream, std::size(counts))]; n > 0; --n) run += text;
  input.insert(pick(stream, input.size() + 1), run);
}

void repeat(std::string& input, Stream& stream) {
  const std::size_t at = pick(stream, input.size() + 1);
  const std::string piece = input.substr(at, pick(stream, 64));
  std::string run;
  for (std::size_t n = 1 + pick(stream, stream.below(8) == 0 ? 2000 : 4); n > 0; --n) run += piece;
  input.insert(at, run);
}

// Two or four bytes, as formats have them for counts and sizes.
void set_number(std::string& input, Stream& stream) {
  static constexpr std::uint32_t numbers[] = {
      0,          1,          0x7F,       0x80,       0xFF,       0xFFFF, 0x10000,
      0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x01000000, 784,    3073};
  const std::size_t size = stream.below(2) == 0 ? 2 : 4;
  if (input.size() < size) return;
  const std::uint32_t number = numbers[pick(stream, std::size(numbers))];
  const std::size_t at = pick(stream, input.size() - size + 1);
  const bool is_big = stream.below(2) == 0;
  for (std::size_t i = 0; i < size; ++i)
    input[at + i] = static_cast<char>(number >> (8 * (is_big ? size - 1 - i : i)));
}

// The digits of a number in text for another number.
void replace_number(std::string& input, Stream& stream) {
  const auto digits = "0123456789";
  const std::size_t first = input.find_first_of(digits, pick(stream, input.size()));
  if (first == std::string::npos) return;
  const std::size_t last = std::min(input.find_first_not_of(digits, first), input.size());
  input.replace(first, last - first, word(stream));
}

void splice(std::string& input, const std::vector<std::string>& corpus, Stream& stream) {
  const std::string& other = corpus[pick(stream, corpus.size())];
  const std::size_t from = pick(stream, other.size() + 1);
  input.insert(pick(stream, input.size() + 1), other.substr(from, pick(stream, 256)));
}

}  // namespace

std::string change_bytes(std::string input, const std::vector<std::string>& corpus,
                         Stream& stream) {
  for (std::size_t places = 1 + pick(stream, std::size_t{1} << stream.below(4)); places > 0;
       --places) {
    switch (stream.below(9)) {
      case 0:
        flip_bit(input, stream);
        break;
      case 1:
        set_byte(input, stream);
        break;
      case 2:
        cut(input, stream);
        break;
      case 3:
        insert_words(input, stream);
        break;
      case 4:
        repeat(input, stream);
        break;
      case 5:
        set_number(input, stream);
        break;
      case 6:
        replace_number(input, stream);
        break;
      case 7:
        splice(input, corpus, stream);
        break;
      default:
        input.resize(pick(stream, input.size() + 1));
        break;
    }
    input.resize(std::min(input.size(), most_bytes));
  }
  return input;
}

}  // namespace trilemma::fuzz
