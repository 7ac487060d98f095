#pragma once
// Exit codes of the program; 0 is success.

namespace trilemma {

/// 1: error of the program; 2: mistake of the user; 3: the run failed (results are kept).
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
