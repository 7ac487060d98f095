#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/check.hpp"
#include "base/file_format.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {
namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20U;
// The deepest valid key has five parts, and the deepest value is a list of lists.
constexpr std::size_t most_parts = 16;
constexpr std::size_t most_brackets = 16;

// Scans the tokens of TOML and counts parts of keys and open brackets, since nested tables are
// parsed, copied and destroyed recursively. Invalid TOML stops the parser at the same place, so the
// scan need not detect it.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  /// Returns what is excessive, or nullptr; line() is its line then.
  const char* excess() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') skip_string(c);
      if (c == '#') skip_to('\n');
      if (at_ >= text_.size()) break;
      if (const char* found = count(text_[at_]); found != nullptr) return found;
    }
    return nullptr;
  }
  std::size_t line() const { return line_; }

 private:
  const char* count(char c) {
    if (c == '\n') ++line_;
    if (c == '.' && ++dots_ >= most_parts) return "a key of more than 16 parts";
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots_ = 0;
    if (c == '[' || c == '{') ++brackets_;
    if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
    return brackets_ > most_brackets ? "more than 16 nested brackets" : nullptr;
  }

  void skip_to(char end) { at_ = std::min(text_.find(end, at_), text_.size()); }

  // Skips to the last quote of a string; to the end of the line if the string is not closed.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    for (at_ += is_long ? 3 : 1; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && quote == '"') {
        ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++line_;
      } else if (is_long && text_.substr(at_, 3) == three) {
        at_ += 2;
        while (at_ + 1 < text_.size() && text_[at_ + 1] == quote) ++at_;
        return;
      } else if (c == '\n') {
        if (!is_long) return;
        ++line_;
      } else if (!is_long && c == quote) {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, dots_ = 0, brackets_ = 0;
};

// The parser reports a missing quote as a control character, the end of the line.
std::string cause(std::string_view description) {
  const bool in_string = description.find("string") != std::string_view::npos;
  const bool not_closed = description.find("control characters") != std::string_view::npos ||
                          description.find("end-of-file") != std::string_view::npos;
  return in_string && not_closed
             ? "a text without its closing quote, or with a control character in it"
             : shown(description, 200);
}

void check_size(std::size_t bytes, const std::string& name) {
  require(bytes <= most_bytes,
          "{}: {} bytes, but a file of settings has at most {}; is it the right file?", name, bytes,
          most_bytes);
}

}  // namespace

toml::table parse_settings(const std::string& text, const std::string& name) {
  check_size(text.size(), name);
  NestingScan scan(text);
  if (const char* excess = scan.excess(); excess != nullptr)
    throw UserError(fmt::format("{}:{}: {}; fix the line", name, scan.line(), excess));
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}: not valid TOML: {}; fix the line", name,
                                error.source().begin.line, cause(error.description())));
  }
}

toml::table parse_settings_file(const std::string& file) {
  const InputFile opened(file, {.kind = "an experiment file"});
  check_size(opened.size(), file);
  const std::string text = input_content(file, most_bytes, {.kind = "an experiment file"});
  refuse_foreign(file, std::string_view(text).substr(0, format_bytes), {FileFormat::empty},
                 "an experiment (TOML)", "name an experiment file");
  return parse_settings(text, file);
}

toml::table parse_override(const std::string& text) {
  const std::string source = "--set " + shown(text, 200);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
  require(std::none_of(text.begin(), text.end(), is_control),
          "{}: a line break or another control character; give every setting a --set of its own",
          source);
  const auto equal = text.find('=');
  require(equal != std::string::npos && equal > 0, "{}: no '=' found; write --set key.path=value",
          source);
  const auto trim = [](std::string s) {
    s.erase(0, s.find_first_not_of(" \t"));
    s.erase(s.find_last_not_of(" \t") + 1);
    return s;
  };
  const std::string key = trim(text.substr(0, equal));
  const std::string value = trim(text.substr(equal + 1));
  check_size(text.size(), source);
  const char* excess = nullptr;
  for (const char* quotes : {"", "'''"}) {
    const std::string line = key + " = " + quotes + value + quotes;
    excess = NestingScan(line).excess();
    if (excess != nullptr) continue;
    try {
      return toml::parse(line, source);
    } catch (const toml::parse_error&) {
      continue;
    }
  }
  throw UserError(fmt::format("{}: {}; write --set key.path=value", source,
                              excess != nullptr ? excess : "not a key and a value"));
}

}  // namespace trilemma
