#pragma once
// Exit codes of the program; 0 is good.

namespace trilemma {

/// 1 our own error, 2 the user's mistake, 3 the run failed (results kept).
inline constexpr int exit_internal = 1;
inline constexpr int exit_user = 2;
inline constexpr int exit_failed_run = 3;
/// Of `verify`, and of an audit that refutes a claim.
inline constexpr int exit_claim_fails = 4;
inline constexpr int exit_claim_unchecked = 5;
/// A signal has stopped the run after a checkpoint: start it again with --resume.
inline constexpr int exit_stopped = 85;

}  // namespace trilemma
