#pragma once
// Three kinds of check: require (the user's mistake), expect (ours), check (a library's return
// code).

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace trilemma {

/// The user's mistake: one sentence that says what was found where, and what to do.
class UserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A setting of the command line that the chosen parts do not read.
class UnreadSetting : public UserError {
  using UserError::UserError;
};

/// A run that cannot continue (a NaN, a full disk): the results so far are kept.
class RunFailure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call into a library failed.
class LibraryError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws UserError with the formatted sentence unless `good`. Always on.
template <class... Args>
void require(bool good, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!good) throw UserError(fmt::format(sentence, std::forward<Args>(args)...));
}

/// Our own mistake: throws std::logic_error; on in builds with TRILEMMA_AUDIT (dev, asan, audit).
inline void expect([[maybe_unused]] bool good, [[maybe_unused]] const char* what) {
#if defined(TRILEMMA_AUDIT)
  if (!good) throw std::logic_error(what);
#endif
}

}  // namespace trilemma
