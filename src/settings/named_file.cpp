#include "settings/named_file.hpp"

#include "base/check.hpp"
#include "base/input_file.hpp"
#include "base/sha256.hpp"

namespace trilemma {
namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{4} << 30U;
const std::string no_text;

}  // namespace

struct NamedFile::State {
  std::string key, path;
  std::optional<std::string> sum;  ///< computed, or recorded
  bool is_recorded = false;
  std::optional<std::string> content;
};

std::string sum_begin(const std::string& sum) {
  constexpr std::size_t shown_digits = 12;
  return sum.empty() ? "no sum" : sum.substr(0, shown_digits) + "...";
}

NamedFile::NamedFile(std::string key, std::string path, std::optional<std::string> recorded)
    : state_(std::make_shared<State>()) {
  state_->key = std::move(key);
  state_->path = std::move(path);
  state_->is_recorded = recorded.has_value();
  state_->sum = std::move(recorded);
}

const std::string& NamedFile::key() const { return is_set() ? state_->key : no_text; }

const std::string& NamedFile::path() const { return is_set() ? state_->path : no_text; }

const std::string& NamedFile::sum() const {
  expect(is_set(), "a file is named");
  if (!state_->sum) state_->sum = file_sha256(state_->path);
  return *state_->sum;
}

const std::string& NamedFile::content() const {
  expect(is_set(), "a file is named");
  if (!state_->content) {
    std::string content = input_content(state_->path, most_file_bytes);
    compare(sha256(std::as_bytes(std::span(content))));
    state_->content = std::move(content);
  }
  return *state_->content;
}

bool NamedFile::is_unchanged() const {
  return is_set() && is_file(state_->path) && file_sha256(state_->path) == sum();
}

void NamedFile::require_same() const {
  if (is_set() && state_->sum && !state_->content) compare(file_sha256(state_->path));
}

void NamedFile::compare(const std::string& found) const {
  if (!state_->sum || state_->sum->empty()) {
    state_->sum = found;
    return;
  }
  require(found == *state_->sum, "{}{}: its SHA-256 is {} now, but was {} {}; {}", state_->path,
          state_->key.empty() ? "" : fmt::format(" ({})", state_->key), sum_begin(found),
          sum_begin(*state_->sum), state_->is_recorded ? "when the run was made" : "a moment ago",
          state_->is_recorded ? "restore the old file" : "start again");
}

}  // namespace trilemma
