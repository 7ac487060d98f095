#include "base/wrapped.hpp"

#include <algorithm>

namespace trilemma {

std::string wrapped(std::string_view text, std::string_view first, std::string_view next,
                    std::size_t columns) {
  std::string lines;
  std::string line(first);
  bool is_empty = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!is_empty && line.size() + 1 + word.size() > columns) {
      lines += line + '\n';
      line = next;
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return lines + line + '\n';
}

}  // namespace trilemma
