#pragma once
// A model of the user's own: attributes own_model_* of the root.

#include <string>

#include "record/field.hpp"

namespace trilemma {

/// The attributes.
struct ModelRecord {
  std::string name, sum;
  bool repeats = false, adds_up = false, separates = false;
};
/// Returns the table of these attributes; only files of runs with problem.kind = "plugin" have
/// them.
const Fields<ModelRecord>& model_fields();

}  // namespace trilemma
