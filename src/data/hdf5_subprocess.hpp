#pragma once
// HDF5 files that other programs wrote are read in a subprocess, since the HDF5 library crashes on
// some damaged files.

#include <string>

#include "base/check.hpp"
#include "base/subprocess.hpp"
#include "data/data_file.hpp"
#include "h5/h5.hpp"

namespace trilemma {

/// Returns the result of `read`, which runs in a subprocess and has a function persist(State&).
/// Errors of the h5 room mention run files in their remedy, which `remedy` replaces.
template <class Read>
auto found_in_hdf5(const std::string& path, const char* remedy, const Read& read) {
  const auto read_all = [&] {
    try {
      return reading(path, read);
    } catch (const h5::FileError& error) {
      Mistake refusal = error.mistake();
      refusal.remedy = remedy;
      throw UserError(std::move(refusal));
    } catch (const LibraryError&) {
      throw UserError(fmt::format("{}: not an HDF5 file, or cut off; fetch it again", path));
    }
  };
  constexpr unsigned seconds = 20;
  return found_in_subprocess(path, read_all, seconds, ChildMemory::any);
}

}  // namespace trilemma
