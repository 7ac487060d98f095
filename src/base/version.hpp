#pragma once
// What the build knows of itself; filled in by CMake (version.cpp.in).

namespace trilemma {

const char* program_version();
/// Commit of the source tree at the last configuration, "-dirty" if it had changes.
const char* git_revision();
const char* compiler();
const char* compiler_flags();
const char* library_versions();

}  // namespace trilemma
