#pragma once
// A checkpoint: the bytes of the run file as it stood after a round, and what the parts need to go
// on. One HDF5 file each, F.h5.checkpoint-ROUND beside the run file F.h5, written under another
// name and renamed, with a checksum over all its data. What is read of it lies in data sets of
// bytes, whose extents are compared with the file before anything is read: no damage leads further.

#include "base/sha256.hpp"
#include "h5/h5.hpp"

namespace trilemma {

class State;

inline constexpr std::int64_t checkpoint_schema_version = 6;
/// The data set of the checksum. It has a new name in every version, so that a file of another one
/// is told from one whose version is damaged.
inline constexpr const char* checkpoint_sum_set = "sha256_of_version_6";

/// A checkpoint on the disk.
struct CheckpointName {
  std::string path;
  std::int64_t round = 0;
};

/// What a checkpoint says of the experiment that wrote it.
struct CheckpointIdentity {
  std::string fingerprint;
  std::string data_files;  ///< checksums, as in /environment/data_files of the run file
};

/// The first of its data sets.
struct CheckpointHead {
  CheckpointIdentity identity;
  std::int64_t round = 0;
  std::string real;      ///< width of the numbers of the program that wrote it
  std::string revision;  ///< of its source

  void persist(State& state);
};

/// Where a checkpoint lies, and where it is written.
std::string checkpoint_of(const std::string& run_file, std::int64_t round);
std::string unfinished_checkpoint_of(const std::string& run_file);
/// The checkpoints of a run file, newest first.
std::vector<CheckpointName> checkpoints_of(const std::string& run_file);
/// Fingerprint of the experiment that wrote a checkpoint; empty where it cannot be read.
std::string checkpoint_fingerprint(const std::string& path);
/// Deletes those that a run which is at `round` has no use for: all but the `keep` newest up to
/// there, and later ones, which it passed over as damaged.
/// That of round `spared` stays.
void prune_checkpoints(const std::string& run_file, std::size_t keep, std::int64_t round,
                       std::int64_t spared = -1);
/// Where this process puts the run file of a checkpoint until it can take its place.
std::string extraction_of(const std::string& run_file);
/// Deletes all but that of round `kept`, unfinished ones and what killed processes have extracted
/// too.
void remove_checkpoints(const std::string& run_file, std::int64_t kept = -1);

/// Writes one checkpoint: client states in client order, then the rest.
class CheckpointWriter {
 public:
  /// `partial` is the flushed file of the run.
  CheckpointWriter(const std::string& run_file, const std::string& partial,
                   const CheckpointIdentity& identity, std::int64_t round);
  /// An unfinished checkpoint leaves nothing behind.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  void add_client(std::span<const std::byte> state);
  /// Adds what all ranks need and what the server alone needs, brings everything to the disk and
  /// gives the file its name; returns its size in bytes.
  std::uint64_t finish(std::span<const std::byte> common, std::span<const std::byte> server);

 private:
  void copy_run_file(const std::string& partial);
  void append(const h5::Dataset& set, std::span<const std::byte> bytes);
  void end(h5::Dataset& set);
  void add_whole(const char* name, const char* description, std::span<const std::byte> bytes);
  void write_pending();

  std::string path_, temporary_;
  h5::File file_;
  h5::Dataset clients_;
  Sha256 sum_;
  Bytes pending_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t end_ = 0;
  std::uint64_t written_ = 0;  ///< bytes of the data set in hand
  bool is_published_ = false;
};

/// A checkpoint that cannot be used, while an older one may be.
class DamagedCheckpoint : public UserError {
  using UserError::UserError;
};

/// Reads one. Refuses with one sentence what is damaged (DamagedCheckpoint) or of another schema
/// version. All of it is summed first, in a process of its own, so that damage comes out before
/// anything is done with it.
class CheckpointReader {
 public:
  explicit CheckpointReader(const CheckpointName& name);

  const CheckpointName& name() const { return name_; }
  std::int64_t round() const { return head_.round; }
  /// SHA-256 of the settings of the experiment that wrote it.
  const std::string& fingerprint() const { return head_.identity.fingerprint; }
  /// The checksums of the data files, as in /environment/data_files.
  const std::string& data_files() const { return head_.identity.data_files; }
  const std::string& real() const { return head_.real; }
  const std::string& revision() const { return head_.revision; }
  const Bytes& common() const { return common_; }
  const Bytes& server() const { return server_; }
  std::size_t clients() const { return ends_.size(); }
  /// State of a client; reads nothing else.
  Bytes client(std::size_t number) const;
  /// Writes the run file as it stood to `path`, where nothing may be.
  void extract_run_file(const std::string& path) const;

 private:
  void read();

  CheckpointName name_;
  CheckpointHead head_;
  h5::File file_;
  h5::Dataset clients_;
  std::vector<std::uint64_t> ends_;
  Bytes common_, server_;
};

}  // namespace trilemma
