#pragma once
// A sentence about a crash in code that others wrote, where the system would say nothing.

#include <string>

namespace trilemma {

/// From its first object on, a signal that means a crash (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT)
/// prints one sentence and ends the process with exit_failed_run. Nothing is cleaned up; files are
/// as after a kill. While an object lives, the sentence says that its `place` has crashed;
/// afterwards, that the place of the last object may have damaged memory. A call of exit(), _exit()
/// or _Exit() by the thread of a living object ends the process in the same way. Objects nest.
class CrashReport {
 public:
  /// `place` is what runs: "model.so: gradient()". It must outlive the object.
  explicit CrashReport(const char* place);
  ~CrashReport();
  /// From now on, sentences name the file with the results so far.
  static void name_results(const std::string& path);
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  const char* outer_;
};

}  // namespace trilemma
