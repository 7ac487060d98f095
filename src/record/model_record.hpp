#pragma once
// A model of the user's own: attributes own_model_* of the root.

#include <string>
#include <vector>

#include "base/field.hpp"

namespace trilemma {

/// The attributes.
struct ModelRecord {
  std::string name, sum;
  std::vector<std::string> packages,
      modules;  ///< of all ranks; empty unless the model is in Python
  bool repeats = true, adds_up = true, separates = true;
};
/// Returns a sentence for each promise that the model breaks.
std::vector<std::string> broken_promises(const ModelRecord& record);
/// Returns the modules as lines, as those of data files.
std::string module_lines(const ModelRecord& record);
/// Returns the table of these attributes; only files of runs with problem.kind = "plugin" have
/// them.
const Fields<ModelRecord>& model_fields();

}  // namespace trilemma
