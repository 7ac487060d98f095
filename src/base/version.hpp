#pragma once
// Facts about the build, filled in by CMake (version.cpp.in).

namespace trilemma {

const char* program_version();
/// Returns the commit of the source tree at the last configuration, with "-dirty" if it had
/// changes.
const char* git_revision();
const char* compiler();
const char* compiler_flags();
const char* library_versions();

}  // namespace trilemma
