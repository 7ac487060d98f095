#pragma once
// What the library for models in Python exports in addition to trilemma_model.h.

#include <string>
#include <vector>

/// What computes with a model.
struct trilemma_origins {
  std::vector<std::string> packages;  ///< Python and packages with their versions
  std::vector<std::string> modules;   ///< "SHA-256  path" of each module of the user's own
};

/// Type of the exported function trilemma_python_version, which returns the version of the program
/// that the library was built with.
using trilemma_python_version_function = const char*();
/// Type of the exported function trilemma_python_origins. Returns nullptr, or a sentence about what
/// went wrong.
using trilemma_python_origins_function = const char*(trilemma_origins* origins);
