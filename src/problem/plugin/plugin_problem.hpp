#pragma once

#include "problem/plugin/model_library.hpp"
#include "problem/problem.hpp"
#include "settings/named_file.hpp"

namespace trilemma {

/// A problem that calls a library of the user.
class OwnModel : public Problem {
 public:
  /// Returns what the model calls itself.
  virtual const std::string& name() const = 0;
  /// Returns the file that problem.library names.
  virtual const NamedFile& file() const = 0;
  /// Returns what has been imported until now.
  virtual ModelOrigins origins() = 0;
  /// From now on, or no longer, a call throws RunFailure if it changes x or the records.
  virtual void watch_inputs(bool watch) = 0;
};

}  // namespace trilemma
