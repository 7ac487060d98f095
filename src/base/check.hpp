#pragma once
// Three kinds of checks: require (a mistake of the user), expect (an error of the program), check
// (return code of a library); and the exit codes that errors lead to.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace trilemma {

/// Origin of a setting or text: a line of a file, a whole file, or the command line.
struct SourcePlace {
  std::string file;
  long line = 0;  ///< 0: the whole file

  /// Returns the origin of settings given with --set.
  static SourcePlace command_line() { return {"--set", 0}; }
  bool operator==(const SourcePlace&) const = default;
  /// Returns "FILE:LINE", "FILE" or "--set".
  std::string text() const { return line > 0 ? fmt::format("{}:{}", file, line) : file; }
};

/// A mistake of the user, as fields; fields that do not apply are empty. Code that adds a place or
/// a remedy to an error changes a field, and code that needs the cause reads one.
struct Mistake {
  SourcePlace place = {};
  std::string key = {};      ///< dotted path of the setting
  std::string value = {};    ///< of the setting, as TOML
  std::string problem = {};  ///< what was found
  std::string remedy = {};   ///< what to do

  /// Returns one sentence: "FILE:LINE: KEY = VALUE: PROBLEM; REMEDY".
  std::string text() const {
    std::string out = place.text();
    if (!out.empty()) out += place == SourcePlace::command_line() && value.empty() ? " " : ": ";
    if (!key.empty()) out += key + (value.empty() ? "" : " = " + value) + ": ";
    return out + problem + (remedy.empty() ? "" : "; " + remedy);
  }
};

/// A mistake of the user: one sentence that states what was found where, and what to do.
class UserError : public std::runtime_error {
 public:
  /// A mistake given by its sentence only.
  explicit UserError(const std::string& problem) : UserError(Mistake{.problem = problem}) {}
  explicit UserError(Mistake mistake)
      : std::runtime_error(mistake.text()), mistake_(std::move(mistake)) {}
  /// Returns the fields of the mistake.
  const Mistake& mistake() const { return mistake_; }

 private:
  Mistake mistake_;
};

/// A setting of the command line that the chosen parts do not read; its key is that of the mistake.
class UnreadSetting : public UserError {
  using UserError::UserError;
};

/// A run that cannot continue (a NaN, a full disk): the results so far are kept.
class RunFailure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A failed call into a library.
class LibraryError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws UserError with the formatted sentence unless `good`. Always enabled.
template <class... Args>
void require(bool good, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!good) throw UserError(fmt::format(sentence, std::forward<Args>(args)...));
}

/// Throws std::logic_error for an error of the program unless `good`; enabled in builds with
/// TRILEMMA_AUDIT (dev, asan, audit).
inline void expect([[maybe_unused]] bool good, [[maybe_unused]] const char* what) {
#if defined(TRILEMMA_AUDIT)
  if (!good) throw std::logic_error(what);
#endif
}

/// Exit codes of the program; 0 is success. 1: error of the program; 2: mistake of the user; 3: the
/// run failed (results are kept).
inline constexpr int exit_internal = 1;
inline constexpr int exit_user = 2;
inline constexpr int exit_failed_run = 3;
/// A claim does not hold (`verify`, audits), or could not be checked.
inline constexpr int exit_claim_fails = 4;
inline constexpr int exit_claim_unchecked = 5;
/// A benchmark is not valid.
inline constexpr int exit_invalid_benchmark = 4;
/// A signal has stopped the run after a checkpoint; it continues with --resume.
inline constexpr int exit_stopped = 85;

}  // namespace trilemma
