#pragma once
// Facts about the build, filled in by CMake (version.cpp.in).

namespace trilemma {

/// Whether this build has models in Python; without_headers: CMake found no headers of Python.
enum class PythonModels { built, without_headers, excluded };

const char* program_version();
PythonModels python_models();
/// Returns the commit of the source tree at the last build, with "-dirty" if it had changes, or the
/// commit of the archive that it was unpacked from.
const char* git_revision();
/// Returns "yes" if the source tree had changes that are not in this commit, "no", "not known
/// (archive)", or "not available" if no commit is known.
const char* source_state();
/// Returns whether the commit is known and no changes beyond it are; those of an unpacked archive
/// cannot be found.
bool is_source_clean();
const char* compiler();
const char* compiler_flags();
const char* library_versions();

}  // namespace trilemma
