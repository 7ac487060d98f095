#pragma once

#include "record/h5.hpp"

namespace trilemma {

/// Opens a run file for reading; one sentence where it is none, of another schema, or cut off.
h5::Handle open_run_file(const std::string& path);

/// How a run ended, or that it has not.
struct RunEnd {
  bool complete = false;
  std::string failure;  ///< why it ended early; empty: nothing is known
};
/// Refuses like open_run_file.
RunEnd read_run_end(const std::string& path);

}  // namespace trilemma
