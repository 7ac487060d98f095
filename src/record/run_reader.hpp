#pragma once

#include "base/types.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class State;

/// Opens a run file for reading; one sentence where it is none, of another schema, or cut off.
h5::File open_run_file(const std::string& path, h5::Reading how = h5::Reading::locked);

/// What a run file says of its experiment and of its end.
struct RunHead {
  bool complete = false;
  std::string failure;  ///< why it ended early; empty: nothing is known
  std::string fingerprint, config;
  std::string real;          ///< width of the numbers of the program
  std::string data_files;    ///< lines "SHA-256  name"
  std::string revision;      ///< of the program; empty: not known
  std::string processors;    ///< of its first start, a line for each rank; empty: not known
  unsigned vector_bits = 0;  ///< of rank 0's registers; 0: not known
  bool has_secret = false;   ///< its noise cannot be made again
  double noise_sigma = 0;
  std::uint64_t rounds_done = 0;

  void persist(State& state);
};
/// Reads it in a process of its own (base/subprocess.hpp); refuses like open_run_file. `unlocked`:
/// whoever asks holds the file's lock, or nobody writes it any more: what has its final name is
/// whole, though its writer may hold it for a moment.
RunHead read_run_head(const std::string& path, h5::Reading how = h5::Reading::locked);

/// What a complete run has come to.
struct RunModel {
  std::string config;  ///< resolved, as TOML
  Vector state;        ///< of the server, as in /model/final
};
/// Reads it likewise; refuses a run that is not complete, or whose content has changed.
RunModel read_run_model(const std::string& path);

/// Sums a run file in a process of its own: a sentence where its content has changed since it was
/// written, or cannot be read; else empty.
std::string check_content(const std::string& path);

}  // namespace trilemma
