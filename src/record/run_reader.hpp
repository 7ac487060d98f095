#pragma once
// Reads run files of runs that continue, are repeated, or serve as start models.

#include "base/types.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class State;

/// Opens a run file for reading. Throws UserError if it is not a run file, has another schema
/// version, or is cut off.
h5::File open_run_file(const std::string& path, h5::Reading how = h5::Reading::locked);

/// The experiment of a run file, and how far the run is.
struct RunHead {
  bool complete = false;
  std::string failure;  ///< why it ended early; empty = not known
  std::string fingerprint, config;
  std::string real;          ///< type `real` of the program
  std::string data_files;    ///< lines "SHA-256  name"
  std::string revision;      ///< source revision of the program; empty = not known
  std::string processors;    ///< at the first start, one line for each rank; empty = not known
  unsigned vector_bits = 0;  ///< width of rank 0's vector registers; 0 = not known
  bool has_secret = false;   ///< its noise comes from a secret and cannot be repeated
  double noise_sigma = 0;
  std::uint64_t rounds_done = 0;

  void persist(State& state);
};
/// Reads the head of the run file at `path` in a separate process (base/subprocess.hpp); throws as
/// open_run_file(). `how` is `unlocked` if the caller holds the lock, or if the file has its final
/// name, which it gets only when complete; its writer may then still hold the lock for a moment.
RunHead read_run_head(const std::string& path, h5::Reading how = h5::Reading::locked);

/// The final state of a complete run.
struct RunModel {
  std::string config;  ///< resolved, as TOML
  Vector state;        ///< state of the server, /model/final
};
/// Reads the final state in a separate process. Throws UserError also if the run is not complete,
/// or if its content has changed.
RunModel read_run_model(const std::string& path);

/// Verifies the checksum of a run file in a separate process. Returns a message if the content has
/// changed since it was written or cannot be read, otherwise an empty text.
std::string check_content(const std::string& path);

}  // namespace trilemma
