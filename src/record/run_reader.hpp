#pragma once

#include "record/h5.hpp"

namespace trilemma {

/// Opens a run file for reading; one sentence where it is none, of another schema, or cut off.
h5::Handle open_run_file(const std::string& path);

}  // namespace trilemma
