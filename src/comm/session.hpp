#pragma once
// The MPI session: the only global state of the program.

#include <string>

namespace trilemma {

/// Starts MPI on construction (a single process needs no launcher) and ends it on destruction. MPI
/// errors are returned to the caller and checked, not fatal inside the library.
class Session {
 public:
  Session(int& argc, char**& argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// "Open MPI v4.1.4" and the like.
  static std::string library();
  /// Host name of this rank.
  static std::string host();
  /// Ends the whole job at once.
  [[noreturn]] static void abort(int code);

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace trilemma
